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

// Options say how a handler is examined. The zero value works.
type Options struct {
	// Template is given to the handler where a case names none, or names this one. Its Source matters to handlers that read it.
	Template handler.Template
	// GenerationPrompt is what the template writes at the end of a prompt, for requests that come from no case. Empty: that
	// of the first golden case.
	GenerationPrompt string
	// CompileMatch compiles a predicate. Nil: predicates are not compiled.
	CompileMatch func(source string) error
}

// Report is what became of an examination.
type Report struct {
	Handler string   `json:"handler"`
	Version string   `json:"version"`
	Results []Result `json:"results"`
}

// Result is what became of one demand.
type Result struct {
	Demand string        `json:"demand"`
	Text   string        `json:"text"`            // what is demanded
	Fault  string        `json:"fault,omitempty"` // how it is not met; empty: it is
	Took   time.Duration `json:"took"`
}

// OK says whether every demand is met.
func (r Report) OK() bool {
	for _, result := range r.Results {
		if result.Fault != "" {
			return false
		}
	}
	return true
}

// demands is what every handler must meet, in the order in which it is examined.
var demands = []struct {
	name, text string
	check      func(*examination, context.Context) error
}{
	{"description", "the handler says who it is, always the same", (*examination).describesItself},
	{"predicate", "what it claims is a predicate that compiles", (*examination).claims},
	{"plans", "the same request gives the same plan", (*examination).plansAlike},
	{"programs", "every program is valid, and its constraint can be built", (*examination).programsAreValid},
	{"cases", "its golden cases hold, however the output is cut", (*examination).casesHold},
	{"grammar", "its constraint lets the outputs of its golden cases through", (*examination).grammarsAccept},
	{"garbage", "broken outputs are read to their end, every byte once, however they are cut", (*examination).garbageIsRead},
}

// examination is one handler being examined.
type examination struct {
	Options
	handler  handler.Handler
	golden   []*cases.Case
	requests []shown
}

// shown is a request that the handler is shown.
type shown struct {
	name     string
	template handler.Template
	request  *chat.Request
	prompt   string // the generation prompt
}

// Check examines a handler. Its golden cases are those of its description, or what it has to say by a method Cases, as
// handlers in other processes do.
func Check(ctx context.Context, h handler.Handler, o Options) Report {
	d := h.Describe()
	report := Report{Handler: d.Name, Version: d.Version}
	x, err := examine(ctx, h, o)
	if err != nil {
		report.Results = []Result{{Demand: "cases", Text: "its golden cases can be read", Fault: err.Error()}}
		return report
	}
	for _, demand := range demands {
		began := time.Now()
		result := Result{Demand: demand.name, Text: demand.text}
		if err := demand.check(x, ctx); err != nil {
			result.Fault = err.Error()
		}
		result.Took = time.Since(began)
		report.Results = append(report.Results, result)
	}
	return report
}

func examine(ctx context.Context, h handler.Handler, o Options) (*examination, error) {
	x := &examination{Options: o, handler: h}
	golden := h.Describe().Cases
	if remote, ok := h.(interface {
		Cases(context.Context) ([]byte, error)
	}); ok {
		var err error
		if golden, err = remote.Cases(ctx); err != nil {
			return nil, err
		}
	}
	for c, err := range cases.Read(bytes.NewReader(golden)) {
		if err != nil {
			return nil, err
		}
		if c.Kind == cases.Parse {
			x.golden = append(x.golden, c)
		}
	}
	return x, x.show()
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
		return errors.New("match: missing; say which templates the handler claims")
	case d.Name != again.Name || d.Version != again.Version || d.Match != again.Match || d.Priority != again.Priority || !bytes.Equal(d.Cases, again.Cases):
		return errors.New("it describes itself differently when asked again")
	case len(x.golden) == 0:
		return errors.New("cases: none; add at least one, of kind parse")
	}
	return nil
}
