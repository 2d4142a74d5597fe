package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/internal/spelling"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/model"
)

// TemplateSource is a chat template and where it came from.
type TemplateSource struct {
	Name     string // how requests refer to it; a file's name without ".jinja"
	Source   string
	BOSToken string
	EOSToken string
	Origin   string // where it came from: "embedded", "upload", or a file's path
	// SpecialTokens are all special tokens of the model's vocabulary; nil if unknown.
	SpecialTokens []string
}

// Entry is a template in a snapshot. What depends on the source alone is shared by all snapshots that have the same source;
// what depends on the rules is computed once per snapshot. Both are computed on first use.
type Entry struct {
	TemplateSource
	Hash string // SHA-256 of the source and its tokens
	Own  bool   // a client has put it for itself

	model   *Model // it came from; nil: from none
	open    func() (*autoparser.Template, error)
	unruled *learning[*autoparser.Learned] // without rules
	learned *learning[*autoparser.Learned] // under the snapshot's rules
}

// NewEntry returns a template under rules. It need not belong to a snapshot.
func NewEntry(src TemplateSource, rules *workaround.Set) *Entry {
	sum := sha256.New()
	for _, s := range append([]string{src.Source, src.BOSToken, src.EOSToken}, src.SpecialTokens...) {
		sum.Write([]byte(s))
		sum.Write([]byte{0})
	}
	e := &Entry{TemplateSource: src, Hash: hex.EncodeToString(sum.Sum(nil))}
	e.open = sync.OnceValues(func() (*autoparser.Template, error) {
		t, err := autoparser.Open(src.Name, src.Source, src.BOSToken, src.EOSToken, autoparser.Options{})
		return t, TemplateFault(src.Name, err)
	})
	e.unruled = newLearning(func(ctx context.Context) (*autoparser.Learned, error) {
		t, err := e.Open()
		if err != nil {
			return nil, err
		}
		if err := learners.enter(ctx); err != nil {
			return nil, err
		}
		defer learners.Unlock()
		learned, err := autoparser.Learn(ctx, t, &workaround.Set{})
		return learned, TemplateFault(src.Name, err)
	})
	return e.Under(rules)
}

// Under returns the same template under other rules. What does not depend on them is not learned again.
func (e *Entry) Under(rules *workaround.Set) *Entry {
	next := *e
	next.learned = newLearning(func(ctx context.Context) (*autoparser.Learned, error) {
		learned, err := next.unruled.get(ctx)
		if err != nil {
			return nil, err
		}
		return learned.With(ctx, rules)
	})
	return &next
}

// Open compiles the template, the first time that it is called.
func (e *Entry) Open() (*autoparser.Template, error) { return e.open() }

// Learn learns from the template, the first time that it is called. Callers share the result; each of them waits no longer than
// its context allows.
func (e *Entry) Learn(ctx context.Context) (*autoparser.Learned, error) { return e.learned.get(ctx) }

var templateName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

const maxTemplateName = 200

// checkName rejects names that could be taken for paths out of a folder.
func checkName(name string) error {
	if len(name) > maxTemplateName || !templateName.MatchString(name) || CanonicalName(name) != name {
		return &fault.Error{Code: fault.InvalidArgument, Place: "name", Message: "invalid name of a template",
			Remedy: `use letters, digits, ".", "_" and "-", in parts separated by "/", 200 bytes at most; ".jinja" is left out`}
	}
	return nil
}

// templateExt is the extension of templates' files.
const templateExt = ".jinja"

// CanonicalName returns the name of a template without the extension of its file, which requests may add.
func CanonicalName(name string) string { return strings.TrimSuffix(name, templateExt) }

// variantName returns the name of a model's variant.
func variantName(model, variant string) string {
	if variant == "" {
		return model
	}
	return model + "/" + variant
}

// readModel returns the templates of a model.
func readModel(path string, rules *workaround.Set) (map[string]*Entry, error) {
	m, err := model.Load(path)
	if err != nil {
		return nil, err
	}
	entries, files := map[string]*Entry{}, newModel(m)
	for _, v := range m.Variants {
		src := TemplateSource{Name: variantName(m.Name, v.Name), Source: v.Source, BOSToken: m.BOSToken, EOSToken: m.EOSToken, Origin: path, SpecialTokens: m.SpecialTokens}
		if err := checkName(src.Name); err != nil {
			return nil, err
		}
		e := NewEntry(src, rules)
		e.model = files
		entries[src.Name] = e
	}
	return entries, nil
}

// TemplateFault adds the place and the remedy to an error of the template of that name.
func TemplateFault(name string, err error) error {
	if err == nil {
		return nil
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var failed *jinja.Error
	if !errors.As(err, &failed) {
		return &fault.Error{Code: fault.InvalidArgument, Place: name, Message: err.Error(), Err: err}
	}
	remedy := "correct the template, or the request that it refuses"
	switch failed.Kind {
	case jinja.Syntax:
		remedy = "correct the template at this place"
	case jinja.Limit, jinja.Deadline:
		remedy = "simplify the template, or shorten the conversation: rendering is limited in time, steps and output"
	}
	return &fault.Error{Code: fault.InvalidArgument, Message: err.Error(), Remedy: remedy, Err: err}
}

// maxListed is how many templates an error lists, since there may be thousands.
const maxListed = 20

func notFound(name string, known []string) error {
	remedy := "no template is known yet: put one, or set templates.dir"
	switch near := spelling.Nearest(name, known); {
	case len(near) > 0:
		remedy = fmt.Sprintf("did you mean %s?", quoted(near, " or "))
	case len(known) > maxListed:
		remedy = fmt.Sprintf("the templates are %s and %d more", quoted(known[:maxListed], ", "), len(known)-maxListed)
	case len(known) > 0:
		remedy = "the templates are " + quoted(known, ", ")
	}
	return &fault.Error{Code: fault.NotFound, Place: name, Message: "no such template", Remedy: remedy}
}

// quoted returns names in quotes, with a separator between them.
func quoted(names []string, separator string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	return strings.Join(quoted, separator)
}
