package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/recorder"
)

// toolRequest is a request with the tool weather.
const toolRequest = `{"messages":[{"role":"user","content":"Weather in Graz?"}],"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"town":{"type":"string"}}}}}]}`

// goodCall and badCall are outputs for chatml-json, of which one misspells a marker.
const (
	goodCall = "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"town\": \"Graz\"}}\n</tool_call>"
	badCall  = "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"town\": }}\n</tool_call>"
)

// recordedIn runs a daemon, in a process of its own, that records outputs into a folder, and is then killed.
func recordedIn(t *testing.T, outputs ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	recordings := filepath.Join(dir, "recordings")
	p := restarting(t, dir, "--recorder-dir", recordings)
	for i, output := range outputs {
		body, err := json.Marshal(map[string]any{"template": "chatml-json", "request": json.RawMessage(toolRequest), "text": output})
		must(t, err)
		answer, list := p.call(t, "ChatService/Parse", string(body)), ""
		for range 2000 { // until it is written
			if list = p.call(t, "RecordingService/ListRecordings", "{}"); strings.Count(list, `"id"`) == i+1 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if strings.Count(list, `"id"`) != i+1 {
			t.Fatalf("answered %s, listed %s", answer, list)
		}
	}
	p.end(t, syscall.SIGKILL)
	return recordings
}

// listed returns what dragoman recordings list prints as JSON.
func listed(t *testing.T, args ...string) (l recorder.Listed) {
	t.Helper()
	code, out, errs := commandLine(t, "", append([]string{"recordings", "list", "--json"}, args...)...)
	if code != exitOK {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	must(t, json.Unmarshal([]byte(out), &l))
	return l
}

func TestRecordingsOfAKilledDaemonAreListedShownExplainedExportedAndReplayed(t *testing.T) {
	dir := recordedIn(t, goodCall, badCall, goodCall)
	all := listed(t, "--recordings", dir)
	if len(all.Recordings) != 3 || len(all.Notes) > 0 {
		t.Fatalf("listed %+v", all)
	}
	bad := listed(t, "--recordings", dir, "--mark", "malformed,truncated").Recordings
	if len(bad) != 1 || bad[0].ID != all.Recordings[1].ID {
		t.Fatalf("marked %+v", bad)
	}
	id := all.Recordings[0].ID
	if code, out, _ := commandLine(t, "", "recordings", "show", id, "--recordings", dir); code != exitOK || !strings.Contains(out, `0.000 "<tool_call>`) || !strings.Contains(out, "Weather in Graz?") {
		t.Errorf("shown with exit code %d:\n%s", code, out)
	}
	if code, out, errs := commandLine(t, "", "explain", "--recording", id, "--recordings", dir); code != exitOK || !strings.Contains(out, "marker") || !strings.Contains(out, `<tool_call>`) {
		t.Errorf("explained with exit code %d:\n%s%s", code, out, errs)
	}
	templates := filepath.Join(t.TempDir(), "templates")
	code, cases, errs := commandLine(t, "", "recordings", "export", "--recordings", dir, "--templates", templates)
	if code != exitOK || strings.Count(cases, "\n") != 2 {
		t.Errorf("exported with exit code %d:\n%s%s", code, cases, errs)
	}
	if code, out, _ := commandLine(t, cases, "check", "--templates", templates, "-"); code != exitOK || !strings.Contains(out, "2 passed, 0 failed") {
		t.Errorf("checked with exit code %d:\n%s", code, out)
	}
	if code, out, errs := commandLine(t, "", "replay", "--recordings", dir); code != exitOK || out != "nothing changes\nrecordings: 3, of which 0 change\n" {
		t.Errorf("replayed with exit code %d:\n%s%s", code, out, errs)
	}
	rules := file(t, t.TempDir(), "rules.yaml", `version: 1
workarounds:
  - name: silent
    because: a test
    when: name == "chatml-json"
    vouch: [calls]
    set: {tools: {per_call_start: "<call>", section_start: ""}}
`)
	code, out, errs := commandLine(t, "", "replay", "--recordings", dir, "--workarounds", rules)
	if code != exitFailed || !strings.Contains(out, "chatml-json\n  case "+all.Recordings[2].ID) || !strings.Contains(out, "recordings: 3, of which 3 change") {
		t.Errorf("replayed under other rules with exit code %d:\n%s%s", code, out, errs)
	}
}

func TestWhatAKilledDaemonLeftHalfWrittenIsSkippedWithANote(t *testing.T) {
	dir := recordedIn(t, goodCall, goodCall)
	segments, err := filepath.Glob(filepath.Join(dir, "*.rec"))
	if err != nil || len(segments) != 1 {
		t.Fatal(segments, err)
	}
	info, err := os.Stat(segments[0])
	must(t, err)
	must(t, os.Truncate(segments[0], info.Size()-10))
	if l := listed(t, "--recordings", dir); len(l.Recordings) != 1 || len(l.Notes) != 1 || !strings.Contains(l.Notes[0], "skipped") {
		t.Errorf("listed %+v", l)
	}
	if code, out, errs := commandLine(t, "", "replay", "--recordings", dir); code != exitOK || !strings.Contains(errs, "note: ") {
		t.Errorf("replayed with exit code %d:\n%s%s", code, out, errs)
	}
}

func TestRecordingsOfARunningDaemon(t *testing.T) {
	own := t.TempDir()
	dir, daemon := filepath.Join(own, "recordings"), "unix:"+filepath.Join(own, "s")
	p := restarting(t, own, "--recorder-dir", dir, "--recorder-key", "a secret")
	p.call(t, "ChatService/Parse", fmt.Sprintf(`{"template": "chatml-json", "request": %s, "text": %q}`, toolRequest, "Hello."))
	var all recorder.Listed
	for began := time.Now(); len(all.Recordings) == 0 && time.Since(began) < 20*time.Second; {
		all = listed(t, "--daemon", daemon)
	}
	if len(all.Recordings) != 1 {
		t.Fatalf("listed %+v", all)
	}
	code, out, errs := commandLine(t, "", "recordings", "show", "--json", all.Recordings[0].ID, "--daemon", daemon)
	if code != exitOK || !strings.Contains(out, `"output":"Hello."`) {
		t.Errorf("shown with exit code %d:\n%s%s", code, out, errs)
	}
	if code, out, errs := commandLine(t, "", "replay", "--daemon", daemon); code != exitOK || !strings.Contains(out, "recordings: 1, of which 0 change") {
		t.Errorf("replayed with exit code %d:\n%s%s", code, out, errs)
	}
	if code, _, errs := commandLine(t, "", "recordings", "list", "--recordings", dir); code != exitFailed || !strings.Contains(errs, "--key-file") {
		t.Errorf("listed without the key with exit code %d: %s", code, errs)
	}
	t.Setenv(envRecorderKey, "a secret")
	if l := listed(t, "--recordings", dir); len(l.Recordings) != 1 {
		t.Errorf("listed %+v", l)
	}
}

func TestASuggestionIsARuleThatReplayConfirms(t *testing.T) {
	const other = "<run>{\"fn\": \"weather\", \"with\": {\"town\": \"Graz\"}}</run>"
	dir := recordedIn(t, "Hello.", other)
	code, out, errs := commandLine(t, "", "suggest", "--recordings", dir)
	for _, part := range []string{"1 of 1 bad outputs are read better, of 2; none worse", `seen: "<run>"`, "version: 1\nworkarounds:", "templates that change: 1; cases that change: 1"} {
		if code != exitOK || !strings.Contains(out, part) {
			t.Errorf("exit code %d, without %s:\n%s%s", code, part, out, errs)
		}
	}
	_, out, _ = commandLine(t, "", "suggest", "--recordings", dir, "--json")
	var found []host.Suggestion
	must(t, json.Unmarshal([]byte(out), &found))
	rules := file(t, t.TempDir(), "rules.yaml", found[0].Rule)
	if code, out, _ := commandLine(t, "", "replay", "--recordings", dir, "--workarounds", rules, "--json"); code != exitFailed || !strings.Contains(out, "weather") {
		t.Errorf("replayed with exit code %d: %s", code, out)
	}
	if code, out, _ := commandLine(t, "", "suggest", "--recordings", dir, "--workarounds", rules); code != exitFailed || !strings.Contains(out, "no rule helps") {
		t.Errorf("suggested under the rule with exit code %d: %s", code, out)
	}
}
