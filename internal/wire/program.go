package wire

import (
	"fmt"
	"math"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// EncodeProgram converts a program to a message. The error names a node that a message cannot hold, such as one whose text
// is not UTF-8.
func EncodeProgram(p *peg.Program) (*pb.Program, error) {
	m := &pb.Program{Nodes: make([]*pb.Node, len(p.Nodes)), Root: uint32(p.Root)}
	if p.Root < 0 {
		return nil, Broken("program.root", "negative: %d", p.Root)
	}
	for i := range p.Nodes {
		n, err := encodeNode(&p.Nodes[i])
		if err != nil {
			return nil, Broken(fmt.Sprintf("program.nodes[%d]", i), "%v", err)
		}
		m.Nodes[i] = n
	}
	return m, nil
}

// DecodeProgram converts a message to a program whose references lead to nodes and whose kinds and roles exist. The error is
// Broken.
func DecodeProgram(m *pb.Program) (*peg.Program, error) {
	if len(m.GetNodes()) > peg.MaxNodes {
		return nil, Broken("program.nodes", "%d nodes, at most %d are allowed", len(m.Nodes), peg.MaxNodes)
	}
	if int64(m.GetRoot()) >= int64(len(m.GetNodes())) {
		return nil, Broken("program.root", "node %d of %d does not exist", m.GetRoot(), len(m.GetNodes()))
	}
	p := &peg.Program{Nodes: make([]peg.Node, len(m.Nodes)), Root: peg.ID(m.Root)}
	for i, n := range m.Nodes {
		node, err := decodeNode(n, len(m.Nodes))
		if err != nil {
			return nil, Broken(fmt.Sprintf("program.nodes[%d]", i), "%v", err)
		}
		p.Nodes[i] = node
	}
	return p, nil
}

func encodeNode(n *peg.Node) (*pb.Node, error) {
	if err := portable(n); err != nil {
		return nil, err
	}
	m := new(pb.Node)
	switch n.Op {
	case peg.Empty:
		m.Kind = &pb.Node_Empty{Empty: &pb.EmptyNode{}}
	case peg.End:
		m.Kind = &pb.Node_End{End: &pb.EndNode{}}
	case peg.Literal:
		m.Kind = &pb.Node_Literal{Literal: &pb.LiteralNode{Text: n.Text}}
	case peg.Sequence:
		m.Kind = &pb.Node_Sequence{Sequence: &pb.SequenceNode{Children: ids(n.Kids)}}
	case peg.Choice:
		m.Kind = &pb.Node_Choice{Choice: &pb.ChoiceNode{Children: ids(n.Kids)}}
	case peg.Any:
		m.Kind = &pb.Node_Any{Any: &pb.AnyNode{}}
	case peg.Chars:
		m.Kind = &pb.Node_Chars{Chars: &pb.CharsNode{
			Ranges: encodeRanges(n.Ranges), Negated: n.Negated, Min: uint32(n.Min), Max: encodeMax(n.Max),
		}}
	case peg.Space:
		m.Kind = &pb.Node_Space{Space: &pb.SpaceNode{}}
	case peg.Until:
		m.Kind = &pb.Node_Until{Until: &pb.UntilNode{Delimiters: n.Delims}}
	case peg.Value:
		m.Kind = &pb.Node_Value{Value: encodeValues(n.Values)}
	case peg.StringContent:
		m.Kind = &pb.Node_StringContent{StringContent: &pb.StringContentNode{Quote: n.Text}}
	case peg.Prompt:
		m.Kind = &pb.Node_Prompt{Prompt: &pb.PromptNode{Delimiters: n.Delims}}
	default:
		return m, encodeParent(m, n)
	}
	return m, nil
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

// encodeParent encodes kinds with exactly one child.
func encodeParent(m *pb.Node, n *peg.Node) error {
	if len(n.Kids) != 1 {
		return fmt.Errorf("has %d children, expected one", len(n.Kids))
	}
	child := uint32(n.Kids[0])
	switch n.Op {
	case peg.Repeat:
		m.Kind = &pb.Node_Repeat{Repeat: &pb.RepeatNode{Child: child, Min: uint32(n.Min), Max: encodeMax(n.Max)}}
	case peg.Peek:
		m.Kind = &pb.Node_Peek{Peek: &pb.PeekNode{Child: child}}
	case peg.Not:
		m.Kind = &pb.Node_Not{Not: &pb.NotNode{Child: child}}
	case peg.Rule:
		m.Kind = &pb.Node_Rule{Rule: &pb.RuleNode{Name: n.Text, Child: child}}
	case peg.Trigger:
		m.Kind = &pb.Node_Trigger{Trigger: &pb.TriggerNode{Name: n.Text, Child: child}}
	case peg.Atomic:
		m.Kind = &pb.Node_Atomic{Atomic: &pb.AtomicNode{Child: child}}
	case peg.Schema:
		m.Kind = &pb.Node_Schema{Schema: &pb.SchemaNode{Child: child, Schema: n.JSONSchema.Raw(), Raw: n.Raw}}
	case peg.Tag:
		role, ok := roles.encode(n.Role)
		if !ok {
			return fmt.Errorf("unknown role %d", n.Role)
		}
		m.Kind = &pb.Node_Tag{Tag: &pb.TagNode{Child: child, Role: role, Text: n.Text}}
	default:
		return fmt.Errorf("unknown kind %d", n.Op)
	}
	return nil
}

// decodeParent decodes kinds with exactly one child.
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
		return n, fmt.Errorf("the kind is missing, or unknown to this version of the host")
	}
	if err == nil {
		n.Kids, err = children(count, child)
	}
	return n, err
}

