package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/internal/shared"
)

// plugged is a daemon with a plugin folder, in a process of its own.
type plugged struct {
	*process
	executable []byte
}

// The versions of the plugin: one reads digits as reasoning, the other as content, as the autoparser does.
const (
	digits = "name: rogue\nprotocol: 1\nmatch: 'name == \"chatml-json\"'\nversion: 1.0.0\noptions: {Plan: stream}\n"
	plain  = "name: rogue\nprotocol: 1\nmatch: 'name == \"chatml-json\"'\nversion: 1.0.0\noptions: {Plan: none}\n"
)

// Cases that hold with one of them.
const (
	countsDigits = `{"id": "counted", "kind": "parse", "template": "chatml-json", "request": {"messages": [{"role": "user", "content": "Hi"}]}, "output": "12ab", "expect": {"content": "ab", "reasoning_content": "12"}}`
	countsNone   = `{"id": "counted", "kind": "parse", "template": "chatml-json", "request": {"messages": [{"role": "user", "content": "Hi"}]}, "output": "12ab", "expect": {"content": "12ab"}}`
)

// startPlugged starts a daemon with the plugin that reads digits, and a case that needs it.
func startPlugged(t *testing.T) *plugged {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", filepath.Join(dir, "rogue"), "../../host/plugins/testdata/rogue")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	executable, err := os.ReadFile(filepath.Join(dir, "rogue"))
	must(t, err)
	p := &plugged{&process{dir: dir}, executable}
	p.install(t, digits)
	p.write(t, "cases/cases.jsonl", countsDigits)
	p.process = restarting(t, dir, "--log-access", "none", "--plugins", filepath.Join(dir, "plugins"), "--canary-cases", filepath.Join(dir, "cases"), "--state-dir", filepath.Join(dir, "state"))
	return p
}

// install writes a version: each has an executable of its own.
func (p *plugged) install(t *testing.T, manifest string) {
	t.Helper()
	p.write(t, ".executable", string(p.executable)+manifest)
	path := filepath.Join(p.dir, ".executable")
	must(t, os.Chmod(path, 0o755))
	must(t, os.MkdirAll(filepath.Join(p.dir, "plugins"), 0o755))
	must(t, os.Rename(path, filepath.Join(p.dir, "plugins", "rogue")))
	p.write(t, "plugins/rogue.yaml", manifest)
}

// remove removes the plugin.
func (p *plugged) remove(t *testing.T) {
	t.Helper()
	must(t, os.Remove(filepath.Join(p.dir, "plugins", "rogue.yaml")))
	must(t, os.Remove(filepath.Join(p.dir, "plugins", "rogue")))
}

