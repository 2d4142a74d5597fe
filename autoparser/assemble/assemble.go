// Package assemble turns a dialect and a request into a program that parses the model's output.
//
// The program runs over the generation prompt followed by the output, so that where parsing starts is read from the
// rendered prompt and never from a flag (start.go). What it reads has this shape:
//
//	header  reasoning?  body  end of turn?  end
//
// header is the part of the generation prompt that precedes everything of the message. The body (content.go) is content with
// calls anywhere in it, or a response that follows a JSON Schema (response.go):
//
//	text { calls | a marker that begins no call } text …
//
// Calls come in runs: a section with its markers, or calls one after the other (calls.go). What a call looks like is one
// file per tool format: json_native.go, tag_with_json.go, tag_with_tagged.go. Arguments in markup have no types of their
// own: value.go reads them as the tool's JSON Schema says.
//
// Two readers share the program, and they differ in one thing. The parser must be tolerant: a model that leaves out a
// closing marker, calls a tool that does not exist, or writes a marker in prose, loses nothing. The constraint made from
// the same program must be exact: white space aside, it lets a model write only what the template would write. What is there
// for tolerance alone stands under a rule whose name begins with "~", and grammars leave such rules out. Models that fall back
// on the JSON they know from elsewhere are read by bare_json.go, whatever the format, on code in place of JSON by code_calls.go, and
// what they write around calls by around.go.
//
// Markers are compared without the white space at their edges; around them any is accepted. The one exception are the
// edges of raw text arguments, where the template's own white space belongs to the marker and all other to the value.
//
// Words that must not be confused: an *opener* is a marker at which calls can begin; a *run* is what follows one opener,
// one or more calls; *header* is used of the prompt and of a call, which is said each time.
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
	// GenerationPrompt is the end of the rendered prompt that begins the answer, with what a message to be continued says so
	// far. TemplatePrompt is what the template itself wrote of it, without that message.
	GenerationPrompt string
	TemplatePrompt   string
}

// Assembled is what a dialect makes of a request.
type Assembled struct {
	Program *peg.Program
	// Grammar is the constraint that the request asks for.
	Grammar grammar.Mode
	// State is where generation starts with respect to reasoning.
	State handler.ReasoningState
	// ThinkingEnds are the markers that end reasoning; those of calls that may end it are among them.
	ThinkingEnds []string
	// Notes say what a person should know.
	Notes []string
}

// Assemble builds the program. What a dialect cannot say is left to content.
func Assemble(in Input) *Assembled { return givenIn(in).assemble() }

func (g given) assemble() *Assembled {
	a := newAssembly(g)
	if g.request.PureContent {
		return &Assembled{Program: a.Build(a.Seq(a.Lit(a.start.header), a.Tag(peg.Content, a.Rest()), a.End())), State: a.start.state}
	}
	root := a.Seq(a.Lit(a.start.header), a.repeated(), a.reasoning(), a.body(), a.ending())
	return &Assembled{Program: a.Build(root), Grammar: a.mode(), State: a.start.state, ThinkingEnds: a.thinkingEnds(), Notes: a.notes}
}

// mode is the kit's, but lazy only where a marker tells calls from prose.
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
	format format // nil: nothing is read as a call
	untold bool   // the template shows no way to write a call: only what can be nothing else is one
	notes  []string
}

func newAssembly(g given) *assembly {
	m := markersIn(g.dialect)
	ends := endings(g.dialect, m)
	a := &assembly{d: g.dialect, m: m, start: g.start, Turn: turn.New(g.request, turn.Format{
		ThinkStart: m.Reasoning.Start, ThinkEnd: m.Reasoning.End, Ends: ends, ThoughtEnds: thoughtEnds(ends, m.Reasoning.End),
		FreeLines: true, ReportMissing: true, Spellings: otherSpellings,
	})}
	if len(a.Tools) == 0 {
		return a
	}
	a.Grow(a.size())
	a.chooseFormat()
	a.Promoters = respaced(a.promoters()...)
	if m.Reasoning.End != "" && len(a.Promoters) > 0 {
		a.EndThinkingAt(a.callAhead)
	}
	return a
}

// chooseFormat sets the format: that of the dialect, or JSON where the dialect has none.
func (a *assembly) chooseFormat() {
	if a.format = a.formatOf(); a.format != nil {
		return
	}
	a.untold = true
	if a.MustCall() {
		a.note("the template shows no way to write a call: the call that the request insists on is written as JSON alone, with a name and arguments")
	}
	a.d.Tools = dialect.Tools{Format: dialect.JSONNative}
	a.m = markersIn(a.d)
	a.format = a.formatOf()
}

// size is about how many nodes the program will have.
func (a *assembly) size() int {
	if a.d.Tools.Format == dialect.TagWithTagged {
		return 500 + 60*len(a.Tools)
	}
	return 300 + 14*len(a.Tools)
}

// note notes what a person should know, once.
func (a *assembly) note(text string) {
	if !slices.Contains(a.notes, text) {
		a.notes = append(a.notes, text)
	}
}

// formatOf is the format of the dialect; nil: it has none, or nothing that tells calls from prose.
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

// told is f if a marker tells its calls from prose, and nil otherwise.
func told(f tagged) format {
	if f.m.Tools.SectionStart == "" && f.m.Tools.PerCallStart == "" && f.opening() == "" && !f.writesLiterals() && !f.nameFirst() && !f.closesByName() {
		return nil
	}
	return f
}

// repeated is the last marker of the header once more: some models begin with it.
func (a *assembly) repeated() peg.ID {
	_, marker := diff.TrailingMarker(a.start.header)
	if marker == "" || a.start.thinking == mustThink {
		return a.Empty()
	}
	return a.Optional(a.OnlyHere("repeated", a.Space(), a.Lit(strings.TrimSpace(marker))))
}

// ending is the end of the turn, as far as the model writes it.
func (a *assembly) ending() peg.ID {
	if len(a.Ends) == 0 {
		return a.Seq(a.Space(), a.End())
	}
	return a.Seq(a.Space(), a.Star(a.OneOf(a.Ends...), a.Space()), a.End())
}

// spaced is a marker in an atomic region, with the template's own white space before it or any other.
func (a *assembly) spaced(marker string) peg.ID {
	bare := strings.TrimSpace(marker)
	own := a.Lit(strings.TrimRight(marker, " \t\r\n"))
	return a.Choice(own, a.OnlyHere("spaced", a.Blanks(), a.OneOf(respaced(bare)...)))
}
