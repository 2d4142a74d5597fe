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

// TestTheReadmeSaysWhatHappens follows the README on a copy of the repository's files, and compares what is printed with what
// the README prints.
func TestTheReadmeSaysWhatHappens(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil && os.Getenv("CI") == "" {
			t.Skipf("%s is not installed", tool)
		}
	}
	dir, address := repositoryCopy(t), freeAddress(t)
	start, rest, _ := strings.Cut(strings.ReplaceAll(read(t, "../../README.md"), "127.0.0.1:8080", address), "**Change how a template is read, live.**")
	_, start, _ = strings.Cut(start, "in another:")
	live, rest, _ := strings.Cut(rest, "## On the command line")
	t.Run("at a daemon", func(t *testing.T) {
		runDaemon(t, dir, address, "bin/dragoman serve")
		follow(t, dir, address, blocksOf(start))
	})
	t.Run("edited live", func(t *testing.T) {
		blocks := blocksOf(live)
		runDaemon(t, dir, address, blocks[0].commands)
		follow(t, dir, address, blocks[1:])
	})
	for line := range strings.Lines(blocksOf(rest)[0].commands) {
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

// repositoryCopy is a folder with what the README's commands name.
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

// runDaemon runs commands that end in a daemon, until the test ends.
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

// follow runs the commands of blocks in one shell and compares what they print.
func follow(t *testing.T, dir, address string, blocks []block) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	script := "until curl -sf http://" + address + "/readyz >/dev/null; do sleep 0.05; done\n"
	var want string
	for _, b := range blocks {
		if b.output == "" { // the README does not show it
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
		t.Errorf("the README's commands print\n%s\nthe README says\n%s\n%s", out.String(), want, errs.String())
	}
}

// block is commands of the README, and what it says that they print.
type block struct{ commands, output string }

var fenced = regexp.MustCompile("(?ms)^```(sh)?\n(.*?)^```$")

// blocksOf are the fenced blocks of commands in a text, with the output that each is followed by.
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

// undated is a text without its times, hashes and ids.
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
