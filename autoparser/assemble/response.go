package assemble

import (
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// response is content that must follow the JSON Schema of the request, bare or in a code turn.Fence, which is not content.
// Where the request has tools, there may be calls instead. What is not JSON stays content.
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

// held is content that follows a grammar of the client's own, which whoever makes the constraint puts in its place.
func (a *assembly) held() peg.ID {
	text := a.Tag(peg.Content, a.Until(nonempty(append([]string{a.m.Content.End}, a.Ends...)...)...))
	return a.Seq(a.Space(), a.wrapper(a.m.Content.Start), text, a.wrapper(a.m.Content.End), a.Optional(a.OnlyHere("more", a.trailing())))
}

// wrapper is a marker around content, if the template has one.
func (a *assembly) wrapper(marker string) peg.ID {
	if marker == "" {
		return a.Empty()
	}
	return a.Optional(a.Lit(marker), a.Space())
}

// trailing is text behind a response that should have ended.
func (a *assembly) trailing() peg.ID {
	text := a.Tag(peg.Content, a.NotChars(1, 1, turn.Blank...), a.Until(a.Ends...))
	if len(a.Ends) == 0 {
		return text
	}
	return a.Seq(a.Not(a.OneOf(a.Ends...)), text)
}
