package config

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Recorder is what the flight recorder keeps of requests and outputs.
type Recorder struct {
	Dir       string        `yaml:"dir" reload:"restart" help:"folder for recordings, of this daemon alone; empty: nothing is recorded"`
	Templates []string      `yaml:"templates" reload:"live" help:"names of the templates whose outputs are recorded, in which * stands for any text; empty: all but those that clients put for themselves"`
	Share     float64       `yaml:"share" reload:"live" help:"share of the outputs that are recorded whatever becomes of them, 0 to 1"`
	Always    []string      `yaml:"always" reload:"live" help:"outputs that are recorded besides: malformed, truncated, missing_markers, unknown_tools (calls of tools that the request does not have), unproven (parts of the dialect are read as content)"`
	Bytes     int           `yaml:"bytes" reload:"live" help:"bytes that the folder may hold; the oldest recordings make room"`
	Age       time.Duration `yaml:"age" reload:"live" help:"age at which recordings go"`

	RedactRoles    []string `yaml:"redact_roles" reload:"live" help:"roles of messages whose texts and arguments are not recorded; the rendered prompt is not, either"`
	RedactMembers  []string `yaml:"redact_members" reload:"live" help:"members of requests that are not recorded, by their path, such as user or messages.content, in which * is any member; the rendered prompt is not recorded, either"`
	RedactPatterns []string `yaml:"redact_patterns" reload:"live" help:"regular expressions of what is replaced wherever it stands: in requests by [redacted], in outputs by as many x and 1"`

	KeyFile string `yaml:"key_file" reload:"restart" help:"file of the key that recordings are sealed with (AES-256-GCM), any text; empty: recorder.key"`
	Key     string `yaml:"key" reload:"restart" secret:"true" help:"key that recordings are sealed with; empty: they are not"`
}

// RecordedMarks are the possible values of recorder.always.
var RecordedMarks = []string{"malformed", "truncated", "missing_markers", "unknown_tools", "unproven"}

// Secret returns the key that recordings are sealed with; empty: they are not.
func (r Recorder) Secret() (string, error) {
	if r.KeyFile == "" {
		return r.Key, nil
	}
	data, err := os.ReadFile(r.KeyFile)
	if err != nil {
		return "", fmt.Errorf("recorder.key_file: %w", err)
	}
	secret := strings.TrimSpace(string(data))
	if secret == "" {
		return "", fmt.Errorf("recorder.key_file: %s has no key", r.KeyFile)
	}
	return secret, nil
}

func (r Recorder) check(bad badFunc) {
	if r.Share < 0 || r.Share > 1 {
		bad("recorder.share", "invalid share %v; expected a number from 0 to 1", r.Share)
	}
	for _, mark := range r.Always {
		checkOneOf(bad, "recorder.always", mark, RecordedMarks)
	}
	for _, p := range r.RedactPatterns {
		if _, err := regexp.Compile(p); err != nil {
			bad("recorder.redact_patterns", "%v", err)
		}
	}
	for _, path := range r.RedactMembers {
		if slices.Contains(strings.Split(path, "."), "") {
			bad("recorder.redact_members", "invalid path %q; expected names with points between them, such as messages.content", path)
		}
	}
}
