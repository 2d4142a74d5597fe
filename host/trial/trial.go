package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// The modes of the canary: what a regression does.
const (
	modeOff     = "off"
	modeEnforce = "enforce"
)

// Trial is the outcome of trying a change before it goes live.
type Trial struct {
	At time.Time `json:"at"`
	// Source is what changed: "workarounds", "templates", "model", "upload" or "plugins"; Path is its file, the manifest of a plugin, or
	// the name of an upload.
	Source string `json:"source"`
	Path   string `json:"path"`
	// Templates are those that the change touches.
	Templates []string `json:"templates,omitempty"`
	// Cases and Outputs count what was tried, Untried what was not: for lack of time, or because what is in force does not answer in
	// time either.
	Cases   int `json:"cases"`
	Outputs int `json:"outputs"`
	Untried int `json:"untried,omitempty"`
	// Regressions are the cases that held before and fail after, the outputs that were parsed to their end before and are not
	// after, and what is no longer answered in time. Changes are outputs that become another message.
	Regressions []CaseDiff `json:"regressions,omitempty"`
	Changes     []CaseDiff `json:"changes,omitempty"`
	// Refused means that the change did not go live.
	Refused bool `json:"refused,omitempty"`
	// Error is why cases could not be read, or why the first of the untried was not tried.
	Error string `json:"error,omitempty"`

	open bool // something that could be better or worse was not tried
}

// Trials tries changes. Host and Logger must be set. It is safe for concurrent use.
type Trials struct {
	Host    Host
	Logger  *slog.Logger
	Samples Samples

	recent        atomic.Pointer[[]*Trial] // newest first; nil: none
	live, refused atomic.Uint64
}

// maxRecent is how many trials are kept.
const maxRecent = 10

// Counts returns how many of the changes that were tried went live, and how many were refused.
func (t *Trials) Counts() (live, refused uint64) { return t.live.Load(), t.refused.Load() }

// Last returns the last trial; nil if there was none.
func (t *Trials) Last() *Trial {
	if all := t.Recent(); len(all) > 0 {
		return all[0]
	}
	return nil
}

// Recent returns the last trials, the newest first.
func (t *Trials) Recent() []*Trial {
	if all := t.recent.Load(); all != nil {
		return *all
	}
	return nil
}

// keep adds a trial. Those of plugins and of files may end at once.
func (t *Trials) keep(one *Trial) {
	for {
		before := t.recent.Load()
		all := []*Trial{one}
		if before != nil {
			all = append(all, (*before)[:min(len(*before), maxRecent-1)]...)
		}
		if t.recent.CompareAndSwap(before, &all) {
			return
		}
	}
}

// Try runs the recorded cases and the kept outputs of the templates that a change touches under next, before it goes live. The
// error lists what became worse, or says what could not be tried, if that keeps what is in force. Only what is not answered under
// what is in force either proves nothing. source and path are those of the Trial.
func (t *Trials) Try(ctx context.Context, source, path string, before, next *state.Snapshot) error {
	d := &differ{host: t.Host, before: before, after: next}
	starting, cancel := context.WithTimeout(ctx, next.Config.Canary.Time)
	defer cancel()
	return t.run(ctx, starting, d, &Trial{At: time.Now(), Source: source, Path: path}, d.touched)
}

// TryPlugin is Try for another version of a plugin. Other changes may go live meanwhile.
func (t *Trials) TryPlugin(ctx context.Context, now *state.Snapshot, change plugins.Change) error {
	next := *now
	next.Handlers = change.Next
	d := &differ{host: t.Host, before: now, after: &next}
	return t.run(ctx, ctx, d, &Trial{At: time.Now(), Source: state.SourcePlugins, Path: change.Manifest}, func(ctx context.Context, name string) bool {
		return d.served(ctx, name, change.Handlers)
	})
}

