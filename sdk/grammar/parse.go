package grammar

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Limits of Parse. The bound on repetitions is llama.cpp's own.
const (
	maxSource      = 8 << 20
	maxNesting     = 256
	maxRepetitions = 2000
	maxStates      = 1 << 18
)

// Grammar is a grammar that can be matched, sampled and printed. It never changes and may be shared.
type Grammar struct {
	root  *rule
	rules []*rule
	code  *code
}

// SyntaxError is what is wrong with the text of a grammar, and where.
type SyntaxError struct {
	Line, Column int // from 1; columns count bytes
	Message      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("grammar:%d:%d: %s", e.Line, e.Column, e.Message)
}

// Parse reads a grammar in GBNF exactly as llama.cpp does: a rule is a line, goes on over line ends only inside
// parentheses and after "::=" and "|", and is named by letters, digits and hyphens. What llama.cpp refuses is an error
// here: undefined rules, left recursion, repetitions over 2000. References to tokens (`<[10]>`, `<think>`) are an error
// too, because a text alone does not tell its tokens.
func Parse(source string) (*Grammar, error) {
	p := &parser{src: source, byName: map[string]*rule{}, at: map[*rule]int{}, called: map[*rule]int{}}
	if err := p.grammar(); err != nil {
		return nil, err
	}
	g := &Grammar{root: p.byName["root"], rules: p.rules}
	var err error
	if g.code, err = compile(g.root); err != nil {
		return nil, err
	}
	return g, nil
}

// String prints the grammar as GBNF: the rules in use, root first.
func (g *Grammar) String() string { return render(g.root) }

// parser reads a grammar. Methods that read leave pos behind what they read.
type parser struct {
	src    string
	pos    int
	depth  int
	rules  []*rule
	byName map[string]*rule
	at     map[*rule]int // where a rule is defined
	called map[*rule]int // where a rule is first called
}

func (p *parser) fail(at int, format string, args ...any) error {
	line := 1 + strings.Count(p.src[:at], "\n")
	return &SyntaxError{Line: line, Column: at - strings.LastIndexByte(p.src[:at], '\n'), Message: fmt.Sprintf(format, args...)}
}

func (p *parser) grammar() error {
	if len(p.src) > maxSource {
		return p.fail(0, "the grammar has %d bytes; at most %d are read", len(p.src), maxSource)
	}
	p.space(true)
	for p.pos < len(p.src) {
		if err := p.rule(); err != nil {
			return err
		}
	}
	return p.check()
}

// check finds what only the whole grammar shows.
func (p *parser) check() error {
	for _, r := range p.rules {
		if r.body == nil {
			return p.fail(p.called[r], "rule %q is used and nowhere defined", r.name)
		}
	}
	if p.byName["root"] == nil {
		return p.fail(0, "no rule named %q: the grammar has no beginning", "root")
	}
	if r := leftRecursive(p.rules); r != nil {
		return p.fail(p.at[r], "rule %q begins with itself (left recursion): put what comes first in front of it", r.name)
	}
	return nil
}

func (p *parser) rule() error {
	start := p.pos
	name := p.name()
	if name == "" {
		return p.fail(p.pos, "expected the name of a rule, found %s", p.found())
	}
	p.space(false)
	if !p.take("::=") {
		return p.fail(p.pos, `expected "::=" after %q, found %s`, name, p.found())
	}
	r := p.named(name, start)
	if r.body != nil {
		return p.fail(start, "rule %q is defined twice", name)
	}
	p.at[r] = start
	p.space(true)
	body, err := p.choice(false)
	if err != nil {
		return err
	}
	r.body = body
	if p.pos < len(p.src) && p.src[p.pos] != '\n' && p.src[p.pos] != '\r' {
		return p.fail(p.pos, "expected the end of the line, found %s", p.found())
	}
	p.space(true)
	return nil
}

func (p *parser) named(name string, at int) *rule {
	r := p.byName[name]
	if r == nil {
		r = &rule{name: name}
		p.byName[name] = r
		p.rules = append(p.rules, r)
		p.called[r] = at
	}
	return r
}

// choice reads alternatives; nested says that they stand in parentheses, where line ends are blanks.
func (p *parser) choice(nested bool) (*expr, error) {
	var kids []*expr
	for {
		kid, err := p.sequence(nested)
		if err != nil {
			return nil, err
		}
		kids = append(kids, kid)
		if !p.take("|") {
			return alt(kids...), nil
		}
		p.space(true)
	}
}

func (p *parser) sequence(nested bool) (*expr, error) {
	var kids []*expr
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
	return seq(kids...), nil
}

// element reads one element without its quantifiers; nil where none begins.
func (p *parser) element() (*expr, error) {
	switch c := p.src[p.pos]; {
	case c == '"':
		return p.literal()
	case c == '[':
		return p.class()
	case c == '(':
		return p.group()
	case c == '.':
		p.pos++
		return oneOf(everyChar), nil
	case isName(c):
		at := p.pos
		return p.named(p.name(), at).call(), nil
	case c == '<' || c == '!':
		return nil, p.fail(p.pos, "references to tokens are not supported: spell the token's text as a literal")
	case c == '*' || c == '+' || c == '?' || c == '{':
		return nil, p.fail(p.pos, "expected something to repeat before %q", c)
	}
	return nil, nil
}

