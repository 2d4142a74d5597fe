package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asDaemon makes the test binary run the command line instead of the tests.
const asDaemon = "RUN_AS_DRAGOMAN"

func TestMain(m *testing.M) {
	if os.Getenv(asDaemon) != "" {
		main()
		return
	}
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		panic(err)
	}
	if err := errors.Join(os.Setenv("XDG_STATE_HOME", dir), os.Unsetenv("STATE_DIRECTORY")); err != nil { // no test writes into that of the user
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// process is a daemon in a process of its own, which can be restarted.
type process struct {
	dir    string
	args   []string
	cmd    *exec.Cmd
	log    *lockedBuffer
	client *http.Client
}

// restarting starts a daemon with these flags. Its files are in a folder of its own.
func restarting(t testing.TB, dir string, flags ...string) *process {
	t.Helper()
	socket := filepath.Join(dir, "s")
	p := &process{dir: dir, args: append([]string{"serve", "--listen", "unix:" + socket}, flags...), client: &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}}
	p.start(t)
	t.Cleanup(func() { p.end(t, syscall.SIGKILL) })
	return p
}

func (p *process) start(t testing.TB) {
	t.Helper()
	p.log = new(lockedBuffer)
	p.cmd = exec.Command(os.Args[0], p.args...)
	p.cmd.Env = append(os.Environ(), asDaemon+"=1")
	p.cmd.Stderr = p.log
	must(t, p.cmd.Start())
	get(t, p.client, "http://host/healthz")
}

func (p *process) end(t testing.TB, how syscall.Signal) {
	t.Helper()
	_ = p.cmd.Process.Signal(how) // it may have ended
	_ = p.cmd.Wait()
}

func (p *process) restart(t *testing.T, how syscall.Signal) {
	t.Helper()
	p.end(t, how)
	p.start(t)
}

// write replaces a file of the daemon.
func (p *process) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(p.dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path+"~", []byte(content), 0o600))
	must(t, os.Rename(path+"~", path))
}

func (p *process) call(t *testing.T, method, body string) string {
	t.Helper()
	res, err := p.client.Post("http://host/dragoman.v1."+method, "application/json", strings.NewReader(body))
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	return string(text)
}

// inForce returns the name of the rule in force: the tags that it reads as reasoning.
func (p *process) inForce(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"first", "second"} {
		if strings.Contains(p.call(t, "ChatService/Parse", fmt.Sprintf(`{"template": "chatml-json", "request": {"messages": [{"role": "user", "content": "Hi"}]},
			"text": "<%[1]s>yes</%[1]s>"}`, name)), `"reasoning_content":"yes"`) {
			return name
		}
	}
	return ""
}

