package assemble

import (
	"slices"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// format is what the call formats differ in: the text between the markers of a call.
type format interface {
	// opening is the text that begins a call without the markers around it; empty if no text tells
	// such a call from prose.
	opening() string
	// ahead matches a call of a known tool, up to its arguments or their end: what tells a call from
	// its mention.
	ahead() peg.ID
	// name matches the name of one of the given tools and the text that closes it, in an atomic
	// region.
	name(of ...turn.Tool) peg.ID
	// anyName matches the name of an unknown tool; false if the format cannot tell one from prose.
	anyName() (peg.ID, bool)
	// arguments matches the text after the name of t that differs from tool to tool.
	arguments(t turn.Tool) peg.ID
	// closers matches what follows the arguments, up to the end marker of the call.
	closers() peg.ID
	// ways returns the accepted orders of a call's parts, including the template's own.
	ways() []peg.ID
}

// markerless reports whether calls have no markers at all: then JSON that names a tool is a call.
func (a *assembly) markerless() bool {
	return a.m.Tools.SectionStart == "" && a.m.Tools.PerCallStart == "" && a.format.opening() == ""
}

// openers returns the texts at which calls can begin: markers or, if the format has none, a bracket
// after white space or before a quote, and what models write before it.
func (a *assembly) openers() []string {
	if a.format == nil {
		return nil
	}
	if !a.markerless() {
		return respaced(a.m.Tools.SectionStart, a.m.Tools.PerCallStart, a.format.opening())
	}
	if f, ok := a.format.(tagged); ok {
		return f.bareOpeners()
	}
	return []string{"\n{", " {", `{"`, `[{"`, "\n[", " [", turn.Fence, "<"}
}

// Every part of a call consumes the white space after it, so that a missing part is recognised at
// the first byte of the next.

// calls matches a run of calls, and the reasoning that may follow it before the content continues.
func (a *assembly) calls() peg.ID { return a.Once("calls", a.run) }

func (a *assembly) run() peg.ID {
	behind := []peg.ID{a.callRun(), a.Space()}
	if ends := slices.DeleteFunc(nonempty(a.m.Tools.PerCallEnd, a.m.Tools.SectionEnd), common); len(ends) > 0 {
		behind = append(behind, a.Star(a.OnlyHere("end-again", a.OneOf(respaced(ends...)...), a.Space())))
	}
	if a.endsLate() {
		behind = append(behind, a.LateThoughtEnd())
		if a.m.Reasoning.Start != "" {
			behind = append(behind, a.ThoughtAgain())
		}
	}
	return a.Seq(behind...)
}

// endsLate reports whether the end marker of reasoning may follow calls that have already ended it.
func (a *assembly) endsLate() bool {
	_, rest := a.afterEnding(a.m.Reasoning.End)
	return a.m.Reasoning.End != "" && rest == "" && a.Request.ReasoningFormat.Extract()
}

// callRun matches a run of calls.
func (a *assembly) callRun() peg.ID {
	return a.Once("call-run", func() peg.ID { return a.Seq(a.notTheEnd(), a.Choice(a.callRuns()...)) })
}

// notTheEnd is a lookahead before a marker of calls that begins with the end of the turn: it fails at
// that end, where the output ends, too.
func (a *assembly) notTheEnd() peg.ID {
	for _, opener := range a.openers() {
		if end, rest := a.afterEnding(opener); rest != "" {
			return a.Not(a.Seq(a.Lit(end), a.Blanks(), a.End()))
		}
	}
	return a.Empty()
}

// callRuns returns the ways in which calls can begin: with the marker of the section, with that of
// the call, or with neither.
func (a *assembly) callRuns() []peg.ID {
	whole := a.Named("call", a.call(a.m.Tools.PerCallStart))
	if a.markerless() {
		before := a.Optional(a.OnlyHere("newline", a.Tag(peg.Content, a.Space())))
		if distinctive(a.m.Tools.CallSeparator) {
			before = a.Seq(before, a.Optional(a.OnlyHere("separator-first", a.Lit(a.m.Tools.CallSeparator), a.Space())))
		}
		return []peg.ID{a.Seq(before, a.unmarked(whole))}
	}
	var runs []peg.ID
	if a.m.Tools.SectionStart != "" {
		runs = append(runs, a.Trigger("section", a.Seq(a.Start(a.m.Tools.SectionStart), a.list(a.first(whole), whole), a.sectionEnd())))
	}
	if a.m.Tools.PerCallStart != "" {
		runs = append(runs, a.beside("calls", a.list(whole, whole)))
	}
	if a.format.opening() != "" {
		runs = append(runs, a.bareCalls(whole))
	}
	if start := nonempty(a.m.Tools.SectionStart, a.m.Tools.PerCallStart); len(start) > 0 && !a.writesLiterals() {
		runs = append(runs, a.OnlyHere("json-calls", a.Trigger("json-calls", a.jsonBetween(start))))
	}
	return runs
}

// bareCalls matches a run of calls that the format begins without a marker, or of which the first has
// lost its marker. Only a lazy grammar includes the latter: it can begin where a model leaves it out.
func (a *assembly) bareCalls(whole peg.ID) peg.ID {
	bare := a.Named("bare-call", a.call(""))
	if a.m.Tools.PerCallStart == "" {
		return a.beside("bare-calls", a.list(bare, bare))
	}
	calls := a.beside("bare-calls", a.list(a.Lacking(a.m.Tools.PerCallStart, bare), whole))
	if a.Mode() == grammar.Strict {
		return a.OnlyHere("bare-calls", calls)
	}
	return calls
}

// first matches the first call of a section. Models tend to lose its start marker, between that of
// the section and the name.
func (a *assembly) first(whole peg.ID) peg.ID {
	if _, ok := a.format.(tagged); !ok || a.m.Tools.PerCallStart == "" {
		return whole
	}
	return a.Choice(whole, a.OnlyHere("no-start", a.Lacking(a.m.Tools.PerCallStart, a.call(""))))
}

// beside matches a run of calls without a section. If the format has sections, it is for the parser
// alone.
func (a *assembly) beside(name string, calls peg.ID) peg.ID {
	if a.m.Tools.SectionStart == "" {
		return a.Trigger(name, calls)
	}
	return a.OnlyHere(name, a.Trigger(name, a.Seq(a.Omitted(a.m.Tools.SectionStart), calls, a.sectionEnd())))
}

func (a *assembly) sectionEnd() peg.ID {
	if a.m.Tools.SectionEnd == "" {
		return a.Empty()
	}
	return a.Marker(a.m.Tools.SectionEnd)
}

// list matches one or more calls, in an array if the format has one.
func (a *assembly) list(first, next peg.ID) peg.ID {
	if !a.arrayed() {
		return a.several(first, next, a.m.Tools.CallSeparator)
	}
	array := a.Seq(a.Lit("["), a.Space(), a.several(first, next, ","), a.Tolerate(a.Seq(a.Lit("]"), a.Space())))
	return a.Choice(array, a.OnlyHere("no-array", a.several(first, next, a.m.Tools.CallSeparator)))
}

// several matches one call, or any number if the request allows parallel calls. The parser accepts
// further calls in either case.
func (a *assembly) several(first, next peg.ID, separator string) peg.ID {
	if !a.markerless() && a.d.Tools.Format == dialect.JSONNative && separator == a.m.Tools.CallSeparator {
		next = a.Choice(next, a.Lacking(a.m.Tools.PerCallStart, a.bareJSON())) // several calls between one pair of markers
	}
	again := []peg.ID{next, a.Space()}
	if separator == "" && a.d.Tools.Format == dialect.JSONNative {
		again = append([]peg.ID{a.Optional(a.OnlyHere("separator", a.OneOf(",", ";"), a.Space()))}, again...)
	}
	if separator != "" {
		again = append([]peg.ID{a.Tolerate(a.Seq(a.Lit(separator), a.Space()))}, again...)
	}
	return a.Series(first, append([]peg.ID{a.onward()}, again...)...)
}

func (a *assembly) arrayed() bool {
	return (a.d.Tools.Format == dialect.JSONNative || a.writesLiterals()) && a.d.Tools.JSON.ArrayWrapped
}

// call matches one call that begins with the marker start.
func (a *assembly) call(start string) peg.ID {
	var kids []peg.ID
	if start != "" {
		kids = append(kids, a.Start(start))
	}
	kids = append(kids, a.Choice(a.format.ways()...))
	if a.m.Tools.PerCallEnd != "" {
		kids = append(kids, a.Marker(a.m.Tools.PerCallEnd))
	}
	return a.Tag(peg.Call, kids...)
}

// byName matches the name of a call and its arguments: one alternative for each tool and, if the
// format can tell its calls from prose, one for unknown tools. What becomes of those is decided
// where deltas are made.
func (a *assembly) byName(f format) peg.ID {
	var kids []peg.ID
	for _, t := range a.Tools {
		kid := a.Seq(f.name(t), f.arguments(t))
		if !t.Allowed {
			kid = a.OnlyHere("other-tool", kid)
		}
		kids = append(kids, kid)
	}
	if name, ok := f.anyName(); ok {
		kids = append(kids, a.OnlyHere("unknown-tool", name, f.arguments(turn.Tool{})))
	}
	return a.Choice(kids...)
}

// oneNamed matches the name of one of the given tools.
func (a *assembly) oneNamed(of []turn.Tool) peg.ID {
	names := make([]peg.ID, len(of))
	for i, t := range of {
		names[i] = a.Lit(t.Name)
	}
	return a.Tag(peg.CallName, a.Choice(names...))
}

// callAhead matches from an opener to the arguments of a known tool.
func (a *assembly) callAhead() peg.ID {
	var ways []peg.ID
	add := func(markers ...string) {
		var kids []peg.ID
		for _, m := range nonempty(markers...) {
			kids = append(kids, a.Start(m))
		}
		if a.arrayed() {
			kids = append(kids, a.Optional(a.Lit("["), a.Blanks()))
		}
		ways = append(ways, a.Seq(append(kids, a.Once("~known-call", a.format.ahead))...))
	}
	if a.m.Tools.SectionStart != "" {
		add(a.m.Tools.SectionStart, a.m.Tools.PerCallStart)
	}
	if a.m.Tools.PerCallStart != "" {
		add(a.m.Tools.PerCallStart)
	}
	if a.format.opening() != "" {
		add()
	}
	return a.Choice(ways...)
}
