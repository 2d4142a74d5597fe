package jinja

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// csNode is our gonja control structure: it carries our statement through gonja's tree.
type csNode struct {
	tok *tokens.Token
	s   stmt
}

func (c *csNode) Position() *tokens.Token { return c.tok }
func (c *csNode) String() string          { return fmt.Sprintf("%T", c.s) }

type compiler struct {
	pool  []string
	depth int
	lim   ParseLimits
	nodes int
}

type ParseLimits struct {
	Source int // bytes
	Depth  int // nesting of blocks and of expressions
	Nodes  int
}

// deny refuses every file access: include/import/extends have no parser either.
type deny struct{ id, src string }

var errDenied = errors.New("template loading is not allowed")

func (d *deny) Read(path string) (io.Reader, error) {
	if path == d.id && d.src != "" {
		s := d.src
		d.src = ""
		return strings.NewReader(s), nil
	}
	return nil, errDenied
}
func (d *deny) Resolve(path string) (string, error) {
	if path == d.id {
		return path, nil
	}
	return "", errDenied
}
func (d *deny) Inherit(string) (loaders.Loader, error) { return nil, errDenied }

func gonjaConfig() *config.Config {
	c := config.New()
	c.KeepTrailingNewline = true // already applied by rewrite
	return c
}

func (c *compiler) body(w *nodes.Wrapper) ([]stmt, error) { return c.stmts(w.Nodes) }

func (c *compiler) stmts(ns []nodes.Node) ([]stmt, error) {
	out := make([]stmt, 0, len(ns))
	for _, n := range ns {
		switch t := n.(type) {
		case nil:
		case *nodes.Data:
			out = append(out, &dataS{t.Data.Val})
		case *nodes.ControlStructureBlock:
			cs, ok := t.ControlStructure.(*csNode)
			if !ok {
				return nil, fmt.Errorf("foreign control structure %T", t.ControlStructure)
			}
			out = append(out, cs.s)
		case *nodes.Comment:
		default:
			return nil, fmt.Errorf("unexpected node %T", n)
		}
	}
	return out, nil
}

type xp struct {
	c    *compiler
	p    *parser.Parser
	s    *tokens.Stream
	deep int
}

func (c *compiler) xp(p *parser.Parser) *xp { return &xp{c: c, p: p, s: p.Stream()} }

type perr struct{ err error }

func (x *xp) fail(f string, a ...any) {
	panic(perr{fmt.Errorf("%s", fmt.Sprintf(f, a...))})
}

func (x *xp) cur() *tokens.Token { return x.s.Current() }
func (x *xp) end() bool          { return x.s.Current() == nil || x.s.End() }
func (x *xp) is(t tokens.Type) bool {
	c := x.cur()
	return c != nil && c.Type == t
}
func (x *xp) next() *tokens.Token { return x.s.Next() }
func (x *xp) accept(t tokens.Type) bool {
	if x.is(t) {
		x.next()
		return true
	}
	return false
}
func (x *xp) expect(t tokens.Type) *tokens.Token {
	if !x.is(t) {
		x.fail("expected token %v, got %q", t, x.curVal())
	}
	return x.next()
}
func (x *xp) curVal() string {
	if c := x.cur(); c != nil && !x.s.End() {
		return c.Val
	}
	return "end of statement block"
}

// word reports whether the current token is the keyword w, however gonja typed it.
func (x *xp) word(w string) bool {
	c := x.cur()
	if c == nil || c.Val != w {
		return false
	}
	switch c.Type {
	case tokens.Name, tokens.And, tokens.Or, tokens.Not, tokens.In, tokens.Is:
		return true
	}
	return false
}
func (x *xp) acceptWord(w string) bool {
	if x.word(w) {
		x.next()
		return true
	}
	return false
}
func (x *xp) ident() string {
	c := x.cur()
	if c == nil {
		x.fail("expected name")
	}
	switch c.Type {
	case tokens.Name, tokens.And, tokens.Or, tokens.Not, tokens.In, tokens.Is:
		x.next()
		return c.Val
	}
	x.fail("expected name, got %q", x.curVal())
	return ""
}

