// Package llamacpp decides whether llama.cpp takes a grammar.
//
// llama.cpp reads GBNF into rules of flat elements: groups and repetitions become rules of their own, written out as often
// as they may repeat. Then it refuses what it could not run: rules that are used and nowhere defined, no root, rules that
// begin with themselves, and repetitions that would be written out too often. CheckGrammar does the same in the same order,
// so that whatever it lets pass llama.cpp can be given.
//
// Package grammar reads and makes grammars on its own terms. This package is apart from it, so that a misunderstanding of
// the notation in one is not repeated in the other: tests hold every grammar that is made to both.
//
// Words that must not be confused: a *symbol* is a rule with a name, of the source or made for a group or repetition; an
// *element* is one step of a rule: a character, a set of them, a symbol, or the beginning of an alternative.
package llamacpp

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxRepetitions is MAX_REPETITION_THRESHOLD of llama-grammar.cpp: what repeats, counted with the symbols made for it, must
// be fewer.
const maxRepetitions = 2000

// kind is the kind of an element.
type kind uint8

const (
	char kind = iota // a character or a set of them
	ref              // a symbol
	alternative
)

type element struct {
	kind   kind
	symbol int
}

// CheckGrammar is nil if llama.cpp's parser takes source as a grammar, and else what it refuses.
func CheckGrammar(source string) error {
	p := &parser{source: source, symbols: map[string]int{}}
	if err := p.parse(); err != nil {
		return err
	}
	if _, ok := p.symbols["root"]; !ok {
		return fmt.Errorf("grammar does not contain a 'root' symbol")
	}
	return p.leftRecursion()
}

// parser is llama_grammar_parser. Methods that read leave at behind what they read.
type parser struct {
	source  string
	at      int
	symbols map[string]int
	names   []string
	rules   [][]element // by symbol; nil: not defined
}

func (p *parser) parse() error {
	p.space(true)
	for p.at < len(p.source) {
		if err := p.rule(); err != nil {
			return err
		}
	}
	for symbol, rule := range p.rules {
		if rule == nil {
			return fmt.Errorf("undefined rule identifier %q", p.names[symbol])
		}
	}
	return nil
}

func (p *parser) fail(format string, args ...any) error {
	rest := p.source[p.at:]
	return fmt.Errorf(format+" at %.40q", append(args, rest)...)
}

// symbol is the number of a name, given on its first use.
func (p *parser) symbol(name string) int {
	id, ok := p.symbols[name]
	if !ok {
		id = len(p.symbols)
		p.symbols[name] = id
		p.names, p.rules = append(p.names, name), append(p.rules, nil)
	}
	return id
}

// generate is a new symbol, for a part of the rule of that name.
func (p *parser) generate(name string) int {
	return p.symbol(name + "_" + strconv.Itoa(len(p.symbols)))
}

func (p *parser) peek() byte {
	if p.at < len(p.source) {
		return p.source[p.at]
	}
	return 0
}

// space skips blanks, comments, and line ends if lines says so.
func (p *parser) space(lines bool) {
	for {
		switch c := p.peek(); {
		case c == '#':
			for p.peek() != 0 && p.peek() != '\r' && p.peek() != '\n' {
				p.at++
			}
		case c == ' ' || c == '\t' || lines && (c == '\r' || c == '\n'):
			p.at++
		default:
			return
		}
	}
}

func wordChar(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || '0' <= c && c <= '9'
}

func (p *parser) name() (string, error) {
	start := p.at
	for wordChar(p.peek()) {
		p.at++
	}
	if p.at == start {
		return "", p.fail("expecting name")
	}
	return p.source[start:p.at], nil
}

func (p *parser) rule() error {
	name, err := p.name()
	if err != nil {
		return err
	}
	p.space(false)
	id := p.symbol(name)
	if !strings.HasPrefix(p.source[p.at:], "::=") {
		return p.fail("expecting ::=")
	}
	p.at += len("::=")
	p.space(true)
	if err := p.alternatives(name, id, false); err != nil {
		return err
	}
	if c := p.peek(); c != 0 && c != '\r' && c != '\n' {
		return p.fail("expecting newline or end")
	}
	p.space(true)
	return nil
}

