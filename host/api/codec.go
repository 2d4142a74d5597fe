package api

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"connectrpc.com/connect"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/dragoman-project/dragoman/internal/ordered"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// jsonCodec is protobuf's JSON format with two differences that make it natural to write by hand: a Json message is written as
// the value it contains, with the order of its members preserved, and members have the names of fields in the definitions. Unknown
// members are refused, so that a misspelled one does not vanish.
//
//	{"template": "t", "request": {"messages": [ … ]}}            what clients see
//	{"template": "t", "request": {"text": "{\"messages\": … }"}}   what protobuf's JSON reads and writes
//
// Reading is a walk over the JSON, guided by the message's descriptor, that copies everything else unchanged; writing is one over the
// message.
type jsonCodec struct{ name string }

var _ connect.Codec = jsonCodec{}

// withJSON sets the codec of a service or a client.
func withJSON() connect.Option {
	// connect looks codecs up by content type, and knows two spellings of this one.
	return connect.WithOptions(
		connect.WithCodec(jsonCodec{"json"}),
		connect.WithCodec(jsonCodec{"json; charset=utf-8"}),
	)
}

// withGzip sets how answers are compressed: as fast as possible, because answers of many megabytes, which are reports of many spans, get
// hardly smaller with more work.
func withGzip() connect.HandlerOption {
	return connect.WithCompression("gzip",
		func() connect.Decompressor { return new(gzip.Reader) },
		func() connect.Compressor {
			w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // the level is valid
			return w
		})
}

// Name is part of the content type.
func (c jsonCodec) Name() string { return c.name }

// Marshal writes a protobuf message, or an answer of a stream.
func (c jsonCodec) Marshal(m any) ([]byte, error) {
	if a, ok := m.(interface{ Message() proto.Message }); ok {
		m = a.Message()
	}
	msg, ok := m.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("%T is not a protobuf message", m)
	}
	return appendMessage(nil, msg.ProtoReflect())
}

// Unmarshal reads a protobuf message.
func (c jsonCodec) Unmarshal(data []byte, m any) error {
	msg, ok := m.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is not a protobuf message", m)
	}
	data, err := rewrite(data, msg.ProtoReflect().Descriptor())
	if err != nil {
		return readError(err)
	}
	if err := protojson.Unmarshal(data, msg); err != nil {
		return protobufError(err, data)
	}
	return nil
}

// wrap writes the value of a Json message as protobuf expects it.
func wrap(dec *jsontext.Decoder, enc *jsontext.Encoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	return writeTokens(enc, jsontext.BeginObject, jsontext.String("text"), jsontext.String(string(raw)), jsontext.EndObject)
}

