package tokenizer

import (
	"strings"

	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/tokenizer/internal/pattern"
)

// splitter splits texts at the matches of a pattern or of a literal text.
type splitter struct {
	pattern  *pattern.Pattern // nil: literal
	literal  string
	inverted bool // what is between the matches counts as the match
	behavior behavior
}

// behavior is what becomes of matches.
type behavior string

const (
	isolated           behavior = "Isolated"
	removed            behavior = "Removed"
	mergedWithPrevious behavior = "MergedWithPrevious"
	mergedWithNext     behavior = "MergedWithNext"
	contiguous         behavior = "Contiguous" // matches side by side are one
)

var behaviors = []behavior{isolated, removed, mergedWithPrevious, mergedWithNext, contiguous}

// find returns the next match; m is a matcher for the text, if there is a pattern.
func (s *splitter) find(m *pattern.Matcher, text string, from int) (start, end int) {
	if s.pattern != nil {
		return m.Find(from)
	}
	i := strings.Index(text[from:], s.literal)
	if i < 0 {
		return -1, -1
	}
	return from + i, from + i + len(s.literal)
}

// matches calls yield with the parts of a text in turn: what matches, and what is between.
func (s *splitter) matches(text string, meter *work.Meter, yield func(from, to int, matches bool)) {
	var m pattern.Matcher
	if s.pattern != nil {
		m = s.pattern.Matcher(text, meter)
	}
	done := 0
	for done < len(text) {
		start, end := s.find(&m, text, done)
		if end < 0 {
			break
		}
		if start > done {
			yield(done, start, s.inverted)
		}
		yield(start, end, !s.inverted)
		done = end
	}
	if done < len(text) {
		yield(done, len(text), s.inverted)
	}
}

// split calls yield with the pieces of a text.
func (s *splitter) split(text string, meter *work.Meter, yield func(from, to int)) {
	if s.behavior == isolated {
		s.matches(text, meter, func(from, to int, _ bool) { yield(from, to) })
		return
	}
	// The last part that is not yet yielded, because the next one may join it.
	held, heldMatches, from, to := false, false, 0, 0
	s.matches(text, meter, func(start, end int, matches bool) {
		joins := false
		switch s.behavior {
		case removed:
			if !matches {
				yield(start, end)
			}
			return
		case contiguous:
			joins = matches == heldMatches
		case mergedWithPrevious:
			joins = matches && !heldMatches
		case mergedWithNext:
			joins = !matches && heldMatches
		}
		if held && joins {
			to = end
		} else {
			if held {
				yield(from, to)
			}
			from, to = start, end
		}
		held, heldMatches = true, matches
	})
	if held {
		yield(from, to)
	}
}
