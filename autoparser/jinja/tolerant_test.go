package jinja

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestTolerantRenderingGoesOnWhereJinjaFails(t *testing.T) {
	for source, want := range map[string]string{
		"{{ 'a' + missing + 'b' }}":                      "ab",
		"{{ 'a' + {}.missing }}":                         "a",
		"{{ ['x', 'y'] | map('upper') | tojson }}":       `["X", "Y"]`,
		"{{ [{'n': 1}] | map(attribute='n') | tojson }}": "[1]",
	} {
		strict, err := Compile("t", source, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := strict.Render(context.Background(), nil, time.Time{}); !errors.Is(err, Runtime) {
			t.Errorf("%s: strictly rendered as %q, %v", source, got, err)
		}
		got, err := strict.Tolerant().Render(context.Background(), nil, time.Time{})
		if err != nil || got != want {
			t.Errorf("%s: rendered as %q, %v; want %q", source, got, err, want)
		}
	}
}

func TestTolerantRenderingKeepsTheSandbox(t *testing.T) {
	compiled, err := Compile("t", "{{ 'a' + ''.__class__ }}", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := compiled.Tolerant().Render(context.Background(), nil, time.Time{}); err == nil {
		t.Errorf("rendered as %q", got)
	}
}
