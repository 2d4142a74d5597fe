package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

const golden = `
{"id":"answer","kind":"parse","template":"t","output":"hello [x]","expect":{"content":"hello [x]"},"reference":{"generation_prompt":"A: "}}
{"id":"call","kind":"parse","template":"t","request":{"tools":[{"name":"f","parameters":{"type":"object"}}]},"output":"ok [[f {\"a\": 1}]]","expect":{"content":"ok","tool_calls":[{"name":"f","arguments":"{\"a\": 1}"}]},"reference":{"generation_prompt":"A: ","constrained":true}}
`

// sample is a handler that conforms; its fields make it not.
type sample struct {
	description func(*handler.Description)
	plan        func(*handler.Plan, handler.Input) error
	program     func(*peg.Builder, peg.ID) peg.ID // changes the node for a call's arguments
}

func (s sample) Describe() handler.Description {
	d := handler.Description{Name: "sample", Version: "1.0.0", Match: "true", Cases: []byte(golden)}
	if s.description != nil {
		s.description(&d)
	}
	return d
}

func (s sample) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	plan := &handler.Plan{Program: s.build(in.Request)}
	if len(in.Request.Tools) > 0 {
		plan.Grammar = grammar.Lazy
	}
	if s.plan != nil {
		if err := s.plan(plan, in); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// build reads content with calls of the form [[name {…}]].
func (s sample) build(r *chat.Request) *peg.Program {
	var b peg.Builder
	text := b.Tag(peg.Content, b.Until("[["))
	arguments := b.Tag(peg.Arguments, b.Value(peg.ObjectValue))
	if s.program != nil {
		arguments = s.program(&b, arguments)
	}
	name := b.Chars(1, 64, peg.Range{Lo: 'a', Hi: 'z'}, peg.Range{Lo: '_', Hi: '_'})
	header := b.Atomic(b.Lit("[["), b.Tag(peg.CallName, name), b.Lit(" "))
	call := b.Trigger("call", b.Tag(peg.Call, header, arguments, b.Lit("]]")))
	prose := b.Rule("~prose", b.Tag(peg.Content, b.Lit("[["), b.Until("[[")))
	if len(r.Tools) == 0 {
		return b.Build(b.Seq(b.Prompt(), b.Tag(peg.Content, b.Rest()), b.End()))
	}
	return b.Build(b.Seq(b.Prompt(), text, b.Star(b.Choice(b.Seq(call, text), prose)), b.End()))
}

func TestAHandlerThatConforms(t *testing.T) {
	conformance.Run(t, sample{}, conformance.Options{CompileMatch: func(string) error { return nil }})
}

func TestEveryDemandFindsItsFault(t *testing.T) {
	count := 0
	for _, c := range []struct {
		name, demand, fault string
		handler             sample
		options             conformance.Options
	}{
		{"a name that is none", "description", "expected lower-case", sample{description: func(d *handler.Description) { d.Name = "A b" }}, conformance.Options{}},
		{"no version", "description", "version: missing", sample{description: func(d *handler.Description) { d.Version = "" }}, conformance.Options{}},
		{"no predicate", "description", "match: missing", sample{description: func(d *handler.Description) { d.Match = "" }}, conformance.Options{}},
		{"no cases", "description", "cases: none", sample{description: func(d *handler.Description) { d.Cases = nil }}, conformance.Options{}},
		{"a description that changes", "description", "differently", sample{description: func(d *handler.Description) { count++; d.Version = fmt.Sprint(count) }}, conformance.Options{}},
		{"cases that are no JSON", "cases", "line 1", sample{description: func(d *handler.Description) { d.Cases = []byte("{") }}, conformance.Options{}},
		{"a predicate that does not compile", "predicate", "no such word", sample{}, conformance.Options{CompileMatch: func(string) error { return errors.New("no such word") }}},
		{"plans that change", "plans", "request with plain: it is planned differently", sample{plan: func(p *handler.Plan, _ handler.Input) error {
			count++
			p.Notes = []string{fmt.Sprint(count)}
			return nil
		}}, conformance.Options{}},
		{"a request that is changed", "plans", "planning changes the request", sample{plan: func(_ *handler.Plan, in handler.Input) error {
			in.Request.Messages[0].Content = chat.TextContent(in.Request.Messages[0].Role + "!")
			return nil
		}}, conformance.Options{}},
		{"a plan that fails", "plans", "out of paper", sample{plan: func(*handler.Plan, handler.Input) error { return errors.New("out of paper") }}, conformance.Options{}},
		{"a program that must not run", "programs", "must not run", sample{program: func(b *peg.Builder, arguments peg.ID) peg.ID {
			return b.Seq(b.Star(b.Space()), arguments)
		}}, conformance.Options{}},
		{"no program", "programs", "neither a program nor a stream", sample{plan: func(p *handler.Plan, _ handler.Input) error {
			p.Program = nil
			return nil
		}}, conformance.Options{}},
		{"a case that does not hold", "cases", "case call: content: differs", sample{plan: func(p *handler.Plan, _ handler.Input) error {
			var b peg.Builder
			p.Program = b.Build(b.Seq(b.Prompt(), b.Tag(peg.Content, b.Rest()), b.End()))
			return nil
		}}, conformance.Options{}},
		{"a trigger that does not fire", "grammar", "case call: no trigger fires", sample{plan: func(p *handler.Plan, _ handler.Input) error {
			p.Triggers = []grammar.Trigger{{Type: grammar.TriggerWord, Value: "<call>"}}
			return nil
		}}, conformance.Options{}},
		{"a constraint that is too narrow", "grammar", "does not accept the output", sample{program: func(b *peg.Builder, arguments peg.ID) peg.ID {
			return b.Schema([]byte(`{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`), arguments)
		}}, conformance.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := conformance.Check(t.Context(), c.handler, c.options)
			if report.OK() {
				t.Fatal("no fault is found")
			}
			for _, r := range report.Results {
				if r.Demand == c.demand && !strings.Contains(r.Fault, c.fault) {
					t.Errorf("%s: found %q, expected %q", r.Demand, r.Fault, c.fault)
				}
			}
		})
	}
}

