package check

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// Hosted is the Subject that matters: a host, and a folder of templates. Its templates are learned once for each pair of
// bos and eos tokens that the cases give them.
type Hosted struct {
	Host *host.Host
	// Templates is the folder in which the names of templates are files; empty: they are the host's own.
	Templates string

	loose sync.Map // Template, without its handler → func() (*host.Loose, error)
}

// Plan plans a request.
func (s *Hosted) Plan(ctx context.Context, t Template, req *chat.Request) (Planned, error) {
	loose, err := s.open(t)
	if err != nil {
		return nil, err
	}
	planned, err := loose.Plan(ctx, t.Handler, req)
	if err != nil {
		return nil, err
	}
	if t.Handler != "" && planned.Handler != t.Handler {
		return nil, fmt.Errorf("handler %q declined, and %q answered in its place", t.Handler, planned.Handler)
	}
	return hostedPlan{planned}, nil
}

// Render renders a request's prompt.
func (s *Hosted) Render(ctx context.Context, t Template, req *chat.Request) (string, error) {
	loose, err := s.open(t)
	if err != nil {
		return "", err
	}
	rendered, err := loose.Render(ctx, req)
	return rendered.Prompt, err
}

// RenderVariables renders a template with variables as they are.
func (s *Hosted) RenderVariables(ctx context.Context, t Template, variables json.RawMessage, now time.Time) (string, error) {
	loose, err := s.open(t)
	if err != nil {
		return "", err
	}
	return loose.RenderVariables(ctx, variables, now)
}

// open finds a template, once.
func (s *Hosted) open(t Template) (*host.Loose, error) {
	t.Handler = ""
	find, _ := s.loose.LoadOrStore(t, sync.OnceValues(func() (*host.Loose, error) {
		src, err := s.source(t)
		if err != nil {
			return nil, err
		}
		return s.Host.Loose(src), nil
	}))
	return find.(func() (*host.Loose, error))()
}

func (s *Hosted) source(t Template) (src host.TemplateSource, err error) {
	if s.Templates == "" {
		if src, _, err = s.Host.Template(t.Name); err != nil {
			return src, err
		}
	} else if src, err = readTemplate(s.Templates, t.Name); err != nil {
		return src, err
	}
	src.BOSToken, src.EOSToken = t.BOSToken, t.EOSToken
	return src, nil
}

// readTemplate reads a template's file, named with or without its ending.
func readTemplate(dir, name string) (host.TemplateSource, error) {
	src := host.TemplateSource{Name: strings.TrimSuffix(name, ".jinja")}
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

type hostedPlan struct{ *host.Planned }

func (p hostedPlan) Plan() *handler.Plan { return p.Planned.Plan }

// Parse runs a session that leaves the ids of calls to the model, as cases want it.
func (p hostedPlan) Parse(pieces iter.Seq[[]byte], truncated bool) (chat.Message, *chat.Report, error) {
	session := p.Session(context.Background(), host.SessionOptions{NoIDs: true})
	for piece := range pieces {
		if _, err := session.Feed(piece); err != nil {
			return chat.Message{}, nil, err
		}
	}
	result, err := session.Finish(truncated)
	return result.Message, result.Report, err
}
