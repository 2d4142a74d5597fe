package main

import (
	"bytes"
	"context"
	"github.com/dragoman-project/dragoman/internal/shared"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTheReadmeSaysWhatHappens runs the README's commands at a daemon and compares what they print with what it shows.
func TestTheReadmeSaysWhatHappens(t *testing.T) {
	shared.Slow(t)
	needsShell(t)
	dir, address := repositoryCopy(t), freeAddress(t)
	_, text, found := strings.Cut(strings.ReplaceAll(read(t, "../../README.md"), "127.0.0.1:8080", address), "in another")
	if text, _, _ = strings.Cut(text, "## In a Go program"); !found {
		t.Fatal("the README has another structure")
	}
	runDaemon(t, dir, address, "bin/dragoman serve --replay")
	follow(t, dir, address, blocksOf(text))
}

// TestTheTourSaysWhatHappens follows docs/tour.md on a copy of the repository's files.
func TestTheTourSaysWhatHappens(t *testing.T) {
	shared.Slow(t)
	needsShell(t)
	dir, address := repositoryCopy(t), freeAddress(t)
	sections := strings.Split(strings.ReplaceAll(read(t, "../../docs/tour.md"), "127.0.0.1:8080", address), "\n## ")
	if len(sections) != 5 {
		t.Fatalf("the tour has %d sections", len(sections)-1)
	}
	t.Run("at a daemon", func(t *testing.T) {
		runDaemon(t, dir, address, "bin/dragoman serve")
		follow(t, dir, address, blocksOf(sections[1]+sections[2]))
	})
	t.Run("edited live", func(t *testing.T) {
		blocks := blocksOf(sections[3])
		runDaemon(t, dir, address, blocks[0].commands)
		follow(t, dir, address, blocks[1:])
	})
	for line := range strings.Lines(blocksOf(sections[4])[0].commands) {
		t.Run(line, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if differs := strings.Contains(line, "dragoman diff"); (err != nil) != differs || len(out) == 0 && !strings.Contains(line, "dragoman lint") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// needsShell skips a test where there is no shell or no curl, except in continuous integration.
func needsShell(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil && os.Getenv("CI") == "" {
			t.Skipf("%s is not installed", tool)
		}
	}
}

// repositoryCopy returns a folder with what the documented commands name.
func repositoryCopy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Symlink(binary(t), filepath.Join(dir, "bin")))
	must(t, os.MkdirAll(filepath.Join(dir, "cmd"), 0o700))
	for _, name := range []string{"templates", "cmd/host"} {
		path, err := filepath.Abs(filepath.Join(checkout, name))
		must(t, err)
		must(t, os.Symlink(path, filepath.Join(dir, name)))
	}
	file(t, dir, "workarounds.yaml", read(t, "../../workarounds.yaml"))
	return dir
}

// runDaemon runs commands, the last of which is a daemon, until the test ends.
func runDaemon(t *testing.T, dir, address, commands string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", strings.Replace(commands, "bin/dragoman serve", "exec bin/dragoman serve --listen "+address, 1))
	cmd.Dir = dir
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
}

// follow runs the commands of blocks in one shell and compares what they print with the outputs shown.
func follow(t *testing.T, dir, address string, blocks []block) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	script := "until curl -sf http://" + address + "/readyz >/dev/null; do sleep 0.05; done\n"
	var want string
	for _, b := range blocks {
		if b.output == "" { // not shown
			b.commands = "{ " + b.commands + "} >&2"
		}
		script += b.commands + "\necho ----\n"
		want += b.output + "----\n"
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	cmd.Env = append(os.Environ(), envDaemon+"=http://"+address)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if got, want := undated(out.String()), undated(want); got != want || strings.Contains(errs.String(), `"code"`) {
		t.Errorf("the commands print\n%s\nthe document shows\n%s\n%s", out.String(), want, errs.String())
	}
}

// block is a block of commands, and the output that the document shows for it.
type block struct{ commands, output string }

var fenced = regexp.MustCompile("(?ms)^```(sh)?\n(.*?)^```$")

// blocksOf returns the fenced blocks of commands in a text, each with the output that follows it.
func blocksOf(text string) (blocks []block) {
	for _, m := range fenced.FindAllStringSubmatch(text, -1) {
		if m[1] == "sh" {
			blocks = append(blocks, block{commands: m[2]})
		} else {
			blocks[len(blocks)-1].output = m[2]
		}
	}
	return blocks
}

var dated = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\b[0-9a-f]{12}\b|\bcall_[a-z0-9]{10,}`)

// undated replaces the times, hashes and ids in a text.
func undated(text string) string { return dated.ReplaceAllString(text, "…") }

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// freeAddress returns an unused address on loopback.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