// portable reports whether the fields of a node fit their messages.
func portable(n *peg.Node) error {
	for _, s := range append(n.Delims[:len(n.Delims):len(n.Delims)], n.Text) {
		if !utf8.ValidString(s) {
			return fmt.Errorf("the text %q is not UTF-8", s)
		}
	}
	for _, k := range n.Kids {
		if k < 0 {
			return fmt.Errorf("refers to node %d", k)
		}
	}
	if n.Min < 0 || n.Min > math.MaxInt32 || n.Max > math.MaxInt32 {
		return fmt.Errorf("the bounds %d and %d are out of range", n.Min, n.Max)
	}
	return nil
}

func decodeRole(m pb.Role) (peg.Role, error) {
	role, ok := roles.decode(m)
	if !ok {
		return 0, fmt.Errorf("unknown role %v", m)
	}
	return role, nil
}

func ids(kids []peg.ID) []uint32 {
	out := make([]uint32, len(kids))
	for i, k := range kids {
		out[i] = uint32(k)
	}
	return out
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

// encodeMax returns the field of an upper bound; nil if there is none.
func encodeMax(bound int) *uint32 {
	if bound < 0 {
		return nil
	}
	u := uint32(bound)
	return &u
}

// bounds decodes the bounds of a repetition. A missing upper bound becomes -1.
func bounds(lo uint32, hi *uint32) (int, int, error) {
	if lo > math.MaxInt32 || hi != nil && *hi > math.MaxInt32 {
		return 0, 0, fmt.Errorf("a bound is out of range")
	}
	if hi == nil {
		return int(lo), -1, nil
	}
	return int(lo), int(*hi), nil
}

func encodeRanges(ranges []peg.Range) []*pb.CodePoints {
	var out []*pb.CodePoints
	for _, r := range ranges {
		out = append(out, &pb.CodePoints{First: uint32(r.Lo), Last: uint32(r.Hi)})
	}
	return out
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

func encodeValues(v peg.Values) *pb.ValueNode {
	return &pb.ValueNode{
		Objects:        v&peg.ObjectValue != 0,
		Arrays:         v&peg.ArrayValue != 0,
		Strings:        v&peg.StringValue != 0,
		Numbers:        v&peg.NumberValue != 0,
		Booleans:       v&peg.BoolValue != 0,
		Nulls:          v&peg.NullValue != 0,
		PythonLiterals: v&peg.PythonLiterals != 0,
		PythonQuotes:   v&peg.PythonQuotes != 0,
	}
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
