package grammar

import (
	"regexp/syntax"
	"strings"
)

// span is how many characters texts have; hi < 0: any number.
type span struct{ lo, hi int }

// left are the bounds of a length that a span does not imply.
func (s span) left(lo, hi int) (int, int) {
	if s.lo >= lo {
		lo = 0
	}
	if s.hi >= 0 && s.hi <= hi {
		hi = -1
	}
	return lo, hi
}

// ruleSpans are those of the formats that have rules of their own.
var ruleSpans = map[string]span{"date": {10, 10}, "time": {9, 18}, "date-time": {20, 29}, "uuid": {36, 36}}

// formatSpan is the span of a format's texts.
func formatSpan(name string) span {
	if strings.HasPrefix(name, "uuid") {
		name = "uuid"
	}
	if s, ok := ruleSpans[name]; ok {
		return s
	}
	return spanOf(formatPattern(name))
}

// patternSpan is the span of the texts in which one of ways stands.
func patternSpan(ways []way) span {
	out := span{0, -1}
	for i, w := range ways {
		s := spanOf(w.re)
		if !w.begins || !w.ends {
			s.hi = -1
		}
		if i == 0 {
			out = s
			continue
		}
		out = out.or(s)
	}
	return out
}

func (s span) or(other span) span {
	out := span{min(s.lo, other.lo), max(s.hi, other.hi)}
	if s.hi < 0 || other.hi < 0 {
		out.hi = -1
	}
	return out
}

func (s span) then(other span) span {
	out := span{s.lo + other.lo, s.hi + other.hi}
	if s.hi < 0 || other.hi < 0 {
		out.hi = -1
	}
	return out
}

func (s span) times(lo, hi int) span {
	out := span{s.lo * lo, s.hi * hi}
	if s.hi != 0 && (s.hi < 0 || hi < 0) {
		out.hi = -1
	}
	return out
}

// spanOf is the span of what an expression without anchors matches.
func spanOf(re *syntax.Regexp) span {
	switch re.Op {
	case syntax.OpLiteral:
		return span{len(re.Rune), len(re.Rune)}
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return span{1, 1}
	case syntax.OpCapture:
		return spanOf(re.Sub[0])
	case syntax.OpStar:
		return spanOf(re.Sub[0]).times(0, -1)
	case syntax.OpPlus:
		return spanOf(re.Sub[0]).times(1, -1)
	case syntax.OpQuest:
		return spanOf(re.Sub[0]).times(0, 1)
	case syntax.OpRepeat:
		return spanOf(re.Sub[0]).times(re.Min, re.Max)
	}
	var out span
	for i, sub := range re.Sub {
		switch s := spanOf(sub); {
		case re.Op == syntax.OpConcat:
			out = out.then(s)
		case i == 0:
			out = s
		default:
			out = out.or(s)
		}
	}
	return out
}
