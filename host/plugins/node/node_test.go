// Package node_test tests a plugin written in JavaScript.
package node_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// install installs the plugin and its packages from the npm registry in a plugin folder, and
// returns the folder.
func install(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node is not installed")
	}
	dir := t.TempDir()
	for _, name := range []string{"netstrings.js", "netstrings.yaml", "cases.jsonl", "health.proto", "controller.proto", "package.json"} {
		data, err := os.ReadFile(name)
		must(t, err)
		text := strings.Replace(string(data), "#!/usr/bin/env node", "#!"+node, 1)
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	definitions, err := filepath.Abs("../../../sdk/proto")
	must(t, err)
	manifest, err := os.OpenFile(filepath.Join(dir, "netstrings.yaml"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	defer manifest.Close()
	_, err = fmt.Fprintf(manifest, "options: {proto: %q}\n", definitions)
	must(t, err)
	npm := exec.Command("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--no-package-lock")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		missing(t, fmt.Sprintf("npm install: %v\n%s", err, out))
	}
	return dir
}

// missing skips the test, or fails it under CI=true.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what + "; install node and npm, with access to the npm registry, to run this test")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAPluginInAnotherLanguage(t *testing.T) {
	shared.Slow(t)
	dir := install(t)
	t.Run("conforms", func(t *testing.T) { conforms(t, dir) })
	t.Run("reports where the output broke the format", func(t *testing.T) { reports(t, dir) })
	t.Run("goes on where a killed one was", func(t *testing.T) { goesOn(t, dir) })
}

func conforms(t *testing.T, dir string) {
	examined := plugins.Verify(t.Context(), filepath.Join(dir, "netstrings.js"), nil)
	if len(examined) != 2 { // on its process and on its handler
		t.Errorf("%d reports", len(examined))
	}
	for _, report := range examined {
		for _, result := range report.Results {
			if result.Fault != "" && !strings.HasPrefix(result.Fault, "it took ") { // node may start slowly on a busy machine
				t.Errorf("%s: %s: %s", report.Handler, result.Demand, result.Fault)
			}
		}
	}
}

// started returns a manager that has loaded the plugin, its handler, and a plan.
func started(t *testing.T, dir string) (*plugins.Manager, handler.StreamHandler, *handler.Plan) {
	t.Helper()
	m, err := plugins.New(plugins.Options{StartTimeout: time.Minute}) // node may start slowly on a busy machine
	must(t, err)
	t.Cleanup(func() { must(t, m.Close(context.Background())) })
	must(t, m.Load(dir))
	h, ok := m.Handler("netstrings")
	if !ok {
		t.Fatal("its handler is missing")
	}
	plan, err := h.Plan(t.Context(), handler.Input{Request: &chat.Request{}})
	must(t, err)
	return m, h.(handler.StreamHandler), plan
}

func reports(t *testing.T, dir string) {
	_, h, plan := started(t, dir)
	s, err := h.OpenStream(t.Context(), handler.StreamInput{Token: plan.Stream.Token}, func(chat.Event) {})
	must(t, err)
	must(t, s.Feed([]byte("c2:Hi<b>")))
	result, err := s.Finish()
	must(t, err)
	want := []chat.Fault{{At: 5, Farthest: 6, Message: `byte 5: expected a letter, a length and ":", found "<"`}}
	if result.Status != chat.Malformed || !slices.Equal(result.Faults, want) {
		t.Errorf("the result is %+v, want the faults %+v", result, want)
	}
}

// goesOn kills the process at several offsets in an output.
func goesOn(t *testing.T, dir string) {
	m, h, plan := started(t, dir)
	const output = `r6:Where?c12:Let me look.n11:get_weathera15:{"city":"Oslo"}`
	const want = `thought "Where?" content "Let me look." call get_weather({"city":"Oslo"})`
	for _, at := range []int{1, 5, 20, len(output) - 1} {
		var got chat.Stream
		in := handler.StreamInput{Token: plan.Stream.Token, GenerationPrompt: "<assistant>"}
		s, err := h.OpenStream(t.Context(), in, func(e chat.Event) { got.Add(e) })
		must(t, err)
		must(t, s.Feed([]byte(output[:at])))
		must(t, syscall.Kill(m.Status()[0].PID, syscall.SIGKILL))
		must(t, s.Feed([]byte(output[at:])))
		_, err = s.Finish()
		must(t, err)
		got.Finish(chat.FinishStop)
		message := cases.MessageOf(got.Message())
		shown := fmt.Sprintf("thought %q content %q", message.ReasoningContent, message.Content)
		for _, call := range message.ToolCalls {
			shown += fmt.Sprintf(" call %s(%s)", call.Name, call.Arguments)
		}
		if shown != want {
			t.Errorf("killed after %d bytes: %s, want %s", at, shown, want)
		}
	}
}
