package workaround

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func manual(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/workarounds.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheManualListsTheFields(t *testing.T) {
	_, table, _ := strings.Cut(manual(t), "<!-- fields: held by a test -->\n| field | values |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for _, f := range fields() {
		values := map[string]string{"bool": "`true`, `false`", "slice": "list of texts", "string": "text"}[f.typ.Kind().String()]
		if c := choices(f.typ); c != nil {
			values = "`" + strings.Join(c, "`, `") + "`"
		}
		want = append(want, fmt.Sprintf("| `%s` | %s |", f.path, values))
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), table); diff != "" {
		t.Error(diff)
	}
}

func TestTheManualNamesTheNormalisations(t *testing.T) {
	for _, n := range Normalisations() {
		if !strings.Contains(manual(t), "`"+string(n)+"`") {
			t.Errorf("docs/workarounds.md does not name %s", n)
		}
	}
}

func TestTheRulesInTheManualAreValid(t *testing.T) {
	blocks := strings.Split(manual(t), "```yaml\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("docs/workarounds.md shows no rule")
	}
	for _, b := range blocks {
		text, _, _ := strings.Cut(b, "```")
		if _, err := Parse("docs/workarounds.md", []byte(text)); err != nil {
			t.Error(err)
		}
	}
}
