package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// everyNode returns a program with a node of every kind, every role and every bound.
func everyNode() *peg.Program {
	var b peg.Builder
	word := b.Chars(1, -1, peg.Range{Lo: 'a', Hi: 'z'}, peg.Range{Lo: '0', Hi: '9'})
	kids := []peg.ID{
		b.Empty(), b.Lit("<a>é"), b.Choice(b.Lit("x"), b.Lit("y")), b.Repeat(2, 5, word), b.Star(word), b.Optional(b.Any()),
		b.Peek(word), b.Not(word), b.NotChars(0, 3, peg.Range{Lo: 0, Hi: 0x10FFFF}), b.Space(), b.Until("<b>", "<c>"), b.Rest(),
		b.Value(peg.AnyJSON), b.Value(peg.AnyPython), b.Value(peg.ObjectValue), b.StringContent(`"`),
		b.Rule("r", word), b.Trigger("t", word), b.Atomic(word, word), b.Schema(jsonschema.MustParse(`{"type":"object"}`), word),
		b.RawSchema(jsonschema.MustParse(`{"type":"string"}`), word), b.Prompt("<think>"), b.Prompt(), b.Given(peg.Key, "code"),
	}
	for role := peg.Content; role <= peg.Scalar; role++ {
		kids = append(kids, b.Tag(role, word))
	}
	return b.Build(b.Seq(append(kids, b.End())...))
}

// overTheWire marshals a message and unmarshals it again.
func overTheWire[M proto.Message](t *testing.T, from M, to M) M {
	t.Helper()
	data, err := proto.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(data, to); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestAProgramArrivesAsItWasSent(t *testing.T) {
	sent := everyNode()
	m, err := EncodeProgram(sent)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeProgram(overTheWire(t, m, new(pb.Program)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Errorf("sent (-), received (+):\n%s", diff)
	}
}

func TestProgramsThatTheWireCannotCarryAreNotSent(t *testing.T) {
	for _, c := range []struct {
		name string
		node peg.Node
		want string
	}{
		{"text that is not UTF-8", peg.Node{Op: peg.Literal, Text: "\xff"}, "is not UTF-8"},
		{"a delimiter that is not UTF-8", peg.Node{Op: peg.Until, Delims: []string{"\xff"}}, "is not UTF-8"},
		{"a negative reference", peg.Node{Op: peg.Sequence, Kids: []peg.ID{-1}}, "refers to node -1"},
		{"a rule without a body", peg.Node{Op: peg.Rule, Text: "r"}, "has 0 children, expected one"},
		{"an unknown kind", peg.Node{Op: 99, Kids: []peg.ID{0}}, "unknown kind 99"},
		{"an unknown role", peg.Node{Op: peg.Tag, Role: 99, Kids: []peg.ID{0}}, "unknown role 99"},
		{"a negative bound", peg.Node{Op: peg.Repeat, Min: -1, Kids: []peg.ID{0}}, "out of range"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := EncodeProgram(&peg.Program{Nodes: []peg.Node{c.node}})
			wantFault(t, err, "program.nodes[0]", c.want)
		})
	}
}

func TestBrokenProgramsAreRefusedWithTheirPlace(t *testing.T) {
	huge := uint32(1 << 31)
	for _, c := range []struct {
		name string
		node *pb.Node
		want string
	}{
		{"no kind", &pb.Node{}, "missing, or unknown"},
		{"a nil node", nil, "missing, or unknown"},
		{"a child beyond the end", &pb.Node{Kind: &pb.Node_Peek{Peek: &pb.PeekNode{Child: 7}}}, "refers to node 7 of 1"},
		{"children beyond the end", &pb.Node{Kind: &pb.Node_Choice{Choice: &pb.ChoiceNode{Children: []uint32{0, 1 << 31}}}}, "refers to node"},
		{"no role", &pb.Node{Kind: &pb.Node_Tag{Tag: &pb.TagNode{}}}, "unknown role ROLE_UNSPECIFIED"},
		{"an unknown role", &pb.Node{Kind: &pb.Node_Tag{Tag: &pb.TagNode{Role: 99}}}, "unknown role 99"},
		{"a bound out of range", &pb.Node{Kind: &pb.Node_Repeat{Repeat: &pb.RepeatNode{Max: &huge}}}, "out of range"},
		{"a schema that is not JSON", &pb.Node{Kind: &pb.Node_Schema{Schema: &pb.SchemaNode{Schema: []byte(`{"type"`)}}}, "schema: type: not JSON: byte 7"},
		{"a class beyond Unicode", &pb.Node{Kind: &pb.Node_Chars{Chars: &pb.CharsNode{Ranges: []*pb.CodePoints{{Last: huge}}}}}, "beyond Unicode"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := DecodeProgram(&pb.Program{Nodes: []*pb.Node{c.node}})
			wantFault(t, err, "program.nodes[0]", c.want)
		})
	}
	t.Run("no nodes", func(t *testing.T) {
		_, err := DecodeProgram(nil)
		wantFault(t, err, "program.root", "node 0 of 0")
	})
	t.Run("too many nodes", func(t *testing.T) {
		_, err := DecodeProgram(&pb.Program{Nodes: make([]*pb.Node, peg.MaxNodes+1)})
		wantFault(t, err, "program.nodes", "at most")
	})
}

func wantFault(t *testing.T, err error, path, message string) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || e.Place != path || !strings.Contains(e.Message, message) {
		t.Errorf("got %v, expected %s: …%s…", err, path, message)
	}
}

func FuzzDecodeProgram(f *testing.F) {
	m, err := EncodeProgram(everyNode())
	if err != nil {
		f.Fatal(err)
	}
	data, err := proto.Marshal(m)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte{})
	f.Add([]byte{0x0a, 0x00, 0x10, 0x00})
	f.Fuzz(func(t *testing.T, data []byte) {
		m := new(pb.Program)
		if proto.Unmarshal(data, m) != nil {
			return
		}
		p, err := DecodeProgram(m)
		if err != nil {
			return
		}
		_ = p.Validate()
		again, err := EncodeProgram(p)
		if err != nil {
			t.Fatalf("a received program cannot be sent: %v", err)
		}
		back, err := DecodeProgram(again)
		if err != nil || !cmp.Equal(p, back) {
			t.Fatalf("a program changes in transit: %v\n%s", err, cmp.Diff(p, back))
		}
	})
}
