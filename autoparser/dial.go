package autoparser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Position is a position of the dial that a template has for thinking, and what turns it there.
type Position struct {
	Name string `json:"name"` // off, on, adaptive (the model decides), effort (in words) or budget (in tokens)
	// By is the variable of the template that turns the dial; empty: words in the system message do.
	By string `json:"by"`
	// Values are the values that turn it there, as JSON. An effort has one for each word that the template knows; for none, it
	// writes any word into the prompt. A budget has none.
	Values []string `json:"values,omitempty"`
	// Strict is set if the template refuses other values.
	Strict bool `json:"strict,omitempty"`
	// Default is set if the dial stands there where nothing turns it.
	Default bool `json:"default,omitempty"`
}

// String returns the position in a line, such as "off: enable_thinking = false (default)".
func (p Position) String() string {
	by, values := p.By+" = ", strings.Join(p.Values, ", ")
	switch {
	case p.By == "":
		by = "the system message has "
	case p.Name == budget:
		values = "a number of tokens"
	case values == "":
		values = "any word"
	case p.Strict:
		values += ", nothing else"
	}
	if p.Default {
		values += " (default)"
	}
	return p.Name + ": " + by + values
}

// The names of positions.
const (
	off      = "off"
	on       = "on"
	adaptive = "adaptive"
	effort   = "effort"
	budget   = "budget"
)

// Dial is how a request can choose how much the model thinks: the positions that the template has, each at most once.
type Dial []Position

// of returns the position with that name, or nil.
func (d Dial) of(name string) *Position {
	if i := slices.IndexFunc(d, func(p Position) bool { return p.Name == name }); i >= 0 {
		return &d[i]
	}
	return nil
}

// isOff reports whether the dial stands at off where nothing turns it.
func (d Dial) isOff() bool { p := d.of(off); return p != nil && p.Default }

// words are the values of variables by which templates name positions.
var words = []struct {
	position string
	values   []string
}{
	{off, []string{"none", "off", "disabled", "disable", "false", "no_think", "nothink", "no-think", "non_thinking", "non-thinking", "chat"}},
	{on, []string{"on", "enabled", "enable", "true", "think", "thinking", "reasoning"}},
	{adaptive, []string{"adaptive", "auto", "dynamic", "hybrid"}},
}

// efforts are the words for efforts, in order.
var efforts = []string{"minimal", "low", "medium", "high", "xhigh", "max"}

// sentences are the words of system messages by which templates switch thinking off and on.
var sentences = [][2]string{{"/no_think", "/think"}, {"/nothink", "/think"}, {"detailed thinking off", "detailed thinking on"}}

// mostSwitches limits the variables that are tried, each of which costs some renderings.
const mostSwitches = 8

// switches returns the variables that may switch thinking, judging by their names; the usual one is the first.
func (t *Template) switches() []string {
	var all []string
	for _, name := range t.program.Variables() {
		if slices.ContainsFunc([]string{"think", "thought", "reason", "effort", "budget"}, func(w string) bool { return strings.Contains(name, w) }) {
			all = append(all, name)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return usual(b) - usual(a) })
	return all[:min(len(all), mostSwitches)]
}

func usual(name string) int {
	if name == enableThinking {
		return 1
	}
	return 0
}

// enableThinking is the variable with which most templates switch thinking.
const enableThinking = "enable_thinking"

// negated reports whether a variable of that name switches off what other variables switch on.
func negated(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "_"), func(word string) bool {
		return slices.Contains([]string{"no", "non", "not", "disable", "disabled", "skip", "without", "hide", "suppress", "exclude"}, word)
	})
}

// turning tries what turns the dial of a template: it renders the beginning of an answer with one variable set and without.
type turning struct {
	*exploration
	question probe.Probe
	unset    string
	rendered map[string]rendered // by variables
	strings  map[string]bool     // words, and whether the source has them as strings
}

type rendered struct {
	text string
	ok   bool
}

// findDial learns the dial. A variable is a switch if its values give different prompts for the same question.
func (e *exploration) findDial() {
	t := turning{exploration: e, question: probe.Prompt(), rendered: map[string]rendered{}, strings: map[string]bool{}}
	t.question.Request.EnableThinking = nil
	if text, _ := t.with(); !strings.Contains(text, probe.User) {
		t.question, t.rendered = probe.InParts(), map[string]rendered{}
		t.question.Request.AddGenerationPrompt = true
	}
	t.unset, _ = t.with()
	names := e.switches()
	for _, name := range names {
		t.inWords(name)
		t.asSwitch(name)
	}
	for _, name := range names {
		t.inEfforts(name)
		t.inTokens(name)
	}
	t.inSystemMessage()
}

// with renders the question with variables set; false if that fails.
func (t *turning) with(vars ...chat.Field) (string, bool) {
	key := fmt.Sprint(vars)
	r, known := t.rendered[key]
	if !known {
		request := t.question.Request
		request.TemplateKwargs = vars
		text, err := t.try(newConversation(&request, &t.cache))
		r = rendered{text, err == nil}
		t.rendered[key] = r
	}
	return r.text, r.ok
}

