package assemble

import (
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// body is everything behind the reasoning: content and calls.
func (a *assembly) body() peg.ID {
	if len(a.request.JSONSchema) > 0 {
		return a.response()
	}
	if a.d.Content.Mode == dialect.ContentWrappedWithReasoning && a.m.contentStart != "" {
		return a.Choice(
			a.Seq(a.Space(), a.Lit(a.m.contentStart), a.mixed(nonempty(a.m.contentEnd))),
			a.mixed(nil))
	}
	return a.mixed(nonempty(a.m.contentStart, a.m.contentEnd))
}

// mixed is content with calls anywhere in it. wrappers are the markers around content, which say nothing here.
func (a *assembly) mixed(wrappers []string) peg.ID {
	text := a.text(wrappers)
	var items []peg.ID
	if len(wrappers) > 0 {
		items = append(items, a.Seq(a.oneOf(wrappers), a.Space(), text))
	}
	if a.format == nil {
		if len(items) == 0 {
			return text
		}
		return a.Seq(text, a.Star(items...))
	}
	spelled := a.only("spelled", a.Tag(peg.Content, a.oneOf(a.openers())), text)
	if a.mustCall() {
		return a.obliged(text, append(items, a.Seq(a.calls(), a.only("text", text)), spelled))
	}
	items = append(items, a.Seq(a.calls(), text), spelled)
	return a.Seq(a.Optional(a.Space(), a.calls()), text, a.Star(a.Choice(items...)))
}

// obliged is content and calls where there must be a call: grammars allow text, then the calls, and the end.
func (a *assembly) obliged(text peg.ID, items []peg.ID) peg.ID {
	after := a.Star(a.only("more", a.Choice(items...)))
	begun := a.Seq(text, a.tolerate(a.calls(), a.Optional(a.only("text", text))), after)
	if a.markerless() {
		return a.Choice(a.Seq(a.Space(), a.calls(), a.Optional(a.only("text", text)), after), begun)
	}
	return begun
}

// text is content up to the next marker that could mean something else.
func (a *assembly) text(wrappers []string) peg.ID {
	until := nonempty(append(append(a.openers(), wrappers...), a.m.endings...)...)
	return a.Tag(peg.Content, a.Until(until...))
}
