package autoparser

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Template is a chat template, compiled, and what it can do. It is immutable and safe for concurrent use.
type Template struct {
	Name   string // for people: it stands in errors
	Source string
	BOS    string // the token that begins a text; templates read it as bos_token
	EOS    string // the token that ends one, eos_token
	// Capabilities were found by rendering; Abilities says how, in the order of the questions.
	Capabilities dialect.Capabilities
	Abilities    []Ability

	strict    *jinja.Template
	program   *jinja.Template // the same, for prompts, which are no markup
	thoughts  string          // the further place where it looks for the reasoning of a message; see places
	flatCalls bool            // it looks for the name and the arguments of a call in the call itself
	nullCalls bool            // it renders calls only beside null content
	exhausted error           // of the probe that exceeded a limit of rendering, if one did
	tolerated error           // why a probe had to be rendered tolerantly, if one had to
	// demandsSystem: it fails without a system message; probes have one, too.
	demandsSystem bool
	renderings    atomic.Int64 // how often it was rendered: a test sees by it what is not rendered again
}

// Options of Open. The zero value is the default.
type Options struct {
	// Limits bound every rendering, those of requests and those of probes.
	Limits jinja.Limits
}

// Open compiles a template and probes what it can do. It fails only where the source is no template: one that fails on every
// probe is a template that can do nothing.
func Open(name, source, bos, eos string, o Options) (*Template, error) {
	program, err := jinja.Compile(name, source, jinja.Options{Limits: o.Limits})
	if err != nil {
		return nil, err
	}
	t := &Template{Name: name, Source: source, BOS: bos, EOS: eos, strict: program, program: program.PlainText()}
	t.explore()
	return t, nil
}

// reads says that the template reads a variable.
func (t *Template) reads(variable string) bool {
	return slices.Contains(t.program.Variables(), variable)
}

// text renders a conversation as it is, with or without the beginning of an answer. Where Jinja2 fails, but engines that the
// template may have been written for do not, it is rendered as they do, and the conversation says so.
func (t *Template) text(ctx context.Context, c *conversation, prompt bool) (string, error) {
	t.renderings.Add(1)
	vars := t.variables(c, prompt)
	text, err := t.program.Render(ctx, vars, c.now)
	if !errors.Is(err, jinja.Runtime) {
		return text, err
	}
	if nulls := t.variables(c, prompt); t.setAbsent(nulls) {
		if text, nullErr := t.program.Render(ctx, nulls, c.now); nullErr == nil {
			return text, nil
		}
	}
	if text, tolerantErr := t.program.Tolerant().Render(ctx, vars, c.now); tolerantErr == nil {
		c.tolerated = err
		return text, nil
	}
	return "", err
}

// setAbsent sets to null what the template reads and a request need not have, as Hugging Face passes it; false: there is
// nothing of it that is not set.
func (t *Template) setAbsent(vars *value.Object) bool {
	absent := false
	for _, name := range []string{"tools", "documents"} {
		if _, set := vars.Get(name); !set && t.reads(name) {
			vars.Set(name, value.None{})
			absent = true
		}
	}
	return absent
}
