package format_test

import (
	"context"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/format"
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// The snippets of package jinja specify formats against Python; these are examples for readers.
func TestFormatsAreThoseOfPython(t *testing.T) {
	h := &value.Heap{Meter: meter.New(context.Background(), meter.Limits{}.WithDefaults())}
	like := value.String("")
	for _, c := range []struct{ name, got, want string }{
		{"printf", format.Printf(h, "%5.1f|%-4s|%04d", value.TupleOf(value.Float(2.25), value.String("a"), value.Int(-7)), like), "  2.2|a   |-007"},
		{"printf with names", format.Printf(h, "%(a)s %%", value.NewObject().Set("a", value.True), like), "True %"},
		{"format of integers", format.Value(h, value.Int(1234567), ",d"), "1,234,567"},
		{"format of floats", format.Value(h, value.Float(0.125), ">8.1%"), "   12.5%"},
		{"format of strings", format.Value(h, value.String("ä"), "*^5"), "**ä**"},
		{"strftime", format.Strftime(time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC), "%-d %B %Y, %H:%M, day %j"), "3 February 2024, 04:05, day 034"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}
