package judges

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

var (
	folder    = flag.String("judges.folder", "", "folder where the judges are installed; see make judge")
	samples   = flag.Int("judges.samples", 20, "samples of each constraint")
	every     = flag.Int("judges.every", 1, "judge one of so many constraints, another one for each template")
	processes = flag.Int("judges.processes", 2, "processes of an engine that sample at a time")
	seed      = flag.Int("judges.seed", 1000, "seed of the samples")
	templates = flag.String("judges.templates", "../../shared/templates/*.jinja", "templates, as .jinja files or archives that begin with one")
	only      = flag.String("judges.only", "", "judge only jobs whose names contain this")
)

// maxTokens bounds a sample; what is longer is cut off, and says nothing.
const maxTokens = 1200

func TestWhatXGrammarSamplesIsReadAsItWasAskedFor(t *testing.T) {
	judge(t, "xgrammar.mjs", grammar.TargetStructuralTag, grammar.TargetEBNF, grammar.TargetJSONSchema)
}

func TestWhatLlamaCppSamplesIsReadAsItWasAskedFor(t *testing.T) {
	judge(t, "llama.mjs", grammar.TargetGBNF)
}

// judge samples under the constraints of every request for every template with an engine, and checks what is sampled.
func judge(t *testing.T, engine string, targets ...grammar.Target) {
	if *folder == "" {
		t.Skip("run make judge, which installs the judges")
	}
	var jobs []*job
	for i, m := range models(t) {
		for j, r := range requests {
			for k, target := range targets {
				if (i+j+k)%*every == 0 {
					jobs = append(jobs, newJobs(t, m, r, target)...)
				}
			}
		}
	}
	v := newVerdict()
	var running sync.WaitGroup
	for part := range *processes {
		var own []*job
		for i := part; i < len(jobs); i += *processes {
			own = append(own, jobs[i])
		}
		running.Go(func() { v.add(sample(t, engine, own)) })
	}
	running.Wait()
	v.report(t, jobs)
}

// job is a constraint to sample under.
type job struct {
	Name       string         `json:"name"`
	Target     grammar.Target `json:"target"`
	Constraint string         `json:"constraint"`
	Model      string         `json:"model,omitempty"`
	Tokens     []token        `json:"tokens"`
	Free       string         `json:"free"`    // what is sampled before a lazy constraint applies
	Opening    string         `json:"opening"` // what triggers it
	Samples    int            `json:"samples"`
	Seed       int            `json:"seed"`
	Max        int            `json:"max"`

	plan    *dragoman.Plan
	request *chat.Request
}