// add adds a position unless the dial has it.
func (t *turning) add(name, by, value, text string) {
	if t.Dial.of(name) == nil {
		t.Dial = append(t.Dial, Position{Name: name, By: by, Values: []string{value}, Default: text == t.unset})
	}
}

func setTo(name, value string) chat.Field {
	return chat.Field{Name: name, Value: json.RawMessage(value)}
}

// echoed is a word that no template knows.
const echoed = "WORDNEEDLE"

// asSwitch learns the positions of a variable that is true or false.
func (t *turning) asSwitch(name string) {
	yes, ok := t.with(setTo(name, "true"))
	no, also := t.with(setTo(name, "false"))
	if !ok || !also || yes == no || strings.Contains(name, budget) {
		return
	}
	if word, _ := t.with(setTo(name, quoted(echoed))); strings.Contains(word, echoed) {
		return
	}
	if negated(name) {
		yes, no = no, yes
		t.add(off, name, "true", no)
		t.add(on, name, "false", yes)
		return
	}
	t.add(off, name, "false", no)
	t.add(on, name, "true", yes)
}

// inWords learns the positions of a variable that has words as values: those of its words that the source names, and that are
// not like any other word.
func (t *turning) inWords(name string) {
	other, lenient := t.with(setTo(name, quoted(echoed)))
	if strings.Contains(name, budget) || strings.Contains(other, echoed) {
		return
	}
	for _, w := range words {
		for _, word := range t.named(w.values) {
			text, ok := t.with(setTo(name, quoted(word)))
			if ok && (!lenient || text != other || t.differs(name, text)) {
				t.add(w.position, name, quoted(word), text)
			}
		}
	}
}

// differs reports whether an effort gives another prompt.
func (t *turning) differs(name, text string) bool {
	return slices.ContainsFunc(t.named(efforts), func(word string) bool {
		other, ok := t.with(setTo(name, quoted(word)))
		return ok && other != text
	})
}

// inEfforts learns the efforts of a variable.
func (t *turning) inEfforts(name string) {
	other, lenient := t.thinking(setTo(name, quoted(echoed)))
	p := Position{Name: effort, By: name, Strict: !lenient}
	switch {
	case strings.Contains(name, budget) || t.Dial.of(effort) != nil:
	case strings.Contains(other, echoed):
		t.Dial = append(t.Dial, p)
	default:
		for _, word := range t.named(efforts) {
			if text, ok := t.thinking(setTo(name, quoted(word))); ok && (!lenient || text != other) {
				p.Values = append(p.Values, quoted(word))
			}
		}
		if len(p.Values) > 0 {
			t.Dial = append(t.Dial, p)
		}
	}
}

// named returns those words that the source has as strings.
func (t *turning) named(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		has, known := t.strings[word]
		if !known {
			has = strings.Contains(t.Source, "'"+word+"'") || strings.Contains(t.Source, quoted(word))
			t.strings[word] = has
		}
		return !has
	})
}

// thinking is with where thinking is on: an effort counts only then.
func (t *turning) thinking(vars ...chat.Field) (string, bool) {
	if p := t.Dial.of(on); p != nil && p.By != vars[0].Name {
		vars = append(vars, setTo(p.By, p.Values[0]))
	}
	return t.with(vars...)
}

func quoted(word string) string { return `"` + word + `"` }

// inTokens learns a variable that is a number of tokens. If none are not written like any other number, they are no thinking.
func (t *turning) inTokens(name string) {
	some, ok := t.with(setTo(name, "4711"))
	more, also := t.with(setTo(name, "6174"))
	if !ok || !also || some == more || !strings.Contains(name, budget) || t.Dial.of(budget) != nil {
		return
	}
	t.Dial = append(t.Dial, Position{Name: budget, By: name})
	if none, ok := t.with(setTo(name, "0")); ok && none != strings.ReplaceAll(some, "4711", "0") {
		t.add(off, name, "0", none)
	}
}

// inSystemMessage learns words of the system message that the source names and that change more than that message.
func (t *turning) inSystemMessage() {
	const neutral = "NEUTRALNEEDLE"
	for _, pair := range sentences {
		if !strings.Contains(t.Source, pair[0]) || t.Dial.of(off) != nil || t.Dial.of(on) != nil {
			continue
		}
		none, some := t.told(pair[0]), t.told(pair[1])
		if none == some {
			continue
		}
		plain := t.told(neutral)
		t.Dial = append(t.Dial,
			Position{Name: off, Values: []string{quoted(pair[0])}, Default: none == plain},
			Position{Name: on, Values: []string{quoted(pair[1])}, Default: some == plain})
	}
}

// told renders the question after a system message, without the text of that message.
func (t *turning) told(system string) string {
	request := t.question.Request
	request.Messages = append([]chat.Message{{Role: chat.RoleSystem, Content: chat.TextContent(system)}}, request.Messages...)
	text, _ := t.try(newConversation(&request, &t.cache))
	return strings.Replace(text, system, "", 1)
}
