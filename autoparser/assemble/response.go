package assemble

import (
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// response matches content that follows the JSON Schema of the request, optionally in a code fence,
// which is not content. If the request has tools, calls are accepted instead. Text that is not JSON
// remains content.
func (a *assembly) response() peg.ID {
	value := a.Tag(peg.Content, a.Schema(a.Request.JSONSchema, a.Value(peg.AnyJSON)))
	fenced := a.Seq(a.Lit(turn.Fence), a.Optional(a.Lit("json")), a.Space(), value, a.Space(), a.Tolerate(a.Lit(turn.Fence)))
	answers := []peg.ID{fenced, value}
	if a.format != nil {
		answers = append([]peg.ID{a.calls()}, answers...)
	}
	answers = append(answers, a.OnlyHere("prose", a.mixed(nonempty(a.m.Content.End))))
	return a.Seq(a.Space(), a.wrapper(a.m.Content.Start), a.Choice(answers...), a.Tag(peg.Content, a.Space()), a.wrapper(a.m.Content.End),
		a.Optional(a.OnlyHere("more", a.trailing())))
}

// held matches content that follows a grammar of the client, which replaces it in the constraint.
func (a *assembly) held() peg.ID {
	text := a.Tag(peg.Content, a.Until(nonempty(append([]string{a.m.Content.End}, a.Ends...)...)...))
	return a.Seq(a.Space(), a.wrapper(a.m.Content.Start), text, a.wrapper(a.m.Content.End), a.Optional(a.OnlyHere("more", a.trailing())))
}

// wrapper matches a marker around content, if the template has one.
func (a *assembly) wrapper(marker string) peg.ID {
	if marker == "" {
		return a.Empty()
	}
	return a.Optional(a.Lit(marker), a.Space())
}

// trailing matches text after the end of a response.
func (a *assembly) trailing() peg.ID {
	text := a.Tag(peg.Content, a.NotChars(1, 1, turn.Blank...), a.Until(a.Ends...))
	if len(a.Ends) == 0 {
		return text
	}
	return a.Seq(a.Not(a.OneOf(a.Ends...)), text)
}
