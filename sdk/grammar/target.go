package grammar

import (
	"fmt"
	"slices"
	"strings"
)

// Target is the notation in which an engine takes a constraint. The zero value is GBNF.
type Target string

// The targets.
const (
	TargetGBNF          Target = "gbnf"           // llama.cpp: a grammar, and triggers beside it
	TargetStructuralTag Target = "structural_tag" // xgrammar in vLLM and SGLang: JSON that says which parts follow which grammar
	TargetEBNF          Target = "ebnf"           // xgrammar: one grammar for the whole output
	TargetLark          Target = "lark"           // llguidance: one grammar for the whole output
	TargetJSONSchema    Target = "json_schema"    // engines that hold the output to a JSON Schema and to nothing else
)

// Limits are what the engine behind a target takes.
type Limits struct {
	Target Target
	Engine string
	// Repetitions are the most times that a bound may name.
	Repetitions int
	// Bytes are the most bytes that a constraint may have; 0: no bound is known.
	Bytes int
	// Source says where the limits are from.
	Source string
}

// engines is the table of targets, in the order in which they are listed. Bounds over Repetitions are relaxed, and a note
// says so; what has more than Bytes gets a note.
var engines = []Limits{
	{TargetGBNF, "llama.cpp", maxRepetitions - 1, 0,
		"MAX_REPETITION_THRESHOLD of llama-grammar.cpp: repetitions times the rules that are repeated must be fewer than 2000"},
	{TargetStructuralTag, "xgrammar", 10000, 0,
		"measured with 0.1.27: no bound is refused, but one of 20,000 takes 0.4 s to compile and one of 100,000 takes 5 s"},
	{TargetEBNF, "xgrammar", 10000, 0, "as for structural_tag"},
	{TargetLark, "llguidance", maxRepetitions - 1, 500000,
		"max_grammar_size of its ParserLimits; bounds are expanded and count towards it"},
	{TargetJSONSchema, "the engine", maxRepetitions - 1, 0,
		"engines make a grammar of the schema themselves, and llama.cpp's limits hold for most of them"},
}

// Targets lists the targets with the limits of their engines.
func Targets() []Limits { return slices.Clone(engines) }

// ParseTarget reads the name of a target; an empty one is GBNF. The error lists those that there are.
func ParseTarget(name string) (Target, error) {
	l, err := Target(name).limits()
	return l.Target, err
}

// limits finds the row of the table.
func (t Target) limits() (Limits, error) {
	var names []string
	for _, l := range engines {
		if l.Target == t || t == "" {
			return l, nil
		}
		names = append(names, string(l.Target))
	}
	return Limits{}, fmt.Errorf("unknown target %q: there are %s", string(t), strings.Join(names, ", "))
}

// translate adds the constraint in another notation than GBNF to itself.
func (c *Constraint) translate(t Target, specials []string) error {
	if t == "" || t == TargetGBNF {
		return nil
	}
	content, notes, err := c.In(t, specials...)
	if err != nil {
		return err
	}
	c.Target, c.Content, c.Notes = t, content, append(slices.Clip(c.Notes), notes...)
	return nil
}

// In is the whole constraint in the notation of a target, and what is lost in it. Where the notation tells special tokens
// from their spelling, those that are known are named. An error says what the notation has no words for.
func (c *Constraint) In(t Target, specials ...string) (content string, lost []string, err error) {
	l, err := t.limits()
	if err != nil {
		return "", nil, err
	}
	g, err := read(c.Grammar, max(l.Repetitions, maxRepetitions))
	if err != nil {
		return "", nil, err
	}
	tr := &translation{grammar: g}
	switch l.Target {
	case TargetGBNF:
		content = c.Grammar
	case TargetStructuralTag:
		content, err = tr.structuralTag(c)
	case TargetEBNF:
		content, err = tr.ebnf(c)
	case TargetLark:
		content, err = tr.lark(c, specials)
	default:
		err = fmt.Errorf("a grammar is no JSON Schema: make one of the request (AnswerSchema)")
	}
	if l.Bytes > 0 && len(content) > l.Bytes {
		tr.note("the constraint has %d bytes, and %s may take no more than %d", len(content), l.Engine, l.Bytes)
	}
	return content, tr.lost, err
}

// translation is a constraint on its way into another notation.
type translation struct {
	grammar *Grammar
	lost    []string
}

// note notes what is lost, once.
func (tr *translation) note(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(tr.lost, s) {
		tr.lost = append(tr.lost, s)
	}
}

// triggerWords are the words that triggers stand for, among which none begins with another. A pattern stands for the texts
// that it matches, its white space written as models write it.
func (tr *translation) triggerWords(triggers []Trigger) ([]string, error) {
	var words []string
	for _, t := range triggers {
		if t.Type == TriggerWord {
			words = append(words, t.Value)
			continue
		}
		texts, exact, ok := patternTexts(t.Value)
		if !ok {
			return nil, fmt.Errorf("trigger %q: this engine knows no triggers that are patterns: ask for a strict grammar", t.Value)
		}
		texts = slices.DeleteFunc(texts, func(text string) bool { _, err := tr.behind(text); return err != nil })
		if !exact {
			tr.note("the trigger %q is only looked for as %q", t.Value, texts)
		}
		words = append(words, texts...)
	}
	slices.Sort(words)
	var out []string
	for _, w := range words {
		if n := len(out); n == 0 || !strings.HasPrefix(w, out[n-1]) {
			out = append(out, w)
		}
	}
	return out, nil
}

// behind is what the root of the grammar matches behind word.
// An error says that no text of the grammar begins with a word.
func (tr *translation) behind(word string) (*expr, error) {
	rest, err := after(tr.grammar.root.body, nil, word)
	if err != nil {
		return nil, fmt.Errorf("trigger %q: no text of the grammar begins with it: %w", word, err)
	}
	return rest, nil
}

// beginning is the grammar of e, which calls rules of g.
func (g *Grammar) beginning(e *expr) *rule {
	if g.root.name == "root" {
		g.root.name = (&builder{names: g.names()}).fresh("constrained")
	}
	return &rule{name: "root", body: e}
}

func (g *Grammar) names() map[string]int {
	names := map[string]int{"root": 1}
	for _, r := range g.rules {
		names[r.name] = 1
	}
	return names
}
