package jinja

import (
	"slices"
	"strings"

	"github.com/nikolalohinski/gonja/v2/tokens"
)

// tagParser reads one tag, whose name is already read.
type tagParser func(t *tagReader) node

// valueTag is the tag that {{ e }} stands for. No template can spell it.
const valueTag = "{{"

// tagParsers are the tags, and what ends or divides their blocks.
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
	"break":      parseJump(breakLoop),
	"continue":   parseJump(continueLoop),

	"elif": misplaced, "else": misplaced, "endif": misplaced, "endfor": misplaced, "endset": misplaced,
	"endmacro": misplaced, "endcall": misplaced, "endfilter": misplaced, "endwith": misplaced, "endgeneration": misplaced,
}

// refusedTags are the tags of Jinja2 that are not supported, and why.
var refusedTags = map[string]string{
	"extends":    "a template cannot load others",
	"include":    "a template cannot load others",
	"import":     "a template cannot load others",
	"from":       "a template cannot load others",
	"block":      "blocks are for templates that extend others",
	"autoescape": "prompts are not HTML; use the filter escape",
	"trans":      "prompts are not translated",
	"pluralize":  "prompts are not translated",
	"debug":      "it would print what Python holds",
}

// mustBeTag checks the name of the tag that src begins with.
func mustBeTag(at int, src string) {
	id := src[:len(src)-len(strings.TrimLeftFunc(src, wordRune))]
	switch {
	case id == "":
		reject(at, "tag name expected")
	case refusedTags[id] != "":
		reject(at, "the tag %s is not supported: %s", id, refusedTags[id])
	case tagParsers[id] == nil:
		reject(at, "Encountered unknown tag %s.", quote(id))
	}
}

// misplaced rejects a tag that ends, or divides, a block that is not open.
func misplaced(t *tagReader) node {
	if len(t.p.open) == 0 {
		reject(int(t.start), "Encountered unknown tag '%s': no block is open here", t.name)
	}
	innermost := t.p.open[len(t.p.open)-1]
	reject(int(t.start), "Encountered unknown tag '%s'. The innermost block that needs to be closed is '%s'.", t.name, innermost)
	return nil
}

// never is the stop of tuples that go on to the end of the tag.
func never() bool { return false }

func parseValue(t *tagReader) node {
	t.value = true
	n := &output{place: t.start}
	n.of = append(n.one[:0], t.tuple(t.expression, never, false))
	t.done()
	return n
}

func parsePrint(t *tagReader) node {
	n := &output{place: t.start}
	for !t.end() {
		if len(n.of) > 0 {
			t.expect(tokens.Comma, ",")
		}
		n.of = append(n.of, t.expression())
	}
	return n
}

func parseDo(t *tagReader) node {
	n := &evaluation{t.start, t.tuple(t.expression, never, false)}
	t.done()
	return n
}

func parseJump(to signal) tagParser {
	return func(t *tagReader) node {
		t.done()
		return &jump{t.start, to}
	}
}

// What closes the blocks.
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

func parseIf(t *tagReader) node {
	n := &ifBlock{place: t.start}
	n.tests, n.bodies = n.one.test[:0], n.one.body[:0]
	for {
		n.tests = append(n.tests, t.tuple(t.plain, never, false))
		t.begin()
		body, closer := t.body(endIfBranch)
		n.bodies = append(n.bodies, body)
		switch closer {
		case "elif":
			continue
		case "else":
			t.begin()
			n.otherwise, _ = t.body(endIf)
		}
		t.done()
		return n
	}
}

func parseFor(t *tagReader) node {
	n := &forBlock{place: t.start}
	n.target = t.target(func() bool { return t.word("in") }, false)
	if !t.acceptWord("in") {
		reject(t.at, "expected token 'in', got '%s'", t.spelling())
	}
	n.over = t.tuple(t.plain, func() bool { return t.word("recursive") }, false)
	if t.acceptWord("if") {
		n.test = t.expression()
	}
	n.recursive = t.acceptWord("recursive")
	t.begin()
	special := t.p.special
	body, closer := t.body(endForBody)
	n.body = body
	if closer == "else" {
		t.begin()
		n.otherwise, _ = t.body(endFor)
	}
	t.done()
	n.special = t.p.special > special
	return n
}

func parseSet(t *tagReader) node {
	at := t.start
	target := t.target(func() bool { return t.is(tokens.Assign) || t.is(tokens.Pipe) }, true)
	if t.accept(tokens.Assign) {
		n := &assignment{at, target, t.tuple(t.expression, never, false)}
		t.done()
		return n
	}
	n := &capture{place: at, target: target}
	if t.is(tokens.Pipe) {
		n.filter = t.filters(nil)
	}
	t.begin()
	n.body = t.lastBody(endSet)
	return n
}

