package jsonschema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Compact returns v as JSON without spaces, its strings as models write them: in UTF-8, with the necessary escapes only.
func (v *Value) Compact() string {
	var b strings.Builder
	v.write(&b, (*Value).writeScalar)
	return b.String()
}

// JSON returns the JSON of v. Values that were read have their original text. It must not be changed.
func (v *Value) JSON() []byte {
	if v.source != nil {
		return v.source
	}
	var b strings.Builder
	v.write(&b, (*Value).writeSource)
	return []byte(b.String())
}

// write writes v. leaf writes what it can as a whole, which includes all scalars, and reports whether it did.
func (v *Value) write(b *strings.Builder, leaf func(*Value, *strings.Builder) bool) {
	switch {
	case leaf(v, b):
	case v.Kind == Array:
		b.WriteByte('[')
		for i, item := range v.Items {
			comma(b, i)
			item.write(b, leaf)
		}
		b.WriteByte(']')
	default:
		b.WriteByte('{')
		for i, name := range v.Keys {
			comma(b, i)
			b.WriteString(`"` + Escape(name, '"') + `":`)
			v.fields[i].write(b, leaf)
		}
		b.WriteByte('}')
	}
}

func (v *Value) writeScalar(b *strings.Builder) bool {
	switch v.Kind {
	case Null:
		b.WriteString("null")
	case Bool:
		b.WriteString(strconv.FormatBool(v.Bool))
	case Number:
		b.WriteString(v.Text)
	case String:
		b.WriteString(`"` + Escape(v.Text, '"') + `"`)
	default:
		return false
	}
	return true
}

func (v *Value) writeSource(b *strings.Builder) bool {
	if v.source == nil {
		return v.writeScalar(b)
	}
	b.Write(v.source)
	return true
}

func comma(b *strings.Builder, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

// Escape returns text as the inside of a string between quotes of that kind.
func Escape(text string, quote rune) string {
	if strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r == quote || r == '\\' || r == utf8.RuneError }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		b.WriteString(EscapeChar(r, quote))
	}
	return b.String()
}

// EscapeChar returns a character as it stands in a string between quotes of that kind.
func EscapeChar(r, quote rune) string {
	if i := strings.IndexRune("\b\f\n\r\t", r); i >= 0 {
		return `\` + "bfnrt"[i:i+1]
	}
	switch {
	case r == quote || r == '\\':
		return `\` + string(r)
	case r < ' ':
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}