func (x *xp) enter() func() {
	x.deep++
	x.c.nodes++
	if x.deep > x.c.lim.Depth || x.c.nodes > x.c.lim.Nodes {
		x.fail("template too complex")
	}
	return func() { x.deep-- }
}

func (x *xp) expr() expr { return x.cond(true) }

func (x *xp) cond(withCond bool) expr {
	defer x.enter()()
	if !withCond {
		return x.or()
	}
	e := x.or()
	for x.acceptWord("if") {
		c := x.or()
		var el expr
		if x.acceptWord("else") {
			el = x.cond(true)
		}
		e = &condE{e, c, el}
	}
	return e
}
func (x *xp) or() expr {
	l := x.and()
	for x.acceptWord("or") {
		l = &orE{l, x.and()}
	}
	return l
}
func (x *xp) and() expr {
	l := x.not()
	for x.acceptWord("and") {
		l = &andE{l, x.not()}
	}
	return l
}
func (x *xp) not() expr {
	if x.word("not") {
		defer x.enter()()
		x.next()
		return &notE{x.not()}
	}
	return x.compare()
}
func (x *xp) compare() expr {
	l := x.math1()
	var ops []string
	var rest []expr
	for {
		var op string
		switch {
		case x.is(tokens.Equals):
			op = "=="
		case x.is(tokens.Ne):
			op = "!="
		case x.is(tokens.LowerThan):
			op = "<"
		case x.is(tokens.LowerThanOrEqual):
			op = "<="
		case x.is(tokens.GreaterThan):
			op = ">"
		case x.is(tokens.GreaterThanOrEqual):
			op = ">="
		case x.word("in"):
			op = "in"
		case x.word("not"):
			// "not in"
			if n := x.s.Peek(); n != nil && n.Val == "in" {
				x.next()
				op = "not in"
			}
		}
		if op == "" {
			break
		}
		x.next()
		ops = append(ops, op)
		rest = append(rest, x.math1())
	}
	if ops == nil {
		return l
	}
	return &cmpE{l, ops, rest}
}
func (x *xp) math1() expr {
	l := x.concat()
	for x.is(tokens.Addition) || x.is(tokens.Subtraction) {
		op := x.next().Val
		l = &binE{op, l, x.concat()}
	}
	return l
}
func (x *xp) concat() expr {
	l := x.math2()
	if !x.is(tokens.Tilde) {
		return l
	}
	parts := []expr{l}
	for x.accept(tokens.Tilde) {
		parts = append(parts, x.math2())
	}
	return &concatE{parts}
}
func (x *xp) math2() expr {
	l := x.pow()
	for x.is(tokens.Multiply) || x.is(tokens.Division) || x.is(tokens.FloorDivision) || x.is(tokens.Modulo) {
		op := x.next().Val
		l = &binE{op, l, x.pow()}
	}
	return l
}
func (x *xp) pow() expr {
	l := x.unary(true)
	for x.is(tokens.Power) {
		x.next()
		l = &binE{"**", l, x.unary(true)}
	}
	return l
}
func (x *xp) unary(withFilter bool) expr {
	defer x.enter()()
	var e expr
	switch {
	case x.accept(tokens.Subtraction):
		e = &negE{x.unary(false)}
	case x.accept(tokens.Addition):
		e = &posE{x.unary(false)}
	default:
		e = x.primary()
	}
	e = x.postfix(e)
	if withFilter {
		e = x.filterExpr(e)
	}
	return e
}

