package pattern

import (
	"regexp/syntax"
	"strings"
)

// Span is a range of text lengths in characters; Hi < 0 means unbounded.
type Span struct{ Lo, Hi int }

// Left returns the bounds of a length that the span does not imply; 0 and -1 if it implies them.
func (s Span) Left(lo, hi int) (int, int) {
	if s.Lo >= lo {
		lo = 0
	}
	if s.Hi >= 0 && s.Hi <= hi {
		hi = -1
	}
	return lo, hi
}

// ruleSpans are the spans of the formats with rules of their own.
var ruleSpans = map[string]Span{"date": {10, 10}, "time": {9, 18}, "date-time": {20, 29}, "uuid": {36, 36}}

// FormatSpan returns the span of a format.
func FormatSpan(name string) Span {
	if strings.HasPrefix(name, "uuid") {
		name = "uuid"
	}
	if s, ok := ruleSpans[name]; ok {
		return s
	}
	return spanOf(formatPattern(name))
}

// SpanOf returns the span of the texts in which one of ways matches.
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

// spanOf returns the span of an expression without anchors.
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
