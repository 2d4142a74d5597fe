package autoparser_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/google/go-cmp/cmp"
)

// TestTheManualListsKnownTemplates compares the list of known templates in docs/templates.md with
// what is learned of them.
func TestTheManualListsKnownTemplates(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "templates"), "*.jinja"))
	if err != nil {
		t.Fatal(err)
	}
	claims, rows := shared.Claims(t), table("template", "read by", "reasoning", "calls", "the next prompt")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".jinja")
		l := learnSource(t, name, string(source), "", "", shippedRules(t))
		if handler := shared.Claimant(t, claims, name, string(source)); handler != "" {
			rows = append(rows, row("`"+name+"`", "`"+handler+"`", "", "", stabilityOf(t, l)))
			continue
		}
		check := l.SelfCheck()
		rows = append(rows, row("`"+name+"`", "autoparser", readingOf(reasoningOf(l.Dialect), check, "reasoning", "reasoning-call"),
			readingOf(callsOf(l.Dialect), check, "call", "reasoning-call"), stabilityOf(t, l)))
	}
	data, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	const begin = "<!-- generated: known templates -->\n"
	before, rest, found := strings.Cut(string(data), begin)
	old, after, _ := strings.Cut(rest, "\n\n")
	now := strings.Join(rows, "\n")
	switch d := cmp.Diff(old, now); {
	case !found:
		t.Fatalf("%s has no line %s", manual, begin)
	case d != "" && *update:
		if err := os.WriteFile(manual, []byte(before+begin+now+"\n\n"+after), 0o600); err != nil {
			t.Fatal(err)
		}
	case d != "":
		t.Errorf("out of date; run `make golden`\n-written +now\n%s", d)
	}
}

// readingOf returns how something is written, and whether the rows that write it were read back.
func readingOf(markers string, check autoparser.SelfCheck, rows ...string) string {
	if markers == "" {
		return "none known"
	}
	verdict := "not shown by renderings"
	for _, done := range check.Rows {
		for _, id := range rows {
			switch {
			case done.ID != id || done.Skipped != "":
			case done.Failed != "":
				return markers + ": wrong"
			default:
				verdict = "right"
			}
		}
	}
	return markers + ": " + verdict
}

// stabilityOf returns why the prompt of a conversation's next turn does not begin with that of the turn before.
func stabilityOf(t *testing.T, l *autoparser.Learned) string {
	t.Helper()
	var reasons []string
	for _, r := range l.Rewrites(t.Context()) {
		if !slices.Contains(reasons, r.Because) {
			reasons = append(reasons, r.Because)
		}
	}
	if reasons == nil {
		return "begins with it"
	}
	return strings.Join(reasons, "; ")
}

func reasoningOf(d dialect.Dialect) string {
	if d.Reasoning.Mode == dialect.ReasoningNone {
		return ""
	}
	return marked(d.Reasoning.Start) + " … " + marked(d.Reasoning.End)
}

func callsOf(d dialect.Dialect) string {
	t := d.Tools
	if t.Format == dialect.ToolsNone {
		return ""
	}
	for _, m := range []string{t.SectionStart, t.PerCallStart, t.Function.NamePrefix} {
		if strings.TrimSpace(m) != "" {
			return string(t.Format) + " behind " + marked(m)
		}
	}
	return string(t.Format) + " without a marker"
}

// marked returns a marker as code on one line.
func marked(marker string) string {
	if marker = strings.TrimSpace(marker); marker == "" {
		return "nothing"
	}
	return "`" + strings.ReplaceAll(marker, "\n", "⏎") + "`"
}