func (x *xp) primary() expr {
	c := x.cur()
	if c == nil || x.s.End() {
		x.fail("unexpected end of expression")
	}
	switch c.Type {
	case tokens.Name, tokens.In, tokens.Is, tokens.And, tokens.Or, tokens.Not:
		x.next()
		switch c.Val {
		case "true", "True":
			return &litE{true}
		case "false", "False":
			return &litE{false}
		case "none", "None":
			return &litE{nil}
		}
		if c.Val == "" || (c.Val[0] >= '0' && c.Val[0] <= '9') {
			x.fail("unexpected %q", c.Val)
		}
		return &nameE{c.Val}
	case tokens.String:
		var sb strings.Builder
		for x.is(tokens.String) {
			sb.WriteString(x.str())
		}
		return &litE{sb.String()}
	case tokens.Integer:
		x.next()
		n, err := strconv.ParseInt(strings.ReplaceAll(c.Val, "_", ""), 0, 64)
		if err != nil {
			n, err = strconv.ParseInt(strings.ReplaceAll(c.Val, "_", ""), 10, 64)
		}
		if err != nil {
			x.fail("bad integer %q", c.Val)
		}
		return &litE{int(n)}
	case tokens.Float:
		x.next()
		f, err := strconv.ParseFloat(strings.ReplaceAll(c.Val, "_", ""), 64)
		if err != nil {
			x.fail("bad float %q", c.Val)
		}
		return &litE{f}
	case tokens.LeftParenthesis:
		x.next()
		e := x.tuple(true, tokens.RightParenthesis, true)
		x.expect(tokens.RightParenthesis)
		return e
	case tokens.LeftBracket:
		x.next()
		l := &listE{}
		for !x.is(tokens.RightBracket) {
			if len(l.items) > 0 {
				x.expect(tokens.Comma)
			}
			if x.is(tokens.RightBracket) {
				break
			}
			l.items = append(l.items, x.expr())
		}
		x.expect(tokens.RightBracket)
		return l
	case tokens.LeftBrace:
		x.next()
		d := &dictE{}
		for !x.is(tokens.RightBrace) {
			if len(d.k) > 0 {
				x.expect(tokens.Comma)
			}
			if x.is(tokens.RightBrace) {
				break
			}
			k := x.expr()
			x.expect(tokens.Colon)
			d.k = append(d.k, k)
			d.v = append(d.v, x.expr())
		}
		x.expect(tokens.RightBrace)
		return d
	}
	x.fail("unexpected %q", c.Val)
	return nil
}

func (x *xp) str() string {
	t := x.expect(tokens.String)
	i, err := strconv.Atoi(t.Val)
	if err != nil || i < 0 || i >= len(x.c.pool) {
		x.fail("bad string token %q", t.Val)
	}
	return x.c.pool[i]
}

// tuple parses "a, b" (or a single expression).
func (x *xp) tuple(withCond bool, closer tokens.Type, explicit bool) expr {
	var items []expr
	isTuple := false
	for {
		if len(items) > 0 {
			if !x.accept(tokens.Comma) {
				break
			}
			isTuple = true
		}
		if x.end() || x.is(closer) || x.word("in") {
			break
		}
		items = append(items, x.cond(withCond))
	}
	if !isTuple {
		if len(items) == 1 {
			return items[0]
		}
		if !explicit {
			x.fail("expected an expression, got %q", x.curVal())
		}
	}
	return &listE{items: items, tuple: true}
}

func (x *xp) postfix(e expr) expr {
	for {
		switch {
		case x.accept(tokens.Dot):
			if x.is(tokens.Integer) {
				n, err := strconv.Atoi(x.next().Val)
				if err != nil {
					x.fail("bad index")
				}
				e = &itemE{e, &litE{n}}
			} else {
				e = &attrE{e, x.ident()}
			}
		case x.accept(tokens.LeftBracket):
			e = x.subscript(e)
		case x.is(tokens.LeftParenthesis):
			e = x.call(e)
		default:
			return e
		}
	}
}

