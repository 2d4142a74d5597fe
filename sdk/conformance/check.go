package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// Options are the choices of an examination. The zero value works.
type Options struct {
	// Template is passed to the handler where a case names none, or names this one. Its Source matters to handlers that read it.
	Template handler.Template
	// GenerationPrompt is what the template writes at the end of a prompt, for requests that come from no case. Empty: that
	// of the first golden case.
	GenerationPrompt string
	// CompileMatch compiles a predicate. Nil: predicates are not compiled.
	CompileMatch func(source string) error
	// Write writes a message in the handler's format, to follow GenerationPrompt. Nil: generated messages are not tried.
	// Reasoning and content may be empty, the arguments of calls are JSON, and any id of a call will do. Write returns an empty
	// text for a message that the format cannot express, such as text beside calls.
	Write func(chat.Message) string
	// Settings are the options of the manifest, a JSON object, and Directory is the folder of the manifest. A binary is started
	// with them as by a host; nothing else uses them.
	Settings, Directory string
	// Progress, unless it is nil, is called before each demand with its text.
	Progress func(handler, demand string)
}

// Report is the result of an examination.
type Report struct {
	Handler string   `json:"handler"`
	Version string   `json:"version"`
	Results []Result `json:"results"`
}

// Result is the result of one demand.
type Result struct {
	Demand string        `json:"demand"`
	Text   string        `json:"text"`             // what is demanded
	Fault  string        `json:"fault,omitempty"`  // how it is not met; empty if it is
	Remedy string        `json:"remedy,omitempty"` // what to do about the fault
	Took   time.Duration `json:"took"`
}

// OK reports whether every demand is met.
func (r Report) OK() bool {
	for _, result := range r.Results {
		if result.Fault != "" {
			return false
		}
	}
	return true
}

// demand is a property that every handler must have.
type demand struct {
	name, text string
	remedy     string // what to do where it is not met
	check      func(*examination, context.Context) error
	binary     bool // for processes only
	write      bool // only if Options.Write is set
}

// demands are all demands, in the order of an examination.
var demands = []demand{
	{name: "description", check: (*examination).describesItself,
		text:   "the handler describes itself, always in the same way",
		remedy: "change what Describe returns"},
	{name: "predicate", check: (*examination).claims,
		text:   "its predicate compiles",
		remedy: "change Match in the manifest and in what Describe returns; docs/workarounds.md lists what predicates know"},
	{name: "plans", check: (*examination).plansAlike,
		text:   "the same request gives the same plan",
		remedy: "let Plan depend on its input alone, clone the request before changing it, and walk maps in the order of their keys"},
	{name: "programs", check: (*examination).programsAreValid,
		text:   "every program is valid, and its constraint can be built",
		remedy: "the error names the node and a witness text; the comment of package peg explains how programs are built"},
	{name: "cases", check: (*examination).casesHold,
		text:   "its golden cases hold, however the output is cut",
		remedy: "decide which is right: change the program if it parses the output wrongly, otherwise what the case expects"},
	{name: "grammar", check: (*examination).grammarsAccept,
		text:   "its constraint accepts the outputs of its golden cases",
		remedy: "widen the program, or, where the case shows broken output, leave reference.constrained out of it"},
	{name: "drawn", check: (*examination).drawnAreRead,
		text:   "outputs that its constraint accepts are parsed, whole or cut off",
		remedy: "an alternative of the program parses less than its grammar accepts: lookaheads, and what is under a rule whose name begins with ~, bind the parser alone"},
	{name: "written", check: (*examination).writtenAreRead, write: true,
		text:   "generated messages are accepted and parsed back, and wrong calls rejected",
		remedy: "decide which is right: Options.Write, or the program"},
	{name: "cut", check: (*examination).cutCallsStayOpen,
		text:   "a call that is cut off anywhere is never complete",
		remedy: "let markers that grammars require end values and calls: turn.Marker, Closer and Tolerate notice where the output ends without them, Optional does not; a stream sets Open of the event that ends the call, and implements TruncatedStream"},
	{name: "garbage", check: (*examination).garbageIsRead,
		text:   "broken outputs are parsed to their end, every byte once, however they are cut",
		remedy: "make a golden case of the output in the error, and correct what parses it"},
	{name: "held", check: (*examination).proseIsTold,
		text:   "long prose is delivered as it arrives, not held back",
		remedy: "hold back only what could still be the beginning of a marker"},
	{name: "sessions", check: (*examination).manyAtOnce,
		text:   "a thousand concurrent requests are answered like one alone, and abandoned ones affect no other",
		remedy: "Plan and OpenStream are called concurrently: guard what they share, or share nothing"},
	{name: "cancel", check: (*examination).forgets, binary: true,
		text:   "an abandoned output is released: its stream takes no more, and the process does not grow",
		remedy: "free what a stream holds when the context of OpenStream is done; keep no list of streams"},
	{name: "resumption", check: (*examination).resumes, binary: true,
		text:   "when its process is killed within an output, another one delivers the same again",
		remedy: "put everything that parsing needs into the token of the StreamPlan; keep nothing in the process"},
}

