package detect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/diff"
)

// source is what taught the value of a field: the comparison, and the piece of a rendering.
type source struct{ comparison, seen string }

// from returns the source of what a comparison shows.
func from(comparison, seen string) source { return source{comparison, seen} }

// learn sets a field of d.Dialect and records what taught it. An empty value is no finding.
func learn[T any](d *detective, field *T, value T, by source) {
	*field = value
	if text := textOf(value); text != "" {
		d.Findings = append(d.Findings, Finding{
			Field: d.Dialect.FieldAt(field), Value: text, By: by.comparison, Seen: diff.Excerpt(by.seen, longestExcerpt),
		})
	}
}

// relearn replaces what was learned of a field, if the value is another one.
func relearn(d *detective, field *string, value string, by source) {
	if value != *field {
		d.forget(field)
		learn(d, field, value, by)
	}
}

// forget drops the findings of a field of d.Dialect, or of those within it.
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
