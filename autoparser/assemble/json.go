package assemble

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// texts remembers what JSON texts were read as: the tools of a request repeat themselves. Nil remembers nothing.
type texts struct {
	members map[string][]chat.Field
}

// membersOf lists the members of a JSON object in order; nil: it is none. Callers must not change them.
func (t *texts) membersOf(raw json.RawMessage) []chat.Field {
	if t == nil {
		return members(raw)
	}
	if known, ok := t.members[string(raw)]; ok {
		return known
	}
	if t.members == nil {
		t.members = map[string][]chat.Field{}
	}
	t.members[string(raw)] = members(raw)
	return t.members[string(raw)]
}

func members(raw json.RawMessage) []chat.Field {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	var out []chat.Field
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		text, ok := name.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return nil
		}
		out = append(out, chat.Field{Name: text, Value: bytes.TrimSpace(value)})
	}
	return out
}

// items lists the items of a JSON array; nil: it is none.
func items(raw json.RawMessage) []json.RawMessage {
	var out []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// object is a JSON object of fields.
func object(fields []chat.Field) json.RawMessage {
	var b bytes.Buffer
	for i, f := range fields {
		b.WriteByte("{,"[min(i, 1)])
		name, _ := json.Marshal(f.Name) // a string
		b.Write(name)
		b.WriteByte(':')
		b.Write(f.Value)
	}
	if len(fields) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes()
}

// list is a JSON array of values.
func list(values []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte{'['}, bytes.Join(toBytes(values), []byte{','}), []byte{']'})
}

func toBytes(values []json.RawMessage) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
