package markup

import (
	"context"
	_ "embed"

	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

//go:embed nested.jsonl
var nestedCases []byte

// Every tag of a call begins with a special token, so that strings may contain any other markup.
const (
	tagMark     = "]<]minimax[>["
	nestedStart = tagMark + "<tool_call>"
	nestedEnd   = tagMark + "</tool_call>"
	invokeStart = tagMark + `<invoke name="`
	invokeEnd   = tagMark + "</invoke>"
	itemStart   = tagMark + "<item>"
	itemEnd     = tagMark + "</item>"
)

// nested handles templates that write objects and arrays as nested elements.
type nested struct{}

var _ handler.Handler = nested{}

// Describe returns the same description as markup.yaml.
func (nested) Describe() handler.Description {
	return handler.Description{
		Name: "minimax-m3", Version: "1.0.0", Priority: 100, Cases: nestedCases,
		Match: `source contains "]<]minimax[>[" and source contains "<invoke name="`,
	}
}

// Plan plans a request.
func (nested) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	const thinkStart, thinkEnd = "<mm:think>", "</mm:think>"
	p := elements{turn.New(in.Request, turn.Format{
		ThinkStart: thinkStart, ThinkEnd: thinkEnd, NoThought: thinkEnd,
		Openers: []string{nestedStart, invokeStart}, Promoters: []string{"\n" + nestedStart},
		CallEnds: []string{nestedEnd, invokeEnd}, Ends: []string{"[e~["},
		Preserved: []string{tagMark, "<tool_call>", "</tool_call>", thinkStart, thinkEnd},
	}), map[string]string{}}
	return p.Turn.Plan(p.calls())
}

// elements builds the part of the program that parses calls.
type elements struct {
	*turn.Turn
	values map[string]string // the rules of values, by schema and end
}

func (p elements) calls() peg.ID {
	header := func(name peg.ID) peg.ID {
		return p.Atomic(p.Lit(invokeStart), p.Tag(peg.CallName, name), p.Lit(`">`))
	}
	call := p.Rule("call", p.Tag(peg.Call, p.ByName(header, p.object), p.Closer(invokeEnd)))
	none := p.Only("no-calls", p.Peek(p.Lit(nestedEnd)))
	section := p.Trigger("calls", p.Seq(p.Start(nestedStart), p.Choice(p.Several(call, ""), none), p.Closer(nestedEnd)))
	calls := p.Choice(section, p.Only("no-section", p.Trigger("call-alone", p.Seq(p.Several(call, ""), p.Optional(p.Lit(nestedEnd), p.Space())))))
	p.EndThinkingAt(func() peg.ID {
		return p.Seq(p.Optional(p.Start(nestedStart)), p.KnownName(header), p.Blanks(), p.Lit(tagMark))
	}, func() peg.ID { return calls })
	return calls
}

func (p elements) object(s jsonschema.Schema) peg.ID {
	return p.Seq(p.Space(), p.Tag(peg.Object, p.Arguments(s, "", p.element)))
}

// element matches a member of an object. If its name is unknown, any end tag ends it.
func (p elements) element(name string, s jsonschema.Schema) peg.ID {
	header := p.Atomic(p.Lit(tagMark+"<"), p.Tag(peg.Key, p.ArgumentName(name)), p.Lit(">"))
	if name == "" {
		return p.Seq(header, p.value(s, tagMark+"</"), p.Lit(tagMark+"</"), p.ArgumentName(""), p.Lit(">"), p.Space())
	}
	end := tagMark + "</" + name + ">"
	return p.Seq(header, p.value(s, end), p.Lit(end), p.Space())
}

// value matches the text between two tags. Equal values share a rule, so schemas may refer to
// themselves.
func (p elements) value(s jsonschema.Schema, end string) peg.ID {
	key := s.Key() + "\x00" + end
	name, known := p.values[key]
	if known {
		return p.Ref(name)
	}
	name = p.Fresh("value")
	p.values[key] = name
	return p.Rule(name, p.newValue(s, end))
}

// newValue matches text if the schema allows it, whatever it looks like, unless the schema allows
// everything and elements follow.
func (p elements) newValue(s jsonschema.Schema, end string) peg.ID {
	kinds := peg.Values(s.Kinds())
	var ways []peg.ID
	if kinds&turn.Scalars != 0 {
		ways = append(ways, p.Seq(p.Short(s, end), p.Space()))
	}
	if kinds == peg.AnyJSON || kinds&peg.StringValue == 0 {
		ways = append(ways, p.containers(s, kinds, end)...)
	}
	if kinds&peg.StringValue != 0 {
		return p.Choice(append(ways, p.Verbatim(s, end))...)
	}
	return p.Choice(append(ways, p.OnlyHere("mistyped", p.Verbatim(jsonschema.Schema{}, end)))...)
}

// containers returns alternatives for elements within a value: items of an array, or members of an
// object. No elements at all are an empty container if there can be no text.
func (p elements) containers(s jsonschema.Schema, kinds peg.Values, end string) []peg.ID {
	var ways []peg.ID
	follows := func(tags ...peg.ID) peg.ID {
		if kinds&peg.StringValue == 0 {
			tags = append(tags, p.Lit(end))
		}
		return p.Peek(p.Choice(tags...))
	}
	if kinds&peg.ArrayValue != 0 {
		item := p.Seq(p.Lit(itemStart), p.value(s.Items(), itemEnd), p.Lit(itemEnd), p.Space())
		first := follows(p.Lit(itemStart))
		ways = append(ways, p.Seq(p.Space(), first, p.Tag(peg.Array, p.Items(s, "", item))))
	}
	if kinds&peg.ObjectValue != 0 {
		tag := p.Seq(p.Lit(tagMark+"<"), p.NotChars(1, 1, peg.Range{Lo: '/', Hi: '/'}))
		ways = append(ways, p.Seq(p.Space(), follows(tag), p.Tag(peg.Object, p.Arguments(s, "", p.element))))
	}
	return append(ways, p.Only("json", p.json()))
}

// json matches an object or an array as other models write it.
func (p elements) json() peg.ID {
	bracket := p.Chars(1, 1, peg.Range{Lo: '{', Hi: '{'}, peg.Range{Lo: '[', Hi: '['})
	return p.Seq(p.Space(), p.Peek(bracket), p.Tag(peg.Scalar, p.Value(turn.Containers|peg.PythonLiterals)), p.Space())
}
