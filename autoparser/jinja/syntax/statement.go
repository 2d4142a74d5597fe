package syntax

import (
	"slices"
	"strings"

	"github.com/nikolalohinski/gonja/v2/tokens"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
)

// tagParser parses one tag after its name.
type tagParser func(t *tagReader) Node

// valueTag is the name of the tag for {{ e }}. No template can spell it.
const valueTag = "{{"

// tagParsers are the parsers of all tags, including those that divide or end blocks.
var tagParsers = map[string]tagParser{
	valueTag:     parseValue,
	"print":      parsePrint,
	"if":         parseIf,
	"for":        parseFor,
	"set":        parseSet,
	"macro":      parseMacro,
	"call":       parseCall,
	"filter":     parseFilter,
	"with":       parseWith,
	"do":         parseDo,
	"generation": parseGeneration,
	"break":      parseJump(true),
	"continue":   parseJump(false),

	"elif": misplaced, "else": misplaced, "endif": misplaced, "endfor": misplaced, "endset": misplaced,
	"endmacro": misplaced, "endcall": misplaced, "endfilter": misplaced, "endwith": misplaced, "endgeneration": misplaced,
}

// RefusedTags are the tags of Jinja2 that are not supported, with the reasons.
var RefusedTags = map[string]string{
	"extends":    "a template cannot load others",
	"include":    "a template cannot load others",
	"import":     "a template cannot load others",
	"from":       "a template cannot load others",
	"block":      "blocks are for templates that extend others",
	"autoescape": "prompts are not HTML; use the filter escape",
	"trans":      "prompts are not translated",
	"pluralize":  "prompts are not translated",
	"debug":      "it prints Python's variables",
}

// mustBeTag rejects a tag whose name, which src begins with, is not supported.
func mustBeTag(at int, src string) {
	id := src[:len(src)-len(strings.TrimLeftFunc(src, pystr.IsWord))]
	switch {
	case id == "":
		failure.Reject(at, "tag name expected")
	case RefusedTags[id] != "":
		failure.Reject(at, "the tag %s is not supported: %s", id, RefusedTags[id])
	case tagParsers[id] == nil:
		failure.Reject(at, "Encountered unknown tag %s.", pystr.Quote(id))
	}
}

// misplaced rejects a tag that divides or ends a block that is not open.
func misplaced(t *tagReader) Node {
	if len(t.p.open) == 0 {
		failure.Reject(int(t.start), "Encountered unknown tag '%s': no block is open here", t.name)
	}
	innermost := t.p.open[len(t.p.open)-1]
	failure.Reject(int(t.start), "Encountered unknown tag '%s'. The innermost block that needs to be closed is '%s'.", t.name, innermost)
	return nil
}

// never is the stop of tuples that end with the tag.
func never() bool { return false }

func parseValue(t *tagReader) Node {
	t.value = true
	n := &Output{Pos: t.start}
	n.Of = append(n.one[:0], t.tuple(t.expression, never, false))
	t.done()
	return n
}

func parsePrint(t *tagReader) Node {
	n := &Output{Pos: t.start}
	for !t.end() {
		if len(n.Of) > 0 {
			t.expect(tokens.Comma, ",")
		}
		n.Of = append(n.Of, t.expression())
	}
	return n
}

func parseDo(t *tagReader) Node {
	n := &Do{t.start, t.tuple(t.expression, never, false)}
	t.done()
	return n
}

func parseJump(leaves bool) tagParser {
	return func(t *tagReader) Node {
		t.done()
		return &Jump{t.start, leaves}
	}
}

// The tags that close blocks.
var (
	endIf         = []string{"endif"}
	endIfBranch   = []string{"elif", "else", "endif"}
	endFor        = []string{"endfor"}
	endForBody    = []string{"endfor", "else"}
	endSet        = []string{"endset"}
	endMacro      = []string{"endmacro"}
	endCall       = []string{"endcall"}
	endFilter     = []string{"endfilter"}
	endWith       = []string{"endwith"}
	endGeneration = []string{"endgeneration"}
)

func parseIf(t *tagReader) Node {
	n := &If{Pos: t.start}
	n.Tests, n.Bodies = n.one.test[:0], n.one.body[:0]
	for {
		n.Tests = append(n.Tests, t.tuple(t.plain, never, false))
		t.begin()
		body, closer := t.body(endIfBranch)
		n.Bodies = append(n.Bodies, body)
		switch closer {
		case "elif":
			continue
		case "else":
			t.begin()
			n.Otherwise, _ = t.body(endIf)
		}
		t.done()
		return n
	}
}

func parseFor(t *tagReader) Node {
	n := &For{Pos: t.start}
	n.Target = t.target(func() bool { return t.word("in") }, false)
	if !t.acceptWord("in") {
		failure.Reject(t.at, "expected token 'in', got '%s'", t.spelling())
	}
	n.Over = t.tuple(t.plain, func() bool { return t.word("recursive") }, false)
	if t.acceptWord("if") {
		n.Test = t.expression()
	}
	n.Recursive = t.acceptWord("recursive")
	t.begin()
	special := t.p.special
	body, closer := t.body(endForBody)
	n.Body = body
	if closer == "else" {
		t.begin()
		n.Otherwise, _ = t.body(endFor)
	}
	t.done()
	n.Special = t.p.special > special
	return n
}

