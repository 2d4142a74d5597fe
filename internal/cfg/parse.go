package cfg

import (
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// Limits of Parse. MaxRepetitions is llama.cpp's own.
const (
	maxSource      = 8 << 20
	maxNesting     = 256
	MaxRepetitions = 2000
)

// SyntaxError is a syntax error in the text of a grammar.
type SyntaxError struct {
	Line, Column int // from 1; Column counts bytes
	Message      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("grammar:%d:%d: %s", e.Line, e.Column, e.Message)
}

// Parse reads a grammar in GBNF, whose bounds must not exceed the given number of repetitions.
func Parse(source string, repetitions int) (*Grammar, error) {
	p := &parser{src: source, most: repetitions, byName: map[string]*Rule{}, at: map[*Rule]int{}, called: map[*Rule]int{}}
	if err := p.grammar(); err != nil {
		return nil, err
	}
	return &Grammar{Root: p.byName["root"], Rules: p.rules}, nil
}

// parser is a recursive descent parser. Its methods leave pos after what they have read.
type parser struct {
	src    string
	pos    int
	most   int // the largest bound
	depth  int
	rules  []*Rule
	byName map[string]*Rule
	at     map[*Rule]int // where a rule is defined
	called map[*Rule]int // where a rule is first called
}

func (p *parser) fail(at int, format string, args ...any) error {
	line := 1 + strings.Count(p.src[:at], "\n")
	return &SyntaxError{Line: line, Column: at - strings.LastIndexByte(p.src[:at], '\n'), Message: fmt.Sprintf(format, args...)}
}

func (p *parser) grammar() error {
	if len(p.src) > maxSource {
		return p.fail(0, "the grammar has %d bytes; the limit is %d", len(p.src), maxSource)
	}
	p.space(true)
	for p.pos < len(p.src) {
		if err := p.rule(); err != nil {
			return err
		}
	}
	return p.check()
}

// check reports undefined rules, a missing root and left recursion.
func (p *parser) check() error {
	for _, r := range p.rules {
		if r.Body == nil {
			return p.fail(p.called[r], "undefined rule %q", r.Name)
		}
	}
	if p.byName["root"] == nil {
		return p.fail(0, "missing rule %q", "root")
	}
	_, calledFirst := Order(p.rules...)
	if r := LeftRecursive(p.rules, calledFirst); r != nil {
		return p.fail(p.at[r], "left-recursive rule %q: begin it with something that consumes text", r.Name)
	}
	return nil
}

func (p *parser) rule() error {
	start := p.pos
	name := p.name()
	if name == "" {
		return p.fail(p.pos, "expected a rule name, found %s", p.found())
	}
	p.space(false)
	if !p.take("::=") {
		return p.fail(p.pos, `expected "::=" after %q, found %s`, name, p.found())
	}
	r := p.named(name, start)
	if r.Body != nil {
		return p.fail(start, "rule %q is defined twice", name)
	}
	p.at[r] = start
	p.space(true)
	body, err := p.choice(false)
	if err != nil {
		return err
	}
	r.Body = body
	if p.pos < len(p.src) && p.src[p.pos] != '\n' && p.src[p.pos] != '\r' {
		return p.fail(p.pos, "expected the end of the line, found %s", p.found())
	}
	p.space(true)
	return nil
}

func (p *parser) named(name string, at int) *Rule {
	r := p.byName[name]
	if r == nil {
		r = &Rule{Name: name}
		p.byName[name] = r
		p.rules = append(p.rules, r)
		p.called[r] = at
	}
	return r
}

// choice reads alternatives; within parentheses (nested) line breaks are blanks.
func (p *parser) choice(nested bool) (*Expr, error) {
	var kids []*Expr
	for {
		kid, err := p.sequence(nested)
		if err != nil {
			return nil, err
		}
		kids = append(kids, kid)
		if !p.take("|") {
			return Alt(kids...), nil
		}
		p.space(true)
	}
}

func (p *parser) sequence(nested bool) (*Expr, error) {
	var kids []*Expr
	for p.pos < len(p.src) {
		kid, err := p.element()
		if err != nil {
			return nil, err
		}
		if kid == nil {
			break
		}
		p.space(nested)
		for {
			q, found, err := p.quantified(kid)
			if err != nil {
				return nil, err
			}
			if !found {
				break
			}
			kid = q
			p.space(nested)
		}
		kids = append(kids, kid)
	}
	return Seq(kids...), nil
}

// element reads one element without its quantifiers; nil if none begins here.
func (p *parser) element() (*Expr, error) {
	switch c := p.src[p.pos]; {
	case c == '"':
		return p.literal()
	case c == '[':
		return p.class()
	case c == '(':
		return p.group()
	case c == '.':
		p.pos++
		return Class(charset.All), nil
	case isName(c):
		at := p.pos
		return p.named(p.name(), at).Call(), nil
	case c == '<' || c == '!':
		return nil, p.fail(p.pos, "references to tokens are not supported: spell the token's text as a literal")
	case c == '*' || c == '+' || c == '?' || c == '{':
		return nil, p.fail(p.pos, "expected something to repeat before %q", c)
	}
	return nil, nil
}

func (p *parser) group() (*Expr, error) {
	open := p.pos
	if p.depth++; p.depth > maxNesting {
		return nil, p.fail(open, "more than %d nested parentheses", maxNesting)
	}
	p.pos++
	p.space(true)
	e, err := p.choice(true)
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, p.fail(p.pos, `expected ")" for the "(" at byte %d, found %s`, open, p.found())
	}
	p.depth--
	return e, nil
}

// quantified applies the quantifier at pos to e, if there is one.
func (p *parser) quantified(e *Expr) (*Expr, bool, error) {
	if p.pos == len(p.src) {
		return nil, false, nil
	}
	at := p.pos
	lo, hi := 0, -1
	switch p.src[p.pos] {
	case '*':
	case '+':
		lo = 1
	case '?':
		hi = 1
	case '{':
		var err error
		if lo, hi, err = p.bounds(); err != nil {
			return nil, false, err
		}
	default:
		return nil, false, nil
	}
	p.pos++
	if lo > p.most || hi > p.most {
		return nil, false, p.fail(at, "more than %d repetitions, the limit of llama.cpp", p.most)
	}
	if hi >= 0 && lo > hi {
		return nil, false, p.fail(at, "at least %d and at most %d repetitions cannot both hold", lo, hi)
	}
	return Times(lo, hi, e), true, nil
}

// bounds reads "{m", "{m," or "{m,n" and stops before the "}".
func (p *parser) bounds() (lo, hi int, err error) {
	p.pos++
	p.space(true)
	if lo, err = p.number(); err != nil {
		return 0, 0, err
	}
	hi = lo
	p.space(true)
	if p.take(",") {
		hi = -1
		p.space(true)
		if p.pos < len(p.src) && isDigit(p.src[p.pos]) {
			if hi, err = p.number(); err != nil {
				return 0, 0, err
			}
			p.space(true)
		}
	}
	if p.pos == len(p.src) || p.src[p.pos] != '}' {
		return 0, 0, p.fail(p.pos, `expected "}", found %s`, p.found())
	}
	return lo, hi, nil
}

func (p *parser) number() (int, error) {
	start, n := p.pos, 0
	for p.pos < len(p.src) && isDigit(p.src[p.pos]) {
		n = min(n*10+int(p.src[p.pos]-'0'), 1<<30)
		p.pos++
	}
	if p.pos == start {
		return 0, p.fail(start, "expected a number of repetitions, found %s", p.found())
	}
	return n, nil
}
