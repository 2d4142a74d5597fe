package schema

import (
	"slices"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/pattern"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// textLimit is a keyword that restricts a string to texts that match an expression, or that do not.
type textLimit struct {
	keyword      string
	pattern.Span // the length of matching texts; any, if they must not match
	not          bool
	of           func(p pattern.Writer) *cfg.Expr
}

// anySpan is no restriction of the length.
var anySpan = pattern.Span{Hi: -1}

// textLimits returns the restrictions by pattern, format and "not". Those that are not supported
// are noted.
func (c *conversion) textLimits(s *jsonschema.Value, path string) []textLimit {
	var out []textLimit
	if p := s.Get("pattern"); p != nil {
		c.Work.Spend(pattern.Cost(p.Text))
		ways, ahead, err := pattern.ParseAhead(p.Text)
		if err != nil {
			c.Note(jsonschema.Pointer(path, "pattern"), "not enforced: %v", err)
		} else {
			out = append(out, patternLimit("pattern", ways))
		}
		for _, a := range ahead {
			l := patternLimit("pattern", a.Ways)
			if l.not = a.Not; l.not {
				l.Span = anySpan
			}
			out = append(out, l)
		}
	}
	if f := s.Get("format"); f != nil && pattern.IsFormat(f.Text) {
		out = append(out, textLimit{"format", pattern.FormatSpan(f.Text), false, func(p pattern.Writer) *cfg.Expr { return p.Format(f.Text) }})
	} else if f != nil {
		c.noteFormat(f.Text, path)
	}
	if l, ok := c.otherText(s.Get("not")); ok {
		out = append(out, l)
	}
	return out
}

func patternLimit(keyword string, ways []pattern.Way) textLimit {
	return textLimit{keyword, pattern.SpanOf(ways), false, func(p pattern.Writer) *cfg.Expr { return p.Anywhere(ways) }}
}

// otherText returns the restriction of strings by "not" with constants or a pattern.
func (c *conversion) otherText(not *jsonschema.Value) (textLimit, bool) {
	l := textLimit{keyword: "not", Span: anySpan, not: true}
	if !not.Is(jsonschema.Object) || not.Has("type") && !algebra.HasName(not.Get("type"), "string") {
		return l, false
	}
	switch what := c.WithoutAnnotations(not.But("type")); {
	case what == nil || len(what.Keys) > 1:
		return l, false
	case what.Has("const") || what.Get("enum").Is(jsonschema.Array):
		l.of = func(p pattern.Writer) *cfg.Expr { return p.OneOf(algebra.StringsAmong(algebra.ConstantsIn(what))) }
	case what.Get("pattern").Is(jsonschema.String):
		c.Work.Spend(pattern.Cost(what.Get("pattern").Text))
		ways, err := pattern.Parse("(?:" + what.Get("pattern").Text + ")") // taken literally: narrower here would be wider after the complement
		if err != nil {
			return l, false
		}
		l.of = patternLimit("not", ways).of
	default:
		return l, false
	}
	return l, true
}

// texts returns the expressions that a text must match, and those that it must not.
func texts(limits []textLimit, p pattern.Writer) (in, out []*cfg.Expr) {
	for _, l := range limits {
		if l.not {
			out = append(out, l.of(p))
		} else {
			in = append(in, l.of(p))
		}
	}
	return in, out
}

// needed drops limits that others imply, such as a format that the pattern spells out.
func (c *conversion) needed(limits []textLimit) []textLimit {
	p := pattern.Writer{Rules: c.rules}
	return slices.DeleteFunc(slices.Clone(limits), func(l textLimit) bool {
		return !l.not && slices.ContainsFunc(limits, func(other textLimit) bool {
			return other.keyword != l.keyword && !other.not && l.keyword == "format" && c.rules.Includes(other.of(p), l.of(p))
		})
	})
}
