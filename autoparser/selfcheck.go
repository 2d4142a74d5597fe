package autoparser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// SelfCheck is the result of parsing what the template itself writes: for each row of the table, the template renders an
// answer, and the program must parse the same answer from the rendering. It is part of learning, because it decides which parts
// of the dialect are served; see Proof.
type SelfCheck struct {
	Passed int             `json:"passed"` // rows that were parsed back
	Failed int             `json:"failed"` // rows that were parsed differently
	Parts  []Proof         `json:"parts"`  // the parts that the template writes, or that the dialect has
	Rows   []SelfCheckDone `json:"rows"`   // all rows of the table, in order
}

// SelfCheckDone is a row and its result: it passed if both Skipped and Failed are empty.
type SelfCheckDone struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	// Skipped is why there is nothing to parse back: the template does not write such an answer, or not all of it.
	Skipped string `json:"skipped,omitempty"`
	// Failed is the difference between the answers, and Output what the template wrote.
	Failed string `json:"failed,omitempty"`
	Output string `json:"output,omitempty"`
	// Refutes are the parts of the dialect that the difference is in; a row can fail without refuting any.
	Refutes []Part `json:"refutes,omitempty"`
	// Exercises are the parts of the dialect that the answer consists of, besides content.
	Exercises []Part `json:"exercises,omitempty"`
}

// Score returns the result in short, such as "14 of 14".
func (s SelfCheck) Score() string { return fmt.Sprintf("%d of %d", s.Passed, s.Passed+s.Failed) }

// Failures returns the rows that failed.
func (s SelfCheck) Failures() []SelfCheckDone {
	var failed []SelfCheckDone
	for _, r := range s.Rows {
		if r.Failed != "" {
			failed = append(failed, r)
		}
	}
	return failed
}

// SelfCheck returns the result of the self-check.
func (l *Learned) SelfCheck() SelfCheck { return *l.checked }

// checker runs the self-check of a dialect. All rows have the same question and the same tools, so that they share the
// rendering of the question and, where an answer begins in the same way, the program.
type checker struct {
	*Learned                 // with the whole dialect, as concluded
	ctx      context.Context // with the budget of the self-check
	tools    []chat.Tool
	plain    bool                     // the template renders only tools with parameters of simple types
	unasked  string                   // the question; it may end in what follows all conversations
	asked    string                   // the question with the beginning of an answer
	begun    string                   // the beginning of an answer
	err      error                    // why the question cannot be rendered
	readers  map[string]*session.Plan // by what precedes the answer
	cache    Cache
}

func (l *Learned) newChecker(ctx context.Context, tools []chat.Tool) *checker {
	c := &checker{Learned: l, ctx: ctx, readers: map[string]*session.Plan{}}
	if l.Template.Capabilities.ToolCalls {
		c.tools = tools
	}
	if c.err = c.ask(); c.err != nil && c.tools != nil {
		c.tools, c.plain = selfCheckTools(plainProperties), true
		c.err = c.ask()
	}
	return c
}

func (c *checker) checkAll() *SelfCheck {
	var s SelfCheck
	for _, row := range SelfCheckRows() {
		done := c.checkRow(row)
		switch {
		case done.Failed != "":
			s.Failed++
		case done.Skipped == "":
			s.Passed++
		}
		s.Rows = append(s.Rows, done)
	}
	s.Parts = c.proofs(s.Rows)
	return &s
}

func (c *checker) checkRow(row SelfCheckRow) SelfCheckDone {
	done := SelfCheckDone{ID: row.ID, Question: row.Question}
	if row.Needs != nil && !row.Needs(c.Template.Capabilities) {
		done.Skipped = "the template does not render it"
		return done
	}
	want := row.Answer(c.Dialect)
	done.Exercises = partsOf(want)
	write := (*checker).rendition
	if row.write != nil {
		write = row.write
	}
	wrote, err := write(c, want)
	if err != nil {
		done.Skipped = err.Error()
		return done
	}
	got, status := c.readBack(wrote)
	if done.Failed = wrote.difference(want, got); done.Failed == "" && status != chat.Complete {
		done.Failed = "the output is " + string(status)
	}
	if done.Failed != "" {
		done.Output = diff.Excerpt(wrote.output, longestDifference)
		done.Refutes = c.refuted(done.Exercises, want, got)
	}
	return done
}

// rendition is an answer as a template writes it.
type rendition struct {
	prompt string // what of the generation prompt stands before it
	output string
}

