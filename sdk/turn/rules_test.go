package turn_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

func TestARuleIsBuiltOnce(t *testing.T) {
	b := turn.New(new(chat.Request), turn.Format{})
	made := 0
	var nested func() peg.ID
	nested = func() peg.ID {
		return b.Once("nested", func() peg.ID {
			made++
			return b.Seq(b.Lit("("), b.Optional(nested()), b.Lit(")"))
		})
	}
	first, second := nested(), nested()
	if first != second || made != 1 {
		t.Errorf("nodes %d and %d, built %d times", first, second, made)
	}
	if err := b.Build(b.Seq(first, b.End())).Validate(); err != nil {
		t.Error(err)
	}
}

func TestToleranceIsInRulesThatGrammarsOmit(t *testing.T) {
	b := turn.New(new(chat.Request), turn.Format{})
	if b.Only("odd", b.Lit("a")) != b.Only("odd", b.Lit("b")) {
		t.Error("two rules were built under one name")
	}
	choice := b.Tolerate(b.Lit("a"))
	p := b.Build(b.Seq(choice, b.End()))
	kids := p.Nodes[choice].Kids
	last := p.Nodes[kids[len(kids)-1]]
	if last.Op != peg.Rule || last.Text != "~missing" || p.Nodes[last.Kids[0]].Op != peg.Empty {
		t.Errorf("the last alternative of the tolerated part is %+v", last)
	}
}
