package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
)

// write writes a file into a new folder and returns its path.
func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dragoman.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConfigCheckReportsAllFaultsWithTheirPlaces(t *testing.T) {
	faulty := write(t, "limits:\n  sessions: many\nlog:\n  level: loud\n  colour: red\n")
	code, out, errs := commandLine(t, "", "config", "check", faulty)
	for _, want := range []string{
		faulty + `:2:13: limits.sessions is "many"; expected a whole number`,
		faulty + `:4:10: log.level: unknown value "loud"`,
		faulty + `:5:3: unknown key "log.colour"`,
	} {
		if !strings.Contains(out, want+"") {
			t.Errorf("printed\n%s\nwant %s", out, want)
		}
	}
	if lines := strings.Count(out, "\n"); code != exitFailed || lines != 3 || errs != "" {
		t.Errorf("exit code %d, %d lines, and %q beside them", code, lines, errs)
	}
	if code, out, _ := commandLine(t, "", "config", "check", write(t, " \n")); code != exitFailed || !strings.Contains(out, ":1:1: the configuration file is empty") {
		t.Errorf("an empty file: %d, %q", code, out)
	}
	if code, out, _ := commandLine(t, "", "config", "check", write(t, "limits: {sessions: 3}\n")); code != exitOK || out != "" {
		t.Errorf("a sound file: %d, %q", code, out)
	}
}

// TestConfigurationsThatADaemonRefusesAreNotShown tries an empty file, and one that is not text, with all commands.
func TestConfigurationsThatADaemonRefusesAreNotShown(t *testing.T) {
	for content, want := range map[string]string{"\n": ":1:1: the configuration file is empty", "\xff\x00": ":1:1: invalid YAML"} {
		file := write(t, content)
		for _, line := range []string{"config show --config ", "config check ", "serve --config "} {
			code, out, errs := commandLine(t, "", strings.Fields(line+file)...)
			if code != exitFailed || !strings.Contains(out+errs, file+want) {
				t.Errorf("%s: exit code %d:\n%s%s", line, code, out, errs)
			}
		}
	}
}

func TestConfigCheckReadsStandardInput(t *testing.T) {
	if code, out, _ := commandLine(t, "log: {level: loud}", "config", "check", "-"); code != exitFailed || !strings.HasPrefix(out, "-:1:14: log.level:") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

func TestLongTextsAreCutInErrors(t *testing.T) {
	file := write(t, strings.Repeat("x", 100_000))
	if _, out, _ := commandLine(t, "", "config", "check", file); !strings.Contains(out, "expected a mapping") || len(out) > 1000 {
		t.Errorf("printed %d bytes", len(out))
	}
}

func TestConfigCheckReadsTheEnvironmentIfAsked(t *testing.T) {
	file := write(t, "listen: {address: '0.0.0.0:80'}\n")
	t.Setenv("DRAGOMAN_AUTH_TOKENS", "hush")
	if code, out, _ := commandLine(t, "", "config", "check", file); code != exitFailed || !strings.Contains(out, "auth.tokens") {
		t.Errorf("by itself: %d, %s", code, out)
	}
	if code, out, _ := commandLine(t, "", "config", "check", "--environment", file); code != exitOK {
		t.Errorf("with the environment: %d, %s", code, out)
	}
}

func TestConfigShowPrintsOrigins(t *testing.T) {
	file := write(t, "limits:\n  sessions: 7\nauth: {tokens: [hush]}\n")
	t.Setenv("DRAGOMAN_LOG_LEVEL", "warn")
	args := []string{"config", "show", "--config", file, "--listen", "127.0.0.1:9"}
	code, out, _ := commandLine(t, "", args...)
	if code != exitOK || strings.Contains(out, "hush") {
		t.Fatalf("exit code %d and shows\n%s", code, out)
	}
	rows := map[string]string{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		rows[fields[0]] = strings.Join(fields[1:], " ")
	}
	for key, want := range map[string]string{
		"listen.address":  "127.0.0.1:9 --listen restart",
		"limits.sessions": "7 " + file + ":2:13 live",
		"log.level":       "warn DRAGOMAN_LOG_LEVEL live",
		"auth.tokens":     "(secret) " + file + ":3:16 live",
		"templates.dir":   `"" default restart`,
	} {
		if rows[key] != want {
			t.Errorf("%s is shown as %q, want %q", key, rows[key], want)
		}
	}
	_, out, _ = commandLine(t, "", append(args, "--json")...)
	var values []shownValue
	if err := json.Unmarshal([]byte(out), &values); err != nil || len(values) != len(config.Fields()) || strings.Contains(out, "hush") {
		t.Errorf("as JSON: %v\n%s", err, out)
	}
}

func TestTheReferenceIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != config.Reference() {
		t.Error("docs/config.md is not what the fields say: run make generate")
	}
}
