package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Engines other than llama.cpp do not know GBNF's dot, or triggers beside a grammar. What they take instead is made of the
// constraint itself, so that all engines hold to the same grammar.

// structuralTag is xgrammar's way to say which parts of an output follow which grammar.
type structuralTag struct {
	Type   string `json:"type"` // structural_tag
	Format format `json:"format"`
}

// format is one part; which fields it has depends on Type.
type format struct {
	Type           string   `json:"type"`
	Grammar        string   `json:"grammar,omitempty"`
	Triggers       []string `json:"triggers,omitempty"`
	Tags           []tag    `json:"tags,omitempty"`
	StopAfterFirst bool     `json:"stop_after_first,omitempty"`
}

type tag struct {
	Type    string `json:"type"` // tag
	Begin   string `json:"begin"`
	Content format `json:"content"`
	End     string `json:"end"`
}

// StructuralTag is the constraint as a structural tag of xgrammar, the JSON that vLLM and SGLang take as "structural_tag".
// A lazy one lets any text pass until a trigger word; triggers that are patterns are an error, since there are none.
func (c *Constraint) StructuralTag() (json.RawMessage, error) {
	g, err := Parse(c.Grammar)
	if err != nil {
		return nil, err
	}
	out := structuralTag{Type: "structural_tag", Format: format{Type: "grammar", Grammar: ebnf(g.root)}}
	if c.Lazy {
		if out.Format, err = triggered(g, c.Triggers); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err = e.Encode(out)
	return bytes.TrimSpace(b.Bytes()), err
}

// triggered is free text, and the grammar from the first trigger to the end. What begins a tag is no part of its content.
func triggered(g *Grammar, triggers []Trigger) (format, error) {
	words, err := triggerWords(triggers)
	if err != nil {
		return format{}, err
	}
	f := format{Type: "triggered_tags", Triggers: words, StopAfterFirst: true}
	for _, w := range words {
		rest, err := after(g.root.body, nil, w)
		if err != nil {
			return format{}, fmt.Errorf("trigger %q: no text of the grammar begins with it: %w", w, err)
		}
		content := format{Type: "grammar", Grammar: ebnf(g.beginning(rest))}
		f.Tags = append(f.Tags, tag{Type: "tag", Begin: w, Content: content})
	}
	return f, nil
}

// triggerWords are the words among which none begins with another.
func triggerWords(triggers []Trigger) ([]string, error) {
	var words []string
	for _, t := range triggers {
		if t.Type != TriggerWord {
			return nil, fmt.Errorf("trigger %q: this engine knows no triggers that are patterns: ask for a strict grammar", t.Value)
		}
		words = append(words, t.Value)
	}
	slices.Sort(words)
	var out []string
	for _, w := range words {
		if n := len(out); n == 0 || !strings.HasPrefix(w, out[n-1]) {
			out = append(out, w)
		}
	}
	return out, nil
}

// EBNF is the constraint as one grammar for the whole output, in the notation of xgrammar: what SGLang takes as "ebnf" and
// vLLM as "grammar". A lazy one begins with text that contains no trigger word; triggers that are patterns are an error.
func (c *Constraint) EBNF() (string, error) {
	g, err := Parse(c.Grammar)
	if err != nil {
		return "", err
	}
	if !c.Lazy {
		return ebnf(g.root), nil
	}
	words, err := triggerWords(c.Triggers)
	if err != nil {
		return "", err
	}
	b := &builder{names: g.names(), untils: untils{map[string]*expr{}, map[*rule][]string{}}}
	return ebnf(g.beginning(seq(b.until(words), optional(g.root.call())))), nil
}

// beginning is the grammar of e, which calls rules of g.
func (g *Grammar) beginning(e *expr) *rule {
	if g.root.name == "root" {
		g.root.name = (&builder{names: g.names()}).fresh("constrained")
	}
	return &rule{name: "root", body: e}
}

func (g *Grammar) names() map[string]int {
	names := map[string]int{"root": 1}
	for _, r := range g.rules {
		names[r.name] = 1
	}
	return names
}

// ebnf prints a grammar for xgrammar, which knows no dot.
func ebnf(root *rule) string {
	p := printer{dot: `[^\x00]`}
	return p.grammar(root)
}
