package host

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Subject runs recorded cases under one snapshot of a Host. Templates are learned once for each pair of bos and eos tokens in the
// cases.
type Subject struct {
	host     *Host
	snap     *state.Snapshot
	dir      string
	detached sync.Map // check.Template, without its handler → func() (*Detached, error)
}

var _ check.Subject = (*Subject)(nil)

// Subject returns a subject under the snapshot in force. dir is the folder of the templates' files; empty: the templates are those
// in force.
func (h *Host) Subject(dir string) *Subject {
	return &Subject{host: h, snap: h.state.Current(), dir: dir}
}

// Plan plans a request.
func (s *Subject) Plan(ctx context.Context, t check.Template, req *chat.Request) (check.Planned, error) {
	detached, err := s.open(t)
	if err != nil {
		return nil, err
	}
	planned, err := detached.Plan(ctx, t.Handler, req)
	if err != nil {
		return nil, err
	}
	if t.Handler != "" && planned.Handler != t.Handler {
		return nil, fmt.Errorf("handler %q declined, and %q answered in its place", t.Handler, planned.Handler)
	}
	return subjectPlan{planned.unobserved(), ctx}, nil
}

// Render renders a request's prompt.
func (s *Subject) Render(ctx context.Context, t check.Template, req *chat.Request) (string, error) {
	detached, err := s.open(t)
	if err != nil {
		return "", err
	}
	rendered, err := detached.Render(ctx, req)
	return rendered.Prompt, err
}

// RenderVariables renders a template with these variables.
func (s *Subject) RenderVariables(ctx context.Context, t check.Template, variables json.RawMessage, now time.Time) (string, error) {
	detached, err := s.open(t)
	if err != nil {
		return "", err
	}
	return detached.RenderVariables(ctx, variables, now)
}

// open returns a template, created once.
func (s *Subject) open(t check.Template) (*Detached, error) {
	t.Handler = ""
	find, _ := s.detached.LoadOrStore(t, sync.OnceValues(func() (*Detached, error) {
		e, err := s.entry(t)
		if err != nil {
			return nil, err
		}
		return &Detached{host: s.host, snap: s.snap, Entry: e}, nil
	}))
	return find.(func() (*Detached, error))()
}

// entry returns a template with the tokens of the case.
func (s *Subject) entry(t check.Template) (*state.Entry, error) {
	if s.dir != "" {
		src, err := readTemplate(s.dir, t.Name)
		if err != nil {
			return nil, err
		}
		src.BOSToken, src.EOSToken = t.BOSToken, t.EOSToken
		return state.NewEntry(src, s.snap.Rules), nil
	}
	e, err := s.snap.Template(t.Name)
	if err != nil || e.BOSToken == t.BOSToken && e.EOSToken == t.EOSToken {
		return e, err
	}
	src := e.TemplateSource
	src.BOSToken, src.EOSToken = t.BOSToken, t.EOSToken
	return state.NewEntry(src, s.snap.Rules), nil
}

// readTemplate reads a template's file, named with or without its extension.
func readTemplate(dir, name string) (TemplateSource, error) {
	src := TemplateSource{Name: state.CanonicalName(name)}
	if !filepath.IsLocal(name) {
		return src, fmt.Errorf("template %q: expected the name of a file in %s", name, dir)
	}
	src.Origin = filepath.Join(dir, name)
	data, err := os.ReadFile(src.Origin)
	if os.IsNotExist(err) && src.Name == name {
		src.Origin += ".jinja"
		data, err = os.ReadFile(src.Origin)
	}
	src.Source = string(data)
	return src, err
}

type subjectPlan struct {
	planned *Planned
	ctx     context.Context // of the case
}

func (p subjectPlan) Plan() *session.Plan { return p.planned.Plan }

// Parse runs a session without made-up ids of calls, as cases expect.
func (p subjectPlan) Parse(pieces iter.Seq[[]byte], truncated bool) (chat.Message, *chat.Report, error) {
	s := p.planned.Session(p.ctx, session.Options{NoIDs: true})
	for piece := range pieces {
		if _, err := s.Feed(piece); err != nil {
			return chat.Message{}, nil, err
		}
	}
	result, err := s.Finish(truncated)
	return result.Message, result.Report, err
}
