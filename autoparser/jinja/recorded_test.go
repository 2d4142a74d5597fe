package jinja_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/internal/shared"
)

var pinned = time.Date(2026, 1, 15, 12, 34, 56, 0, time.UTC)

func TestRecordedRenderings(t *testing.T) {
	dir := shared.Dir(t, "templates")
	templates := map[string]*jinja.Template{}
	for row := range rows(t, shared.Dir(t, "cases", "template.jsonl")) {
		var c struct {
			ID, Template  string
			Context       json.RawMessage
			Prompt, Error *string
		}
		if err := json.Unmarshal(row, &c); err != nil {
			t.Fatal(err)
		}
		if templates[c.Template] == nil {
			templates[c.Template] = compileFile(t, filepath.Join(dir, c.Template))
		}
		vars, err := jinja.Decode(c.Context)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		got, err := templates[c.Template].Render(context.Background(), vars, pinned)
		switch {
		case c.Error != nil && err == nil:
			t.Errorf("%s: rendered, want error %s", c.ID, *c.Error)
		case c.Error == nil && err != nil:
			t.Errorf("%s: %v", c.ID, err)
		case c.Error == nil && got != *c.Prompt:
			t.Errorf("%s:\ngot  %q\nwant %q", c.ID, got, *c.Prompt)
		}
	}
}

func compileFile(t *testing.T, path string) *jinja.Template {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := jinja.Compile(filepath.Base(path), string(source), jinja.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

// rows yields the lines of a JSON Lines file.
func rows(t *testing.T, path string) func(yield func([]byte) bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func([]byte) bool) {
		s := bufio.NewScanner(bytes.NewReader(data))
		s.Buffer(nil, 64<<20)
		for s.Scan() {
			if !yield(s.Bytes()) {
				return
			}
		}
	}
}