// run tries the templates that are touched. The plugins that answer for them have until starting ends to start; what is measured
// afterwards is how they answer.
func (t *Trials) run(ctx, starting context.Context, d *differ, trial *Trial, touched func(ctx context.Context, template string) bool) error {
	c := d.after.Config.Canary
	if c.Mode == modeOff || c.Cases == "" && c.Shadow == 0 {
		return nil
	}
	recorded, unread := casesIn(c.Cases)
	if unread != nil {
		trial.Error = unread.Error()
	}
	d.share = c.Time / shares
	var ready []attempt
	for _, name := range d.after.Names() {
		if ctx.Err() != nil {
			break // learning templates that were not used yet takes time
		}
		if !touched(ctx, name) {
			continue
		}
		trial.Templates = append(trial.Templates, name)
		attempts := d.attempts(trial, name, recorded[name], t.Samples.of(name))
		if len(attempts) == 0 {
			continue
		}
		if err := d.start(starting, name); err != nil {
			trial.leave(attempts, err.Error())
			continue
		}
		ready = append(ready, attempts...)
	}
	d.end = time.Now().Add(c.Time)
	d.run(ctx, trial, ready)
	trial.open = trial.open || unread != nil && len(trial.Templates) > 0
	trial.Refused = c.Mode == modeEnforce && (trial.open || len(trial.Regressions) > 0)
	t.keep(trial)
	trial.log(t.Logger)
	if !trial.Refused {
		t.live.Add(1)
		return nil
	}
	t.refused.Add(1)
	return trial.refusal()
}

// start starts the plugins that may be asked about a template under either snapshot. The error is that of ctx: a plugin that does
// not start reports that itself when it is asked.
func (d *differ) start(ctx context.Context, template string) error {
	for _, c := range d.claims(ctx, template) {
		p, ok := c.(plugins.Starter)
		if ok && p.Start(ctx) != nil && ctx.Err() != nil {
			return fmt.Errorf("the plugin of %s does not start in time", c.Describe().Name)
		}
	}
	return nil
}

// leave records what is not tried.
func (t *Trial) leave(attempts []attempt, why string) {
	if t.Untried == 0 {
		t.Error = strings.TrimPrefix(fmt.Sprintf("%s\n%s was not tried: %s", t.Error, attempts[0].name, why), "\n")
	}
	t.Untried += len(attempts)
	t.open = t.open || why != neither
}

// log logs the outcome of a trial.
func (t *Trial) log(log *slog.Logger) {
	for _, r := range t.Regressions {
		log.Warn("canary: worse than before", "source", t.Source, "template", r.Template, "case", r.Case, "how", r.After)
	}
	for _, c := range t.Changes {
		log.Info("canary: not as before", "source", t.Source, "template", c.Template, "case", c.Case, "how", c.Difference)
	}
	if t.Error != "" {
		log.Error("canary: not everything was tried", "source", t.Source, "error", t.Error)
	}
	log.Info("canary", "source", t.Source, "path", t.Path, "templates", len(t.Templates), "cases", t.Cases, "outputs", t.Outputs, "untried", t.Untried,
		"regressions", len(t.Regressions), "changes", len(t.Changes), "refused", t.Refused, "duration", time.Since(t.At).Seconds())
}

// maxRegressions is how many regressions an error lists.
const maxRegressions = 5

// refusal returns the error for a change with regressions, or one that could not be tried.
func (t *Trial) refusal() error {
	if len(t.Regressions) == 0 {
		return &fault.Error{Code: fault.InvalidArgument, Place: t.Path, Message: "could not be tried: " + t.Error,
			Remedy: "correct canary.cases, or raise canary.time, and reload; with canary.mode: warn it goes live anyway"}
	}
	var lines []string
	for _, r := range t.Regressions[:min(maxRegressions, len(t.Regressions))] {
		lines = append(lines, r.String())
	}
	return &fault.Error{Code: fault.InvalidArgument, Place: t.Path,
		Message: fmt.Sprintf("%d of %d cases and outputs become worse:\n%s", len(t.Regressions), t.Cases+t.Outputs, strings.Join(lines, "\n")),
		Remedy:  "correct it, or the cases; with canary.mode: warn it goes live anyway"}
}

// casesIn returns the cases of a folder, by template. What cannot be read is an error beside the rest.
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
	more, err := ReadCases([]check.Input{{Name: file, Reader: io.Reader(in)}})
	for name, some := range more {
		all[name] = append(all[name], some...)
	}
	return err
}
