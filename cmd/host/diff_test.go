package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// thoughtRule returns rules that set the markers of reasoning.
func thoughtRule(marker string) string {
	return strings.ReplaceAll(`version: 1
workarounds:
  - name: thoughts
    because: the test says so
    when: name == "chatml-json"
    set:
      reasoning: {mode: tag_based, start: "<MARK>", end: "</MARK>"}
`, "MARK", marker)
}

const thoughtCase = `{"id": "thoughts", "kind": "parse", "template": "chatml-json", "request": {"messages": [{"role": "user", "content": "Hi"}]}, "output": "<one>a</one>b", "expect": {"content": "b", "reasoning_content": "a", "tool_calls": []}}`

func file(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestADiffOfRulesIsPrinted(t *testing.T) {
	dir := t.TempDir()
	one, two := file(t, dir, "one.yaml", thoughtRule("one")), file(t, dir, "two.yaml", thoughtRule("two"))
	cases := file(t, dir, "cases.jsonl", thoughtCase+"\n")
	bad := file(t, dir, "bad.yaml", "version: 1\nworkarounds:\n  - nam: x\n")
	tests := []struct {
		args []string
		code int
		want []string
	}{
		{[]string{one, two, "--cases", cases}, exitFailed, []string{"chatml-json\n", "reasoning.start: <one> → <two>", "case thoughts (chatml-json) no longer holds", `expected "a"`}},
		{[]string{two, one, "--cases", cases}, exitFailed, []string{"case thoughts (chatml-json) holds now"}},
		{[]string{one, one, "--cases", cases}, exitOK, []string{"nothing changes"}},
		{[]string{one, two, "--json"}, exitFailed, []string{`{"faults":[],"templates":[{"template":"chatml-json","fields":[{"field":"reasoning.end","before":"</one>","after":"</two>"}`}},
		{[]string{one, bad}, exitFailed, []string{bad + ":3:"}},
		{[]string{one}, exitUsage, nil},
	}
	for _, tt := range tests {
		code, out, errs := commandLine(t, "", append([]string{"diff", "--templates", "../../templates"}, tt.args...)...)
		if code != tt.code {
			t.Errorf("%q exit code %d: %s%s", tt.args, code, out, errs)
		}
		for _, part := range tt.want {
			if !strings.Contains(out, part) {
				t.Errorf("%q lacks %q:\n%s", tt.args, part, out)
			}
		}
	}
}

func TestLintReportsCasesThatPassUnderTheShippedRulesOnly(t *testing.T) {
	dir := t.TempDir()
	rules := file(t, dir, "rules.yaml", thoughtRule("one"))
	plain := strings.NewReplacer(`"b"`, `"<one>a</one>b"`, `"reasoning_content": "a"`, `"reasoning_content": ""`).Replace(thoughtCase)
	code, out, errs := commandLine(t, "", "lint", rules, "--templates", "../../templates", "--cases", file(t, dir, "cases.jsonl", plain+"\n"))
	if want := rules + ":3:1: case thoughts (chatml-json) no longer holds: content"; code != exitFailed || !strings.Contains(out, want) {
		t.Errorf("exit code %d, printed\n%s%s\nwant %q", code, out, errs, want)
	}
	if code, out, _ := commandLine(t, "", "lint", rules, "--templates", "../../templates", "--cases", file(t, dir, "cases.jsonl", thoughtCase+"\n")); code != exitOK {
		t.Errorf("of a case that holds under its rules it told\n%s", out)
	}
	idle := file(t, dir, "idle.yaml", thoughtRule("one")+"  - {name: idle, because: a test, when: name == \"nobody\", stop: [END]}\n")
	_, out, _ = commandLine(t, "", "lint", idle, "--templates", "../../templates", "--cases", file(t, dir, "cases.jsonl", plain+"\n"))
	for _, want := range []string{idle + ":3:1: case thoughts", `rule "idle" holds for none of the templates`} {
		if !strings.Contains(out, want) {
			t.Errorf("beside a rule of no use it told\n%s\nwant %q", out, want)
		}
	}
}

// TestRollbackRestoresEarlierRules edits the rules of a daemon and rolls back.
func TestRollbackRestoresEarlierRules(t *testing.T) {
	dir := t.TempDir()
	rules, two := file(t, dir, "rules.yaml", thoughtRule("one")), file(t, dir, "two.yaml", thoughtRule("two"))
	daemon := startServe(t, "--workarounds", rules)
	tell := func(want string, args ...string) {
		t.Helper()
		_, out, errs := commandLine(t, "", append(args, "--daemon", daemon)...)
		if !strings.Contains(out+errs, want) {
			t.Errorf("%q prints\n%s%s\nwant %q", args, out, errs, want)
		}
	}
	tell("  start\n", "history")
	tell("reasoning.start: <one> → <two>", "diff", two)
	tell("no snapshot of this generation", "rollback", "--to", "77")
	tell("dragoman.yaml:1:1", "diff", file(t, dir, "dragoman.yaml", "version: 3\n"))
	tell("is remembered that differs", "rollback")
	tell(`"snapshots":[{"generation":"`, "history", "--json")

	file(t, dir, "rules.yaml", thoughtRule("two"))
	for edited := false; !edited; time.Sleep(10 * time.Millisecond) {
		_, out, _ := commandLine(t, "", "history", "--daemon", daemon)
		edited = strings.Contains(out, "workarounds: "+rules)
	}
	tell("nothing changes", "diff", two)
	tell("held back until they change on disk: workarounds", "rollback")
	tell("reasoning.start: <one> → <two>", "diff", two)
}

// startServe runs a daemon on a socket until the test ends, and returns its address.
func startServe(t *testing.T, args ...string) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	var log bytes.Buffer
	go func() {
		ended <- run(ctx, append([]string{"serve", "--listen", "unix:" + socket}, args...), nil, io.Discard, &log)
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != exitOK {
			t.Errorf("the daemon exit code %d:\n%s", code, log.String())
		}
	})
	get(t, &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}, "http://daemon/readyz")
	return "unix:" + socket
}
