package probe

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
)

// Comparison is a question to a template, and the two probes whose renderings answer it.
type Comparison struct {
	ID       string // as findings name it
	Question string // ends in a question mark
	Differs  string // what differs between A and B
	A, B     Probe
	// Follow builds B from earlier answers and the template's source, if it depends on them; false
	// if there is nothing to ask.
	Follow func(earlier Answers, source string) (Probe, bool)
	// Needs reports whether a template can do what the question is about; nil if it always can.
	Needs func(dialect.Capabilities) bool
}

// Comparisons returns the table of questions, in the order in which they are asked.
func Comparisons() []Comparison {
	return []Comparison{
		{ID: "M1", Question: "What ends an answer, and what begins a user's message?",
			Differs: "a question follows the answer", A: Answered(), B: FollowedUp()},
		{ID: "M2", Question: "What begins an answer?",
			Differs: "an answer follows the second question", A: FollowedUp(), B: TwiceAnswered()},
		{ID: "M3", Question: "What begins a tool's answer?",
			Differs: "the tool's answer follows the call", A: Called(), B: Responded(), Needs: toolResponses},
		{ID: "R1", Question: "How is the reasoning of an answer written?",
			Differs: "the answer has reasoning", A: Answered(), B: Reasoned()},
		{ID: "R2", Question: "Does the prompt open or close reasoning?",
			Differs: "thinking is enabled", A: PromptWithoutThinking(), B: PromptToThink()},
		{ID: "R3", Question: "Is reasoning written only before tool calls?",
			Differs: "a call in place of the answer", A: ReasonedWithTools(), B: ReasonedAndCalled(), Needs: toolCalls},
		{ID: "R4", Question: "Does it cut reasoning off the text of an earlier answer?",
			Differs: "the text begins with a thought, and what closes the marker that ends the prompt", A: FollowedUp(), Follow: thought},
		{ID: "R5", Question: "What does it cut off an earlier answer at a marker that its source names?",
			Differs: "the text begins with a thought between that marker and the one that it closes", A: FollowedUp(), Follow: named},
		{ID: "C1", Question: "What always stands around the text of an answer?",
			Differs: "the answer is written", A: Prompt(), B: Answered()},
		{ID: "C2", Question: "What stands between the text of an answer and its calls?",
			Differs: "a text before the call", A: Called(), B: SpokenAndCalled(), Needs: toolCalls},
		{ID: "T1", Question: "How is a tool call written?",
			Differs: "a call in place of the answer", A: AnsweredWithTools(), B: Called(), Needs: toolCalls},
		{ID: "T2", Question: "What belongs to each call, and what to all calls together?",
			Differs: "a second call", A: Called(), B: CalledTwice(), Needs: parallelCalls},
		{ID: "T3", Question: "What stands around the name of the function?",
			Differs: "the function", A: Called(), B: CalledOther(), Needs: toolCalls},
		{ID: "T4", Question: "Are values of other types written in another way?",
			Differs: "a number in place of a text", A: Called(), B: CalledWithNumber(), Needs: toolCalls},
		{ID: "A1", Question: "What stands around the name of an argument?",
			Differs: "the argument", A: Called(), B: CalledWithOtherName(), Needs: toolCalls},
		{ID: "A2", Question: "What stands around the value of an argument?",
			Differs: "the value", A: Called(), B: CalledWithOtherValue(), Needs: toolCalls},
		{ID: "T5", Question: "What separates arguments?",
			Differs: "a second argument", A: Called(), B: CalledWithTwo(), Needs: toolCalls},
		{ID: "T6", Question: "What stands around all arguments together?",
			Differs: "an argument", A: CalledWithNone(), B: Called(), Needs: toolCalls},
		{ID: "T7", Question: "Where is the id of a call?",
			Differs: "the id", A: Called(), B: CalledWithOtherID(), Needs: toolCalls},
		{ID: "T8", Question: "Does it tell in words how a call is written?",
			Differs: "tools are offered", A: Question(), B: OffersTools(), Needs: toldCalls},
	}
}

func toolCalls(c dialect.Capabilities) bool     { return c.ToolCalls }
func toolResponses(c dialect.Capabilities) bool { return c.ToolCalls && c.ToolResponses }
func toldCalls(c dialect.Capabilities) bool     { return c.Tools && !c.ToolCalls }
func parallelCalls(c dialect.Capabilities) bool { return c.ParallelToolCalls }

