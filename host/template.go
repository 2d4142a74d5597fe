package host

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/model"
)

// TemplateSource is a chat template as it is handed to the host.
type TemplateSource struct {
	Name     string // how requests refer to it; a file's name without ".jinja"
	Source   string
	BOSToken string
	EOSToken string
	Origin   string // where it came from: "embedded", "upload", or a file's path
	// SpecialTokens are all special tokens of the model's vocabulary; nil where they are not known.
	SpecialTokens []string
}

// TemplateInfo is what the host knows of a template.
type TemplateInfo struct {
	Name   string `json:"name"`
	Origin string `json:"origin"`
	SHA256 string `json:"sha256"` // of the source and its tokens
	// Handler is what claims the template: "autoparser", or a plugin.
	Handler string `json:"handler"`
	// Error says why the template cannot be used; empty when it can.
	Error string `json:"error,omitempty"`
	// SelfCheck is how much of what the template writes the autoparser reads back, "14 of 16"; empty until somebody asks for
	// an explanation, and for templates that plugins claim.
	SelfCheck string `json:"self_check,omitempty"`
}

// entry is a template in a snapshot. What is made of the source alone is shared by all snapshots that have the same source;
// what the rules add to it is made once per snapshot. Both are made on first use.
type entry struct {
	TemplateSource
	hash   string
	opened func() (*autoparser.Template, error)
	asked  func() (*autoparser.Learned, error) // learned without rules
	learn  func() (*autoparser.Learned, error) // under the snapshot's rules
}

func newEntry(src TemplateSource, rules *workaround.Set) *entry {
	sum := sha256.New()
	for _, s := range append([]string{src.Source, src.BOSToken, src.EOSToken}, src.SpecialTokens...) {
		sum.Write([]byte(s))
		sum.Write([]byte{0})
	}
	e := &entry{TemplateSource: src, hash: hex.EncodeToString(sum.Sum(nil))}
	e.opened = sync.OnceValues(func() (*autoparser.Template, error) {
		t, err := autoparser.Open(src.Name, src.Source, src.BOSToken, src.EOSToken, autoparser.Options{})
		return t, templateFault(src.Name, err)
	})
	e.asked = sync.OnceValues(func() (*autoparser.Learned, error) {
		t, err := e.opened()
		if err != nil {
			return nil, err
		}
		learned, err := autoparser.Learn(t, &workaround.Set{})
		return learned, templateFault(src.Name, err)
	})
	return e.under(rules)
}

// under is the same template under other rules. Nothing is rendered again.
func (e *entry) under(rules *workaround.Set) *entry {
	next := *e
	next.learn = sync.OnceValues(func() (*autoparser.Learned, error) {
		learned, err := next.asked()
		if err != nil {
			return nil, err
		}
		return learned.With(rules), nil
	})
	return &next
}

var templateName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

const maxTemplateName = 200

// checkName refuses names that could be mistaken for paths out of a folder.
func checkName(name string) error {
	if len(name) > maxTemplateName || !templateName.MatchString(name) || canonicalName(name) != name {
		return &Error{Code: InvalidArgument, Place: "name", Message: "a template cannot be named so",
			Remedy: `use letters, digits, ".", "_" and "-", in parts separated by "/", 200 bytes at most; ".jinja" is left out`}
	}
	return nil
}

// templateEnding ends the names of templates' files.
const templateEnding = ".jinja"

// canonicalName lets requests name a template with or without the ending of its file.
func canonicalName(name string) string { return strings.TrimSuffix(name, templateEnding) }

// variantName is the name under which a model's variant is known.
func variantName(model, variant string) string {
	if variant == "" {
		return model
	}
	return model + "/" + variant
}

// readModel reads the templates of a model.
func readModel(path string, rules *workaround.Set) (map[string]*entry, error) {
	m, err := model.Load(path)
	if err != nil {
		return nil, err
	}
	entries := map[string]*entry{}
	for _, v := range m.Variants {
		src := TemplateSource{Name: variantName(m.Name, v.Name), Source: v.Source, BOSToken: m.BOSToken, EOSToken: m.EOSToken, Origin: path, SpecialTokens: m.SpecialTokens}
		if err := checkName(src.Name); err != nil {
			return nil, err
		}
		entries[src.Name] = newEntry(src, rules)
	}
	return entries, nil
}

// templateFault gives an error of a template its place and remedy.
func templateFault(name string, err error) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	var fault *jinja.Error
	if !errors.As(err, &fault) {
		return &Error{Code: InvalidArgument, Place: name, Message: err.Error(), Err: err}
	}
	code, remedy := InvalidArgument, "correct the template, or the request that it refuses"
	switch fault.Kind {
	case jinja.Syntax:
		remedy = "correct the template at this place"
	case jinja.Limit, jinja.Deadline:
		remedy = "simplify the template, or shorten the conversation: rendering is limited in time, steps and output"
	}
	return &Error{Code: code, Message: err.Error(), Remedy: remedy, Err: err}
}
