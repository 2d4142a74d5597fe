package api

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

func TestAJsonFieldStandsForItself(t *testing.T) {
	tests := []struct {
		name string
		json string // as Marshal writes it
		msg  proto.Message
	}{
		{"the order of members is kept", `{"template":"t","request":{"z":1,"a":{"y":[],"b":null}}}`,
			&dragomanv1.PlanRequest{Template: "t", Request: &dragomanv1.Json{Text: `{"z":1,"a":{"y":[],"b":null}}`}}},
		{"numbers and escapes are kept as written", `{"request":[1.0,12345678901234567890,1e3,"\u00e9\/é"]}`,
			&dragomanv1.PlanRequest{Request: &dragomanv1.Json{Text: `[1.0,12345678901234567890,1e3,"\u00e9\/é"]`}}},
		{"any value", `{"request":"text"}`, &dragomanv1.PlanRequest{Request: &dragomanv1.Json{Text: `"text"`}}},
		{"a value that looks like the message", `{"request":{"text":"x"}}`, &dragomanv1.PlanRequest{Request: &dragomanv1.Json{Text: `{"text":"x"}`}}},
		{"nested", `{"result":{"message":{"role":"assistant"},"finish_reason":"stop"}}`,
			&dragomanv1.ParseStreamResponse{Result: &dragomanv1.ParseResponse{
				Message: &dragomanv1.Json{Text: `{"role":"assistant"}`}, FinishReason: "stop"}}},
		{"lists of messages", `{"triggers":[{"type":"word","value":"<"},{"type":"pattern"}]}`,
			&dragomanv1.Constraint{Triggers: []*dragomanv1.Trigger{{Type: "word", Value: "<"}, {Type: "pattern"}}}},
		{"bytes in base64", `{"template":"t","data":"/w=="}`, &dragomanv1.ParseRequest{Template: "t", Output: &dragomanv1.ParseRequest_Data{Data: []byte{0xff}}}},
		{"messages with a JSON form of their own", `{"started_at":"1970-01-01T00:00:05Z","generation":"7"}`,
			&dragomanv1.GetStatusResponse{StartedAt: &timestamppb.Timestamp{Seconds: 5}, Generation: 7}},
		{"nothing", `{}`, &dragomanv1.PlanRequest{}},
	}
	codec := jsonCodec{"json"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := codec.Marshal(tt.msg)
			if err != nil || string(text) != tt.json {
				t.Errorf("Marshal: %s, %v\nexpected %s", text, err, tt.json)
			}
			got := tt.msg.ProtoReflect().New().Interface()
			if err := codec.Unmarshal([]byte(tt.json), got); err != nil {
				t.Fatalf("Unmarshal: %v", err)
			}
			if diff := cmp.Diff(tt.msg, got, protocmp.Transform()); diff != "" {
				t.Errorf("Unmarshal (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhiteSpaceAndBothSpellingsOfNamesAreRead(t *testing.T) {
	var got dragomanv1.PutTemplateRequest
	if err := (jsonCodec{"json"}).Unmarshal([]byte(" { \"name\" : \"n\" ,\n \"bosToken\" : \"b\", \"eos_token\":\"e\" } \n"), &got); err != nil {
		t.Fatal(err)
	}
	if got.Name != "n" || got.BosToken != "b" || got.EosToken != "e" {
		t.Errorf("read %v", &got)
	}
}

func TestFaultsInJSONSayWhere(t *testing.T) {
	tests := []struct{ name, json, want string }{
		{"nothing", ``, "expected a JSON object, found nothing"},
		{"no object", `[1]`, "expected a JSON object"},
		{"unknown member", `{"templat":"t"}`, "templat: unknown field, expected one of data, ids, options, request, special, template, text, truncated"},
		{"unknown member, nested", `{"options":{"seed":"t"}}`, "options.seed: unknown field, expected one of delivered_only, deltas, id_seed, no_ids, special_known"},
		{"wrong type", `{"template":3}`, "template: expected string, found 3"},
		{"wrong type, after non-ASCII text", `{"text":"Grüße…","request":{"ü":"ä"},"template":"ß","truncated":"ja"}`, `truncated: expected bool, found "ja"`},
		{"wrong type, in a list", `{"special":[{"start":1,"end":2},{"start":-1,"end":2}]}`, "special[1].start: expected uint32, found -1"},
		{"a list for a message", `{"options":[]}`, "options: expected an object, found []"},
		{"a number for a message in a list", `{"special":[{},5]}`, "special[1]: expected an object, found 5"},
		{"null for a message in a list", `{"special":[null]}`, "special[0]: unexpected token null"},
		{"a message for a list", `{"special":{"start":1}}`, `special: expected a list, found {"start":1}`},
		{"invalid UTF-8", "{\"template\":\"a\xff\"}", "template: not JSON: byte 14: invalid UTF-8"},
		{"invalid UTF-8 in a Json", "{\"request\":{\"messages\":[{\"content\":\"a\xff\"}]}}", "request.messages[0].content: not JSON: byte 37: invalid UTF-8"},
		{"invalid UTF-8 far in", "{\"template\":\"x\",\"request\":{\"messages\":[{\"role\":\"user\",\"content\":\"a\xff\"}]}}", "request.messages[0].content: not JSON: byte 66: invalid UTF-8"},
		{"cut off", `{"request":{"messages":[`, "not JSON: byte 24: unexpected EOF"},
		{"twice", `{"template":"a","template":"b"}`, `template: not JSON: byte 16: duplicate object member name`},
		{"more than one", `{} {}`, "expected nothing after the JSON object"},
		{"two outputs", `{"text":"a","data":"YQ=="}`, `data: excludes another field that is set; send one of them`},
		{"a huge value", `{"truncated":"` + strings.Repeat("ü", 1_000_000) + `"}`, `truncated: expected bool, found "üüü`},
		{"a huge name", `{"` + strings.Repeat("n", 1_000_000) + `":1}`, "nnn…: unknown field, expected one of data"},
		{"nested too deep", `{"template":` + strings.Repeat("[", 100_000), "[0][0]…: not JSON: byte 10011: exceeded max depth"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := jsonCodec{"json"}.Unmarshal([]byte(tt.json), &dragomanv1.ParseRequest{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %.1000v, expected in it: %s", err, tt.want)
			} else if len(err.Error()) > 1000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

func FuzzJSONThatIsReadIsWrittenBack(f *testing.F) {
	f.Add([]byte(`{"template":"t","request":{"messages":[{"role":"user","content":"é\u00e9"}]},"text":"x","options":{"no_ids":true}}`))
	f.Add([]byte(`{"request":{"text":"x"}}`))
	f.Add([]byte(`{"data":"/w=="}`))
	codec := jsonCodec{"json"}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second dragomanv1.ParseRequest
		if codec.Unmarshal(data, &first) != nil {
			return
		}
		text, err := codec.Marshal(&first)
		if err != nil {
			t.Fatalf("%q was read, but cannot be written: %v", data, err)
		}
		if err := codec.Unmarshal(text, &second); err != nil {
			t.Fatalf("cannot read %q, written from %q: %v", text, data, err)
		}
		again, err := codec.Marshal(&second)
		if err != nil || string(again) != string(text) {
			t.Fatalf("%q became %q, %v", text, again, err)
		}
	})
}

// TestJSONIsProtobufs compares what is written of messages with every field set, of all services, with protobuf's own JSON.
func TestJSONIsProtobufs(t *testing.T) {
	t.Parallel()
	n := 0
	for _, service := range services {
		d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
		must(t, err)
		methods := d.(protoreflect.ServiceDescriptor).Methods()
		for i := range methods.Len() {
			for _, md := range []protoreflect.MessageDescriptor{methods.Get(i).Input(), methods.Get(i).Output()} {
				typ, err := protoregistry.GlobalTypes.FindMessageByName(md.FullName())
				must(t, err)
				m := typ.New()
				fill(m, &n, 0)
				got, err := jsonCodec{}.Marshal(m.Interface())
				must(t, err)
				text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m.Interface())
				must(t, err)
				var have, want any
				must(t, json.Unmarshal(got, &have))
				must(t, json.Unmarshal(text, &want))
				if d := cmp.Diff(unwrapped(want), have); d != "" {
					t.Errorf("%s: -protobuf +ours\n%s", md.FullName(), d)
				}
				read := typ.New().Interface()
				must(t, jsonCodec{}.Unmarshal(got, read))
				if d := cmp.Diff(m.Interface(), read, protocmp.Transform()); d != "" {
					t.Errorf("%s: -written +read\n%s", md.FullName(), d)
				}
			}
		}
	}
}

// fill sets all fields of a message to different values, those within it, too.
func fill(m protoreflect.Message, n *int, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch *n++; {
		case m.Descriptor() == jsonMessage:
			m.Set(f, protoreflect.ValueOfString(fmt.Sprintf(`{"json":[%d,"\u2028<é"]}`, *n)))
		case f.Message() != nil && depth > 4:
		case f.IsList() && f.Message() != nil:
			list := m.Mutable(f).List()
			for range 2 {
				fill(list.AppendMutable().Message(), n, depth+1)
			}
		case f.Message() != nil:
			fill(m.Mutable(f).Message(), n, depth+1)
		case f.IsList():
			list := m.Mutable(f).List()
			list.Append(scalar(f, *n))
			list.Append(scalar(f, *n+1))
		default:
			m.Set(f, scalar(f, *n))
		}
	}
}

func scalar(f protoreflect.FieldDescriptor, n int) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.Int32Kind: // also the fraction of a time
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(n))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(math.MaxUint64 - uint64(n))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{byte(n), 0xff})
	default:
		return protoreflect.ValueOfString(fmt.Sprintf("%d \"\\\x01\u2028\x7f<é", n))
	}
}

// unwrapped returns a JSON value with the values of Json messages in place of them.
func unwrapped(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if text, ok := v["text"].(string); ok && len(v) == 1 && json.Valid([]byte(text)) {
			var within any
			_ = json.Unmarshal([]byte(text), &within)
			return within
		}
		for name := range v {
			v[name] = unwrapped(v[name])
		}
	case []any:
		for i := range v {
			v[i] = unwrapped(v[i])
		}
	}
	return v
}

// TestManySpansAreWrittenWithoutAnAllocationForEach holds what the largest reports cost.
func TestManySpansAreWrittenWithoutAnAllocationForEach(t *testing.T) {
	report := new(dragomanv1.Report)
	for i := range uint32(10_000) {
		report.Spans = append(report.Spans, &dragomanv1.Span{Region: "marker", Start: new(8 * i), End: 8*i + 8})
	}
	n := testing.AllocsPerRun(3, func() {
		if _, err := (jsonCodec{}).Marshal(report); err != nil {
			t.Error(err)
		}
	})
	if n > 1000 {
		t.Errorf("%v allocations", n)
	}
}