// examination is one handler being examined.
type examination struct {
	Options
	handler  handler.Handler
	open     func(context.Context) (*Binary, error) // another process of the plugin; nil: the handler is in this one
	golden   []*cases.Case
	requests []shown
}

// shown is a request that the handler is asked.
type shown struct {
	name     string
	template handler.Template
	request  *chat.Request
	prompt   string // the generation prompt
	own      bool   // one of the suite's own

	plan  *planned // the answer, once it was asked for; or
	fault error    // why there is none
}

// Check examines a handler. Its golden cases are those of its description, or those that a method Cases returns, which handlers
// in other processes have.
func Check(ctx context.Context, h handler.Handler, o Options) Report {
	return (&examination{Options: o, handler: h}).report(ctx)
}

func (x *examination) report(ctx context.Context) Report {
	d := x.handler.Describe()
	report := Report{Handler: d.Name, Version: d.Version}
	if err := x.readCases(ctx); err != nil {
		report.Results = []Result{{Demand: "cases", Text: "its golden cases can be read", Fault: err.Error(), Remedy: "correct the file of the cases"}}
		return report
	}
	for _, demand := range demands {
		if (!demand.binary || x.open != nil) && (!demand.write || x.Write != nil) {
			if x.Progress != nil {
				x.Progress(d.Name, demand.text)
			}
			report.Results = append(report.Results, demand.examine(ctx, x))
		}
	}
	return report
}

func (d demand) examine(ctx context.Context, x *examination) Result {
	began := time.Now()
	result := Result{Demand: d.name, Text: d.text}
	if err := d.check(x, ctx); err != nil {
		result.Fault, result.Remedy = err.Error(), d.remedy
	}
	result.Took = time.Since(began)
	return result
}

// readCases reads the golden cases and collects the requests.
func (x *examination) readCases(ctx context.Context) error {
	golden := x.handler.Describe().Cases
	if remote, ok := x.handler.(interface {
		Cases(context.Context) ([]byte, error)
	}); ok {
		var err error
		if golden, err = remote.Cases(ctx); err != nil {
			return err
		}
	}
	for c, err := range cases.Read(bytes.NewReader(golden)) {
		if err != nil {
			return err
		}
		if c.Kind == cases.Parse {
			x.golden = append(x.golden, c)
		}
	}
	return x.show()
}

// describesItself checks the description.
func (x *examination) describesItself(context.Context) error {
	d := x.handler.Describe()
	again := x.handler.Describe()
	switch {
	case !validName.MatchString(d.Name):
		return fmt.Errorf(`name: expected lower-case letters, digits and "-", found %q`, d.Name)
	case d.Version == "":
		return errors.New("version: missing")
	case d.Match == "":
		return errors.New("match: missing; give a predicate of the templates that the handler claims")
	case d.Name != again.Name || d.Version != again.Version || d.Match != again.Match || d.Priority != again.Priority || !bytes.Equal(d.Cases, again.Cases):
		return errors.New("the second description differs from the first")
	case len(x.golden) == 0:
		return errors.New("cases: none; add at least one, of kind parse")
	}
	return nil
}
