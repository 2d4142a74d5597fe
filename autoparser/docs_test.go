package autoparser_test

import (
	"context"
	"fmt"
	"os"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/google/go-cmp/cmp"
)

const manual = "../docs/templates.md"

// TestTheManualOfTemplates compares the lists in docs/templates.md with their source tables. A list
// begins after a line that names it and ends at the next blank line; the rest is written by hand.
func TestTheManualOfTemplates(t *testing.T) {
	data, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, list := range []struct {
		name string
		rows []string
	}{
		{"templates", embeddedTemplates(t)},
		{"capabilities", capabilityRows(t)},
		{"normalisations", normalisationRows()},
		{"comparisons", comparisonRows()},
		{"self-check", selfCheckRows()},
		{"refused", refusedRows()},
	} {
		before, rest, found := strings.Cut(text, "<!-- generated: "+list.name+" -->\n")
		old, after, _ := strings.Cut(rest, "\n\n")
		if !found {
			t.Fatalf("%s has no line <!-- generated: %s -->", manual, list.name)
		}
		now := strings.Join(list.rows, "\n")
		if d := cmp.Diff(old, now); d != "" && !*update {
			t.Errorf("%s is out of date; run `make golden`\n-written +now\n%s", list.name, d)
		}
		text = before + "<!-- generated: " + list.name + " -->\n" + now + "\n\n" + after
	}
	if *update && text != string(data) {
		if err := os.WriteFile(manual, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// table returns a Markdown table.
func table(columns ...string) []string {
	return []string{row(columns...), "|" + strings.Repeat("---|", len(columns))}
}

func row(cells ...string) string {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

func embeddedTemplates(t *testing.T) []string {
	t.Helper()
	rows := table("template", "reasoning", "content", "calls", "self-check", "to look at")
	files, err := dragoman.Templates.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		source, err := dragoman.Templates.ReadFile(path.Join("templates", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		l := learnSource(t, f.Name(), string(source), "", "", shippedRules(t))
		d := l.Dialect
		rows = append(rows, row("`"+strings.TrimSuffix(f.Name(), ".jinja")+"`", string(d.Reasoning.Mode), string(d.Content.Mode),
			string(d.Tools.Format), l.SelfCheck().Score(), strings.Join(l.Lint(context.Background()), "; ")))
	}
	return rows
}

func capabilityRows(t *testing.T) []string {
	t.Helper()
	rows := table("capability", "question")
	for _, a := range learnSource(t, "x", "", "", "", nil).Template.Abilities {
		rows = append(rows, row("`"+a.ID+"`", a.Question))
	}
	return rows
}

func normalisationRows() []string {
	rows := table("normalisation", "because")
	for _, n := range autoparser.Normalisations() {
		rows = append(rows, row("`"+n.ID+"`", n.Because))
	}
	return rows
}

func comparisonRows() []string {
	rows := table("id", "question", "what differs", "compared with")
	for _, c := range probe.Comparisons() {
		rows = append(rows, row(c.ID, c.Question, c.Differs, c.A.Name))
	}
	return rows
}

func selfCheckRows() []string {
	rows := table("id", "question")
	for _, r := range autoparser.SelfCheckRows() {
		rows = append(rows, row("`"+r.ID+"`", r.Question))
	}
	return rows
}

func refusedRows() []string {
	rows := table("kind", "name", "why")
	for _, r := range jinja.Refused() {
		rows = append(rows, row(r.Kind, fmt.Sprintf("`%s`", r.Name), r.Why))
	}
	return rows
}

// TestTheManualNamesEveryMemberOfAnExplanation checks the manual's table of fields against the
// types.
func TestTheManualNamesEveryMemberOfAnExplanation(t *testing.T) {
	data, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range membersOf(reflect.TypeFor[autoparser.Explanation](), "") {
		if !strings.Contains(string(data), "`"+member+"`") {
			t.Errorf("%s does not describe %s", manual, member)
		}
	}
}

// membersOf returns the paths of the fields in a type's JSON that are not objects.
func membersOf(typ reflect.Type, path string) []string {
	switch typ.Kind() {
	case reflect.Slice:
		if typ.Elem().Kind() != reflect.Struct && strings.Contains(path, ".") {
			return []string{path}
		}
		return membersOf(typ.Elem(), path+"[]")
	case reflect.Struct:
		var all []string
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			all = append(all, membersOf(f.Type, strings.TrimPrefix(path+"."+name, "."))...)
		}
		return all
	}
	return []string{path}
}