// expect waits until digits are reasoning or not, and the status contains a text, and another one not.
func (p *plugged) expect(t *testing.T, reasoning bool, status, not string) {
	t.Helper()
	var got, is string
	for range 300 {
		got = p.call(t, "ChatService/Parse", `{"template": "chatml-json", "request": {"messages": [{"role": "user", "content": "Hi"}]}, "text": "12ab"}`)
		is = p.call(t, "AdminService/GetStatus", "{}")
		if strings.Contains(got, `"reasoning_content":"12"`) == reasoning && strings.Contains(is, status) && (not == "" || !strings.Contains(is, not)) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("the answer is %s, expected reasoning: %v; the status is %s, expected %q, and not %q\nlog:\n%s", got, reasoning, is, status, not, p.log.String())
}

const heldPlugins = `"held":["plugins"]`

func (p *plugged) rollback(t *testing.T) {
	t.Helper()
	if answer := p.call(t, "SnapshotService/Rollback", `{}`); !strings.Contains(answer, heldPlugins) || !strings.Contains(answer, "rogue.yaml") {
		t.Fatal(answer)
	}
}

// TestARestartKeepsWhatWasDecidedOfPlugins refuses a version, restarts, rolls back, restarts again, and removes the plugin.
func TestARestartKeepsWhatWasDecidedOfPlugins(t *testing.T) {
	shared.Slow(t)
	const refused, removed = "no longer holds", "was removed, and stays in force"
	p := startPlugged(t)
	p.expect(t, true, "rogue", "")

	p.install(t, plain)
	p.expect(t, true, refused, "")
	for _, how := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		p.restart(t, how)
		p.expect(t, true, refused, "")
		if !strings.Contains(p.log.String(), "held back") {
			t.Errorf("the log does not tell:\n%s", p.log.String())
		}
	}

	p.write(t, "cases/cases.jsonl", countsNone) // other cases decide anew
	p.restart(t, syscall.SIGTERM)
	p.expect(t, false, "rogue", refused)
	if history := p.call(t, "SnapshotService/ListSnapshots", "{}"); !strings.Contains(history, `"source":"plugins"`) {
		t.Errorf("the history is %s", history)
	}

	p.rollback(t)
	for range 2 {
		p.expect(t, true, heldPlugins, "")
		p.call(t, "AdminService/Reload", "{}")
		p.expect(t, true, heldPlugins, "")
		p.restart(t, syscall.SIGTERM)
	}
	p.expect(t, true, heldPlugins, "")
	p.install(t, plain+"# again\n")
	p.expect(t, false, "rogue", heldPlugins)

	p.rollback(t)
	p.expect(t, true, heldPlugins, "")
	p.install(t, digits) // the files have what is in force again
	p.expect(t, true, "rogue", heldPlugins)

	p.write(t, "cases/cases.jsonl", countsDigits)
	p.remove(t)
	p.expect(t, true, removed, "")
	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		p.restart(t, how)
		p.expect(t, true, removed, "")
	}
	p.write(t, "cases/cases.jsonl", countsNone)
	p.restart(t, syscall.SIGTERM)
	p.expect(t, false, "and is gone", removed)

	p.rollback(t)
	for range 2 {
		p.expect(t, true, heldPlugins, "")
		p.restart(t, syscall.SIGKILL)
	}
	if kept, err := filepath.Glob(filepath.Join(p.dir, "state", "plugins", "*")); err != nil || len(kept) != 1 {
		t.Errorf("the state folder keeps %q", kept)
	}
}

// TestARestartKeepsANewPluginOut refuses a plugin where there was none, and then rolls back its addition.
func TestARestartKeepsANewPluginOut(t *testing.T) {
	shared.Slow(t)
	p := startPlugged(t)
	p.write(t, "cases/cases.jsonl", countsNone)
	p.remove(t)
	p.expect(t, false, "plugins", `"name":"rogue"`)
	p.install(t, digits)
	p.expect(t, false, "no longer holds", "")
	p.restart(t, syscall.SIGKILL)
	p.expect(t, false, "no longer holds", "")
	p.write(t, "cases/cases.jsonl", countsDigits)
	p.call(t, "AdminService/Reload", "{}")
	p.expect(t, true, "rogue", "no longer holds")
	p.rollback(t)
	for range 2 {
		p.expect(t, false, heldPlugins, "")
		p.restart(t, syscall.SIGKILL)
	}
}

// TestAPluginChangedWhileTheDaemonIsDownIsTried changes it for the worse, damages its copy, and changes it again.
func TestAPluginChangedWhileTheDaemonIsDownIsTried(t *testing.T) {
	shared.Slow(t)
	p := startPlugged(t)
	p.expect(t, true, "rogue", "")
	p.end(t, syscall.SIGTERM)
	p.install(t, plain)
	p.start(t)
	p.expect(t, true, "no longer holds", "")

	p.end(t, syscall.SIGTERM)
	kept, err := filepath.Glob(filepath.Join(p.dir, "state", "plugins", "*"))
	must(t, err)
	for _, file := range kept {
		must(t, os.WriteFile(file+"~", []byte("damaged"), 0o700))
		must(t, os.Rename(file+"~", file))
	}
	p.start(t)
	p.expect(t, false, "held back", "") // nothing is better than what was refused
	if !strings.Contains(p.log.String(), "cannot be restored") {
		t.Errorf("the log does not tell:\n%s", p.log.String())
	}
}
