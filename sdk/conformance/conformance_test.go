package conformance_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/sdk"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

const golden = `
{"id":"answer","kind":"parse","template":"t","output":"hello [x]","expect":{"content":"hello [x]"},"reference":{"generation_prompt":"A: "}}
{"id":"call","kind":"parse","template":"t","request":{"tools":[{"name":"f","parameters":{"type":"object"}}]},"output":"ok [[f {\"a\": 1}]]","expect":{"content":"ok","tool_calls":[{"name":"f","arguments":"{\"a\": 1}"}]},"reference":{"generation_prompt":"A: ","constrained":true}}
`

// sample is a handler that conforms unless its fields make it fail.
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
	plan, err := s.build(in.Request)
	if err == nil && s.plan != nil {
		err = s.plan(plan, in)
	}
	if err != nil {
		return nil, err
	}
	return plan, nil
}

// crowded returns a handler whose answers differ while it serves other requests concurrently.
func crowded(change func(*handler.Plan) error) sample {
	busy := new(atomic.Int32)
	return sample{plan: func(p *handler.Plan, _ handler.Input) error {
		defer busy.Add(-1)
		if busy.Add(1) > 2 {
			return change(p)
		}
		time.Sleep(time.Millisecond)
		return nil
	}}
}

// build builds a plan for content with calls of the form [[name {…}]].
func (s sample) build(r *chat.Request) (*handler.Plan, error) {
	t := turn.New(r, turn.Format{Openers: []string{"[["}})
	arguments := func(parameters jsonschema.Schema) peg.ID {
		arguments := t.Tag(peg.Arguments, t.Schema(parameters.Only(jsonschema.Any), t.Value(peg.ObjectValue)))
		if s.program != nil {
			return s.program(&t.Builder, arguments)
		}
		return arguments
	}
	header := func(name peg.ID) peg.ID { return t.Atomic(t.Lit("[["), t.Tag(peg.CallName, name), t.Lit(" ")) }
	call := t.Tag(peg.Call, t.ByName(header, arguments), t.Lit("]]"))
	return t.Plan(t.Trigger("call", t.Several(call, "")))
}

// asIf replaces the plan for a request with the plan for the request as changed.
func asIf(p *handler.Plan, in handler.Input, change func(*chat.Request)) error {
	r := *in.Request
	r.Tools = slices.Clone(r.Tools)
	change(&r)
	other, err := sample{}.build(&r)
	if err == nil {
		p.Program, p.Grammar = other.Program, other.Grammar
	}
	return err
}

// write writes a message in the format of sample.
func write(m chat.Message) string {
	text := m.Content.Join("")
	for _, c := range m.ToolCalls {
		text += "[[" + c.Name + " " + c.Arguments + "]]"
	}
	return text
}

func TestAHandlerThatConforms(t *testing.T) {
	conformance.Run(t, sample{}, conformance.Options{CompileMatch: func(string) error { return nil }, Write: write})
}

// TestWhatAFormatCannotSayIsNoFault tests a format whose messages have no text beside calls.
func TestWhatAFormatCannotSayIsNoFault(t *testing.T) {
	conformance.Run(t, sample{}, conformance.Options{Write: func(m chat.Message) string {
		if len(m.ToolCalls) > 0 && m.Content.Join("") != "" {
			return ""
		}
		return write(m)
	}})
}

// TestWhatIsRefusedNeedNotBeEnforced tests a lazy constraint, which does not enforce calls: hosts
// refuse requests that require one.
func TestWhatIsRefusedNeedNotBeEnforced(t *testing.T) {
	conformance.Run(t, sample{plan: func(p *handler.Plan, in handler.Input) error {
		return asIf(p, in, func(r *chat.Request) {
			if r.ToolChoice.Mode != chat.ToolNone {
				r.ToolChoice = chat.ToolChoice{}
			}
		})
	}}, conformance.Options{})
}