func (x *xp) subscript(e expr) expr {
	one := func() (expr, *sliceE) {
		var parts [3]expr
		n, isSlice := 0, false
		for {
			if x.accept(tokens.Colon) {
				isSlice = true
				n++
				if n > 2 {
					x.fail("too many ':' in slice")
				}
				continue
			}
			if x.is(tokens.RightBracket) || x.is(tokens.Comma) {
				break
			}
			if parts[n] != nil {
				x.fail("unexpected %q", x.curVal())
			}
			parts[n] = x.expr()
		}
		if isSlice {
			return nil, &sliceE{e, parts[0], parts[1], parts[2]}
		}
		if parts[0] == nil {
			x.fail("expected subscript expression")
		}
		return parts[0], nil
	}
	i, s := one()
	if x.is(tokens.Comma) {
		items := []expr{i}
		for x.accept(tokens.Comma) {
			if x.is(tokens.RightBracket) {
				break
			}
			j, _ := one()
			items = append(items, j)
		}
		i, s = &listE{items: items, tuple: true}, nil
	}
	x.expect(tokens.RightBracket)
	if s != nil {
		return s
	}
	return &itemE{e, i}
}

func (x *xp) args() (args []expr, kw []kwE, sa, sk expr) {
	x.expect(tokens.LeftParenthesis)
	first := true
	for !x.is(tokens.RightParenthesis) {
		if !first {
			x.expect(tokens.Comma)
			if x.is(tokens.RightParenthesis) {
				break
			}
		}
		first = false
		switch {
		case x.accept(tokens.Multiply):
			sa = x.expr()
		case x.accept(tokens.Power):
			sk = x.expr()
		default:
			if n := x.s.Peek(); x.is(tokens.Name) && n != nil && n.Type == tokens.Assign {
				k := x.next().Val
				x.next()
				kw = append(kw, kwE{k, x.expr()})
			} else {
				if len(kw) > 0 {
					x.fail("invalid syntax for function call expression")
				}
				args = append(args, x.expr())
			}
		}
	}
	x.expect(tokens.RightParenthesis)
	return
}

func (x *xp) call(e expr) expr {
	a, k, sa, sk := x.args()
	return &callE{e, a, k, sa, sk}
}

func (x *xp) filterExpr(e expr) expr {
	for {
		switch {
		case x.is(tokens.Pipe):
			e = x.filter(e)
		case x.word("is"):
			e = x.test(e)
		case x.is(tokens.LeftParenthesis):
			e = x.call(e)
		default:
			return e
		}
	}
}

func (x *xp) filter(e expr) expr {
	x.expect(tokens.Pipe)
	return x.filterName(e)
}

func (x *xp) filterName(e expr) expr {
	n := x.ident()
	for x.accept(tokens.Dot) {
		n += "." + x.ident()
	}
	f := &filterE{e: e, n: n}
	if x.is(tokens.LeftParenthesis) {
		var sa, sk expr
		f.args, f.kw, sa, sk = x.args()
		if sa != nil || sk != nil {
			x.fail("*args in a filter call is not supported")
		}
	}
	if _, ok := filters[n]; !ok {
		// jinja2 fails at compile time unless inside a conditional; keep it a runtime error
		_ = n
	}
	return f
}

func (x *xp) test(e expr) expr {
	x.next() // is
	neg := x.acceptWord("not")
	n := x.ident()
	for x.accept(tokens.Dot) {
		n += "." + x.ident()
	}
	t := &testE{e: e, n: n}
	if x.is(tokens.LeftParenthesis) {
		t.args, t.kw, _, _ = x.args()
	} else if c := x.cur(); c != nil && !x.s.End() {
		switch c.Type {
		case tokens.Name, tokens.String, tokens.Integer, tokens.Float, tokens.LeftBracket, tokens.LeftBrace, tokens.Not, tokens.In:
			if c.Val != "else" && c.Val != "or" && c.Val != "and" && c.Val != "if" && c.Val != "is" && c.Val != "not" && c.Val != "in" {
				t.args = []expr{x.postfix(x.primary())}
			}
		}
	}
	if neg {
		return &notE{t}
	}
	return t
}

