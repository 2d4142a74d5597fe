package wire

import (
	"fmt"
	"math"
	"unicode"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// DecodeProgram turns a message into a program whose references lead to nodes and whose kinds and roles exist. The error is
// an *Error.
func DecodeProgram(m *pb.Program) (*peg.Program, error) {
	if len(m.GetNodes()) > peg.MaxNodes {
		return nil, fault("program.nodes", "%d nodes, at most %d are allowed", len(m.Nodes), peg.MaxNodes)
	}
	if int64(m.GetRoot()) >= int64(len(m.GetNodes())) {
		return nil, fault("program.root", "is node %d of %d", m.GetRoot(), len(m.GetNodes()))
	}
	p := &peg.Program{Nodes: make([]peg.Node, len(m.Nodes)), Root: peg.ID(m.Root)}
	for i, n := range m.Nodes {
		node, err := decodeNode(n, len(m.Nodes))
		if err != nil {
			return nil, fault(fmt.Sprintf("program.nodes[%d]", i), "%v", err)
		}
		p.Nodes[i] = node
	}
	return p, nil
}

// decodeNode decodes a node of a program that has count of them.
func decodeNode(m *pb.Node, count int) (n peg.Node, err error) {
	switch k := m.GetKind().(type) {
	case *pb.Node_Empty:
		n = peg.Node{Op: peg.Empty}
	case *pb.Node_End:
		n = peg.Node{Op: peg.End}
	case *pb.Node_Literal:
		n = peg.Node{Op: peg.Literal, Text: k.Literal.GetText()}
	case *pb.Node_Sequence:
		n = peg.Node{Op: peg.Sequence}
		n.Kids, err = children(count, k.Sequence.GetChildren()...)
	case *pb.Node_Choice:
		n = peg.Node{Op: peg.Choice}
		n.Kids, err = children(count, k.Choice.GetChildren()...)
	case *pb.Node_Any:
		n = peg.Node{Op: peg.Any}
	case *pb.Node_Chars:
		n = peg.Node{Op: peg.Chars, Negated: k.Chars.GetNegated()}
		if n.Ranges, err = decodeRanges(k.Chars.GetRanges()); err == nil {
			n.Min, n.Max, err = bounds(k.Chars.GetMin(), k.Chars.Max)
		}
	case *pb.Node_Space:
		n = peg.Node{Op: peg.Space}
	case *pb.Node_Until:
		n = peg.Node{Op: peg.Until, Delims: k.Until.GetDelimiters()}
	case *pb.Node_Value:
		n = peg.Node{Op: peg.Value, Values: decodeValues(k.Value)}
	case *pb.Node_StringContent:
		n = peg.Node{Op: peg.StringContent, Text: k.StringContent.GetQuote()}
	case *pb.Node_Prompt:
		n = peg.Node{Op: peg.Prompt, Delims: k.Prompt.GetDelimiters()}
	default:
		return decodeParent(m, count)
	}
	return n, err
}

// decodeParent decodes the kinds that have exactly one child.
func decodeParent(m *pb.Node, count int) (n peg.Node, err error) {
	var child uint32
	switch k := m.GetKind().(type) {
	case *pb.Node_Repeat:
		n, child = peg.Node{Op: peg.Repeat}, k.Repeat.GetChild()
		n.Min, n.Max, err = bounds(k.Repeat.GetMin(), k.Repeat.Max)
	case *pb.Node_Peek:
		n, child = peg.Node{Op: peg.Peek}, k.Peek.GetChild()
	case *pb.Node_Not:
		n, child = peg.Node{Op: peg.Not}, k.Not.GetChild()
	case *pb.Node_Rule:
		n, child = peg.Node{Op: peg.Rule, Text: k.Rule.GetName()}, k.Rule.GetChild()
	case *pb.Node_Trigger:
		n, child = peg.Node{Op: peg.Trigger, Text: k.Trigger.GetName()}, k.Trigger.GetChild()
	case *pb.Node_Atomic:
		n, child = peg.Node{Op: peg.Atomic}, k.Atomic.GetChild()
	case *pb.Node_Schema:
		n, child = peg.Node{Op: peg.Schema, Raw: k.Schema.GetRaw()}, k.Schema.GetChild()
		if n.JSONSchema, err = jsonschema.Parse(k.Schema.GetSchema()); err != nil {
			err = fmt.Errorf("schema: %w", err)
		}
	case *pb.Node_Tag:
		n, child = peg.Node{Op: peg.Tag, Text: k.Tag.GetText()}, k.Tag.GetChild()
		n.Role, err = decodeRole(k.Tag.GetRole())
	default:
		return n, fmt.Errorf("its kind is missing or unknown to this version of the host")
	}
	if err == nil {
		n.Kids, err = children(count, child)
	}
	return n, err
}

func decodeRole(m pb.Role) (peg.Role, error) {
	role, ok := roles.decode(m)
	if !ok {
		return 0, fmt.Errorf("the role %v is unknown", m)
	}
	return role, nil
}

func children(count int, indices ...uint32) ([]peg.ID, error) {
	kids := make([]peg.ID, len(indices))
	for i, index := range indices {
		if int64(index) >= int64(count) {
			return nil, fmt.Errorf("refers to node %d of %d", index, count)
		}
		kids[i] = peg.ID(index)
	}
	return kids, nil
}

// bounds decodes how often something repeats; an absent upper bound is none.
func bounds(lo uint32, hi *uint32) (int, int, error) {
	if lo > math.MaxInt32 || hi != nil && *hi > math.MaxInt32 {
		return 0, 0, fmt.Errorf("a bound is out of range")
	}
	if hi == nil {
		return int(lo), -1, nil
	}
	return int(lo), int(*hi), nil
}

func decodeRanges(ranges []*pb.CodePoints) ([]peg.Range, error) {
	var out []peg.Range
	for _, r := range ranges {
		if r.GetFirst() > unicode.MaxRune || r.GetLast() > unicode.MaxRune {
			return nil, fmt.Errorf("the range %#x to %#x goes beyond Unicode", r.GetFirst(), r.GetLast())
		}
		out = append(out, peg.Range{Lo: rune(r.GetFirst()), Hi: rune(r.GetLast())})
	}
	return out, nil
}

func decodeValues(m *pb.ValueNode) (v peg.Values) {
	for _, f := range []struct {
		set bool
		bit peg.Values
	}{
		{m.GetObjects(), peg.ObjectValue},
		{m.GetArrays(), peg.ArrayValue},
		{m.GetStrings(), peg.StringValue},
		{m.GetNumbers(), peg.NumberValue},
		{m.GetBooleans(), peg.BoolValue},
		{m.GetNulls(), peg.NullValue},
		{m.GetPythonLiterals(), peg.PythonLiterals},
		{m.GetPythonQuotes(), peg.PythonQuotes},
	} {
		if f.set {
			v |= f.bit
		}
	}
	return v
}
