package wire

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// EncodeProgram turns a program into a message. The error names a node that the wire cannot carry, such as one whose text is
// not UTF-8.
func EncodeProgram(p *peg.Program) (*pb.Program, error) {
	m := &pb.Program{Nodes: make([]*pb.Node, len(p.Nodes)), Root: uint32(p.Root)}
	if p.Root < 0 {
		return nil, fault("program.root", "is %d", p.Root)
	}
	for i := range p.Nodes {
		n, err := encodeNode(&p.Nodes[i])
		if err != nil {
			return nil, fault(fmt.Sprintf("program.nodes[%d]", i), "%v", err)
		}
		m.Nodes[i] = n
	}
	return m, nil
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

// encodeParent encodes the kinds that have exactly one child.
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

// portable says whether the fields of a node fit their messages.
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

func ids(kids []peg.ID) []uint32 {
	out := make([]uint32, len(kids))
	for i, k := range kids {
		out[i] = uint32(k)
	}
	return out
}

// encodeMax leaves out a bound that is none.
func encodeMax(bound int) *uint32 {
	if bound < 0 {
		return nil
	}
	u := uint32(bound)
	return &u
}

func encodeRanges(ranges []peg.Range) []*pb.CodePoints {
	var out []*pb.CodePoints
	for _, r := range ranges {
		out = append(out, &pb.CodePoints{First: uint32(r.Lo), Last: uint32(r.Hi)})
	}
	return out
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