// forgetful is a stream handler; forgets says that it loses the byte before the end of each chunk.
type forgetful struct {
	sample
	forgets bool
}

func (f forgetful) Describe() handler.Description {
	d := f.sample.Describe()
	d.Cases = []byte(`{"id":"g","kind":"parse","template":"t","output":"hello","expect":{"content":"hello"}}`)
	return d
}

func (f forgetful) Plan(context.Context, handler.Input) (*handler.Plan, error) {
	return &handler.Plan{Stream: &handler.StreamPlan{Token: []byte("t")}}, nil
}

func (f forgetful) OpenStream(_ context.Context, _ handler.StreamInput, sink chat.Sink) (handler.Stream, error) {
	return &forgetfulStream{f.forgets, sink}, nil
}

type forgetfulStream struct {
	forgets bool
	sink    chat.Sink
}

func (f *forgetfulStream) Feed(chunk []byte) error {
	if f.forgets && len(chunk) < 4 {
		chunk = chunk[1:]
	}
	f.sink(chat.Event{Kind: chat.ContentText, Text: chunk})
	return nil
}

func (f *forgetfulStream) Finish() (handler.StreamResult, error) {
	return handler.StreamResult{Status: chat.Complete}, nil
}

func TestStreamHandlersAreExaminedAlike(t *testing.T) {
	conformance.Run(t, forgetful{}, conformance.Options{})
	err := conformance.Replay(t.Context(), forgetful{forgets: true}, forgetful{}.Describe().Cases)
	if err == nil || !strings.Contains(err.Error(), "case g: byte by byte: chunking matters") {
		t.Errorf("got %v", err)
	}
}

// spy counts what a test is told.
type spy struct{ errors, logs int }

func (s *spy) Helper()               {}
func (s *spy) Errorf(string, ...any) { s.errors++ }
func (s *spy) Logf(string, ...any)   { s.logs++ }

func TestRunTellsTheTest(t *testing.T) {
	var s spy
	conformance.Run(&s, sample{description: func(d *handler.Description) { d.Version = "" }}, conformance.Options{})
	if s.errors != 1 || s.logs != 6 {
		t.Errorf("told of %d faults and %d demands met", s.errors, s.logs)
	}
	s = spy{}
	conformance.RunBinary(&s, "/bin/true", conformance.Options{})
	if s.errors != 1 {
		t.Errorf("told of %d faults of a binary that is no plugin", s.errors)
	}
}