func parseSet(t *tagReader) Node {
	at := t.start
	target := t.target(func() bool { return t.is(tokens.Assign) || t.is(tokens.Pipe) }, true)
	if t.accept(tokens.Assign) {
		n := &Set{at, target, t.tuple(t.expression, never, false)}
		t.done()
		return n
	}
	n := &SetBlock{Pos: at, Target: target}
	if t.is(tokens.Pipe) {
		n.Filter = t.filters(nil)
	}
	t.begin()
	n.Body = t.lastBody(endSet)
	return n
}

// filters parses |a|b after of.
func (t *tagReader) filters(of Node) *Filter {
	var last *Filter
	for at := t.here(); t.accept(tokens.Pipe); at = t.here() {
		last = t.filter(at, of).(*Filter)
		of = last
	}
	return last
}

func parseMacro(t *tagReader) Node {
	n := &Macro{Pos: t.start, ID: t.newName()}
	n.Signature = t.signature()
	t.begin()
	n.Body = t.functionBody(endMacro, &n.Signature)
	return n
}

// functionBody parses the body of a macro or a call block.
func (t *tagReader) functionBody(closers []string, s *Signature) []Node {
	special := t.p.special
	body := t.lastBody(closers)
	s.Special = t.p.special > special
	return body
}

// newName parses a name to define.
func (t *tagReader) newName() string {
	at := t.at
	id := t.reader.name()
	if _, constant := nameOrConstant(0, id).(*Literal); constant {
		failure.Reject(at, "can't assign to '%s'", id)
	}
	return id
}

// signature parses the parameters of a macro or a call block.
func (t *tagReader) signature() Signature {
	var s Signature
	t.expect(tokens.LeftParenthesis, "(")
	for !t.is(tokens.RightParenthesis) {
		if len(s.Params) > 0 {
			t.expect(tokens.Comma, ",")
		}
		at := t.here()
		id := t.newName()
		if slices.ContainsFunc(s.Params, func(p *NameTarget) bool { return p.ID == id }) {
			failure.Reject(int(at), "duplicate argument '%s' in function definition", id)
		}
		s.Params = append(s.Params, &NameTarget{at, id})
		if t.accept(tokens.Assign) {
			s.Defaults = append(s.Defaults, t.expression())
		} else if len(s.Defaults) > 0 {
			failure.Reject(int(at), "non-default argument follows default argument")
		}
	}
	t.expect(tokens.RightParenthesis, ")")
	return s
}

func parseCall(t *tagReader) Node {
	n := &CallBlock{Pos: t.start}
	if t.is(tokens.LeftParenthesis) {
		n.Signature = t.signature()
	}
	called, ok := t.expression().(*Call)
	if !ok {
		failure.Reject(n.Offset(), "expected call")
	}
	n.Call = called
	t.begin()
	n.Body = t.functionBody(endCall, &n.Signature)
	return n
}

// parseGeneration parses the tag with which transformers marks the output of the assistant. It
// prints its body.
func parseGeneration(t *tagReader) Node {
	n := &CallBlock{Pos: t.start}
	t.begin()
	n.Body = t.functionBody(endGeneration, &n.Signature)
	return n
}

func parseFilter(t *tagReader) Node {
	n := &FilterBlock{Pos: t.start}
	first := t.filter(n.Pos, nil).(*Filter)
	n.Filter = first
	if more := t.filters(first); more != nil {
		n.Filter = more
	}
	t.begin()
	n.Body = t.lastBody(endFilter)
	return n
}

func parseWith(t *tagReader) Node {
	n := &With{Pos: t.start}
	for !t.end() && !t.is(tokens.Colon) {
		if len(n.Targets) > 0 {
			t.expect(tokens.Comma, ",")
		}
		n.Targets = append(n.Targets, t.target(func() bool { return t.is(tokens.Assign) }, false))
		t.expect(tokens.Assign, "=")
		n.Values = append(n.Values, t.expression())
	}
	t.begin()
	n.Body = t.lastBody(endWith)
	return n
}

// target parses the target of an assignment: a name, a tuple of targets, or an attribute of a
// namespace.
func (t *tagReader) target(stop func() bool, namespaces bool) Node {
	element := func() Node { return t.simple(stop, namespaces) }
	n := t.tuple(element, stop, false)
	l, ok := n.(*List)
	if !ok {
		return n
	}
	return &TupleTarget{l.Pos, l.Items}
}

// simple parses one target.
func (t *tagReader) simple(stop func() bool, namespaces bool) Node {
	t.enter()
	defer t.leave(t.p.links)
	at := t.here()
	if t.accept(tokens.LeftParenthesis) {
		n := t.target(stop, namespaces)
		t.expect(tokens.RightParenthesis, ")")
		return n
	}
	if !t.isName() {
		failure.Reject(t.at, "can't assign to '%s'", t.spelling())
	}
	if namespaces && t.follows(tokens.Dot) {
		of := &Name{at, t.next()}
		t.next()
		return &AttributeTarget{at, of, t.reader.name()}
	}
	n := &NameTarget{at, t.newName()}
	if n.ID == "loop" && t.name != "with" && (t.name == "for" || slices.Contains(t.p.open, "for")) {
		failure.RejectAs("TemplateAssertionError", t.at, "Can't assign to special loop variable in for-loop target")
	}
	return n
}
