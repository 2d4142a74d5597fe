package diff_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/google/go-cmp/cmp"
)

// recorded is a line of the recorded cases on texts; outputs are the results for two renderings.
type recorded struct {
	Test    string          `json:"test"`
	Fn      string          `json:"fn"`
	Text    string          `json:"text"`
	Full    string          `json:"full"`
	Left    string          `json:"left"`
	Right   string          `json:"right"`
	OutputA *string         `json:"output_A"`
	OutputB *string         `json:"output_B"`
	Diff    json.RawMessage `json:"diff"`
	Result  json.RawMessage `json:"result"`
}

func TestRecordedSplits(t *testing.T) {
	f, err := os.Open(shared.Dir(t, "cases", "diff.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var c recorded
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		c.check(t)
	}
	if n == 0 || lines.Err() != nil {
		t.Fatalf("read %d cases: %v", n, lines.Err())
	}
}

// check runs one case. A comparison of renderings that failed has nothing to split.
func (c recorded) check(t *testing.T) {
	switch {
	case c.Fn == "calculate_diff_split":
		same(t, c, c.Result, diff.Texts(c.Left, c.Right))
	case c.Fn == "compare_variants" && c.OutputA != nil:
		same(t, c, c.Diff, diff.Texts(*c.OutputA, *c.OutputB))
	case c.Fn == "until_common_prefix":
		same(t, c, c.Result, diff.UntilCommonPrefix(c.Full, c.Left, c.Right))
	case c.Fn == "after_common_suffix":
		same(t, c, c.Result, diff.AfterCommonSuffix(c.Full, c.Left, c.Right))
	case c.Fn == "segmentize_markers":
		same(t, c, c.Result, pairs(diff.Segments(c.Text)))
	}
}

// pairs returns segments in the form of the recorded cases.
func pairs(segments []diff.Segment) [][2]string {
	var out [][2]string
	for _, s := range segments {
		kind := "TEXT"
		if s.Marker {
			kind = "MARKER"
		}
		out = append(out, [2]string{kind, s.Text})
	}
	return out
}

func same[T any](t *testing.T, c recorded, want json.RawMessage, got T) {
	t.Helper()
	var w T
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatalf("%s: %v", c.Test, err)
	}
	if d := cmp.Diff(w, got); d != "" {
		t.Errorf("%s %s(%q, %q, %q)\n-want +got\n%s", c.Test, c.Fn, c.Full, c.Left, c.Right, d)
	}
}
