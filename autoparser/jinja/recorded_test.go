package jinja_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
	"github.com/dragoman-project/dragoman/internal/shared"
)

var pinned = time.Date(2026, 1, 15, 12, 34, 56, 0, time.UTC)

// impossible are recorded renderings whose variables Jinja2 itself refuses. They were recorded with other variables.
var impossible = map[string]string{
	"mistralai-Ministral-3-14B-Reasoning-2512/analysis/41023115": "Assistant message must have a string or a list of chunks in content or a list of tool calls.",
	"openai-gpt-oss-120b/analysis/91218351":                      "argument of type 'NoneType' is not iterable",
}

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
		if message := impossible[c.ID]; message != "" {
			c.Prompt, c.Error = nil, &message
		}
		got, err := templates[c.Template].Render(context.Background(), decode(t, c.Context), pinned)
		compare(t, c.ID, got, err, c.Prompt, c.Error)
	}
}

// changedBeforeRecording are snippets that change their variables, which were recorded after the change.
var changedBeforeRecording = map[string]bool{
	"array methods: array.pop() last":       true,
	"array methods: array.pop() with index": true,
	"array methods: array.append()":         true,
}

func TestRecordedSnippets(t *testing.T) {
	for row := range rows(t, shared.Dir(t, "cases", "jinja.jsonl")) {
		var c struct {
			Name, Template string
			Vars           json.RawMessage
			Expected       *string
		}
		if err := json.Unmarshal(row, &c); err != nil {
			t.Fatal(err)
		}
		var refusal *string
		if changedBeforeRecording[c.Name] {
			unsafe := "object is unsafe"
			c.Expected, refusal = nil, &unsafe
		}
		tmpl, err := jinja.Compile("snippet", c.Template, jinja.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		got, err := tmpl.Render(context.Background(), decode(t, c.Vars), pinned)
		compare(t, c.Name, got, err, c.Expected, refusal)
	}
}

// compare compares a rendering, or its failure, with the expected one. An expected message may follow the name of a Python
// exception.
func compare(t *testing.T, id, got string, err error, want, failure *string) {
	t.Helper()
	var e *jinja.Error
	switch {
	case failure == nil && err != nil:
		t.Errorf("%s: %v", id, err)
	case failure == nil && got != *want:
		t.Errorf("%s:\ngot  %q\nwant %q", id, got, *want)
	case failure != nil && err == nil:
		t.Errorf("%s: rendered, want the failure %s", id, *failure)
	case failure != nil && !errors.As(err, &e):
		t.Errorf("%s: %v is not an *Error", id, err)
	case failure != nil && !strings.Contains(e.Class+": "+e.Message, *failure):
		t.Errorf("%s: failed with %v, want %s", id, e, *failure)
	case failure != nil && (e.Line == 0 || e.Template == ""):
		t.Errorf("%s: %v has no place", id, e)
	}
}

func compileFile(t testing.TB, path string) *jinja.Template {
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

func decode(t testing.TB, data []byte) value.Value {
	t.Helper()
	v, err := value.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// rows yields the lines of a JSON Lines file.
func rows(t testing.TB, path string) func(yield func([]byte) bool) {
	t.Helper()
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