// thought builds a probe from the end of the prompt, which may open reasoning. What closes it is a
// marker at which the source splits texts, or else a guess.
func thought(earlier Answers, source string) (Probe, bool) {
	prompt, _ := earlier.Of("R2")
	opens := Opens(prompt.TextB)
	end := diff.Counterpart(opens)
	for _, marker := range splits(source) {
		if diff.Closes(opens, strings.TrimSpace(marker)) {
			end = marker
			break
		}
	}
	return Thought("", end), end != ""
}

// named builds a probe from the source, if no answer shows reasoning: the source names a closing
// marker and splits texts at it.
func named(earlier Answers, source string) (Probe, bool) {
	if r1, ok := earlier.Of("R1"); ok && strings.Contains(r1.TextB, Reasoning) {
		return Probe{}, false
	}
	markers := splits(source)
	for _, end := range markers {
		if start := opening(strings.TrimSpace(end), source, markers); start != "" {
			return Thought(start, end), true
		}
	}
	return Probe{}, false
}

// opening returns the marker that a marker closes, by its spelling, or another of those at which
// the source splits texts; with the white space that the source has around it.
func opening(marker, source string, markers []string) string {
	spelled := diff.Opening(marker, source)
	for _, start := range markers {
		name := strings.TrimSpace(start)
		if name == spelled || spelled == "" && diff.Closes(name, marker) && !diff.Closes(marker, name) {
			return start
		}
	}
	return spelled
}

// maxSplits bounds the markers at which a source splits texts: each is compared with all others.
const maxSplits = 64

// splits returns the first markers at which a source splits texts, or which it searches for, in
// order; with and without the line breaks around them.
func splits(source string) []string {
	var all []string
	for literal := range splitLiterals(source) {
		text := strings.ReplaceAll(literal, `\n`, "\n")
		marker := strings.TrimSpace(text)
		if start, end := diff.FirstMarker(marker); marker == "" || start > 0 || end < len(marker) {
			continue
		}
		known := slices.IndexFunc(all, func(s string) bool { return strings.TrimSpace(s) == marker })
		switch {
		case known < 0 && len(all) == maxSplits:
			return all
		case known < 0:
			all = append(all, text)
		case len(all[known]) < len(text):
			all[known] = text
		}
	}
	return all
}

// Opens returns the marker that a prompt ends with; "" if there is none.
func Opens(prompt string) string {
	_, marker := diff.TrailingMarker(prompt)
	return strings.TrimSpace(marker)
}

// Render renders a probe.
type Render func(Probe) (string, error)

// Answer is the result of a comparison: both renderings, split where they differ. Left is of A,
// Right of B.
type Answer struct {
	Comparison
	TextA, TextB string // each empty if its rendering failed
	diff.Split          // empty if a rendering failed
	Skipped      bool   // the template cannot do what the question is about
	Err          error  // the error of a failed rendering
}

// OK reports whether there is something to learn from.
func (a Answer) OK() bool { return !a.Skipped && a.Err == nil }

// Answers are the answers to all comparisons, in order.
type Answers []Answer

// Ask makes all comparisons for the template with that source. A probe that several of them share
// is rendered once.
func Ask(can dialect.Capabilities, source string, render Render) Answers {
	rendered := map[string]rendering{}
	once := func(p Probe) rendering {
		r, ok := rendered[p.Name]
		if !ok {
			r.text, r.err = render(p)
			rendered[p.Name] = r
		}
		return r
	}
	var all Answers
	for _, c := range Comparisons() {
		answer := Answer{Comparison: c, Skipped: c.Needs != nil && !c.Needs(can)}
		if c.Follow != nil {
			next, ask := c.Follow(all, source)
			answer.B, answer.Skipped = next, answer.Skipped || !ask
		}
		if !answer.Skipped {
			answer.compare(once(answer.A), once(answer.B))
		}
		all = append(all, answer)
	}
	return all
}

type rendering struct {
	text string
	err  error
}

func (a *Answer) compare(left, right rendering) {
	a.TextA, a.TextB, a.Err = left.text, right.text, cmp.Or(left.err, right.err)
	if a.Err == nil {
		a.Split = diff.Texts(left.text, right.text)
	}
}

// Of returns the answer to the comparison with that id; false if there is nothing to learn from it.
func (all Answers) Of(id string) (Answer, bool) {
	for _, a := range all {
		if a.ID == id {
			return a, a.OK()
		}
	}
	return Answer{}, false
}
