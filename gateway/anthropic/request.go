package anthropic

import (
	"fmt"
	"slices"
	"strconv"

	gojson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// purpose is what a request is read for. To count its tokens, it needs no max_tokens.
type purpose uint8

const (
	answering purpose = iota
	counting
)

// request is a request that was read.
type request struct {
	chat   []byte // the chat request that says the same
	notes  []string
	places reply.Places
	// omitted means that thinking is answered by its signature alone.
	omitted bool
	// continued are the texts of the message that the answer continues, by their kinds; clients have them.
	continued map[chat.EventKind]string
}

// read reads a request. Errors name its members.
func read(body []byte, s *seal.Sealer, to purpose) (*request, error) {
	root, err := ordered.Parse(body)
	if err != nil {
		return nil, err
	}
	if root.Kind() != ordered.Object {
		return nil, root.Expected("an object")
	}
	r := &reader{request: new(request), root: root, sealer: s}
	if to == answering && !isSet(root.Get("max_tokens")) {
		return nil, root.Missing("max_tokens", "the most tokens to generate")
	}
	for name, v := range root.Members() {
		member, known := members[name]
		switch {
		case v.Kind() == ordered.Null:
		case !known:
			r.note("ignored %s", ordered.MemberPath("", name))
		case member != nil:
			if err := member(r, v); err != nil {
				return nil, err
			}
		}
	}
	for _, part := range []func() error{r.readThinking, r.readTools, r.readMessages} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	r.out = append(r.out, '}')
	r.chat = r.out
	return r.request, nil
}

// reader reads a request, and writes its chat request.
type reader struct {
	*request
	root   *ordered.Value
	sealer *seal.Sealer
	out    []byte // the chat request so far
}

// members read the members of a request. Those that are nil are read elsewhere, or have no effect that anyone expects.
var members = map[string]func(*reader, *ordered.Value) error{
	"model": same("model"), "max_tokens": same("max_tokens"), "stream": same("stream"),
	"temperature": same("temperature"), "top_p": same("top_p"), "top_k": same("top_k"), "stop_sequences": stops,
	"output_config": (*reader).readOutput, "output_format": (*reader).readFormat,
	"container": unserved("containers are not kept"), "thread": unserved("threads are not kept; send the whole conversation as messages"),
	"mcp_servers": unserved("the gateway calls no servers; offer their tools as custom ones"),

	"messages": nil, "system": nil, "tools": nil, "tool_choice": nil, "thinking": nil,
	"metadata": nil, "service_tier": nil, "cache_control": nil, "inference_geo": nil,
}

// same passes a member on.
func same(name string) func(*reader, *ordered.Value) error {
	return func(r *reader, v *ordered.Value) error { return r.set(name, v.Path(), jsontext.Value(v.Raw())) }
}

// unserved refuses a member that needs a server's memory, unless it is empty.
func unserved(why string) func(*reader, *ordered.Value) error {
	return func(_ *reader, v *ordered.Value) error {
		if v.Kind() == ordered.Array && v.Len() == 0 {
			return nil
		}
		return v.Fault("not supported: " + why)
	}
}

// stops passes stop_sequences on. Those of white space alone would end most answers, and Anthropic refuses them.
func stops(r *reader, v *ordered.Value) error {
	if v.Kind() != ordered.Array {
		return v.Expected("an array of strings")
	}
	for _, item := range v.Items() {
		if item.Kind() != ordered.String || isBlank(item.Text()) {
			return item.Expected("a string that is not white space alone")
		}
	}
	return r.set("stop", v.Path(), jsontext.Value(v.Raw()))
}

// readOutput reads output_config: a format, and the effort, which readThinking reads.
func (r *reader) readOutput(v *ordered.Value) error {
	if v.Kind() != ordered.Object {
		return v.Expected("an object")
	}
	for name, m := range v.Members() {
		switch {
		case name == "effort" || m.Kind() == ordered.Null:
		case name == "format":
			if err := r.readFormat(m); err != nil {
				return err
			}
		default:
			r.note("ignored %s", m.Path())
		}
	}
	return nil
}

// readFormat reads the format of the answer.
func (r *reader) readFormat(v *ordered.Value) error {
	if kind := v.Get("type"); kind.Text() != "json_schema" {
		return fault.Invalid(v.Path()+".type", `expected "json_schema"`)
	}
	schema := v.Get("schema")
	if schema.Kind() != ordered.Object {
		return fault.Invalid(v.Path()+".schema", "expected a JSON Schema")
	}
	r.places.Add("json_schema", schema.Path())
	return r.set("response_format", v.Path(), map[string]any{
		"type": "json_schema", "json_schema": map[string]any{"name": "answer", "schema": jsontext.Value(schema.Raw())},
	})
}

// set adds a member to the chat request, which comes from a member of the request.
func (r *reader) set(name, from string, value any) error {
	text, err := gojson.Marshal(value, gojson.Deterministic(true))
	if err != nil {
		return fault.Invalid(from, err.Error())
	}
	r.places.Add(name, from)
	separator := byte(',')
	if r.out == nil {
		separator = '{'
	}
	r.out = append(strconv.AppendQuote(append(r.out, separator), name), ':')
	r.out = append(r.out, text...)
	return nil
}

// mostNotes are more than the header of an answer has room for.
const mostNotes = 50

// note notes what has no effect.
func (r *request) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(r.notes) < mostNotes && !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}

// isSet reports whether a member has a value.
func isSet(v *ordered.Value) bool { return v.Kind() != ordered.Absent && v.Kind() != ordered.Null }

// text returns a member of v that must be a string.
func text(v *ordered.Value, name string) (string, error) {
	m := v.Get(name)
	if m.Kind() == ordered.Absent {
		return "", v.Missing(name, "a string")
	}
	if m.Kind() != ordered.String {
		return "", m.Expected("a string")
	}
	return m.Text(), nil
}
