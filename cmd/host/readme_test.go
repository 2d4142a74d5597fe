package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTheReadmeSaysWhatHappens follows the part of the README that edits rules live, on a copy of the repository's files, and
// compares what is printed with what the README prints.
func TestTheReadmeSaysWhatHappens(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil && os.Getenv("CI") == "" {
			t.Skipf("%s is not installed", tool)
		}
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "bin", "host"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file(t, dir, "workarounds.yaml", read(t, "../../workarounds.yaml"))
	address := freeAddress(t)
	blocks := readmeBlocks(t, address)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	serve := exec.CommandContext(ctx, "bash", "-c", strings.Replace(blocks[0].commands, "bin/host serve", "exec bin/host serve --listen "+address, 1))
	serve.Dir = dir
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = serve.Process.Signal(os.Interrupt)
		_ = serve.Wait()
	}()
	script := "until curl -sf http://" + address + "/readyz >/dev/null; do sleep 0.05; done\n"
	var want string
	for _, b := range blocks[1:] {
		script += b.commands + "\necho ----\n"
		want += b.output + "----\n"
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if got, want := undated(out.String()), undated(want); got != want {
		t.Errorf("the README's commands print\n%s\nthe README says\n%s\n%s", out.String(), want, errs.String())
	}
}

// block is commands of the README, and what it says that they print.
type block struct{ commands, output string }

var fenced = regexp.MustCompile("(?ms)^```(sh)?\n(.*?)^```$")

// readmeBlocks are the blocks of the part about live edits, with another address.
func readmeBlocks(t *testing.T, address string) (blocks []block) {
	t.Helper()
	_, part, _ := strings.Cut(read(t, "../../README.md"), "**Change how a template is read, live.**")
	part, _, _ = strings.Cut(part, "\n## ")
	part = strings.ReplaceAll(part, "127.0.0.1:8080", address)
	for _, m := range fenced.FindAllStringSubmatch(part, -1) {
		if m[1] == "sh" {
			blocks = append(blocks, block{commands: strings.ReplaceAll(m[2], "bin/host rollback", "export DRAGOMAN_DAEMON=http://"+address+"; bin/host rollback")})
		} else if len(blocks) > 0 {
			blocks[len(blocks)-1].output = m[2]
		}
	}
	if len(blocks) < 4 {
		t.Fatalf("the README has %d blocks of commands about live edits", len(blocks))
	}
	return blocks
}

var dated = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\b[0-9a-f]{12}\b`)

// undated is a text without its times and hashes.
func undated(text string) string { return dated.ReplaceAllString(text, "…") }

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// freeAddress is one on loopback at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