func (x *xp) done() {
	if !x.end() {
		x.fail("expected token 'end of statement block', got %q", x.curVal())
	}
	if x.s.IsError() {
		x.fail("%s", x.cur().Val)
	}
}

// assignTarget parses "a", "a, b", "(a, b)" or "ns.attr".
func (x *xp) assignTarget(withNS bool) expr {
	if withNS && x.is(tokens.Name) {
		if n := x.s.Peek(); n != nil && n.Type == tokens.Dot {
			ns := x.next().Val
			x.next()
			return &attrE{&nameE{ns}, x.ident()}
		}
	}
	one := func() expr {
		if x.accept(tokens.LeftParenthesis) {
			e := x.tuple(false, tokens.RightParenthesis, true)
			x.expect(tokens.RightParenthesis)
			return e
		}
		return &nameE{x.ident()}
	}
	first := one()
	if !x.is(tokens.Comma) {
		return first
	}
	l := &listE{items: []expr{first}, tuple: true}
	for x.accept(tokens.Comma) {
		if x.end() || x.is(tokens.Assign) || x.word("in") {
			break
		}
		l.items = append(l.items, one())
	}
	return l
}

func (x *xp) signature() (params []string, defaults []expr) {
	x.expect(tokens.LeftParenthesis)
	for !x.is(tokens.RightParenthesis) {
		if len(params) > 0 {
			x.expect(tokens.Comma)
		}
		n := x.ident()
		for _, p := range params {
			if p == n || n == "caller" {
				x.fail("duplicate or reserved argument '%s' in macro signature", n)
			}
		}
		params = append(params, n)
		if x.accept(tokens.Assign) {
			defaults = append(defaults, x.expr())
		} else if len(defaults) > 0 {
			x.fail("non-default argument follows default argument")
		}
	}
	x.expect(tokens.RightParenthesis)
	return
}

type tagFn func(x *xp, p *parser.Parser) stmt

// tag adapts one of our tag parsers to gonja's ControlStructureParser.
func (c *compiler) tag(fn tagFn) parser.ControlStructureParser {
	return func(p *parser.Parser, args *parser.Parser) (cs nodes.ControlStructure, err error) {
		tok := args.Current()
		c.depth++
		defer func() {
			c.depth--
			if r := recover(); r != nil {
				pe, ok := r.(perr)
				if !ok {
					panic(r)
				}
				err = pe.err
			}
		}()
		if c.depth > c.lim.Depth {
			return nil, errors.New("template nested too deeply")
		}
		return &csNode{tok, fn(c.xp(args), p)}, nil
	}
}

func (x *xp) wrap(p *parser.Parser, names ...string) ([]stmt, string, *xp) {
	w, endArgs, err := p.WrapUntil(names...)
	if err != nil {
		panic(perr{err})
	}
	b, err := x.c.body(w)
	if err != nil {
		panic(perr{err})
	}
	return b, w.EndTag, x.c.xp(endArgs)
}

