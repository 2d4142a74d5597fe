// Package llamacpp decides whether llama.cpp accepts a grammar.
//
// llama.cpp parses GBNF into rules of flat elements: groups and repetitions become rules of their
// own, written out as often as they may repeat. Then it rejects what it could not run: undefined
// rules, a missing root, left recursion, and repetitions that would be written out too often.
// CheckGrammar does the same in the same order, so llama.cpp accepts whatever passes.
//
// Package cfg has its own parser. This one is independent of it, so that a misunderstanding of the
// notation in one is not repeated in the other: tests check every grammar with both.
//
// Words that must not be confused: a *symbol* is a rule with a name, either from the source or
// generated for a group or repetition; an *element* is one step of a rule: a character, a set of
// characters, a symbol, or the beginning of an alternative.
package llamacpp

import (
	"fmt"
	"strconv"
	"strings"
)

// maxRepetitions is MAX_REPETITION_THRESHOLD of llama-grammar.cpp: repetitions, multiplied by the
// symbols generated for the repeated part, must be fewer.
const maxRepetitions = 2000

// kind is the kind of an element.
type kind uint8

const (
	char kind = iota // a character or a set of characters
	ref              // a symbol
	alternative
)

type element struct {
	kind   kind
	symbol int
}

// CheckGrammar returns the error with which llama.cpp's parser rejects a grammar, or nil.
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

// parser corresponds to llama_grammar_parser. Its methods leave at after what they have read.
type parser struct {
	source  string
	at      int
	symbols map[string]int
	names   []string
	rules   [][]element // by symbol; nil: undefined
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

// symbol returns the number of a name, assigning one on first use.
func (p *parser) symbol(name string) int {
	id, ok := p.symbols[name]
	if !ok {
		id = len(p.symbols)
		p.symbols[name] = id
		p.names, p.rules = append(p.names, name), append(p.rules, nil)
	}
	return id
}

// generate returns a new symbol for a part of the rule of that name.
func (p *parser) generate(name string) int {
	return p.symbol(name + "_" + strconv.Itoa(len(p.symbols)))
}

func (p *parser) peek() byte {
	if p.at < len(p.source) {
		return p.source[p.at]
	}
	return 0
}

// space skips blanks and comments, and line breaks if lines is set.
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

// leftRecursion reports left recursion. Like llama.cpp, it considers a symbol nullable only if one
// of its alternatives is empty.
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
