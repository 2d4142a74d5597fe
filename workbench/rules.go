package workbench

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// rulesView is what the editor begins with.
type rulesView struct {
	Document string `json:"document"` // the rules in force
	Hash     string `json:"hash"`
	File     string `json:"file"` // which they are read from; empty: they are the embedded ones
	Write    bool   `json:"write"`
	// Schema is the JSON Schema of the document.
	Schema json.RawMessage `json:"schema"`
	// Cases is the folder of recorded cases that rules are tried on.
	Cases string `json:"cases"`
}

// rules answers with the rules in force.
func (b *bench) rules(context.Context, *struct{}) (*rulesView, error) {
	schema, err := workaround.JSONSchema()
	if err != nil {
		return nil, err
	}
	snap := b.host.Snapshot()
	return &rulesView{
		Document: snap.RulesText(), Hash: snap.Rules.Hash(), File: snap.Config.Workarounds.File,
		Write: b.mayWrite(), Schema: schema, Cases: snap.Config.Canary.Cases,
	}, nil
}

// mayWrite reports whether rules may be saved.
func (b *bench) mayWrite() bool {
	cfg := b.host.Snapshot().Config
	return cfg.Workbench.Mode == "write" && cfg.Workarounds.File != ""
}

// tryRequest asks what other rules would change.
type tryRequest struct {
	Document string `json:"document"`
	// Template is looked at more closely; nil: none is.
	Template *subject `json:"template"`
}

// attempt is a part of the answer to it. The parts come as soon as they are known.
type attempt struct {
	// Faults are the mistakes in the document. With any, it is not tried.
	Faults []host.RulesFault `json:"faults,omitempty"`
	// Before and After are how the template that is looked at is read.
	Before *lesson `json:"before,omitempty"`
	After  *lesson `json:"after,omitempty"`
	// Done of All templates in force have been compared.
	Done int `json:"done,omitempty"`
	All  int `json:"all,omitempty"`
	// Diff is what changes, of the templates in force.
	Diff *host.RulesDiff `json:"diff,omitempty"`
	// Replayed is what changes of the newest recordings against how they were read. It is the last part, if anything is recorded.
	Replayed *replayedView `json:"replayed,omitempty"`
}

// replayedView is what changes of recordings.
type replayedView struct {
	Recordings int                 `json:"recordings"` // that were read again
	Changed    int                 `json:"changed"`
	Templates  []host.TemplateDiff `json:"templates"`
	Notes      []string            `json:"notes"` // about those that cannot be read
}

// mostReplayed bounds the recordings that are read again after each key that is typed.
const mostReplayed = 2000

// lesson is how a template is read under some rules.
type lesson struct {
	Rules     []autoparser.Rule    `json:"rules"` // that hold for it
	Dialect   map[string]string    `json:"dialect"`
	SelfCheck autoparser.SelfCheck `json:"self_check"`
	// Silent is set if the template offers tools, and nothing says how they are called.
	Silent bool     `json:"silent,omitempty"`
	Lint   []string `json:"lint"`
}

// try answers with what other rules would change, part by part.
func (b *bench) try(ctx context.Context, q *tryRequest, tell func(any) error) error {
	file := host.RulesFile{Name: "document", Data: []byte(q.Document)}
	rules, faults := file.Parse()
	if len(faults) > 0 {
		return tell(attempt{Faults: faults})
	}
	if q.Template != nil {
		part, err := b.closely(ctx, *q.Template, rules)
		if err != nil {
			return err
		}
		if err := tell(part); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	diff, err := b.host.RehearseRules(ctx, file, func(done, all int) {
		if tell(attempt{Done: done, All: all}) != nil {
			stop() // the page no longer wants it
		}
	})
	if err != nil {
		return err
	}
	if err := tell(attempt{Diff: &diff}); err != nil {
		return err
	}
	replayed, err := b.host.ReplayRules(ctx, rules, mostReplayed, nil)
	if err != nil || replayed == nil {
		return err
	}
	return tell(attempt{Replayed: &replayedView{replayed.Recordings, replayed.Changed, replayed.Diff.Templates, replayed.Notes}})
}

// closely returns how a template is read under the rules in force, and under others.
func (b *bench) closely(ctx context.Context, s subject, rules *workaround.Set) (*attempt, error) {
	t, err := b.open(ctx, s)
	if err != nil {
		return nil, err
	}
	before, err := t.Learned(ctx)
	if err != nil {
		return nil, err
	}
	after, err := before.With(ctx, rules)
	if err != nil {
		return nil, err
	}
	return &attempt{Before: lessonOf(ctx, before), After: lessonOf(ctx, after)}, nil
}

func lessonOf(ctx context.Context, l *autoparser.Learned) *lesson {
	e := l.Explain(ctx)
	out := &lesson{Rules: e.Workarounds, Dialect: map[string]string{}, SelfCheck: e.SelfCheck, Lint: e.Lint}
	out.Silent = l.Template.Capabilities.Tools && !l.Concluded.Has(dialect.PartCalls)
	for _, f := range e.Dialect {
		out.Dialect[f.Field] = f.Value
	}
	return out
}

// saveRequest asks to put rules in force.
type saveRequest struct {
	Document string `json:"document"`
	Hash     string `json:"hash"` // of the rules that the document was made from
}

// saveRules writes the file of rules and reloads it, as if somebody had edited it. A file that is refused leaves in force what was.
func (b *bench) saveRules(ctx context.Context, q *saveRequest) (*rulesView, error) {
	snap := b.host.Snapshot()
	file := snap.Config.Workarounds.File
	switch {
	case !b.mayWrite():
		return nil, &fault.Error{Code: fault.PermissionDenied, Place: "workbench.mode", Message: "rules may not be saved from the workbench",
			Remedy: "set workbench.mode to write and workarounds.file to a file, or download the rules"}
	case q.Hash != snap.Rules.Hash():
		return nil, &fault.Error{Code: fault.InvalidArgument, Place: file, Message: "other rules have come in force since this document was opened",
			Remedy: "copy yours, load those in force, and add yours to them"}
	}
	if _, faults := (host.RulesFile{Name: file, Data: []byte(q.Document)}).Parse(); len(faults) > 0 {
		return nil, &fault.Error{Code: fault.InvalidArgument, Place: file, Message: faults[0].Message, Remedy: "correct what the editor marks"}
	}
	if err := replace(file, q.Document); err != nil {
		return nil, &fault.Error{Code: fault.Unavailable, Place: file, Message: err.Error(), Remedy: "let the daemon write it, or download the rules", Err: err}
	}
	if err := b.host.Reload(ctx); err != nil {
		return nil, &fault.Error{Code: fault.InvalidArgument, Place: file, Message: "the rules were saved, but are not in force: " + err.Error(),
			Remedy: "correct them, or restore the file", Err: err}
	}
	return b.rules(ctx, nil)
}

// replace replaces the content of a file at once.
func replace(path, content string) error {
	in, err := os.CreateTemp(filepath.Dir(path), ".workbench-*")
	if err != nil {
		return err
	}
	defer os.Remove(in.Name()) // of what failed
	if _, err := in.WriteString(content); err != nil {
		_ = in.Close() // the first error counts
		return err
	}
	if err := in.Chmod(modeOf(path)); err != nil {
		_ = in.Close()
		return err
	}
	if err := in.Close(); err != nil {
		return err
	}
	return os.Rename(in.Name(), path)
}

// modeOf returns the permissions of a file, so that its replacement has them, too.
func modeOf(path string) os.FileMode {
	info, err := os.Stat(path)
	if err != nil {
		return 0o644
	}
	return info.Mode().Perm()
}