func (c *compiler) tags() *exec.ControlStructureSet {
	m := map[string]parser.ControlStructureParser{}
	reg := func(n string, f tagFn) { m[n] = c.tag(f) }
	reg("print_", func(x *xp, p *parser.Parser) stmt {
		e := x.tuple(true, tokens.BlockEnd, false)
		x.done()
		return &printS{e}
	})
	reg("data_", func(x *xp, p *parser.Parser) stmt {
		s := x.str()
		x.done()
		return &dataS{s}
	})
	reg("if", func(x *xp, p *parser.Parser) stmt {
		s := &ifS{}
		s.conds = append(s.conds, x.tuple(false, tokens.BlockEnd, false))
		x.done()
		for {
			b, end, ex := x.wrap(p, "elif", "else", "endif")
			s.bodies = append(s.bodies, b)
			switch end {
			case "elif":
				s.conds = append(s.conds, ex.tuple(false, tokens.BlockEnd, false))
				ex.done()
				continue
			case "else":
				ex.done()
				s.els, _, ex = x.wrap(p, "endif")
			}
			ex.done()
			return s
		}
	})
	reg("for", func(x *xp, p *parser.Parser) stmt {
		s := &forS{}
		s.target = x.assignTarget(false)
		if !x.acceptWord("in") {
			x.fail("expected 'in'")
		}
		s.iter = x.tupleFor()
		if x.acceptWord("if") {
			s.cond = x.expr()
		}
		if x.acceptWord("recursive") {
			s.recursive = true
			x.fail("recursive loops are not supported")
		}
		x.done()
		b, end, ex := x.wrap(p, "endfor", "else")
		s.body = b
		ex.done()
		if end == "else" {
			s.els, _, ex = x.wrap(p, "endfor")
			ex.done()
		}
		return s
	})
	reg("set", func(x *xp, p *parser.Parser) stmt {
		t := x.assignTarget(true)
		if x.accept(tokens.Assign) {
			e := x.tuple(true, tokens.BlockEnd, false)
			x.done()
			return &setS{t, e}
		}
		var fs []filterE
		for x.accept(tokens.Pipe) {
			fs = append(fs, *x.filterName(nil).(*filterE))
		}
		x.done()
		b, _, ex := x.wrap(p, "endset")
		ex.done()
		return &setBlockS{t, fs, b}
	})
	reg("macro", func(x *xp, p *parser.Parser) stmt {
		s := &macroS{name: x.ident()}
		s.params, s.defaults = x.signature()
		x.done()
		b, _, _ := x.wrap(p, "endmacro")
		s.body = b
		return s
	})
	reg("call", func(x *xp, p *parser.Parser) stmt {
		s := &callBlockS{}
		if x.is(tokens.LeftParenthesis) {
			s.params, s.defaults = x.signature()
		}
		ce, ok := x.expr().(*callE)
		if !ok {
			x.fail("expected call")
		}
		s.call = ce
		x.done()
		s.body, _, _ = x.wrap(p, "endcall")
		return s
	})
	reg("filter", func(x *xp, p *parser.Parser) stmt {
		s := &filterBlockS{}
		s.f = append(s.f, *x.filterName(nil).(*filterE))
		for x.accept(tokens.Pipe) {
			s.f = append(s.f, *x.filterName(nil).(*filterE))
		}
		x.done()
		s.body, _, _ = x.wrap(p, "endfilter")
		return s
	})
	reg("with", func(x *xp, p *parser.Parser) stmt {
		s := &withS{}
		for !x.end() {
			if len(s.names) > 0 {
				x.expect(tokens.Comma)
			}
			s.names = append(s.names, &nameE{x.ident()})
			x.expect(tokens.Assign)
			s.vals = append(s.vals, x.expr())
		}
		s.body, _, _ = x.wrap(p, "endwith")
		return s
	})
	reg("generation", func(x *xp, p *parser.Parser) stmt {
		x.done()
		b, _, _ := x.wrap(p, "endgeneration")
		return &scopeS{b}
	})
	reg("break", func(x *xp, p *parser.Parser) stmt { x.done(); return &breakS{} })
	reg("continue", func(x *xp, p *parser.Parser) stmt { x.done(); return &continueS{} })
	return exec.NewControlStructureSet(m)
}

// tupleFor parses the iterable of a for: no conditional expression (the "if" is the loop filter).
func (x *xp) tupleFor() expr {
	var items []expr
	isTuple := false
	for {
		if len(items) > 0 {
			if !x.accept(tokens.Comma) {
				break
			}
			isTuple = true
		}
		if x.end() || x.word("if") || x.word("recursive") {
			break
		}
		items = append(items, x.cond(false))
	}
	if !isTuple && len(items) == 1 {
		return items[0]
	}
	if len(items) == 0 {
		x.fail("expected an expression")
	}
	return &listE{items: items, tuple: true}
}