func TestEveryDemandFindsItsFault(t *testing.T) {
	shared.Slow(t)
	var count atomic.Int32
	for _, c := range []struct {
		name, demand, fault string
		handler             sample
		options             conformance.Options
	}{
		{"a name that is none", "description", "expected lower-case", sample{description: func(d *handler.Description) { d.Name = "A b" }}, conformance.Options{}},
		{"no version", "description", "version: missing", sample{description: func(d *handler.Description) { d.Version = "" }}, conformance.Options{}},
		{"no predicate", "description", "match: missing", sample{description: func(d *handler.Description) { d.Match = "" }}, conformance.Options{}},
		{"no cases", "description", "cases: none", sample{description: func(d *handler.Description) { d.Cases = nil }}, conformance.Options{}},
		{"a description that changes", "description", "the second description differs", sample{description: func(d *handler.Description) { d.Version = fmt.Sprint(count.Add(1)) }}, conformance.Options{}},
		{"cases that are no JSON", "cases", "line 1", sample{description: func(d *handler.Description) { d.Cases = []byte("{") }}, conformance.Options{}},
		{"a predicate that does not compile", "predicate", "no such word", sample{}, conformance.Options{CompileMatch: func(string) error { return errors.New("no such word") }}},
		{"plans that change", "plans", "case answer: the second plan differs from the first\n  the same for case call, request with plain, request with system, request with tools and 8 more", sample{plan: func(p *handler.Plan, _ handler.Input) error {
			p.Notes = []string{fmt.Sprint(count.Add(1))}
			return nil
		}}, conformance.Options{}},
		{"a request that is changed", "plans", "planning changes the request", sample{plan: func(_ *handler.Plan, in handler.Input) error {
			in.Request.Messages[0].Content = chat.TextContent(in.Request.Messages[0].Role + "!")
			return nil
		}}, conformance.Options{}},
		{"a plan that fails", "plans", "out of paper", sample{plan: func(*handler.Plan, handler.Input) error { return errors.New("out of paper") }}, conformance.Options{}},
		{"a program that must not run", "programs", "invalid program", sample{program: func(b *peg.Builder, arguments peg.ID) peg.ID {
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
			return b.Schema(jsonschema.MustParse(`{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`), arguments)
		}}, conformance.Options{}},
		{"a lookahead that the grammar does not know", "drawn", "its status is malformed", sample{program: func(b *peg.Builder, arguments peg.ID) peg.ID {
			return b.Seq(b.Not(b.Lit("{")), arguments)
		}}, conformance.Options{}},
		{"a constraint that knows no names", "drawn", "which the request does not have", sample{plan: func(p *handler.Plan, in handler.Input) error {
			return asIf(p, in, func(r *chat.Request) { r.Tools, r.ToolChoice = []chat.Tool{{Name: "other"}}, chat.ToolChoice{} })
		}}, conformance.Options{}},
		{"a message that is not read back", "written", ", found no call", sample{}, conformance.Options{Write: func(m chat.Message) string {
			return strings.ReplaceAll(write(m), "[[", "[")
		}}},
		{"a constraint that lets too much through", "written", "the constraint accepts it, although the call is not allowed", sample{plan: func(p *handler.Plan, in handler.Input) error {
			return asIf(p, in, func(r *chat.Request) {
				for i := range r.Tools {
					r.Tools[i].Parameters = jsonschema.Schema{}
				}
			})
		}}, conformance.Options{Write: write}},
		{"a constraint that lets two calls through", "written", "although the call is not allowed", sample{plan: func(p *handler.Plan, in handler.Input) error {
			return asIf(p, in, func(r *chat.Request) { r.ParallelToolCalls = true })
		}}, conformance.Options{Write: write}},
		{"a certain call that any will do for", "drawn", `but the request asks for "now"`, sample{plan: func(p *handler.Plan, in handler.Input) error {
			return asIf(p, in, func(r *chat.Request) {
				if r.ToolChoice.Mode == chat.ToolNamed {
					r.ToolChoice = chat.ToolChoice{Mode: chat.ToolRequired}
				}
			})
		}}, conformance.Options{}},
		{"nothing that can be written", "written", "writes none of 25 messages", sample{}, conformance.Options{Write: func(chat.Message) string { return "" }}},
		{"a constraint that lets too little through", "written", "the constraint does not accept it", sample{program: func(b *peg.Builder, arguments peg.ID) peg.ID {
			return b.Schema(jsonschema.MustParse(`{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`), arguments)
		}}, conformance.Options{Write: write}},
		{"faults of those that have company", "sessions", "among 1000 concurrent requests the answer differs", crowded(func(*handler.Plan) error {
			return errors.New("too busy")
		}), conformance.Options{}},
		{"programs of those that have company", "sessions", "among 1000 concurrent requests the answer differs", crowded(func(p *handler.Plan) error {
			p.Program.Nodes[len(p.Program.Nodes)-1].Max++
			return nil
		}), conformance.Options{}},
		{"plans of those that have company", "sessions", "among 1000 concurrent requests the answer differs", crowded(func(p *handler.Plan) error {
			p.Stops = append(p.Stops, "stop")
			return nil
		}), conformance.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := conformance.Check(t.Context(), c.handler, c.options)
			if report.OK() {
				t.Fatal("no fault found")
			}
			for _, r := range report.Results {
				if r.Demand == c.demand && !strings.Contains(r.Fault, c.fault) {
					t.Errorf("%s: found %q, expected %q", r.Demand, r.Fault, c.fault)
				}
				if r.Fault != "" && r.Remedy == "" {
					t.Errorf("%s: the report does not say what to do", r.Demand)
				}
			}
		})
	}
}