// expect waits until this rule is in force and the status contains a text.
func (p *process) expect(t *testing.T, rule, status string) {
	t.Helper()
	var got, is string
	for range 300 {
		got, is = p.inForce(t), p.call(t, "AdminService/GetStatus", "{}")
		if got == rule && strings.Contains(is, status) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("in force is %q, expected %q; the status is %s, expected %q\nlog:\n%s", got, rule, is, status, p.log.String())
}

// tags returns a file with a rule by which tags of this name are reasoning.
func tags(name string) string {
	return "version: 1\nworkarounds:\n  - name: reasoning\n    because: a test\n    when: name == \"chatml-json\"\n    set:\n" +
		"      reasoning: {mode: tag_based, start: \"<" + name + ">\", end: \"</" + name + ">\"}\n"
}

const onlyFirst = `{"id": "thoughts", "kind": "parse", "template": "chatml-json", "request": {"messages": [{"role": "user", "content": "Hi"}]}, "output": "<first>one</first>two", "expect": {"content": "two", "reasoning_content": "one"}}`

// TestARestartKeepsWhatWasDecided refuses rules, restarts, rolls back, and restarts again.
func TestARestartKeepsWhatWasDecided(t *testing.T) {
	dir := t.TempDir()
	p := &process{dir: dir}
	p.write(t, "rules.yaml", tags("first"))
	p.write(t, "cases/cases.jsonl", onlyFirst)
	p = restarting(t, dir, "--log-access", "none", "--workarounds", filepath.Join(dir, "rules.yaml"), "--canary-cases", filepath.Join(dir, "cases"), "--state-dir", filepath.Join(dir, "state"))
	p.expect(t, "first", "workarounds")

	p.write(t, "rules.yaml", tags("second"))
	p.expect(t, "first", "no longer holds")
	for _, how := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		p.restart(t, how)
		p.expect(t, "first", "no longer holds")
		if !strings.Contains(p.log.String(), "held back") {
			t.Errorf("the log does not tell:\n%s", p.log.String())
		}
	}

	must(t, os.RemoveAll(filepath.Join(dir, "cases"))) // what cannot be tried does not go live, at a restart either
	p.restart(t, syscall.SIGTERM)
	p.expect(t, "first", "could not be tried")

	p.write(t, "cases/cases.jsonl", strings.ReplaceAll(onlyFirst, "first", "second")) // other cases decide anew
	p.restart(t, syscall.SIGTERM)
	p.expect(t, "second", "workarounds")

	if answer := p.call(t, "SnapshotService/Rollback", `{}`); !strings.Contains(answer, "held") {
		t.Fatal(answer)
	}
	p.expect(t, "first", `"held":["workarounds"]`)
	for range 2 {
		p.restart(t, syscall.SIGTERM)
		p.expect(t, "first", `"held":["workarounds"]`)
	}
	p.write(t, "rules.yaml", tags("second")+"# again\n")
	p.expect(t, "second", "workarounds")

	p.end(t, syscall.SIGTERM) // changed while it is down, and worse
	p.write(t, "rules.yaml", tags("first"))
	p.start(t)
	p.expect(t, "second", "no longer holds")

	p.end(t, syscall.SIGTERM) // invalid
	p.write(t, "rules.yaml", "version: 9\n")
	p.start(t)
	p.expect(t, "second", "version")

	p.end(t, syscall.SIGTERM) // damaged
	p.write(t, "rules.yaml", tags("first"))
	p.write(t, "state/state.json", "{")
	p.start(t)
	p.expect(t, "first", "workarounds")
	if !strings.Contains(p.log.String(), "the state folder is damaged") {
		t.Errorf("the log does not tell:\n%s", p.log.String())
	}
}