// alternatives reads the body of symbol id.
func (p *parser) alternatives(name string, id int, nested bool) error {
	rule := []element{}
	for {
		var err error
		if rule, err = p.sequence(name, rule, nested); err != nil {
			return err
		}
		if p.peek() != '|' {
			break
		}
		rule = append(rule, element{kind: alternative})
		p.at++
		p.space(true)
	}
	p.rules[id] = rule
	return nil
}

// sequence appends one alternative to rule.
func (p *parser) sequence(name string, rule []element, nested bool) ([]element, error) {
	s := sequence{parser: p, name: name, rule: rule, last: len(rule), made: 1}
	for {
		more, err := s.next(nested)
		if err != nil || !more {
			return s.rule, err
		}
	}
}

// sequence is an alternative being read.
type sequence struct {
	*parser
	name string
	rule []element
	last int // where the element begins that a repetition would repeat
	made int // how many symbols it stands for
}

// next reads one element or repetition; false where the alternative ends.
func (s *sequence) next(nested bool) (more bool, err error) {
	lo, hi := 0, -1
	switch c := s.peek(); {
	case c == '"':
		err = s.literal()
	case c == '[':
		err = s.class()
	case c == '.':
		s.begin(element{kind: char})
		s.at++
	case c == '(':
		err = s.group()
	case wordChar(c):
		var called string
		if called, err = s.parser.name(); err == nil {
			s.begin(element{kind: ref, symbol: s.symbol(called)})
		}
	case c == '*', c == '+', c == '?', c == '{':
		switch c {
		case '+':
			lo = 1
		case '?':
			hi = 1
		case '{':
			if lo, hi, err = s.bounds(nested); err != nil {
				return false, err
			}
		}
		s.at++
		s.space(nested)
		return true, s.repeat(lo, hi)
	default:
		return false, nil
	}
	s.space(nested)
	return true, err
}

// begin appends an element that may be repeated.
func (s *sequence) begin(e ...element) {
	s.last, s.made = len(s.rule), 1
	s.rule = append(s.rule, e...)
}

func (s *sequence) literal() error {
	s.begin()
	for s.at++; s.peek() != '"'; s.rule = append(s.rule, element{kind: char}) {
		if err := s.char(); err != nil {
			return err
		}
	}
	s.at++
	return nil
}

func (s *sequence) class() error {
	s.begin()
	if s.at++; s.peek() == '^' {
		s.at++
	}
	for s.peek() != ']' {
		if err := s.char(); err != nil {
			return err
		}
		if s.peek() == '-' && s.at+1 < len(s.source) && s.source[s.at+1] != ']' {
			s.at++
			if err := s.char(); err != nil {
				return err
			}
		}
		if len(s.rule) == s.last {
			s.rule = append(s.rule, element{kind: char})
		}
	}
	s.at++
	return nil
}

