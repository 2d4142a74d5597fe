package detect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/diff"
)

// source is what taught the value of a field: a comparison, and a piece of its rendering.
type source struct{ comparison, seen string }

// from returns a source.
func from(comparison, seen string) source { return source{comparison, seen} }

// learn sets a field of d.Dialect and records what taught it. Empty values are not recorded.
func learn[T any](d *detective, field *T, value T, by source) {
	*field = value
	if text := textOf(value); text != "" {
		d.Findings = append(d.Findings, Finding{
			Field: d.Dialect.FieldAt(field), Value: text, By: by.comparison, Seen: diff.Excerpt(by.seen, longestExcerpt),
		})
	}
}

// relearn replaces what was learned about a field, if the value differs.
func relearn(d *detective, field *string, value string, by source) {
	if value != *field {
		d.forget(field)
		learn(d, field, value, by)
	}
}

// forget drops the findings about a field of d.Dialect, or about the fields within it.
func (d *detective) forget(field any) {
	name := d.Dialect.FieldAt(field)
	d.Findings = slices.DeleteFunc(d.Findings, func(f Finding) bool {
		return f.Field == name || strings.HasPrefix(f.Field, name+".")
	})
}

// textOf returns a value as findings show it.
func textOf(value any) string {
	if texts, ok := value.([]string); ok {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprint(value)
}

// longestExcerpt bounds the evidence of a finding, in bytes.
const longestExcerpt = 160