// holds reports whether the rendition contains all texts of an answer and the names of its calls. It does not look for
// arguments, which can be spelled in many ways.
func (r rendition) holds(m chat.Message) bool {
	whole := r.prompt + r.output
	for _, line := range strings.Split(m.ReasoningContent+"\n"+contentText(m.Content), "\n") {
		if !strings.Contains(whole, strings.TrimSpace(line)) {
			return false
		}
	}
	for _, c := range m.ToolCalls {
		if !strings.Contains(whole, c.Name) {
			return false
		}
	}
	return true
}

// The reasons why there is nothing to parse back.
var (
	errThought    = errors.New("the template writes the text before calls as reasoning")
	errPartial    = errors.New("the template leaves out a part of it")
	errSeveral    = errors.New("the template makes several turns of it")
	errUnescaped  = errors.New("the template puts texts between quotes without escaping those within")
	errUndeclared = errors.New("the template does not render tools with parameters of such types")
)

// question returns the messages before an answer.
func (c *checker) question() []chat.Message {
	question := chat.Message{Role: chat.RoleUser, Content: chat.TextContent(plainQuestion)}
	if c.Template.demandsSystem {
		return []chat.Message{{Role: chat.RoleSystem, Content: chat.TextContent("You know all books.")}, question}
	}
	return []chat.Message{question}
}

// render renders messages with the tools, with or without the beginning of an answer, and with thinking on or off.
func (c *checker) render(messages []chat.Message, prompt, thinking bool) (string, error) {
	asked := c.Style().Normalise
	if c.Template.nullCalls {
		asked = append(asked, workaround.NullContent)
	}
	conv := newConversation(&chat.Request{Messages: messages, Tools: c.tools, Now: probed, EnableThinking: &thinking}, &c.cache)
	conv.explicit = true
	c.Template.manner(asked).normalise(&conv)
	return c.Template.text(c.ctx, &conv, prompt)
}

// ask renders the question.
func (c *checker) ask() (err error) {
	if c.unasked, err = c.render(c.question(), false, true); err == nil {
		c.asked, err = c.render(c.question(), true, true)
	}
	c.begun = added(c.unasked, c.asked)
	return err
}

// rendition renders the question with an answer. What it has beyond the question is the rendition of the answer.
func (c *checker) rendition(answer chat.Message) (rendition, error) {
	if c.err != nil {
		return rendition{}, c.err
	}
	if c.plain && !plain(answer) {
		return rendition{}, errUndeclared
	}
	answered, err := c.render(append(c.question(), answer), false, true)
	if err != nil {
		return rendition{}, err
	}
	question := behindQuestion(c.asked)
	if !strings.HasPrefix(answered, c.asked[:question]) {
		question = 0
	}
	shared := c.asked[:question] + c.Detected.Tags.Prefix(c.asked[question:], answered[question:])
	prompt, output := c.behindHeader(shared, answered[len(shared):])
	open := c.asked[len(shared):]
	for _, header := range c.headers() {
		if rest, same := diff.Behind(answered[min(len(c.asked)-len(c.begun), len(shared)):], header); same {
			prompt, output, open = header, rest, c.begun[len(header):]
			break
		}
	}
	r := rendition{prompt: prompt, output: output}
	switch {
	case !r.holds(answer):
		return r, errPartial
	case unescaped(output, answer):
		return r, errUnescaped
	}
	r.output = c.withoutEnd(output)
	if c.opensReasoning(open, r.output) {
		r.prompt = c.begun
	}
	if c.leavesOpen(r, answer) {
		r.output = c.Dialect.Reasoning.End + r.output
	}
	switch {
	case c.writesAsReasoning(r, answer):
		return r, errThought
	case !r.holds(answer) && severalIn(answer):
		return r, errSeveral
	}
	return r, nil
}

// headers returns the beginning of an answer, and what precedes the marker in it that opens reasoning. An answer begins with one
// of them, but may have other white space there.
func (c *checker) headers() []string {
	if header, opens := strings.CutSuffix(strings.TrimRight(c.begun, " \t\r\n"), strings.TrimSpace(c.Dialect.Reasoning.Start)); opens {
		return []string{c.begun, header}
	}
	return []string{c.begun}
}

// behindQuestion returns where the question ends in a prompt. What precedes it can be long, and is the same in all prompts.
func behindQuestion(prompt string) int {
	if at := strings.LastIndex(prompt, plainQuestion); at >= 0 {
		return at + len(plainQuestion)
	}
	return 0
}