// forgetful is a stream handler with the faults that its fields select: forgets drops the first
// byte of small chunks, hoards delivers nothing before the end, keeps never frees memory, counts
// reports a span for each chunk, lies reports one byte more than the output has, and closes makes a
// complete call of an output, wherever it ends.
type forgetful struct {
	sample
	forgets, hoards, keeps, counts, lies, closes bool
}

// kept holds the memory that forgetful does not free.
var kept struct {
	sync.Mutex
	chunks [][]byte
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
	return &forgetfulStream{forgetful: f, sink: sink}, nil
}

type forgetfulStream struct {
	forgetful
	sink  chat.Sink
	hoard []byte
	fed   int
	spans []chat.Span
}

func (f *forgetfulStream) Feed(chunk []byte) error {
	if f.forgets && len(chunk) < 4 {
		chunk = chunk[1:]
	}
	if f.counts {
		f.spans = append(f.spans, chat.Span{Region: chat.ContentRegion, Start: f.fed, End: f.fed + len(chunk)})
	}
	f.fed += len(chunk)
	if f.keeps {
		kept.Lock()
		kept.chunks = append(kept.chunks, bytes.Clone(chunk))
		kept.Unlock()
	}
	if f.hoards || f.closes {
		f.hoard = append(f.hoard, chunk...)
		return nil
	}
	f.sink(chat.Event{Kind: chat.ContentText, Text: chunk})
	return nil
}

func (f *forgetfulStream) Finish() (handler.StreamResult, error) {
	if f.closes {
		arguments := []byte(`{"text":"` + string(f.hoard) + `"}`)
		for _, e := range []chat.Event{{Kind: chat.CallBegin}, {Kind: chat.CallName, Text: []byte("f")}, {Kind: chat.CallArguments, Text: arguments}, {Kind: chat.CallEnd}} {
			f.sink(e)
		}
		return handler.StreamResult{Status: chat.Complete}, nil
	}
	f.sink(chat.Event{Kind: chat.ContentText, Text: f.hoard})
	if f.lies {
		f.spans = []chat.Span{{Region: chat.ContentRegion, End: f.fed + 1}}
	}
	return handler.StreamResult{Status: chat.Complete, Spans: f.spans}, nil
}

