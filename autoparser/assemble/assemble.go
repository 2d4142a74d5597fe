// Package assemble turns a dialect and a request into a program that parses the model's output. It
// writes programs with the turn builder that plugins use, package turn, and adds what follows from
// a dialect: the three call formats, and the foreign forms that are tolerated around them.
//
// The program runs over the generation prompt followed by the output, so the start state is read
// from the rendered prompt and never from a flag (start.go). It reads:
//
//	header  reasoning?  body  end of turn?  end
//
// The header is the part of the generation prompt before the message. The body (content.go) is
// content with calls anywhere in it, or a response that follows a JSON Schema (response.go):
//
//	text { calls | a marker that begins no call } text …
//
// Calls come in runs: a section with its markers, or calls in a row (calls.go). Each call format is
// a file: json_native.go, tag_with_json.go, tag_with_tagged.go. Arguments in markup have no types
// of their own: value.go reads them by the tool's JSON Schema.
//
// Two readers share the program and differ in one thing. The parser is tolerant: it loses nothing
// when a model leaves out a closing marker, calls a tool that does not exist, or writes a marker in
// prose. The constraint built from the same program is exact: apart from white space, it allows
// only what the template would write. Parts that exist for tolerance alone are in rules whose names
// begin with "~", which grammars leave out. Whatever the format, models may fall back on JSON that
// they know from elsewhere (bare_json.go), on code (code_calls.go), and on foreign text around
// calls (around.go).
//
// Markers are compared without the white space at their edges, and any white space is accepted
// around them. The exception are the edges of arguments that are raw text: there the template's own
// white space belongs to the marker, and all other to the value.
//
// Words that must not be confused: an *opener* is a marker at which calls can begin; a *run* is
// what follows one opener, one or more calls; a *header* is that of the prompt or of a call, as
// stated at each use.
package assemble

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// Input is what a program depends on.
type Input struct {
	Dialect dialect.Dialect
	Request *chat.Request
	// GenerationPrompt is the end of the rendered prompt that begins the answer, including the text
	// of a message to be continued. TemplatePrompt is the part of it that the template itself
	// wrote.
	GenerationPrompt string
	TemplatePrompt   string
}

// Assembled is the program for a request, and what the engine needs to know of it.
type Assembled struct {
	Program *peg.Program
	// Grammar is the kind of constraint that the request needs.
	Grammar grammar.Mode
	// State is the state of reasoning at the start of generation.
	State handler.ReasoningState
	// ThinkingEnds are the markers that end reasoning, including those of calls that may end it.
	ThinkingEnds []string
	// Notes are for people.
	Notes []string
}

// Assemble builds the program. Whatever the dialect does not describe is content.
func Assemble(in Input) *Assembled { return givenIn(in).assemble() }

func (g given) assemble() *Assembled {
	a := newAssembly(g)
	if g.request.PureContent {
		return &Assembled{Program: a.Build(a.Seq(a.Lit(a.start.header), a.Tag(peg.Content, a.Rest()), a.End())), State: a.start.state}
	}
	root := a.Seq(a.Lit(a.start.header), a.repeated(), a.reasoning(), a.body(), a.ending())
	return &Assembled{Program: a.Build(root), Grammar: a.mode(), State: a.start.state, ThinkingEnds: a.thinkingEnds(), Notes: a.notes}
}

// mode returns the mode of the turn, except that lazy constraints need a marker that tells calls
// from prose.
func (a *assembly) mode() grammar.Mode {
	if mode := a.Mode(); mode != grammar.Lazy || !a.markerless() {
		return mode
	}
	return grammar.Free
}

// assembly is a program being built.
type assembly struct {
	*turn.Turn
	d      dialect.Dialect
	m      dialect.Dialect // d with its markers as they are compared
	start  start
	format format // nil: nothing is parsed as a call
	untold bool   // the template shows no way to write a call: only unmistakable ones are
	notes  []string
}

func newAssembly(g given) *assembly {
	m := markersIn(g.dialect)
	ends := endings(g.dialect, m)
	a := &assembly{d: g.dialect, m: m, start: g.start, Turn: turn.New(g.request, turn.Format{
		ThinkStart: m.Reasoning.Start, ThinkEnd: m.Reasoning.End, Ends: ends, ThoughtEnds: thoughtEnds(ends, m.Reasoning.End),
		ReportMissing: true, Spellings: otherSpellings,
	})}
	if len(a.Tools) == 0 {
		return a
	}
	a.Grow(a.size())
	a.chooseFormat()
	if a.promotes() {
		a.Openers, a.Promoters = a.openers(), a.promoters()
		a.EndThinkingAt(a.callAhead, a.callRun)
	}
	return a
}

// chooseFormat sets the format: that of the dialect or, if it has none, JSON.
func (a *assembly) chooseFormat() {
	if a.format = a.formatOf(); a.format != nil {
		return
	}
	a.untold = true
	if a.MustCall() {
		a.note("the template shows no way to write calls: the required call is plain JSON with a name and arguments")
	}
	a.d.Tools = dialect.Tools{Format: dialect.JSONNative}
	a.m = markersIn(a.d)
	a.format = a.formatOf()
}

// size returns about how many nodes the program will have.
func (a *assembly) size() int {
	if a.d.Tools.Format == dialect.TagWithTagged {
		return 500 + 60*len(a.Tools)
	}
	return 300 + 14*len(a.Tools)
}

// note adds a note, once.
func (a *assembly) note(text string) {
	if !slices.Contains(a.notes, text) {
		a.notes = append(a.notes, text)
	}
}

// formatOf returns the call format of the dialect; nil if it has none, or if its calls cannot be
// told from prose.
func (a *assembly) formatOf() format {
	switch a.d.Tools.Format {
	case dialect.JSONNative:
		return newJSONNative(a)
	case dialect.TagWithJSON:
		return told(tagged{a, tagWithJSON{a}})
	case dialect.TagWithTagged:
		return told(tagged{a, tagWithTagged{a, edgesOf(a.d.Tools.Arguments, a.m.Tools.Arguments)}})
	}
	return nil
}

// told returns f if its calls can be told from prose, and nil otherwise.
func told(f tagged) format {
	if f.m.Tools.SectionStart == "" && f.m.Tools.PerCallStart == "" && f.opening() == "" && !f.writesLiterals() && !f.nameFirst() && !f.closesByName() {
		return nil
	}
	return f
}

// repeated matches the last marker of the header again: some models begin with it.
func (a *assembly) repeated() peg.ID {
	_, marker := diff.TrailingMarker(a.start.header)
	if marker == "" || a.start.thinking == mustThink {
		return a.Empty()
	}
	return a.Optional(a.OnlyHere("repeated", a.Space(), a.Lit(strings.TrimSpace(marker))))
}

// ending matches the end of the turn, as far as the model writes it.
func (a *assembly) ending() peg.ID {
	if len(a.Ends) == 0 {
		return a.Seq(a.Space(), a.End())
	}
	return a.Seq(a.Space(), a.Star(a.OneOf(a.Ends...), a.Space()), a.End())
}

// spaced matches a marker in an atomic region, after the template's own white space or any other.
func (a *assembly) spaced(marker string) peg.ID {
	bare := strings.TrimSpace(marker)
	own := a.Lit(strings.TrimRight(marker, " \t\r\n"))
	return a.Choice(own, a.OnlyHere("spaced", a.Blanks(), a.OneOf(respaced(bare)...)))
}
