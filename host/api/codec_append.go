package api

import (
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// appendMessage appends the JSON of a message, in one pass and without an allocation for each of its fields: answers can be reports of
// hundreds of thousands of spans.
func appendMessage(b []byte, m protoreflect.Message) (_ []byte, err error) {
	md := m.Descriptor()
	switch {
	case md == jsonMessage:
		text := m.Get(jsonText).String()
		if text == "" {
			return append(b, "null"...), nil
		}
		return jsontext.AppendFormat(b, text, jsontext.PreserveRawStrings(true))
	case md.ParentFile().Package() == wellKnown:
		return protojson.MarshalOptions{}.MarshalAppend(b, m.Interface())
	}
	b = append(b, '{')
	begun, fields := len(b), md.Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if !m.Has(f) {
			continue
		}
		if len(b) > begun {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), f.Name()...), '"', ':')
		if b, err = appendField(b, f, m.Get(f)); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

// appendField appends the value of a field, which may be a list.
func appendField(b []byte, f protoreflect.FieldDescriptor, v protoreflect.Value) (_ []byte, err error) {
	if !f.IsList() {
		return appendValue(b, f, v)
	}
	list := v.List()
	b = append(b, '[')
	for i := range list.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendValue(b, f, list.Get(i)); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

// appendValue appends one value as protobuf's JSON has it. Of the kinds, those that no definition uses are missing.
func appendValue(b []byte, f protoreflect.FieldDescriptor, v protoreflect.Value) ([]byte, error) {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return appendMessage(b, v.Message())
	case protoreflect.StringKind:
		return jsontext.AppendQuote(b, v.String())
	case protoreflect.BoolKind:
		return strconv.AppendBool(b, v.Bool()), nil
	case protoreflect.Int32Kind:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case protoreflect.Uint32Kind:
		return strconv.AppendUint(b, v.Uint(), 10), nil
	case protoreflect.Int64Kind: // in quotes, because JavaScript's numbers have 53 bits
		return append(strconv.AppendInt(append(b, '"'), v.Int(), 10), '"'), nil
	case protoreflect.Uint64Kind:
		return append(strconv.AppendUint(append(b, '"'), v.Uint(), 10), '"'), nil
	case protoreflect.BytesKind:
		return append(base64.StdEncoding.AppendEncode(append(b, '"'), v.Bytes()), '"'), nil
	default:
		return b, fmt.Errorf("%s: no JSON for the kind %s", f.FullName(), f.Kind())
	}
}
