package grammar

import "slices"

// textLimit is what a keyword says of a text: that it matches an expression, or that it does not.
type textLimit struct {
	keyword string
	span    // of the texts that match; any, where they must not
	not     bool
	of      func(p patternWriter) *expr
}

// anySpan says nothing of a length.
var anySpan = span{0, -1}

// textLimits are what the pattern, the format and "not" say of a string. What is not understood is noted.
func (c *converter) textLimits(s *value, path string) []textLimit {
	var out []textLimit
	if p := s.get("pattern"); p != nil {
		ways, ahead, err := parseAhead(p.text)
		if err != nil {
			c.note(at(path, "pattern"), "not held to: %v", err)
		} else {
			out = append(out, patternLimit("pattern", ways))
		}
		for _, a := range ahead {
			l := patternLimit("pattern", a.ways)
			if l.not = a.not; l.not {
				l.span = anySpan
			}
			out = append(out, l)
		}
	}
	if f := s.get("format"); f != nil && held(f) {
		out = append(out, textLimit{"format", formatSpan(f.text), false, func(p patternWriter) *expr { return p.format(f.text) }})
	} else if f != nil {
		c.unheldFormat(f.text, path)
	}
	if l, ok := c.otherText(s.get("not")); ok {
		out = append(out, l)
	}
	return out
}

func patternLimit(keyword string, ways []way) textLimit {
	return textLimit{keyword, patternSpan(ways), false, func(p patternWriter) *expr { return p.anywhere(ways) }}
}

// otherText is the limit of strings that are not to match what "not" says, if that is constants or a pattern.
func (c *converter) otherText(not *value) (textLimit, bool) {
	l := textLimit{keyword: "not", span: anySpan, not: true}
	if !not.is(objectKind) || not.has("type") && !hasName(not.get("type"), "string") {
		return l, false
	}
	switch what := c.constraints(not.but("type")); {
	case what == nil || len(what.keys) > 1:
		return l, false
	case what.has("const") || what.get("enum").is(arrayKind):
		l.of = func(p patternWriter) *expr { return p.oneOf(constantsIn(what)) }
	case what.get("pattern").is(stringKind):
		ways, err := parsePattern("(?:" + what.get("pattern").text + ")") // as it stands: to be narrower would be wider here
		if err != nil {
			return l, false
		}
		l.of = patternLimit("not", ways).of
	default:
		return l, false
	}
	return l, true
}

// texts are the expressions that a text must match, and those that it must not.
func texts(limits []textLimit, p patternWriter) (in, out []*expr) {
	for _, l := range limits {
		if l.not {
			out = append(out, l.of(p))
		} else {
			in = append(in, l.of(p))
		}
	}
	return in, out
}

// needed are limits without those that others imply, such as a format that a pattern spells out.
func (c *converter) needed(limits []textLimit) []textLimit {
	p := patternWriter{b: c.b}
	return slices.DeleteFunc(slices.Clone(limits), func(l textLimit) bool {
		return !l.not && slices.ContainsFunc(limits, func(other textLimit) bool {
			return other.keyword != l.keyword && !other.not && l.keyword == "format" && c.b.within(other.of(p), l.of(p))
		})
	})
}
