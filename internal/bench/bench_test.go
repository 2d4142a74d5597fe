package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/internal/bench"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

var (
	check  = flag.Bool("ratios", false, "compare costs with the reference")
	update = flag.Bool("update", false, "rewrite the reference")
)

// reference has the ratios to the yardstick that were measured last, by case and by what is measured.
const reference = "testdata/ratios.json"

// grows is by how much a ratio may exceed its reference.
const grows = 1.25

// tries is how often a ratio that is too high is measured again: the machine may be busy.
const tries = 4

// allocates is the most that a chunk may allocate where nothing should: calls have ids and names, which do.
const allocates = 0.02

// freely are the ways of reading that allocate for each chunk.
var freely = []string{"deltas"}

// opened is a model, which plans with what it has learned.
type opened struct{ *dragoman.Model }

func (opened) Close() error { return nil }

// subject returns an embedded template with an output.
func subject(t *testing.T, template, output string) bench.Subject {
	t.Helper()
	source, err := dragoman.Templates.ReadFile("templates/" + template + ".jinja")
	must(t, err)
	open := func() (*dragoman.Model, error) {
		return dragoman.OpenSource(template, string(source), dragoman.Options{})
	}
	return bench.Subject{
		Learn: func(context.Context) error {
			_, err := open()
			return err
		},
		Open: func(context.Context) (bench.Planner, error) {
			m, err := open()
			return opened{m}, err
		},
		Request: bench.SampleRequest(2), Output: []byte(output), Rounds: 1,
	}
}

const (
	prose    = "Let me look that up, and then say what I have found – with “quotes” and <b>marks</b>.\n"
	jsonCall = "<tool_call>\n{\"name\": \"tool_1\", \"arguments\": {\"path\": \"a.txt\", \"text\": \"ARGUMENT\", \"limit\": 3}}\n</tool_call>\n"
	argument = `func main() {\n\tfmt.Println(\"hello\")\n}\n`
)

// cases are the outputs that are compared with the reference.
func cases() map[string][2]string {
	call := strings.Replace(jsonCall, "ARGUMENT", argument, 1)
	return map[string][2]string{
		"prose":        {"chatml-reasoning", strings.Repeat(prose, 200) + "</think>\n\n" + strings.Repeat(prose, 200)},
		"mixed":        {"chatml-json", "<think>\nHm.\n</think>\n\n" + strings.Repeat(strings.Repeat(prose, 8)+call, 40)},
		"argument":     {"chatml-json", strings.Replace(jsonCall, "ARGUMENT", strings.Repeat(argument, 800), 1)},
		"tagged mixed": {"chatml-tagged", strings.Repeat(strings.Repeat(prose, 8)+"<calls>\n<invoke=tool_1>\n<arg=path>a.txt</arg>\n<arg=text>"+prose+"</arg>\n</invoke>\n</calls>", 40)},
	}
}

func TestAReportMeasuresWhatItNames(t *testing.T) {
	s := subject(t, "chatml-json", "<think>Hm.</think>\n\nSunny.")
	r, err := bench.Run(t.Context(), s)
	must(t, err)
	if r.Bytes != 26 || r.Chunk != 4 || r.Chunks != 7 || r.Deltas < 3 {
		t.Errorf("%+v", r)
	}
	var text bytes.Buffer
	must(t, r.Print(&text))
	for i, name := range []string{bench.Yardstick, "machine", "pieces", "SSE", "deltas"} {
		c, o := r.Stream[i], r.OneShot[i]
		if c.Of != name || o.Of != name || c.Nanoseconds <= 0 || o.Megabytes <= 0 || (i == 0) != (c.Ratio == 1) || !strings.Contains(text.String(), name) {
			t.Errorf("%s: %+v %+v", name, c, o)
		}
	}
	if r.Learn <= 0 || r.PlanCold <= 0 || r.PlanAgain <= 0 {
		t.Errorf("%+v", r)
	}
}

func TestAnEmptyOutputCannotBeMeasured(t *testing.T) {
	s := subject(t, "chatml-json", "")
	if _, err := bench.Run(t.Context(), s); fault.CodeOf(err) != fault.InvalidArgument {
		t.Error(err)
	}
}

func TestNothingIsAllocatedForAChunk(t *testing.T) {
	for name, c := range cases() {
		r, err := bench.Run(t.Context(), subject(t, c[0], c[1]))
		must(t, err)
		for _, cost := range r.Stream {
			if cost.Allocations > allocates && !slices.Contains(freely, cost.Of) {
				t.Errorf("%s: %s allocates %.3f times for a chunk", name, cost.Of, cost.Allocations)
			}
		}
	}
}

// ratios returns the costs of a report relative to the yardstick in chunks, which is steadier than that at once.
func ratios(r *bench.Report) map[string]float64 {
	all := map[string]float64{}
	for _, c := range r.Stream[1:] {
		all[c.Of] = c.Ratio
	}
	yardstick := r.Stream[0].Nanoseconds * float64(r.Chunks)
	for _, s := range r.OneShot[1:] {
		all[s.Of+" at once"] = float64(r.Bytes) / s.Megabytes * 1e3 / yardstick
	}
	return all
}

// TestRatiosStayAsTheyAre is run by make bench-check.
func TestRatiosStayAsTheyAre(t *testing.T) {
	if !*check && !*update {
		t.Skip("it measures: make bench-check")
	}
	wants := map[string]map[string]float64{}
	if text, err := os.ReadFile(reference); !*update {
		must(t, err)
		must(t, json.Unmarshal(text, &wants))
	}
	for name, c := range cases() {
		s := subject(t, c[0], c[1])
		s.Rounds = 60
		least := map[string]float64{}
		var slower []string
		for try := 0; try == 0 || try < tries && (len(slower) > 0 || *update); try++ {
			r, err := bench.Run(t.Context(), s)
			must(t, err)
			slower = nil
			for of, ratio := range ratios(r) {
				if before := least[of]; before == 0 || ratio < before {
					least[of] = ratio
				}
				if least[of] > wants[name][of]*grows {
					slower = append(slower, fmt.Sprintf("%s costs %.1f × the yardstick, %.1f before", of, least[of], wants[name][of]))
				}
			}
		}
		t.Logf("%s: %v", name, rounded(map[string]map[string]float64{name: least})[name])
		if *update {
			wants[name] = least
			continue
		}
		for _, what := range slower {
			t.Errorf("%s: %s; make it faster, or accept it with make bench-check BENCH_FLAGS=-update", name, what)
		}
	}
	if *update {
		text, err := json.MarshalIndent(rounded(wants), "", "\t")
		must(t, err)
		must(t, os.WriteFile(reference, append(text, '\n'), 0o600))
	}
}

// rounded rounds ratios to tenths.
func rounded(all map[string]map[string]float64) map[string]map[string]json.Number {
	out := map[string]map[string]json.Number{}
	for name, ratios := range all {
		out[name] = map[string]json.Number{}
		for of := range ratios {
			out[name][of] = json.Number(fmt.Sprintf("%.1f", ratios[of]))
		}
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
