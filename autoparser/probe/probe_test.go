package probe_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

var everything = dialect.Capabilities{ToolCalls: true, ParallelToolCalls: true}

// asJSON renders a probe as the JSON of its request.
func asJSON(p probe.Probe) (string, error) {
	data, err := json.Marshal(p.Request)
	return string(data), err
}

func TestNoNeedleIsPartOfAnother(t *testing.T) {
	needles := []string{
		probe.System, probe.User, probe.SecondUser, probe.Content, probe.SecondContent, probe.Reasoning, probe.Result,
		probe.Function, probe.OtherFunction, probe.Argument, probe.OtherArgument, probe.Value, probe.OtherValue,
		probe.ID, probe.OtherID, probe.Number,
	}
	for i, a := range needles {
		for j, b := range needles {
			if i != j && strings.Contains(a, b) {
				t.Errorf("%q is part of %q", b, a)
			}
		}
		if strings.Trim(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			t.Errorf("%q would be escaped somewhere", a)
		}
	}
}

func TestEveryComparisonIsAQuestionOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range probe.Comparisons() {
		if seen[c.ID] || !strings.HasSuffix(c.Question, "?") || c.Differs == "" {
			t.Errorf("%s: %q, %q", c.ID, c.Question, c.Differs)
		}
		seen[c.ID] = true
	}
	for _, id := range strings.Fields("R1 R2 R3 C1 T1 T2 T3 T4 T5 T6 T7 A1 A2") {
		if !seen[id] {
			t.Errorf("%s is missing", id)
		}
	}
}

func TestTheProbesOfAComparisonDiffer(t *testing.T) {
	for _, a := range probe.Ask(everything, "", asJSON) {
		if a.OK() && (a.A.Name == a.B.Name || a.Left == "" && a.Right == "") {
			t.Errorf("%s: %q and %q do not differ", a.ID, a.A.Name, a.B.Name)
		}
	}
}

func TestProbesWithOneNameAreEqual(t *testing.T) {
	known := map[string]string{}
	for _, c := range probe.Comparisons() {
		for _, p := range []probe.Probe{c.A, c.B} {
			text, err := asJSON(p)
			if err != nil {
				t.Fatal(err)
			}
			if was, ok := known[p.Name]; ok && was != text {
				t.Errorf("two probes are named %q:\n%s\n%s", p.Name, was, text)
			}
			known[p.Name] = text
		}
	}
}

func TestAProbeThatIsSharedIsRenderedOnce(t *testing.T) {
	rendered := map[string]int{}
	probe.Ask(everything, "", func(p probe.Probe) (string, error) {
		rendered[p.Name]++
		return asJSON(p)
	})
	for name, n := range rendered {
		if n > 1 {
			t.Errorf("%q was rendered %d times", name, n)
		}
	}
}

func TestQuestionsAboutCallsNeedCalls(t *testing.T) {
	answers := probe.Ask(dialect.Capabilities{}, "", asJSON)
	for _, a := range answers {
		if calls := a.ID[0] == 'T' || a.ID[0] == 'A' || a.ID == "R3"; calls && !a.Skipped {
			t.Errorf("%s was asked", a.ID)
		}
	}
	if _, ok := answers.Of("T1"); ok {
		t.Error("T1 has an answer")
	}
}

func TestAFailedRenderingIsNoAnswer(t *testing.T) {
	failure := errors.New("no")
	answers := probe.Ask(everything, "", func(p probe.Probe) (string, error) {
		if p.Name == probe.CalledTwice().Name {
			return "", failure
		}
		return asJSON(p)
	})
	a, ok := answers.Of("T2")
	if ok || !errors.Is(a.Err, failure) {
		t.Errorf("T2: %v, %v", ok, a.Err)
	}
	if _, ok := answers.Of("T1"); !ok {
		t.Error("T1 has no answer")
	}
}

func TestThePromptSaysWhatIsAskedNext(t *testing.T) {
	for prompt, want := range map[string]string{
		"…<think>\n":   "answer behind </think> and question",
		"…[THINK]":     "answer behind [/THINK] and question",
		"…<|START_A|>": "answer behind <|END_A|> and question",
		"…assistant\n": "",
		"…</think>":    "",
	} {
		answers := probe.Ask(everything, "", func(p probe.Probe) (string, error) {
			if p.Request.AddGenerationPrompt {
				return prompt, nil
			}
			return asJSON(p)
		})
		i := slices.IndexFunc(answers, func(a probe.Answer) bool { return a.ID == "R4" })
		if got := answers[i].B.Name; answers[i].Skipped != (want == "") || want != "" && got != want {
			t.Errorf("%q: %q, skipped %v", prompt, got, answers[i].Skipped)
		}
	}
}

func TestTheSourceSaysWhatIsCutOff(t *testing.T) {
	for _, c := range []struct{ source, prompt, r4, r5 string }{
		{`m.split('</x>')[-1]`, "…", "", "answer behind <x></x> and question"},
		{`m.split("</x>\n\n")[-1]`, "…<x>", "answer behind </x>\n\n and question", "answer behind <x></x>\n\n and question"},
		{`'</x>' in m and m.split('</x>\n')`, "…<x>\n", "answer behind </x>\n and question", "answer behind <x></x>\n and question"},
		{`m.find( '</x>' )`, "…", "", "answer behind <x></x> and question"},
		{`m.split('<|x_done|>')`, "…<|x|>\n", "answer behind <|x_done|> and question", ""},
		{`m.split('<|x|>')[1].split('<|x_done|>')[0]`, "…", "", "answer behind <|x|><|x_done|> and question"},
		{`'a' in m and 'see </x>' in m and m.split(', ')`, "…", "", ""},
	} {
		answers := probe.Ask(everything, c.source, func(p probe.Probe) (string, error) {
			if p.Request.AddGenerationPrompt {
				return c.prompt, nil
			}
			return "", nil
		})
		for id, want := range map[string]string{"R4": c.r4, "R5": c.r5} {
			i := slices.IndexFunc(answers, func(a probe.Answer) bool { return a.ID == id })
			if got := answers[i].B.Name; answers[i].Skipped != (want == "") || want != "" && got != want {
				t.Errorf("%s: %s asks for %q, skipped %v, want %q", c.source, id, got, answers[i].Skipped, want)
			}
		}
	}
}

// TestASourceWithEndlessMarkersIsAsked would take minutes if each marker were compared with all
// others.
func TestASourceWithEndlessMarkersIsAsked(t *testing.T) {
	var source strings.Builder
	for i := range 15_000 {
		fmt.Fprintf(&source, "'<a%d>' in m ", i)
	}
	answers := probe.Ask(everything, source.String(), func(probe.Probe) (string, error) { return "", nil })
	if i := slices.IndexFunc(answers, func(a probe.Answer) bool { return a.ID == "R5" }); !answers[i].Skipped {
		t.Errorf("it asks for %q", answers[i].B.Name)
	}
}
