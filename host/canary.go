package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// The modes of the canary: what a regression does.
const (
	canaryOff     = "off"
	canaryEnforce = "enforce"
)

// Trial is what trying a change found, before it went live.
type Trial struct {
	At time.Time `json:"at"`
	// Source is what changed: "workarounds", "templates", "upload" or "plugins"; Path its file, of a plugin its manifest, or the
	// name of the upload.
	Source string `json:"source"`
	Path   string `json:"path"`
	// Templates are those that the change touches.
	Templates []string `json:"templates,omitempty"`
	// Cases and Outputs are how many were tried, Untried how many were not: for lack of time, or because what is in force does
	// not answer in time either.
	Cases   int `json:"cases"`
	Outputs int `json:"outputs"`
	Untried int `json:"untried,omitempty"`
	// Regressions are the cases that held before and do not after, and the outputs that were read to their end and are not
	// any longer; also what is not answered in time any longer. Changes are outputs that become another message.
	Regressions []CaseDiff `json:"regressions,omitempty"`
	Changes     []CaseDiff `json:"changes,omitempty"`
	// Refused says that the change did not go live.
	Refused bool `json:"refused,omitempty"`
	// Error says why cases could not be read, or the first of those untried was not tried.
	Error string `json:"error,omitempty"`
}

// try runs the recorded cases and the kept outputs of the templates that a change touches under it, before it goes live.
// The error says what became worse, where that keeps what is in force. What there is no time for does not hold the change
// up, nor does a plugin that takes its time to start, and the end of the host ends it. Whoever calls it holds changes.
func (h *Host) try(source, path string, next *Snapshot) error {
	d := &differ{host: h, before: h.current.Load(), after: next}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-h.ends:
			cancel()
		case <-ctx.Done():
		}
	}()
	starting, enough := context.WithTimeout(ctx, next.Config.Canary.Time)
	defer enough()
	return d.try(ctx, starting, &Trial{At: time.Now(), Source: source, Path: path}, d.touched)
}

// tryPlugin is try for a plugin. Other changes may go live meanwhile.
func (h *Host) tryPlugin(ctx context.Context, change plugins.Change) error {
	now := h.current.Load()
	next := *now
	next.handlers = change.Next
	d := &differ{host: h, before: now, after: &next}
	return d.try(ctx, ctx, &Trial{At: time.Now(), Source: sourcePlugins, Path: change.Manifest}, func(name string) bool {
		return d.served(name, change.Handlers)
	})
}

// try tries the templates that are touched. The plugins that answer for them have until starting ends to start: what is
// measured afterwards is how they answer.
func (d *differ) try(ctx, starting context.Context, t *Trial, touched func(template string) bool) error {
	h, c := d.host, d.after.Config.Canary
	if c.Mode == canaryOff || c.Cases == "" && c.Shadow == 0 || !h.history.open.Load() {
		return nil
	}
	recorded, err := casesIn(c.Cases)
	if err != nil {
		t.Error = err.Error()
	}
	d.share = c.Time / shares
	var ready []attempt
	for _, name := range d.after.names() {
		if ctx.Err() != nil {
			break // templates that were not used yet take their time to be learned
		}
		if !touched(name) {
			continue
		}
		t.Templates = append(t.Templates, name)
		attempts := d.attempts(t, name, recorded[name])
		if len(attempts) == 0 {
			continue
		}
		if err := d.start(starting, name); err != nil {
			t.leave(attempts, err.Error())
			continue
		}
		ready = append(ready, attempts...)
	}
	d.end = time.Now().Add(c.Time)
	d.run(ctx, t, ready)
	t.Refused = c.Mode == canaryEnforce && len(t.Regressions) > 0
	h.trial.Store(t)
	h.tellTrial(t)
	if !t.Refused {
		return nil
	}
	return t.refusal()
}

