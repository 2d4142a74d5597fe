package autoparser

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Template is a compiled chat template with its capabilities. It is immutable and safe for concurrent use.
type Template struct {
	Name   string // for people, in errors
	Source string
	BOS    string // the token at the beginning of a text, bos_token of templates
	EOS    string // the token at its end, eos_token
	// Capabilities were found by Learn, with Abilities as the questions and answers, in their order.
	Capabilities dialect.Capabilities
	Abilities    []Ability
	// Dial is how requests choose how much the model thinks.
	Dial Dial

	strict    *jinja.Template
	program   *jinja.Template // the same for prompts, which are not HTML
	prompts   *jinja.Fork     // program with and without the beginning of an answer
	thoughts  string          // the additional place where it expects the reasoning of a message; see places
	flatCalls bool            // it expects name and arguments of a call in the call itself
	nullCalls bool            // it renders calls only with null content
	// demandsSystem is set if it fails without a system message, so that all probes need one.
	demandsSystem bool
	renderings    *atomic.Int64 // the number of renderings, for tests
}

// Options are the options of Open. The zero value is the default.
type Options struct {
	// Limits bound every rendering, of requests and of probes.
	Limits jinja.Limits
}

// Open compiles a template. It renders nothing.
func Open(name, source, bos, eos string, o Options) (*Template, error) {
	program, err := jinja.Compile(name, source, jinja.Options{Limits: o.Limits})
	if err != nil {
		return nil, err
	}
	t := &Template{Name: name, Source: source, BOS: bos, EOS: eos, strict: program, program: program.PlainText(), renderings: new(atomic.Int64)}
	t.prompts = t.program.Fork(generationPrompt)
	return t, nil
}

// reads reports whether the template reads a variable.
func (t *Template) reads(variable string) bool {
	return slices.Contains(t.program.Variables(), variable)
}

// text renders a conversation as it is, with or without a generation prompt. If Jinja2 would fail, but more tolerant engines
// would not, it renders as they do, and records that in the conversation.
func (t *Template) text(ctx context.Context, c *conversation, prompt bool) (string, error) {
	t.renderings.Add(1)
	vars := t.variables(c, prompt)
	text, err := t.program.Render(ctx, vars, c.now)
	if !errors.Is(err, jinja.Runtime) {
		return text, err
	}
	if nulls := t.variables(c, prompt); t.setAbsent(nulls) {
		if text, nullErr := t.program.Render(ctx, nulls, c.now); nullErr == nil {
			return text, nil
		}
	}
	if text, tolerantErr := t.program.Tolerant().Render(ctx, vars, c.now); tolerantErr == nil {
		c.tolerated = err
		return text, nil
	}
	return "", err
}

// texts renders a conversation without a generation prompt and with it.
func (t *Template) texts(ctx context.Context, c *conversation) (without, with string, err error) {
	vars := t.variables(c, true)
	if _, own := c.given.Get(generationPrompt); !own {
		values := [2]value.Value{nil, value.True}
		if c.explicit {
			values[0] = value.False
		}
		if both, ok, err := t.prompts.Render(ctx, vars, c.now, values); ok && err == nil {
			t.renderings.Add(1)
			return both[0], both[1], nil
		}
	}
	if without, err = t.text(ctx, c, false); err == nil {
		with, err = t.text(ctx, c, true)
	}
	return without, with, err
}

// setAbsent sets absent variables that the template reads to null, as Hugging Face does, and reports whether there were any.
func (t *Template) setAbsent(vars *value.Object) bool {
	absent := false
	for _, name := range []string{"tools", "documents"} {
		if _, set := vars.Get(name); !set && t.reads(name) {
			vars.Set(name, value.None{})
			absent = true
		}
	}
	return absent
}