func TestStreamHandlersAreExaminedTheSameWay(t *testing.T) {
	conformance.Run(t, forgetful{}, conformance.Options{})
	for _, test := range []struct {
		handler forgetful
		want    string
	}{
		{forgetful{forgets: true}, "case g: byte by byte: chunking matters"},
		{forgetful{counts: true}, "case g: byte by byte: chunking matters: whole (expected), cut (found)\nreport: "},
		{forgetful{lies: true}, "case g: finish: removed from the handler's report: spans: span 1 from byte 0 to 6"},
	} {
		err := conformance.Replay(t.Context(), test.handler, forgetful{}.Describe().Cases)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	for _, r := range conformance.Check(t.Context(), forgetful{closes: true}, conformance.Options{}).Results {
		if r.Demand == "cut" && !strings.Contains(r.Fault, `case g: output "hello", cut off after "", truncated true: the call of f is complete, with the arguments {"text":""}`) {
			t.Errorf("%s: found %q", r.Demand, r.Fault)
		}
	}
	for _, r := range conformance.Check(t.Context(), forgetful{hoards: true}, conformance.Options{}).Results {
		if (r.Demand == "held") != strings.Contains(r.Fault, "of 507904 bytes of prose 507904 are held, at most 131072 may be") {
			t.Errorf("%s: found %q", r.Demand, r.Fault)
		}
	}
}

// hurried is a handler that cancels a context at its first plan and counts the outputs it parses.
type hurried struct {
	forgetful
	end    context.CancelFunc
	parsed int
}

func (h *hurried) Plan(ctx context.Context, in handler.Input) (*handler.Plan, error) {
	h.end()
	return h.forgetful.Plan(ctx, in)
}

func (h *hurried) OpenStream(ctx context.Context, in handler.StreamInput, sink chat.Sink) (handler.Stream, error) {
	h.parsed++
	return h.forgetful.OpenStream(ctx, in, sink)
}

func TestReplayingEndsWithItsContext(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	h := &hurried{end: end}
	if err := conformance.Replay(ctx, h, forgetful{}.Describe().Cases); !errors.Is(err, context.Canceled) || h.parsed > 1 {
		t.Errorf("%v, after %d outputs", err, h.parsed)
	}
}

// TestMain serves a plugin if a test started this binary as the plugin's executable.
func TestMain(m *testing.M) {
	if os.Getenv(wire.CookieKey) == "" {
		os.Exit(m.Run())
	}
	var settings struct{ Numbered, Slow, Once, Keeps bool }
	if err := sdk.Options(&settings); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if settings.Slow && (!settings.Once || first()) {
		time.Sleep(1100 * time.Millisecond)
	}
	sdk.Serve(numbered{on: settings.Numbered, forgetful: forgetful{keeps: settings.Keeps}})
}

// first reports whether this process is the first of the plugin.
func first() bool { return os.Mkdir(filepath.Join(sdk.Directory(), "started"), 0o700) == nil }

// numbered is a stream handler that, if on, begins each output with the number of its process.
type numbered struct {
	forgetful
	on bool
}

func (n numbered) OpenStream(ctx context.Context, in handler.StreamInput, sink chat.Sink) (handler.Stream, error) {
	if n.on {
		sink(chat.Event{Kind: chat.ReasoningText, Text: fmt.Append(nil, os.Getpid())})
	}
	return n.forgetful.OpenStream(ctx, in, sink)
}

// TestABusyMachineIsNoFault checks that a plugin passes if a retry starts it in time.
func TestABusyMachineIsNoFault(t *testing.T) {
	shared.Slow(t)
	t.Parallel()
	o := conformance.Options{Settings: `{"slow": true, "once": true}`, Directory: t.TempDir()}
	if reports := conformance.CheckBinary(t.Context(), os.Args[0], o); !conformance.OK(reports) {
		t.Errorf("%+v", reports)
	}
	if first, err := os.Stat(filepath.Join(o.Directory, "started")); err != nil || !first.IsDir() {
		t.Error("the plugin was never started slowly")
	}
}

func TestABinaryIsExaminedWithItsProcess(t *testing.T) {
	for settings, want := range map[string][]string{
		"":                                 nil,
		`{"numbered": true, "slow": true}`: {"handshake: it took 1.", "cases: case g: ", "resumption: case g: after the death of the process it delivers"},
		`{"keeps": true}`:                  {"cancel: after "},
		`{"slow": 1}`:                      {"handshake: handshake: Unrecognized remote plugin message: ; does its main call sdk.Serve, and print nothing before?\nit printed\n        "},
	} {
		t.Run(settings, func(t *testing.T) {
			t.Parallel()
			reports := conformance.CheckBinary(t.Context(), os.Args[0], conformance.Options{Settings: settings})
			var faults []string
			for _, r := range reports {
				for _, result := range r.Results {
					if result.Fault != "" {
						faults = append(faults, result.Demand+": "+result.Fault)
					}
				}
			}
			if !slices.EqualFunc(faults, want, strings.HasPrefix) || conformance.OK(reports) != (want == nil) {
				t.Errorf("found %q, expected %q", faults, want)
			}
		})
	}
}

func TestReportsSayWhatToDo(t *testing.T) {
	reports := []conformance.Report{{Handler: "h", Version: "1.0.0", Results: []conformance.Result{
		{Demand: "plans", Text: "they are alike", Took: 1500 * time.Microsecond},
		{Demand: "cases", Text: "they hold", Fault: "case <a>: differs\nbyte 7", Remedy: "change one"},
	}}}
	var text, xml strings.Builder
	if err := errors.Join(conformance.WriteText(&text, reports), conformance.WriteJUnit(&xml, reports)); err != nil {
		t.Fatal(err)
	}
	const wantText = `h 1.0.0
  ok    plans  they are alike (2ms)
  FAIL  cases  they hold (0s)
        case <a>: differs
        byte 7
        → change one
1 demands met, 1 not
`
	const wantXML = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="h 1.0.0" tests="2" failures="1" time="0.002">
    <testcase classname="h" name="plans: they are alike" time="0.002"></testcase>
    <testcase classname="h" name="cases: they hold" time="0.000">
      <failure message="case &lt;a&gt;: differs">case &lt;a&gt;: differs&#xA;byte 7&#xA;→ change one</failure>
    </testcase>
  </testsuite>
</testsuites>
`
	if diff := cmp.Diff(wantText, text.String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(wantXML, xml.String()); diff != "" {
		t.Error(diff)
	}
}

// spy counts what is reported to a test.
type spy struct{ errors, logs int }

func (s *spy) Helper()               {}
func (s *spy) Errorf(string, ...any) { s.errors++ }
func (s *spy) Logf(string, ...any)   { s.logs++ }

func TestRunReportsToTheTest(t *testing.T) {
	var s spy
	conformance.Run(&s, sample{description: func(d *handler.Description) { d.Version = "" }}, conformance.Options{})
	if s.errors != 1 || s.logs != 10 {
		t.Errorf("reported %d faults and %d demands that are met", s.errors, s.logs)
	}
	s = spy{}
	conformance.RunBinary(&s, "/bin/true", conformance.Options{})
	if s.errors != 1 {
		t.Errorf("reported %d faults of a binary that is not a plugin", s.errors)
	}
}
