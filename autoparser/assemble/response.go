package assemble

import "github.com/dragoman-project/dragoman/sdk/peg"

// fence is what models put around code.
const fence = "```"

// response is content that must follow the JSON Schema of the request, bare or in a code fence, which is not content.
// Where the request has tools, there may be calls instead. What is not JSON stays content.
func (a *assembly) response() peg.ID {
	value := a.Tag(peg.Content, a.Schema(a.request.JSONSchema, a.Value(peg.AnyJSON)))
	fenced := a.Seq(a.Lit(fence), a.Optional(a.Lit("json")), a.Space(), value, a.Space(), a.tolerate(a.Lit(fence)))
	open, shut := a.Empty(), a.Empty()
	if a.m.contentStart != "" {
		open = a.Optional(a.Lit(a.m.contentStart), a.Space())
	}
	if a.m.contentEnd != "" {
		shut = a.Optional(a.Space(), a.Lit(a.m.contentEnd))
	}
	answers := []peg.ID{a.Seq(fenced, shut), a.Seq(value, shut)}
	if a.format != nil {
		answers = append([]peg.ID{a.calls()}, answers...)
	}
	answers = append(answers, a.only("prose", a.mixed(nonempty(a.m.contentEnd))))
	return a.Seq(a.Space(), open, a.Choice(answers...), a.Optional(a.only("more", a.trailing())))
}

// trailing is text behind a response that should have ended.
func (a *assembly) trailing() peg.ID {
	if len(a.m.endings) == 0 {
		return a.Tag(peg.Content, a.Space(), a.NotChars(1, 1, blank...), a.Rest())
	}
	return a.Seq(a.Not(a.Seq(a.blanks(), a.oneOf(a.m.endings))), a.Tag(peg.Content, a.Space(), a.NotChars(1, 1, blank...), a.Until(a.m.endings...)))
}
