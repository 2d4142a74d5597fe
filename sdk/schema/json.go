package schema

import (
	"bytes"
	"encoding/json"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// members lists the members of a JSON object in order; nil: it is none.
func members(raw json.RawMessage) []chat.Field {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	var out []chat.Field
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
func items(raw json.RawMessage) (out []json.RawMessage) {
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// object is a JSON object of fields.
func object(fields []chat.Field) json.RawMessage {
	var parts []json.RawMessage
	for _, f := range fields {
		name, err := json.Marshal(f.Name)
		if err == nil {
			parts = append(parts, bytes.Join([][]byte{name, f.Value}, []byte(":")))
		}
	}
	return enclosed("{", parts, "}")
}

// array is a JSON array of values.
func array(values []json.RawMessage) json.RawMessage { return enclosed("[", values, "]") }

func enclosed(open string, parts []json.RawMessage, end string) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(open)
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(p)
	}
	b.WriteString(end)
	return b.Bytes()
}