// newJobs returns the job for a request to a model, or none if the plan has no constraint for the target.
func newJobs(t *testing.T, m *dragoman.Model, r request, target grammar.Target) []*job {
	t.Helper()
	name := fmt.Sprintf("%s/%s/%s", m.Name(), r.name, target)
	if !strings.Contains(name, *only) {
		return nil
	}
	req, err := chat.ParseRequest([]byte(r.json))
	if err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	plan, err := m.Plan(t.Context(), req)
	if err == nil {
		plan, err = plan.In(t.Context(), target)
	}
	if err != nil || plan.Constraint == nil || target == grammar.TargetJSONSchema && mustCall(req) {
		return nil // a schema for calls describes another format than the template's
	}
	if strings.Contains(strings.Join(plan.Notes, "\n"), "are not distinguished") {
		return nil // xgrammar has no sets of characters beyond ASCII, so text can contain markers that are beyond it
	}
	c := plan.Constraint
	j := &job{
		Name: name, Target: target, Constraint: cmp.Or(c.Content, c.Grammar), Tokens: vocabulary(plan),
		Samples: *samples, Seed: *seed, Max: maxTokens, plan: plan, request: req,
	}
	if c.Lazy {
		j.Free, j.Opening = opening(t, plan)
	}
	if target == grammar.TargetGBNF {
		j.Model = filepath.Join(t.TempDir(), "random.gguf")
		if err := os.WriteFile(j.Model, randomModel(j.Tokens, uint64(*seed)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return []*job{j}
}

func mustCall(r *chat.Request) bool {
	return r.ToolChoice.Mode == chat.ToolRequired || r.ToolChoice.Mode == chat.ToolNamed
}

// opening returns a text up to where a lazy constraint begins to apply, in two parts: what the grammar does not read, and what
// it does.
func opening(t *testing.T, p *dragoman.Plan) (free, read string) {
	t.Helper()
	g, err := grammar.Parse(p.Constraint.Grammar)
	if err != nil {
		t.Fatal(err)
	}
	before := "I see. "
	if p.ReasoningState == handler.ReasoningOpen {
		before = "Hm." + p.ThinkingEnds[0] + before
	}
	text, _ := g.Sampler(rand.New(rand.NewPCG(1, 2))).Text(100)
	for end := range len(before + text) {
		output := (before + text)[:end+1]
		if start, ok := grammar.FindTrigger(output, p.Constraint.Triggers); ok {
			return output[:start], output[start:]
		}
	}
	return "", ""
}

// sampled is an output that an engine allowed, or why it failed.
type sampled struct {
	Name   string
	Sample int
	Ended  bool
	Output []byte
	Error  string
}

// sample runs jobs in a process of an engine.
func sample(t *testing.T, engine string, jobs []*job) (all []sampled) {
	var input bytes.Buffer
	encoded := json.NewEncoder(&input)
	for _, j := range jobs {
		if err := encoded.Encode(j); err != nil {
			t.Error(err)
		}
	}
	for line := range node(t, engine, &input) {
		var s sampled
		if err := json.Unmarshal(line, &s); err != nil {
			t.Errorf("%s: %s: %v", engine, line, err)
			continue
		}
		all = append(all, s)
	}
	return all
}

// node runs one of the scripts beside this file and returns the lines that it prints.
func node(t *testing.T, script string, input io.Reader) func(yield func(line []byte) bool) {
	return func(yield func(line []byte) bool) {
		dir, err := filepath.Abs(*folder)
		if err != nil {
			t.Error(err)
			return
		}
		cmd := exec.CommandContext(t.Context(), "node", script, dir)
		var faults bytes.Buffer
		cmd.Stdin, cmd.Stderr = input, &faults
		out, err := cmd.Output()
		lines := bufio.NewScanner(bytes.NewReader(out))
		lines.Buffer(nil, 64<<20)
		for lines.Scan() && yield(lines.Bytes()) {
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", script, err, &faults)
		}
	}
}

// verdict collects samples. It is safe for concurrent use.
type verdict struct {
	sync.Mutex
	samples map[string][]sampled
}

func newVerdict() *verdict { return &verdict{samples: map[string][]sampled{}} }

func (v *verdict) add(all []sampled) {
	v.Lock()
	defer v.Unlock()
	for _, s := range all {
		v.samples[s.Name] = append(v.samples[s.Name], s)
	}
}

// report checks all samples.
func (v *verdict) report(t *testing.T, jobs []*job) {
	var values []value
	var endless []string
	complete, bad := 0, 0
	fail := func(j *job, s sampled, format string, args ...any) {
		bad++
		t.Errorf("%s, sample %d: %s\n\t%.600q", j.Name, s.Sample, fmt.Sprintf(format, args...), s.Output)
	}
	for _, j := range jobs {
		ended := 0
		for _, s := range v.samples[j.Name] {
			switch {
			case s.Error != "":
				fail(j, s, "%s", s.Error)
			case s.Ended && !utf8.Valid(s.Output): // it says nothing of text
				ended++
			case s.Ended:
				ended++
				read, faults := j.read(t.Context(), s)
				if len(faults) > 0 {
					fail(j, s, "%s", strings.Join(faults, "; "))
				}
				values = append(values, read...)
			}
		}
		if complete += ended; ended == 0 {
			endless = append(endless, j.Name)
		}
	}
	for i, faults := range validate(t, values) {
		if len(faults) > 0 {
			fail(values[i].job, values[i].sampled, "%s: %s", strings.Join(faults, "; "), values[i].Value)
		}
	}
	if len(endless) > len(jobs)/10 {
		t.Errorf("for %d of %d constraints no sample came to an end: %q", len(endless), len(jobs), endless)
	}
	t.Logf("%d constraints, %d of them without an end, %d complete samples, %d values, %d faults", len(jobs), len(endless), complete, len(values), bad)
}

// value is a value that must follow a schema.
type value struct {
	Schema  json.RawMessage `json:"schema"`
	Value   string          `json:"value"`
	job     *job
	sampled sampled
}

// read parses a complete sample and returns the values in it that have a schema, and what is wrong apart from them.
func (j *job) read(ctx context.Context, s sampled) (values []value, faults []string) {
	result, err := j.plan.Parse(ctx, s.Output, false, dragoman.SessionOptions{NoIDs: true})
	if err != nil {
		return nil, []string{err.Error()}
	}
	report, calls := result.Report, result.Message.ToolCalls
	if report.Status != chat.Complete {
		return nil, []string{fmt.Sprintf("status %s: %v", report.Status, report.Faults)}
	}
	for _, m := range report.MissingMarkers {
		if m.Count > 1 || !j.mayLack(m.At) {
			faults = append(faults, fmt.Sprintf("the marker %q is missing at byte %d", m.Marker, m.At))
		}
	}
	for _, n := range report.Notes {
		faults = append(faults, "note: "+n)
	}
	for _, c := range calls {
		at := slices.IndexFunc(j.request.Tools, func(t chat.Tool) bool { return t.Name == c.Name })
		if at < 0 {
			faults = append(faults, "unknown tool "+c.Name)
			continue
		}
		if name, twice := repeated(j.request.Tools[at].Parameters, c.Arguments); twice {
			faults = append(faults, fmt.Sprintf("argument %q is there twice: %s", name, c.Arguments))
		}
		values = append(values, value{j.request.Tools[at].Parameters.Raw(), c.Arguments, j, s})
	}
	switch {
	case len(calls) > 0:
	case j.plan.Constraint.Lazy, mustCall(j.request):
		faults = append(faults, "no call")
	case !j.request.JSONSchema.IsZero():
		values = append(values, value{j.request.JSONSchema.Raw(), result.Message.Content.Join(""), j, s})
	}
	return values, faults
}

// mayLack reports whether an output may lack a marker at an offset: a schema knows none, and a lazy constraint can begin where a
// model has left out the first one.
func (j *job) mayLack(at int) bool {
	return j.Target == grammar.TargetJSONSchema || j.Opening != "" && at == len(j.plan.GenerationPrompt)+len(j.Free)
}

// notes reports whether the plan notes something about what is not enforced.
func (j *job) notes(what string) bool {
	return strings.Contains(strings.Join(j.plan.Notes, "\n"), what)
}

// validate returns what is wrong with each value, other than what the plan of its job notes as not enforced.
func validate(t *testing.T, values []value) [][]string {
	var input bytes.Buffer
	encoded := json.NewEncoder(&input)
	for _, v := range values {
		if err := encoded.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	all := make([][]string, 0, len(values))
	for line := range node(t, "ajv.mjs", &input) {
		var errors []struct{ Keyword, Message string }
		if err := json.Unmarshal(line, &errors); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var faults []string
		for _, e := range errors {
			if !values[len(all)].job.notes(e.Keyword) {
				faults = append(faults, e.Message)
			}
		}
		all = append(all, faults)
	}
	return all
}

// repeated returns a declared argument that is given more than once. Free-form objects may repeat any other.
func repeated(schema jsonschema.Schema, arguments string) (name string, twice bool) {
	dec := jsontext.NewDecoder(strings.NewReader(arguments), jsontext.AllowDuplicateNames(true))
	seen := map[string]bool{}
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return "", false
		}
		if kind, n := dec.StackIndex(dec.StackDepth()); dec.StackDepth() != 1 || kind != '{' || n%2 != 1 || token.Kind() != '"' {
			continue
		}
		if name = token.String(); seen[name] {
			if slices.ContainsFunc(schema.Properties(), func(p jsonschema.Property) bool { return p.Name == name }) {
				return name, true
			}
		}
		seen[name] = true
	}
}
