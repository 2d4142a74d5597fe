package schema

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// members lists the members of a JSON object in order; nil: it is none.
func members(raw json.RawMessage) []chat.Field {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	var out []chat.Field
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil
		}
		text := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil
		}
		out = append(out, chat.Field{Name: text, Value: json.RawMessage(value.Clone())})
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
