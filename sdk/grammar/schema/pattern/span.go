package pattern

import (
	"regexp/syntax"
	"strings"
)

// Span is how many characters texts have; hi < 0: any number.
type Span struct{ Lo, Hi int }

// Left are the bounds of a length that a span does not imply.
func (s Span) Left(lo, hi int) (int, int) {
	if s.Lo >= lo {
		lo = 0
	}
	if s.Hi >= 0 && s.Hi <= hi {
		hi = -1
	}
	return lo, hi
}

// ruleSpans are those of the formats that have rules of their own.
var ruleSpans = map[string]Span{"date": {10, 10}, "time": {9, 18}, "date-time": {20, 29}, "uuid": {36, 36}}

// FormatSpan is the span of a format's texts.
func FormatSpan(name string) Span {
	if strings.HasPrefix(name, "uuid") {
		name = "uuid"
	}
	if s, ok := ruleSpans[name]; ok {
		return s
	}
	return spanOf(formatPattern(name))
}

// SpanOf is the span of the texts in which one of ways stands.
func SpanOf(ways []Way) Span {
	out := Span{0, -1}
	for i, w := range ways {
		s := spanOf(w.re)
		if !w.Begins || !w.Ends {
			s.Hi = -1
		}
		if i == 0 {
			out = s
			continue
		}
		out = out.or(s)
	}
	return out
}

func (s Span) or(other Span) Span {
	out := Span{min(s.Lo, other.Lo), max(s.Hi, other.Hi)}
	if s.Hi < 0 || other.Hi < 0 {
		out.Hi = -1
	}
	return out
}

func (s Span) then(other Span) Span {
	out := Span{s.Lo + other.Lo, s.Hi + other.Hi}
	if s.Hi < 0 || other.Hi < 0 {
		out.Hi = -1
	}
	return out
}

func (s Span) times(lo, hi int) Span {
	out := Span{s.Lo * lo, s.Hi * hi}
	if s.Hi != 0 && (s.Hi < 0 || hi < 0) {
		out.Hi = -1
	}
	return out
}

// spanOf is the span of what an expression without anchors matches.
func spanOf(re *syntax.Regexp) Span {
	switch re.Op {
	case syntax.OpLiteral:
		return Span{len(re.Rune), len(re.Rune)}
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return Span{1, 1}
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
	var out Span
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
