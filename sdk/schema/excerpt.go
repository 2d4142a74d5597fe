package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// standalone is the schema as a document of its own: what its references lead to comes with it.
func (s Schema) standalone() json.RawMessage {
	if !s.refers() || bytes.Equal(s.raw, s.root()) {
		return s.raw
	}
	if target := s.resolved(); !bytes.Equal(target.raw, s.raw) {
		return target.standalone()
	}
	e := excerpt{of: s, names: map[string]string{}}
	fields := slices.DeleteFunc(slices.Clone(members(e.rewritten(s.raw))), func(f chat.Field) bool {
		return f.Name == "$defs" || f.Name == "definitions" // references lead into the document, and not here
	})
	if len(e.defs) > 0 {
		fields = append(fields, chat.Field{Name: "$defs", Value: object(e.defs)})
	}
	return object(fields)
}

// excerpt is a part of a document that becomes one. Wherever the targets of its references stand, they become definitions.
type excerpt struct {
	of    Schema
	names map[string]string // of definitions, by reference
	defs  []chat.Field
}

// rewritten is a JSON text whose references lead to the definitions.
func (e *excerpt) rewritten(raw json.RawMessage) json.RawMessage {
	if !bytes.Contains(raw, []byte(`"$ref"`)) {
		return raw
	}
	if raw[0] == '[' {
		all := items(raw)
		for i := range all {
			all[i] = e.rewritten(all[i])
		}
		return array(all)
	}
	fields := slices.Clone(members(raw))
	for i, f := range fields {
		var ref string
		if f.Name == "$ref" && json.Unmarshal(f.Value, &ref) == nil && strings.HasPrefix(ref, "#") {
			fields[i].Value = quoted("#/$defs/" + e.definition(ref))
		} else {
			fields[i].Value = e.rewritten(f.Value)
		}
	}
	return object(fields)
}

// definition is the name of the definition that a reference leads to, as it stands in references.
func (e *excerpt) definition(ref string) string {
	name, known := e.names[ref]
	if known {
		return name
	}
	name = ref[strings.LastIndexByte(ref, '/')+1:]
	for taken := true; taken; {
		if taken = slices.ContainsFunc(e.defs, func(f chat.Field) bool { return f.Name == unescaped(name) }); taken {
			name += "-"
		}
	}
	e.names[ref] = name
	at := len(e.defs)
	e.defs = append(e.defs, chat.Field{Name: unescaped(name)})
	value := e.rewritten(e.of.pointer(ref).raw)
	if len(value) == 0 {
		value = json.RawMessage("true")
	}
	e.defs[at].Value = value
	return name
}

// unescaped is a step of a reference as the name of a member.
func unescaped(step string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(step) }

func quoted(text string) json.RawMessage {
	out, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return out
}