// rewrite copies the JSON of a message, and wraps every Json.
func rewrite(data []byte, md protoreflect.MessageDescriptor) ([]byte, error) {
	var out bytes.Buffer
	within := maxWithin
	w := walk{
		dec:  jsontext.NewDecoder(bytes.NewBuffer(data)), // read in place: other readers lose names from the places of errors
		enc:  jsontext.NewEncoder(&out, jsontext.PreserveRawStrings(true)),
		left: &within,
	}
	if w.dec.PeekKind() != jsontext.KindBeginObject {
		if err := w.copy(); err != nil {
			return nil, err
		}
		return nil, errors.New("expected a JSON object")
	}
	if err := w.message(md); err != nil {
		return nil, err
	}
	if _, err := w.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("byte %d: expected nothing after the JSON object", w.dec.InputOffset())
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// walk traverses a JSON text together with the descriptor of its message.
type walk struct {
	dec  *jsontext.Decoder
	enc  *jsontext.Encoder
	left *int // messages that may still come
}

// message copies the value of a message.
func (w walk) message(md protoreflect.MessageDescriptor) error {
	if *w.left--; *w.left < -1 { // the first is the whole
		return tooManyWithin()
	}
	switch {
	case md.FullName() == jsonMessage.FullName():
		return wrap(w.dec, w.enc)
	case md.ParentFile().Package() == wellKnown:
		return w.copy() // a form of its own
	case w.dec.PeekKind() != jsontext.KindBeginObject:
		return w.null("an object")
	}
	if err := w.token(); err != nil {
		return err
	}
	for w.dec.PeekKind() != jsontext.KindEndObject {
		name, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		field := fieldNamed(md, name.String())
		if field == nil {
			return fmt.Errorf("%s: unknown field, expected %s", place(w.dec.StackPointer()), members(md))
		}
		if err := w.enc.WriteToken(name); err != nil {
			return err
		}
		if err := w.field(field); err != nil {
			return err
		}
	}
	return w.token()
}

// field copies the value of a field.
func (w walk) field(f protoreflect.FieldDescriptor) error {
	switch {
	case f.Message() == nil || f.IsMap():
		return w.copy()
	case !f.IsList():
		return w.message(f.Message())
	case w.dec.PeekKind() != jsontext.KindBeginArray:
		return w.null("a list")
	}
	if err := w.token(); err != nil {
		return err
	}
	for w.dec.PeekKind() != jsontext.KindEndArray {
		if err := w.message(f.Message()); err != nil {
			return err
		}
	}
	return w.token()
}

func (w walk) token() error {
	t, err := w.dec.ReadToken()
	if err != nil {
		return err
	}
	return w.enc.WriteToken(t)
}

// null copies a null where something else is expected, and fails for any other value.
func (w walk) null(expected string) error {
	v, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	if v.Kind() != jsontext.KindNull {
		return at(place(w.dec.StackPointer()), "expected "+expected+", found "+string(v))
	}
	return w.enc.WriteValue(v)
}

func (w walk) copy() error {
	v, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	return w.enc.WriteValue(v)
}

// wellKnown is the package of messages with special JSON formats.
const wellKnown protoreflect.FullName = "google.protobuf"

var (
	jsonMessage = (*dragomanv1.Json)(nil).ProtoReflect().Descriptor()
	jsonText    = jsonMessage.Fields().ByName("text")
)

func fieldNamed(md protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if f := md.Fields().ByTextName(name); f != nil {
		return f
	}
	return md.Fields().ByJSONName(name)
}

// members lists the fields of a message for an error.
func members(md protoreflect.MessageDescriptor) string {
	if md.Fields().Len() == 0 {
		return "an empty object"
	}
	var names []string
	for i := range md.Fields().Len() {
		names = append(names, string(md.Fields().Get(i).Name()))
	}
	slices.Sort(names)
	return "one of " + strings.Join(names, ", ")
}

func writeTokens(enc *jsontext.Encoder, tokens ...jsontext.Token) error {
	for _, t := range tokens {
		if err := enc.WriteToken(t); err != nil {
			return err
		}
	}
	return nil
}

// readError adds the place to an error in the JSON of a message.
func readError(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return at(place(syntax.JSONPointer), fmt.Sprintf("not JSON: byte %d: %v", syntax.ByteOffset, syntax.Err))
	case errors.Is(err, io.EOF):
		return errors.New("expected a JSON object, found nothing")
	default:
		return err
	}
}

// The forms of protobuf's errors, whose positions refer to the rewritten text and whose spaces vary.
var (
	protobufFault = regexp.MustCompile(`(?s)^proto: *(?:syntax error )?(?:\(line 1:(\d+)\): )?(.*)$`)
	protobufValue = regexp.MustCompile(`(?s)^invalid value for (\w+) field [^:]*: (.*)$`)
	protobufOneof = regexp.MustCompile(`^error parsing .* is already set$`)
)

// protobufError converts an error that protobuf found in the rewritten text to one with a place.
func protobufError(fault error, text []byte) error {
	found := protobufFault.FindStringSubmatch(strings.ReplaceAll(fault.Error(), "\u00a0", " "))
	if found == nil {
		return fault
	}
	message := found[2]
	if value := protobufValue.FindStringSubmatch(message); value != nil {
		message = "expected " + value[1] + ", found " + value[2]
	} else if protobufOneof.MatchString(message) {
		message = "excludes another field that is set; send one of them"
	}
	column, _ := strconv.Atoi(found[1])
	return at(placeOf(column, text), message)
}

// placeOf returns the place of the token at a column of text, which is one line.
func placeOf(column int, text []byte) string {
	offset := int64(0)
	for range column - 1 {
		_, n := utf8.DecodeRune(text[offset:])
		offset += int64(n)
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	for dec.InputOffset() <= offset {
		if _, err := dec.ReadToken(); err != nil {
			break
		}
	}
	return place(dec.StackPointer())
}

// at returns an error with a place, which may be empty. Long messages, which may repeat a value, are cut.
func at(place, message string) error {
	const most = 400
	message = cut(message, most)
	if place == "" {
		return errors.New(message)
	}
	return errors.New(place + ": " + message)
}

// place returns the path of a JSON pointer as errors write it: request.messages[2].content.
func place(p jsontext.Pointer) string { return cut(ordered.PointerPath("", p), maxPlace) }