// severalIn reports whether an answer consists of several things, which a template may write as several turns.
func severalIn(answer chat.Message) bool {
	return len(answer.ToolCalls)+min(1, len(answer.ReasoningContent))+min(1, len(contentText(answer.Content))) > 1
}

// behindHeader removes the header of an assistant's turn from a rendition if the generation prompt contains the same header
// after other text: everything up to there is the prompt. The rendition may begin within the header.
func (c *checker) behindHeader(shared, output string) (string, string) {
	header := strings.TrimSpace(c.Dialect.AssistantStart)
	at := strings.LastIndex(c.begun, header)
	for begun := range len(header) {
		if at < 0 || !strings.HasSuffix(shared, header[:begun]) {
			continue
		}
		if rest, found := diff.Behind(output, header[begun:]); found {
			return c.begun[:at+len(header)], rest
		}
	}
	return shared[min(len(c.asked)-len(c.begun), len(shared)):], output
}

// leavesOpen reports whether an answer without reasoning follows a marker that opens reasoning, which nothing closes: the
// template repeats the end of its prompt, and has removed what the model wrote up to the end of reasoning (R4).
func (c *checker) leavesOpen(r rendition, answer chat.Message) bool {
	start, end := strings.TrimSpace(c.Dialect.Reasoning.Start), strings.TrimSpace(c.Dialect.Reasoning.End)
	return answer.ReasoningContent == "" && start != "" && strings.HasSuffix(strings.TrimSpace(r.prompt), start) &&
		end != "" && !strings.Contains(r.output, end) && c.cutsThoughts()
}

// cutsThoughts reports whether the template removes reasoning from the text of an earlier answer (R4).
func (l *Learned) cutsThoughts() bool {
	r4, ok := l.Answers.Of("R4")
	return ok && !strings.Contains(r4.TextB, probe.Reasoning) && strings.Contains(r4.TextB, probe.Content)
}

// writesAsReasoning reports whether the text of an answer without reasoning follows the marker that begins reasoning.
func (c *checker) writesAsReasoning(r rendition, answer chat.Message) bool {
	before, _, shown := strings.Cut(r.output, contentText(answer.Content))
	start := strings.TrimSpace(c.Dialect.Reasoning.Start)
	return shown && answer.ReasoningContent == "" && !blank(contentText(answer.Content)) && start != "" &&
		strings.HasSuffix(strings.TrimSpace(before), start)
}

// opensReasoning reports whether the rest of a generation prompt, which an answer does not repeat, belongs to the answer: it
// opens the reasoning that the answer closes. If the answer has no reasoning, the rest is dropped.
func (c *checker) opensReasoning(rest, output string) bool {
	r := c.Dialect.Reasoning
	return r.Mode != dialect.ReasoningNone && !blank(rest) && !blank(r.End) &&
		strings.TrimSpace(rest) == strings.TrimSpace(r.Start) && strings.Contains(output, strings.TrimSpace(r.End))
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// withoutEnd returns an answer without the end of its turn, which engines do not return. Some templates always write the
// beginning of the next turn, or instructions behind all conversations; some divide an answer into several turns, which can be
// parsed only if the dialect knows what stands between them.
func (c *checker) withoutEnd(output string) string {
	inner := c.Dialect.Reasoning.End + c.Dialect.Content.End
	ends := []string{c.Dialect.EndOfTurn, c.Dialect.EndOfCalls, c.Template.EOS, c.Dialect.UserStart}
	if start := strings.TrimSpace(c.Dialect.AssistantStart); !strings.Contains(c.Dialect.Tools.CallSeparator, start) {
		ends = append(ends, start) // otherwise another call
	}
	tail := diff.CommonSuffix(c.unasked[behindQuestion(c.unasked):], output)
	for _, end := range ends {
		if end = strings.TrimSpace(end); end != "" && !strings.Contains(inner, end) {
			if strings.Contains(tail, end) {
				output = strings.TrimSuffix(output, tail)
			}
			output = c.before(output, end)
		}
	}
	return output
}

// before returns what precedes an end of a turn. Where calls begin with the same marker, only the last word can be the end.
func (c *checker) before(output, end string) string {
	call := strings.TrimSpace(cmp.Or(c.Dialect.Tools.SectionStart, c.Dialect.Tools.PerCallStart))
	if !strings.HasPrefix(call, end) {
		output, _, _ = strings.Cut(output, end)
		return output
	}
	if rest, found := strings.CutSuffix(strings.TrimSpace(output), end); found {
		return rest
	}
	return output
}
