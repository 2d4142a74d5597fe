package llamacpp

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// sequence is the state of reading an alternative.
type sequence struct {
	*parser
	name string
	rule []element
	last int // the element that a quantifier would repeat
	made int // the number of symbols generated for it
}

// next reads one element or quantifier; false at the end of the alternative.
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

// bounds reads the bounds in braces, up to the closing one; hi is -1 if missing.
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

// repeat writes out the last element lo times, and the remaining optional ones, up to hi, as
// symbols.
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
