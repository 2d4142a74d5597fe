package detect

import "strings"

// literal is a JSON or Python value within a text.
type literal struct {
	start, end int       // of the text
	kind       byte      // '{', '[', '"' for texts in either quote, '0' for numbers and names
	text       string    // of a text: between its quotes, as written; of a number or name: itself
	quote      byte      // of a text
	members    []member  // of an object
	items      []literal // of an array
}

// member is a member of an object.
type member struct {
	key   literal
	value literal
}

// deepestLiteral bounds the nesting of literals.
const deepestLiteral = 64

// literalAt reads the literal that begins at an offset of a text; false if there is none.
func literalAt(text string, at int) (literal, bool) { return readLiteral(text, at, deepestLiteral) }

func readLiteral(text string, at, depth int) (literal, bool) {
	switch {
	case at >= len(text) || depth == 0:
		return literal{}, false
	case text[at] == '{':
		return readObject(text, at, depth)
	case text[at] == '[':
		return readArray(text, at, depth)
	case text[at] == '"' || text[at] == '\'':
		return readText(text, at)
	}
	return readWord(text, at)
}

func readObject(text string, at, depth int) (literal, bool) {
	o := literal{start: at, kind: '{'}
	end, ok := readList(text, at+1, '}', func(at int) (int, bool) {
		key, ok := readText(text, at)
		if !ok {
			return 0, false
		}
		colon := withSpace(text, key.end)
		if !strings.HasPrefix(text[colon:], ":") {
			return 0, false
		}
		value, ok := readLiteral(text, withSpace(text, colon+1), depth-1)
		o.members = append(o.members, member{key, value})
		return value.end, ok
	})
	o.end = end
	return o, ok
}

func readArray(text string, at, depth int) (literal, bool) {
	a := literal{start: at, kind: '['}
	end, ok := readList(text, at+1, ']', func(at int) (int, bool) {
		item, ok := readLiteral(text, at, depth-1)
		a.items = append(a.items, item)
		return item.end, ok
	})
	a.end = end
	return a, ok
}

// readList reads items between commas up to the closing bracket, and returns where that ends.
func readList(text string, at int, closer byte, item func(at int) (end int, ok bool)) (int, bool) {
	at = withSpace(text, at)
	if at < len(text) && text[at] == closer {
		return at + 1, true
	}
	for at < len(text) {
		end, ok := item(at)
		if !ok {
			return 0, false
		}
		if at = withSpace(text, end); at >= len(text) {
			return 0, false
		}
		switch text[at] {
		case closer:
			return at + 1, true
		case ',':
			at = withSpace(text, at+1)
		default:
			return 0, false
		}
	}
	return 0, false
}

func readText(text string, at int) (literal, bool) {
	if at >= len(text) || text[at] != '"' && text[at] != '\'' {
		return literal{}, false
	}
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[at]:
			return literal{start: at, end: i + 1, kind: '"', quote: text[at], text: text[at+1 : i]}, true
		}
	}
	return literal{}, false
}

// readWord reads a number, or a name such as true or None.
func readWord(text string, at int) (literal, bool) {
	n := strings.IndexFunc(text[at:], func(r rune) bool {
		return !strings.ContainsRune("+-.", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if n < 0 {
		n = len(text) - at
	}
	return literal{start: at, end: at + n, kind: '0', text: text[at : at+n]}, n > 0
}

// holds reports whether a literal of a text contains all needles.
func (l literal) holds(text string, needles ...string) bool {
	for _, n := range needles {
		if !strings.Contains(text[l.start:l.end], n) {
			return false
		}
	}
	return true
}

// literalWith finds the first bracketed literal at or after an offset that contains all needles.
func literalWith(text string, from int, needles ...string) (literal, bool) {
	for at := max(from, 0); at < len(text); at++ {
		if text[at] != '{' && text[at] != '[' {
			continue
		}
		if l, ok := literalAt(text, at); ok && l.holds(text, needles...) {
			return l, true
		}
	}
	return literal{}, false
}