// TestARestartKeepsTheSettingsOfARollback rolls back a setting whose effect is in the log.
func TestARestartKeepsTheSettingsOfARollback(t *testing.T) {
	dir := t.TempDir()
	p := &process{dir: dir}
	p.write(t, "dragoman.yaml", "log: {access: all}\nauth: {tokens: []}\n")
	p = restarting(t, dir, "--config", filepath.Join(dir, "dragoman.yaml"), "--state-dir", filepath.Join(dir, "state"))
	p.write(t, "dragoman.yaml", "log: {access: none}\n")
	waits := func(text string, held bool) {
		t.Helper()
		for range 300 {
			if strings.Contains(p.call(t, "SnapshotService/ListSnapshots", "{}"), text) == held {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatalf("waiting for %s: %v\n%s", text, held, p.log.String())
	}
	waits(`"source":"config"`, true)
	if answer := p.call(t, "SnapshotService/Rollback", `{}`); !strings.Contains(answer, `"held":["config"]`) {
		t.Fatal(answer)
	}
	for range 2 {
		p.restart(t, syscall.SIGTERM)
		waits(`"held":["config"]`, true)
		p.end(t, syscall.SIGTERM) // a request is logged after it was answered
		if log := p.log.String(); !strings.Contains(log, "method=dragoman.v1.SnapshotService") {
			t.Errorf("requests are not logged:\n%s", log)
		}
	}
	p.start(t)
	p.write(t, "dragoman.yaml", "log: {access: failed}\n")
	waits(`"held"`, false)
}

// TestARestartReportsPluginsThatAreGone removes a plugin while the daemon is down.
func TestARestartReportsPluginsThatAreGone(t *testing.T) {
	dir := t.TempDir()
	p := &process{dir: dir}
	p.write(t, "plugins/reader.yaml", "name: reader\nprotocol: 1\nversion: 1.0.0\nmatch: 'name == \"chatml-json\"'\n")
	p.write(t, "plugins/reader", "#!/bin/sh\n")
	must(t, os.Chmod(filepath.Join(dir, "plugins", "reader"), 0o755))
	p = restarting(t, dir, "--log-access", "none", "--plugins", filepath.Join(dir, "plugins"), "--state-dir", filepath.Join(dir, "state"))
	p.end(t, syscall.SIGTERM)
	must(t, os.Remove(filepath.Join(dir, "plugins", "reader.yaml")))
	p.start(t)
	const gone = "the plugin was in force before the restart, and is gone"
	if status := p.call(t, "AdminService/GetStatus", "{}"); !strings.Contains(status, gone) || !strings.Contains(p.log.String(), gone) {
		t.Errorf("the status is %s, and the log\n%s", status, p.log.String())
	}
}

func TestTwoDaemonsDoNotShareAStateFolder(t *testing.T) {
	dir := t.TempDir()
	p := restarting(t, dir, "--state-dir", filepath.Join(dir, "state"))
	other := exec.Command(os.Args[0], "serve", "--listen", "unix:"+filepath.Join(dir, "other"), "--state-dir", filepath.Join(dir, "state"))
	other.Env = append(os.Environ(), asDaemon+"=1")
	var errs bytes.Buffer
	other.Stderr = &errs
	if err := other.Run(); err == nil || !strings.Contains(errs.String(), "in use by another daemon") {
		t.Errorf("%v, %s", err, errs.String())
	}
	p.end(t, syscall.SIGTERM)
}

// TestARestartKeepsTemplatesThatWerePut puts templates, replaces one, rolls back another, damages the file of a third, and restarts.
func TestARestartKeepsTemplatesThatWerePut(t *testing.T) {
	dir := t.TempDir()
	p := restarting(t, dir, "--state-dir", filepath.Join(dir, "state"))
	put := func(name, source string) {
		t.Helper()
		if answer := p.call(t, "TemplateService/PutTemplate", fmt.Sprintf(`{"name": %q, "source": %q, "eos_token": "<e>"}`, name, source)); !strings.Contains(answer, `"origin":"upload"`) {
			t.Fatal(answer)
		}
	}
	expect := func(name, prompt string) {
		t.Helper()
		answer := p.call(t, "ChatService/Render", `{"template": "`+name+`", "request": {"messages": [{"role": "user", "content": "Hi"}]}}`)
		if !strings.Contains(answer, prompt) {
			t.Errorf("%s renders %s, want %s\n%s", name, answer, prompt, p.log.String())
		}
	}
	put("acme/model", "first {{ messages[0].content }}{{ eos_token }}")
	put("acme/model", "second {{ messages[0].content }}{{ eos_token }}")
	put("chatml-json", "mine {{ messages[0].content }}")
	put("damaged", "{{ messages[0].content }}")
	put("mistake", "{{ messages[0].content }}")
	if answer := p.call(t, "SnapshotService/Rollback", `{}`); strings.Contains(answer, `"code"`) {
		t.Fatal(answer)
	}
	for _, how := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		p.restart(t, how)
		expect("acme/model", "second Hi<e>")
		expect("chatml-json", "mine Hi")
		expect("damaged", "Hi")
		expect("mistake", "no such template")
	}
	p.end(t, syscall.SIGTERM)
	p.write(t, "state/templates/damaged.json", "{")
	p.start(t)
	expect("damaged", "no such template")
	expect("acme/model", "second Hi<e>")
	if !strings.Contains(p.log.String(), "damaged.json: ") {
		t.Errorf("the log does not tell:\n%s", p.log.String())
	}
}