// char reads one character, escaped or not.
func (s *sequence) char() error {
	switch c := s.peek(); {
	case c == 0:
		return s.fail("unexpected end of input")
	case c != '\\':
		_, size := utf8.DecodeRuneInString(s.source[s.at:])
		s.at += size
		return nil
	}
	s.at++
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s.peek()]
	if digits == 0 {
		if s.peek() == 0 || strings.IndexByte(`trn"[]\`, s.peek()) < 0 {
			return s.fail("unknown escape")
		}
		s.at++
		return nil
	}
	if s.at++; s.at+digits > len(s.source) {
		return s.fail("expecting %d hex chars", digits)
	}
	if _, err := strconv.ParseUint(s.source[s.at:s.at+digits], 16, 32); err != nil {
		return s.fail("expecting %d hex chars", digits)
	}
	s.at += digits
	return nil
}

// group reads alternatives in parentheses, which become a symbol.
func (s *sequence) group() error {
	before := len(s.symbols)
	s.at++
	s.space(true)
	id := s.generate(s.name)
	if err := s.alternatives(s.name, id, true); err != nil {
		return err
	}
	if s.peek() != ')' {
		return s.fail("expecting ')'")
	}
	s.at++
	s.begin(element{kind: ref, symbol: id})
	s.made = max(1, len(s.symbols)-before)
	return nil
}

// bounds reads what stands in braces, up to the closing one. hi is -1 without a bound.
func (s *sequence) bounds(nested bool) (lo, hi int, err error) {
	s.at++
	s.space(nested)
	if lo, err = s.number(); err != nil {
		return 0, 0, err
	}
	s.space(nested)
	hi = lo
	if s.peek() == ',' {
		s.at++
		s.space(nested)
		if hi = -1; '0' <= s.peek() && s.peek() <= '9' {
			if hi, err = s.number(); err != nil {
				return 0, 0, err
			}
			s.space(nested)
		}
	}
	switch {
	case s.peek() != '}':
		return 0, 0, s.fail("expecting '}'")
	case lo > maxRepetitions || hi > maxRepetitions:
		return 0, 0, s.fail("number of repetitions exceeds sane defaults")
	}
	return lo, hi, nil
}

func (s *sequence) number() (int, error) {
	start := s.at
	for '0' <= s.peek() && s.peek() <= '9' {
		s.at++
	}
	n, err := strconv.Atoi(s.source[start:s.at])
	if err != nil {
		return 0, s.fail("expecting an int")
	}
	return n, nil
}

// repeat writes out the last element lo times, and the times up to hi as symbols of their own.
func (s *sequence) repeat(lo, hi int) error {
	if s.last == len(s.rule) {
		return s.fail("expecting preceding item to */+/?/{")
	}
	times := max(1, lo)
	if hi > 0 {
		times = hi
	}
	if s.made*times >= maxRepetitions {
		return s.fail("number of rules that are going to be repeated multiplied by the new repetition exceeds sane defaults")
	}
	s.made *= times
	item := append([]element{}, s.rule[s.last:]...)
	if lo == 0 {
		s.rule = s.rule[:s.last]
	}
	for range lo - 1 {
		s.rule = append(s.rule, item...)
	}
	optional := max(hi-lo, 0)
	if hi < 0 {
		optional = 1
	}
	rest := -1
	for range optional {
		id := s.generate(s.name)
		body := append([]element{}, item...)
		switch {
		case hi < 0:
			body = append(body, element{kind: ref, symbol: id})
		case rest >= 0:
			body = append(body, element{kind: ref, symbol: rest})
		}
		s.rules[id] = append(body, element{kind: alternative})
		rest = id
	}
	if rest >= 0 {
		s.rule = append(s.rule, element{kind: ref, symbol: rest})
	}
	return nil
}

// leftRecursion looks for symbols that begin with themselves. Like llama.cpp, it takes a symbol for one that may be empty
// only if one of its alternatives is.
func (p *parser) leftRecursion() error {
	const active, done = 1, 2
	state := make([]uint8, len(p.rules))
	empty := make([]bool, len(p.rules))
	var enter func(symbol int) error
	enter = func(symbol int) error {
		switch state[symbol] {
		case active:
			return fmt.Errorf("unsupported grammar, left recursion detected for nonterminal %q", p.names[symbol])
		case done:
			return nil
		}
		state[symbol] = active
		rule := p.rules[symbol]
		empty[symbol] = hasEmptyAlternative(rule)
		first := true
		for _, e := range rule {
			switch {
			case e.kind == alternative:
				first = true
			case e.kind == ref && first:
				if err := enter(e.symbol); err != nil {
					return err
				}
				first = empty[e.symbol]
			default:
				first = false
			}
		}
		state[symbol] = done
		return nil
	}
	for symbol := range p.rules {
		if err := enter(symbol); err != nil {
			return err
		}
	}
	return nil
}

func hasEmptyAlternative(rule []element) bool {
	start := true
	for _, e := range rule {
		if e.kind != alternative {
			start = false
			continue
		}
		if start {
			return true
		}
		start = true
	}
	return start
}
