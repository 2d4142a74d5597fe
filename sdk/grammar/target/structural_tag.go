package target

import (
	"bytes"
	"encoding/json"
)

// xgrammar does not know GBNF's dot, or triggers beside a grammar. What it takes instead is made of the constraint itself,
// so that all engines hold to the same grammar.

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

// structuralTag is the constraint as a structural tag, the JSON that vLLM and SGLang take as "structural_tag". A lazy one
// lets any text pass until a trigger word.
func (tr *translation) structuralTag(c Constraint) (string, error) {
	out := structuralTag{Type: "structural_tag"}
	if c.Lazy {
		f, err := tr.triggered(c.Triggers)
		if err != nil {
			return "", err
		}
		out.Format = f
	} else {
		out.Format = format{Type: "grammar", Grammar: tr.print(tr.grammar.Root)}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(out)
	return string(bytes.TrimSpace(b.Bytes())), err
}

// triggered is free text, and the grammar from the first trigger to the end. What begins a tag is no part of its content.
func (tr *translation) triggered(triggers []Trigger) (format, error) {
	words, err := tr.triggerWords(triggers)
	if err != nil {
		return format{}, err
	}
	f := format{Type: "triggered_tags", Triggers: words, StopAfterFirst: true}
	for _, w := range words {
		rest, err := tr.behind(w)
		if err != nil {
			return format{}, err
		}
		content := format{Type: "grammar", Grammar: tr.print(tr.grammar.StartingAt(rest))}
		f.Tags = append(f.Tags, tag{Type: "tag", Begin: w, Content: content})
	}
	return f, nil
}
