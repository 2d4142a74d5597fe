package api

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
)

const thoughtRule = `version: 1
workarounds:
  - name: thoughts
    because: the test says so
    when: name == "chatml-json"
    set:
      reasoning: {mode: tag_based, start: "<MARK>", end: "</MARK>"}
`

func rulesWith(marker string) string { return strings.ReplaceAll(thoughtRule, "MARK", marker) }

func TestRulesAreTriedEditedAndRolledBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	must(t, os.WriteFile(file, []byte(rulesWith("one")), 0o644))
	d := serve(t, func(c *config.Config) { c.Workarounds.File = file })
	ask := func(method, body string, want ...string) {
		t.Helper()
		status, answer := d.post(t, "/dragoman.v1."+method, body)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", method, status, answer)
		}
		for _, part := range want {
			if !strings.Contains(answer, part) {
				t.Errorf("%s lacks %s:\n%s", method, part, answer)
			}
		}
	}
	ask("WorkaroundService/ListWorkarounds", `{}`, `"because":"the test says so"`, `"template":"chatml-json"`, `reasoning.start: `)

	document := strings.ReplaceAll(strings.ReplaceAll(rulesWith("two"), `"`, `\"`), "\n", `\n`)
	cases := `{\"id\":\"c\",\"kind\":\"parse\",\"template\":\"chatml-json\",\"request\":{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]},\"output\":\"<one>a</one>b\",\"expect\":{\"content\":\"b\",\"reasoning_content\":\"a\",\"tool_calls\":[]}}`
	ask("WorkaroundService/TryWorkarounds", `{"document": "`+document+`", "cases": "`+cases+`"}`,
		`"template":"chatml-json"`, `"field":"reasoning.start"`, `"case":"c"`, "reasoning_content")
	ask("WorkaroundService/TryWorkarounds", `{"document": "version: 1\nworkarounds: 7"}`, `"line":2`, `"message":`)

	must(t, os.WriteFile(file, []byte(rulesWith("two")), 0o644))
	ask("AdminService/Reload", `{}`)
	ask("SnapshotService/ListSnapshots", `{}`, `"source":"start"`, `"source":"workarounds"`, `"before":"`, file, `"in_force":true`)
	ask("SnapshotService/Rollback", `{}`, `"source":"rollback"`, `"held":["workarounds"]`)
	ask("SnapshotService/ListSnapshots", `{}`, `"rollback":{"to":`)

	ask("AdminService/GetStatus", `{}`, `"held":true`, `"on_disk":"`, `"held":["workarounds"]`)

	if status, answer := d.post(t, "/dragoman.v1.SnapshotService/Rollback", `{"to": 4711}`); status != http.StatusNotFound || !strings.Contains(answer, "history.snapshots") {
		t.Errorf("rollback to an unknown snapshot: %d %s", status, answer)
	}
}