func (p *parser) group() (*expr, error) {
	open := p.pos
	if p.depth++; p.depth > maxNesting {
		return nil, p.fail(open, "more than %d parentheses inside each other", maxNesting)
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

// quantified reads a quantifier, if one stands here.
func (p *parser) quantified(e *expr) (*expr, bool, error) {
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
	if lo > maxRepetitions || hi > maxRepetitions {
		return nil, false, p.fail(at, "more than %d repetitions: llama.cpp refuses them", maxRepetitions)
	}
	if hi >= 0 && lo > hi {
		return nil, false, p.fail(at, "at least %d and at most %d repetitions cannot both hold", lo, hi)
	}
	return times(lo, hi, e), true, nil
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

func (p *parser) literal() (*expr, error) {
	open := p.pos
	p.pos++
	var b strings.Builder
	for {
		if p.pos == len(p.src) {
			return nil, p.fail(open, "a literal that never ends")
		}
		if p.take(`"`) {
			return text(b.String()), nil
		}
		r, err := p.char()
		if err != nil {
			return nil, err
		}
		b.WriteRune(r)
	}
}

func (p *parser) class() (*expr, error) {
	open := p.pos
	p.pos++
	negated := p.take("^")
	var ranges []peg.Range
	for {
		if p.pos == len(p.src) {
			return nil, p.fail(open, "a class of characters that never ends")
		}
		if p.take("]") {
			break
		}
		lo, err := p.char()
		if err != nil {
			return nil, err
		}
		hi := lo
		if rest := p.src[p.pos:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			p.pos++
			if hi, err = p.char(); err != nil {
				return nil, err
			}
		}
		ranges = append(ranges, peg.Range{Lo: lo, Hi: hi})
	}
	set := newCharset(ranges...)
	if negated {
		set = set.complement()
	}
	return oneOf(set), nil
}

// char reads one character of a literal or class, escapes included.
func (p *parser) char() (rune, error) {
	if p.src[p.pos] != '\\' {
		r, size := utf8.DecodeRuneInString(p.src[p.pos:])
		if r == utf8.RuneError && size == 1 {
			return 0, p.fail(p.pos, "a byte that is not UTF-8")
		}
		p.pos += size
		return r, nil
	}
	if p.pos+1 == len(p.src) {
		return 0, p.fail(p.pos, "an escape that never ends")
	}
	c := p.src[p.pos+1]
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]; digits > 0 {
		return p.hex(digits)
	}
	i := strings.IndexByte(`nrt"\[]`, c)
	if i < 0 {
		return 0, p.fail(p.pos, `unknown escape "\%c": use \n \r \t \" \\ \[ \] \xNN \uNNNN \UNNNNNNNN`, c)
	}
	p.pos += 2
	return rune("\n\r\t\"\\[]"[i]), nil
}

func (p *parser) hex(digits int) (rune, error) {
	at := p.pos
	p.pos += 2
	var r rune
	for range digits {
		if p.pos == len(p.src) {
			return 0, p.fail(at, "an escape that never ends")
		}
		d := strings.IndexByte("0123456789abcdef", p.src[p.pos]|0x20)
		if d < 0 || p.src[p.pos] < '0' {
			return 0, p.fail(p.pos, "expected %d hexadecimal digits, found %s", digits, p.found())
		}
		r = r<<4 | rune(d)
		p.pos++
	}
	if r > utf8.MaxRune || r < 0 {
		return 0, p.fail(at, "there is no code point above %X", utf8.MaxRune)
	}
	return r, nil
}

// space skips blanks and comments, and line ends where lines says so.
func (p *parser) space(lines bool) {
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '#':
			for p.pos < len(p.src) && p.src[p.pos] != '\n' && p.src[p.pos] != '\r' {
				p.pos++
			}
		case c == ' ' || c == '\t' || lines && (c == '\n' || c == '\r'):
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) take(s string) bool {
	if !strings.HasPrefix(p.src[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *parser) name() string {
	start := p.pos
	for p.pos < len(p.src) && isName(p.src[p.pos]) {
		p.pos++
	}
	return p.src[start:p.pos]
}

// found names what stands at pos, for messages.
func (p *parser) found() string {
	if p.pos == len(p.src) {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return fmt.Sprintf("%q", r)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isName(c byte) bool {
	return isDigit(c) || c == '-' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// leftRecursive returns a rule that can call itself before anything is matched, or nil.
func leftRecursive(rules []*rule) *rule {
	known := nullables(rules)
	const active, done = 1, 2
	state := map[*rule]int{}
	var enter func(r *rule) *rule
	var first func(e *expr) *rule
	first = func(e *expr) *rule {
		if e.op == call {
			return enter(e.rule)
		}
		for _, k := range e.kids {
			if r := first(k); r != nil {
				return r
			}
			if e.op == sequence && !nullable(k, known) {
				return nil
			}
		}
		return nil
	}
	enter = func(r *rule) *rule {
		switch state[r] {
		case active:
			return r
		case done:
			return nil
		}
		state[r] = active
		defer func() { state[r] = done }()
		return first(r.body)
	}
	for _, r := range rules {
		if found := enter(r); found != nil {
			return found
		}
	}
	return nil
}
