package shared

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// Cases returns the recorded cases of templates, or of a handler, in a file of the folder cases: JSON Lines.
func Cases(t testing.TB, file string, names ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(Dir(t, "cases", file))
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for line := range bytes.Lines(data) {
		var c struct{ Template, Handler string }
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if slices.Contains(names, c.Template) || c.Handler != "" && slices.Contains(names, c.Handler) {
			out = append(out, line...)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s holds no case of %q", file, names)
	}
	return out
}
