package target

import (
	"bytes"
	"encoding/json"
)

// xgrammar supports neither GBNF's dot nor triggers beside a grammar. Both are derived from the
// constraint, so that all engines enforce the same grammar.

// structuralTag is xgrammar's format for outputs whose parts follow grammars.
type structuralTag struct {
	Type   string `json:"type"` // structural_tag
	Format format `json:"format"`
}

// format describes a part; Type determines its fields.
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

// structuralTag returns the JSON that vLLM and SGLang read as "structural_tag". If lazy, any text
// may precede the first trigger word.
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

// triggered returns free text, and the grammar from the first trigger to the end. The beginning of
// a tag is not part of its content.
func (tr *translation) triggered(triggers []Trigger) (format, error) {
	words, err := tr.triggerWords(triggers)
	if err != nil {
		return format{}, err
	}
	f := format{Type: "triggered_tags", Triggers: words, StopAfterFirst: true}
	for _, w := range words {
		tr.work.Spend(8 * len(tr.grammar.Rules))
		rest, err := tr.after(w)
		if err != nil {
			return format{}, err
		}
		content := format{Type: "grammar", Grammar: tr.print(tr.grammar.StartingAt(rest))}
		f.Tags = append(f.Tags, tag{Type: "tag", Begin: w, Content: content})
	}
	return f, nil
}
