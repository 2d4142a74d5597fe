package pattern

import (
	"errors"
	"regexp/syntax"
	"slices"
)

// Anchors may apply to one alternative only. So an expression is split into ways of matching within
// a text, none of which contains anchors any more.

// Way is an expression without anchors that matches at the beginning of a text, at its end, both,
// or anywhere.
type Way struct {
	Begins, Ends bool
	re           *syntax.Regexp
}

var noText = &syntax.Regexp{Op: syntax.OpEmptyMatch}

// waysOf returns the ways of re; none if its anchors contradict each other.
func waysOf(re *syntax.Regexp) ([]Way, error) {
	switch re.Op {
	case syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return nil, errors.New("word boundaries are not supported")
	case syntax.OpBeginLine, syntax.OpEndLine:
		return nil, errors.New("line anchors are not supported")
	case syntax.OpBeginText:
		return []Way{{Begins: true, re: noText}}, nil
	case syntax.OpEndText:
		return []Way{{Ends: true, re: noText}}, nil
	}
	if !slices.ContainsFunc(re.Sub, anchored) {
		return []Way{{re: re}}, nil
	}
	switch re.Op {
	case syntax.OpCapture:
		return waysOf(re.Sub[0])
	case syntax.OpQuest:
		ways, err := waysOf(re.Sub[0])
		return gathered(append(ways, Way{re: noText})), err
	case syntax.OpAlternate:
		var out []Way
		for _, sub := range re.Sub {
			ways, err := waysOf(sub)
			if err != nil {
				return nil, err
			}
			out = append(out, ways...)
		}
		return gathered(out), nil
	case syntax.OpConcat:
		out := []Way{{re: noText}}
		for _, sub := range re.Sub {
			ways, err := waysOf(sub)
			if err != nil {
				return nil, err
			}
			out = followed(out, ways)
		}
		return out, nil
	}
	return nil, errors.New("repeated anchors are not supported")
}

// anchored reports whether re contains anchors.
func anchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return slices.ContainsFunc(re.Sub, anchored)
}

// followed returns the ways of one expression followed by those of another. What precedes the
// beginning of the text, or follows its end, must be empty.
func followed(before, behind []Way) []Way {
	var out []Way
	for _, a := range before {
		for _, b := range behind {
			w := Way{a.Begins || b.Begins, a.Ends || b.Ends, &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{a.re, b.re}}}
			switch {
			case b.Begins && !mayMatchNothing(a.re), a.Ends && !mayMatchNothing(b.re):
				continue
			case b.Begins && a.Ends:
				w.re = noText
			case b.Begins:
				w.re = b.re
			case a.Ends:
				w.re = a.re
			}
			out = append(out, w)
		}
	}
	return gathered(out)
}

// gathered joins the ways with the same anchors.
func gathered(ways []Way) []Way {
	var out []Way
	for _, w := range ways {
		i := slices.IndexFunc(out, func(o Way) bool { return o.Begins == w.Begins && o.Ends == w.Ends })
		if i < 0 {
			out = append(out, w)
			continue
		}
		out[i].re = &syntax.Regexp{Op: syntax.OpAlternate, Sub: []*syntax.Regexp{out[i].re, w.re}}
	}
	return out
}

// mayMatchNothing reports whether an expression without anchors matches the empty text.
func mayMatchNothing(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpRepeat:
		return re.Min == 0 || mayMatchNothing(re.Sub[0])
	case syntax.OpCapture, syntax.OpPlus:
		return mayMatchNothing(re.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !mayMatchNothing(s) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, mayMatchNothing)
	}
	return false
}