// filters reads |a|b after of.
func (t *tagReader) filters(of node) *filter {
	var last *filter
	for at := t.here(); t.accept(tokens.Pipe); at = t.here() {
		last = t.filter(at, of).(*filter)
		of = last
	}
	return last
}

func parseMacro(t *tagReader) node {
	n := &macro{place: t.start, id: t.newName()}
	n.signature = t.signature()
	t.begin()
	n.body = t.functionBody(endMacro, &n.signature)
	return n
}

// functionBody reads the body of a macro or of what is called like one.
func (t *tagReader) functionBody(closers []string, s *signature) []node {
	special := t.p.special
	body := t.lastBody(closers)
	s.special = t.p.special > special
	return body
}

// newName reads the name that a macro or a parameter gets.
func (t *tagReader) newName() string {
	at := t.at
	id := t.reader.name()
	if _, constant := nameOrConstant(0, id).(*literal); constant {
		reject(at, "can't assign to '%s'", id)
	}
	return id
}

// signature reads the parameters of a macro or of a call block.
func (t *tagReader) signature() signature {
	var s signature
	t.expect(tokens.LeftParenthesis, "(")
	for !t.is(tokens.RightParenthesis) {
		if len(s.params) > 0 {
			t.expect(tokens.Comma, ",")
		}
		at := t.here()
		id := t.newName()
		if slices.ContainsFunc(s.params, func(p *nameTarget) bool { return p.id == id }) {
			reject(int(at), "duplicate argument '%s' in function definition", id)
		}
		s.params = append(s.params, &nameTarget{at, id})
		if t.accept(tokens.Assign) {
			s.defaults = append(s.defaults, t.expression())
		} else if len(s.defaults) > 0 {
			reject(int(at), "non-default argument follows default argument")
		}
	}
	t.expect(tokens.RightParenthesis, ")")
	return s
}

func parseCall(t *tagReader) node {
	n := &callBlock{place: t.start}
	if t.is(tokens.LeftParenthesis) {
		n.signature = t.signature()
	}
	called, ok := t.expression().(*call)
	if !ok {
		reject(n.offset(), "expected call")
	}
	n.call = called
	t.begin()
	n.body = t.functionBody(endCall, &n.signature)
	return n
}

// parseGeneration reads the tag by which transformers finds what the assistant wrote. It prints its body.
func parseGeneration(t *tagReader) node {
	n := &callBlock{place: t.start}
	t.begin()
	n.body = t.functionBody(endGeneration, &n.signature)
	return n
}

func parseFilter(t *tagReader) node {
	n := &filterBlock{place: t.start}
	first := t.filter(n.place, nil).(*filter)
	n.filter = first
	if more := t.filters(first); more != nil {
		n.filter = more
	}
	t.begin()
	n.body = t.lastBody(endFilter)
	return n
}

func parseWith(t *tagReader) node {
	n := &withBlock{place: t.start}
	for !t.end() && !t.is(tokens.Colon) {
		if len(n.targets) > 0 {
			t.expect(tokens.Comma, ",")
		}
		n.targets = append(n.targets, t.target(func() bool { return t.is(tokens.Assign) }, false))
		t.expect(tokens.Assign, "=")
		n.values = append(n.values, t.expression())
	}
	t.begin()
	n.body = t.lastBody(endWith)
	return n
}

// target reads what can be assigned to: a name, a tuple of targets, or an attribute of a namespace.
func (t *tagReader) target(stop func() bool, namespaces bool) node {
	element := func() node { return t.simple(stop, namespaces) }
	n := t.tuple(element, stop, false)
	l, ok := n.(*listOf)
	if !ok {
		return n
	}
	return &tupleTarget{l.place, l.items}
}

// simple reads one target.
func (t *tagReader) simple(stop func() bool, namespaces bool) node {
	t.enter()
	defer t.leave(t.p.links)
	at := t.here()
	if t.accept(tokens.LeftParenthesis) {
		n := t.target(stop, namespaces)
		t.expect(tokens.RightParenthesis, ")")
		return n
	}
	if !t.isName() {
		reject(t.at, "can't assign to '%s'", t.spelling())
	}
	if namespaces && t.follows(tokens.Dot) {
		of := &name{at, t.next()}
		t.next()
		return &attributeTarget{at, of, t.reader.name()}
	}
	n := &nameTarget{at, t.newName()}
	if n.id == "loop" && t.name != "with" && (t.name == "for" || slices.Contains(t.p.open, "for")) {
		rejectAs("TemplateAssertionError", t.at, "Can't assign to special loop variable in for-loop target")
	}
	return n
}
