package tokenizer

import (
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/tokenizer/internal/pattern"
)

// normalizer changes a text before it is split. First is whether the text begins the whole input. The changes are noted in
// edits, unless that is nil. The meter may be nil.
type normalizer func(text string, first bool, e *edits, m *work.Meter) string

// normalized applies normalizers one after the other.
func normalized(all []normalizer, text string, first bool, layers *[]edits, m *work.Meter) string {
	for _, n := range all {
		if layers == nil {
			text = n(text, first, nil, m)
			continue
		}
		var e edits
		text = n(text, first, &e, m)
		*layers = append(*layers, e)
	}
	return text
}

// edits are the places where a text was replaced by another one, in order.
type edits []edit

// edit is one place: old[oldFrom:oldTo] has become new[from:to].
type edit struct{ from, to, oldFrom, oldTo int }

// old returns the range of the old text that has become a range of the new one. What lies within a replacement came from all
// that was replaced.
func (e edits) old(from, to int) (oldFrom, oldTo int) {
	oldFrom, oldTo = e.floor(from), e.ceil(to)
	return oldFrom, max(oldFrom, oldTo)
}

// floor returns where what begins at a position of the new text began.
func (e edits) floor(at int) int {
	i := sort.Search(len(e), func(i int) bool { return e[i].to > at })
	switch {
	case i < len(e) && e[i].from <= at:
		return e[i].oldFrom
	case i > 0:
		return e[i-1].oldTo + at - e[i-1].to
	}
	return at
}

// ceil returns where what ends at a position of the new text ended.
func (e edits) ceil(at int) int {
	i := sort.Search(len(e), func(i int) bool { return e[i].to >= at })
	switch {
	case i < len(e) && e[i].from < at:
		return e[i].oldTo
	case i > 0:
		return e[i-1].oldTo + at - e[i-1].to
	}
	return at
}

// rewriter builds a text from parts of an old one and replacements.
type rewriter struct {
	old   string
	out   strings.Builder
	done  int // what is before in old is in out
	edits *edits
}

func (r *rewriter) replace(from, to int, with string) {
	r.out.WriteString(r.old[r.done:from])
	start := r.out.Len()
	r.out.WriteString(with)
	r.done = to
	if r.edits != nil {
		*r.edits = append(*r.edits, edit{start, r.out.Len(), from, to})
	}
}

func (r *rewriter) text() string {
	if r.done == 0 && r.out.Len() == 0 {
		return r.old
	}
	r.out.WriteString(r.old[r.done:])
	return r.out.String()
}

// inForm normalizes to a form of Unicode.
func inForm(f norm.Form) normalizer {
	return func(text string, _ bool, e *edits, m *work.Meter) string {
		if f.QuickSpanString(text) == len(text) {
			return text
		}
		if e == nil {
			return inBlocks(f, text, m)
		}
		r := rewriter{old: text, edits: e}
		var segments norm.Iter
		segments.InitString(f, text)
		for !segments.Done() {
			m.Spend(1)
			from := segments.Pos()
			segment := string(segments.Next())
			if to := segments.Pos(); segment != text[from:to] {
				r.replace(from, to, segment)
			}
		}
		return r.text()
	}
}

// inBlocks normalizes a text to a form of Unicode, with a look at the meter from time to time.
func inBlocks(f norm.Form, text string, m *work.Meter) string {
	const block = 256 << 10
	if len(text) <= block {
		return f.String(text)
	}
	var out []byte
	for len(text) > 0 {
		m.Check()
		n := len(text)
		if n > block {
			at := block
			for !utf8.RuneStart(text[at]) {
				at--
			}
			if next := f.NextBoundaryInString(text[at:], true); next >= 0 {
				n = at + next
			}
		}
		out = f.AppendString(out, text[:n])
		text = text[n:]
	}
	return string(out)
}

// prepended puts a text before those that are not empty.
func prepended(prefix string) normalizer {
	return func(text string, _ bool, e *edits, _ *work.Meter) string {
		if text == "" {
			return text
		}
		r := rewriter{old: text, edits: e}
		r.replace(0, 0, prefix)
		return r.text()
	}
}

// replaced replaces a text wherever it occurs.
func replaced(what, with string) normalizer {
	return func(text string, _ bool, e *edits, _ *work.Meter) string {
		if e == nil {
			return strings.ReplaceAll(text, what, with)
		}
		r := rewriter{old: text, edits: e}
		for from := 0; ; {
			i := strings.Index(text[from:], what)
			if i < 0 {
				return r.text()
			}
			r.replace(from+i, from+i+len(what), with)
			from += i + len(what)
		}
	}
}

// replacedMatches replaces the matches of a pattern.
func replacedMatches(p *pattern.Pattern, with string) normalizer {
	return func(text string, _ bool, e *edits, m *work.Meter) string {
		r, found := rewriter{old: text, edits: e}, p.Matcher(text, m)
		for from := 0; ; {
			start, end := found.Find(from)
			if end < 0 {
				return r.text()
			}
			r.replace(start, end, with)
			from = end
		}
	}
}

// prefixed puts a space, or what stands for it, before texts that do not begin with one; with firstOnly only before the text
// that begins the input.
func prefixed(space string, firstOnly bool) normalizer {
	prepend := prepended(space)
	return func(text string, first bool, e *edits, m *work.Meter) string {
		if firstOnly && !first || strings.HasPrefix(text, space) {
			return text
		}
		return prepend(text, first, e, m)
	}
}

// valid replaces ill-formed UTF-8: each longest part that could begin a character, or else each byte, by U+FFFD, as Unicode
// recommends and the decoders of Rust and of browsers do.
func valid(text string, e *edits) string {
	if utf8.ValidString(text) {
		return text
	}
	r := rewriter{old: text, edits: e}
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRuneInString(text[i:])
		if c == utf8.RuneError && n == 1 {
			n, _ = illFormed(text[i:])
			r.replace(i, i+n, replacement)
		}
		i += n
	}
	return r.text()
}

// replacement stands for what is no character.
const replacement = string(utf8.RuneError)

// illFormed returns the size of the part of a text, at its beginning, that U+FFFD stands for, and whether more bytes could make
// it a character.
func illFormed[T string | []byte](text T) (size int, unfinished bool) {
	first := text[0]
	least, most := byte(0x80), byte(0xBF) // the range of the second byte
	var want int                          // the number of bytes behind the first
	switch {
	case first >= 0xC2 && first <= 0xDF:
		want = 1
	case first >= 0xE0 && first <= 0xEF:
		want = 2
		if first == 0xE0 {
			least = 0xA0
		} else if first == 0xED {
			most = 0x9F
		}
	case first >= 0xF0 && first <= 0xF4:
		want = 3
		if first == 0xF0 {
			least = 0x90
		} else if first == 0xF4 {
			most = 0x8F
		}
	default:
		return 1, false
	}
	for i := 1; i <= want; i++ {
		if i == len(text) {
			return i, true
		}
		if text[i] < least || text[i] > most {
			return i, false
		}
		least, most = 0x80, 0xBF
	}
	return want + 1, false
}