// start starts the plugins that may be asked about a template, now or then. The error is that of ctx: one that does not start
// says so itself when it is asked.
func (d *differ) start(ctx context.Context, template string) error {
	for _, c := range d.claims(template) {
		p, ok := c.(plugins.Starter)
		if ok && p.Start(ctx) != nil && ctx.Err() != nil {
			return fmt.Errorf("the plugin of %s does not start in time", c.Describe().Name)
		}
	}
	return nil
}

// leave notes what is not tried.
func (t *Trial) leave(attempts []attempt, why string) {
	if t.Untried == 0 {
		t.Error = strings.TrimPrefix(fmt.Sprintf("%s\n%s was not tried: %s", t.Error, attempts[0].name, why), "\n")
	}
	t.Untried += len(attempts)
}

// tellTrial logs what a trial found.
func (h *Host) tellTrial(t *Trial) {
	for _, r := range t.Regressions {
		h.log.Warn("canary: worse than before", "source", t.Source, "template", r.Template, "case", r.Case, "how", r.After)
	}
	for _, c := range t.Changes {
		h.log.Info("canary: other than before", "source", t.Source, "template", c.Template, "case", c.Case, "how", c.Difference)
	}
	if t.Error != "" {
		h.log.Error("canary: not everything was tried", "source", t.Source, "error", t.Error)
	}
	h.log.Info("canary", "source", t.Source, "path", t.Path, "templates", len(t.Templates), "cases", t.Cases, "outputs", t.Outputs, "untried", t.Untried,
		"regressions", len(t.Regressions), "changes", len(t.Changes), "refused", t.Refused, "duration", time.Since(t.At).Seconds())
}

// toldRegressions is how many regressions an error tells.
const toldRegressions = 5

func (t *Trial) refusal() error {
	var lines []string
	for _, r := range t.Regressions[:min(toldRegressions, len(t.Regressions))] {
		lines = append(lines, r.String())
	}
	return &Error{Code: InvalidArgument, Place: t.Path,
		Message: fmt.Sprintf("%d of %d cases and outputs become worse:\n%s", len(t.Regressions), t.Cases+t.Outputs, strings.Join(lines, "\n")),
		Remedy:  "correct it, or the cases; with canary.mode: warn it goes live all the same"}
}

// casesIn reads the cases of a folder, by template. What cannot be read is an error beside the rest.
func casesIn(dir string) (map[string][]*cases.Case, error) {
	if dir == "" {
		return nil, nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err == nil && files == nil {
		err = fmt.Errorf("%s: there are no *.jsonl files in this folder", dir)
	}
	all := map[string][]*cases.Case{}
	for _, file := range files {
		err = errors.Join(err, readInto(all, file))
	}
	return all, err
}

func readInto(all map[string][]*cases.Case, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	more, err := readCases([]check.Input{{Name: file, Reader: io.Reader(in)}})
	for name, some := range more {
		all[name] = append(all[name], some...)
	}
	return err
}

// touched says whether a template is another one, or read otherwise.
func (d *differ) touched(name string) bool {
	a, errA := d.before.template(name)
	b, errB := d.after.template(name)
	if errA != nil || errB != nil {
		return false // what is new has no past
	}
	return a.hash != b.hash || len(d.template(name).Fields) > 0
}

// served says whether one of the handlers is asked about a template, under either.
func (d *differ) served(name string, handlers []string) bool {
	return slices.ContainsFunc(d.claims(name), func(c handler.Handler) bool { return slices.Contains(handlers, c.Describe().Name) })
}

// claims are the handlers that are asked about a template, those under what is in force before those under what is to come.
func (d *differ) claims(name string) (all []handler.Handler) {
	for _, s := range []*Snapshot{d.before, d.after} {
		learned, err := learnedIn(s, name)
		if err != nil {
			return nil
		}
		claims, _ := d.host.claims(s, learned, s.Config.Templates.Handler(name), new(chat.Request)) // a pin to a handler that is missing is no claim
		all = append(all, claims...)
	}
	return all
}
