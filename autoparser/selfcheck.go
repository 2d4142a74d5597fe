package autoparser

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// SelfCheck is the result of parsing what the template itself writes: for each row of the table, the template renders an
// answer, and the program must parse the same answer from the rendering. A template that fails a row is usable, with
// limitations.
type SelfCheck struct {
	Passed int             `json:"passed"` // rows that were parsed back
	Failed int             `json:"failed"` // rows that were parsed differently
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

// checked keeps the result of a self-check.
type checked = atomic.Pointer[SelfCheck]

// SelfCheck checks what was learned, on its first call: that costs a few times as much as learning, most of it for compiling a
// program per row. Rows after the end of the context are skipped, and the result is not kept.
func (l *Learned) SelfCheck(ctx context.Context) SelfCheck {
	if s, known := l.SelfChecked(); known {
		return s
	}
	s := l.checkAll(learning(ctx))
	if ctx.Err() == nil {
		l.checked.Store(&s)
	}
	return s
}

// SelfChecked returns the result of the self-check if there was one.
func (l *Learned) SelfChecked() (SelfCheck, bool) {
	if s := l.checked.Load(); s != nil {
		return *s, true
	}
	return SelfCheck{}, false
}

func (l *Learned) checkAll(ctx context.Context) SelfCheck {
	var s SelfCheck
	for _, row := range SelfCheckRows() {
		done := l.checkRow(ctx, row)
		switch {
		case done.Failed != "":
			s.Failed++
		case done.Skipped == "":
			s.Passed++
		}
		s.Rows = append(s.Rows, done)
	}
	return s
}

func (l *Learned) checkRow(ctx context.Context, row SelfCheckRow) SelfCheckDone {
	done := SelfCheckDone{ID: row.ID, Question: row.Question}
	if row.Needs != nil && !row.Needs(l.Template.Capabilities) {
		done.Skipped = "the template does not render it"
		return done
	}
	want := row.Answer(l.Dialect)
	thinking := true
	req := chat.Request{Tools: selfCheckTools(), ParallelToolCalls: true, EnableThinking: &thinking, Now: probed}
	if !l.Template.Capabilities.ToolCalls {
		req.Tools = nil
	}
	wrote, err := l.rendition(ctx, req, want)
	switch {
	case err != nil:
		done.Skipped = err.Error()
		return done
	case l.writesAsReasoning(wrote, want):
		done.Skipped = "the template writes the text before calls as reasoning"
		return done
	case !wrote.holds(want):
		done.Skipped = "the template leaves out a part of it, or makes several turns of it"
		return done
	}
	got, status := l.readBack(ctx, req, wrote)
	if done.Failed = wrote.difference(want, got); done.Failed == "" && status != chat.Complete {
		done.Failed = "the output is " + string(status)
	}
	if done.Failed != "" {
		done.Output = diff.Excerpt(wrote.output, longestDifference)
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

// rendition renders a question, and the question with its answer. The difference is the rendition of the answer.
func (l *Learned) rendition(ctx context.Context, req chat.Request, answer chat.Message) (rendition, error) {
	req.Messages = []chat.Message{{Role: chat.RoleUser, Content: chat.TextContent("Where is the book?")}}
	req.AddGenerationPrompt = true
	style := l.Style()
	if l.Template.nullCalls {
		style.Normalise = append(style.Normalise, workaround.NullContent)
	}
	asked, err := l.Template.Render(ctx, &req, style)
	if err != nil {
		return rendition{}, err
	}
	req.AddGenerationPrompt = false
	req.TemplateKwargs = []chat.Field{{Name: generationPrompt, Value: json.RawMessage("false")}}
	if asked.GenerationPrompt == "" {
		question, err := l.Template.Render(ctx, &req, style)
		if err != nil {
			return rendition{}, err
		}
		asked.GenerationPrompt = added(question.Prompt, asked.Prompt)
	}
	req.Messages = append(req.Messages, answer)
	answered, err := l.Template.Render(ctx, &req, style)
	if err != nil {
		return rendition{}, err
	}
	shared := l.Detected.Tags.Prefix(asked.Prompt, answered.Prompt)
	begins := len(asked.Prompt) - len(asked.GenerationPrompt)
	prompt, output := l.behindHeader(shared[min(begins, len(shared)):], asked.GenerationPrompt, answered.Prompt[len(shared):])
	open := asked.Prompt[len(shared):]
	for _, header := range l.headers(asked.GenerationPrompt) {
		if rest, same := diff.Behind(answered.Prompt[min(begins, len(shared)):], header); same {
			prompt, output, open = header, rest, asked.GenerationPrompt[len(header):]
			break
		}
	}
	r := rendition{prompt: prompt, output: l.withoutEnd(output)}
	if l.opensReasoning(open, r.output) {
		r.prompt = asked.GenerationPrompt
	}
	if l.leavesOpen(r, answer) {
		r.output = l.Dialect.Reasoning.End + r.output
	}
	return r, nil
}

// headers returns a generation prompt, and what precedes the marker in it that opens reasoning. An answer begins with one of
// them, but may have other white space there.
func (l *Learned) headers(generation string) []string {
	if header, opens := strings.CutSuffix(strings.TrimSpace(generation), strings.TrimSpace(l.Dialect.Reasoning.Start)); opens {
		return []string{generation, header}
	}
	return []string{generation}
}

// behindHeader removes the header of an assistant's turn from a rendition if the generation prompt contains the same header
// after other text: everything up to there is the prompt.
func (l *Learned) behindHeader(prompt, generation, output string) (string, string) {
	header := strings.TrimSpace(l.Dialect.AssistantStart)
	rest, begins := strings.CutPrefix(strings.TrimSpace(output), header)
	at := strings.LastIndex(generation, header)
	if header == "" || !begins || at < 0 {
		return prompt, output
	}
	return generation[:at+len(header)], rest
}

// leavesOpen reports whether an answer without reasoning follows a marker that opens reasoning, which nothing closes: the
// template repeats the end of its prompt, and has removed what the model wrote up to the end of reasoning (R4).
func (l *Learned) leavesOpen(r rendition, answer chat.Message) bool {
	start, end := strings.TrimSpace(l.Dialect.Reasoning.Start), strings.TrimSpace(l.Dialect.Reasoning.End)
	return answer.ReasoningContent == "" && start != "" && strings.HasSuffix(strings.TrimSpace(r.prompt), start) &&
		end != "" && !strings.Contains(r.output, end) && l.cutsThoughts()
}

// cutsThoughts reports whether the template removes reasoning from the text of an earlier answer (R4).
func (l *Learned) cutsThoughts() bool {
	r4, ok := l.Answers.Of("R4")
	return ok && !strings.Contains(r4.TextB, probe.Reasoning) && strings.Contains(r4.TextB, probe.Content)
}

// writesAsReasoning reports whether the text of an answer without reasoning follows the marker that begins reasoning.
func (l *Learned) writesAsReasoning(r rendition, answer chat.Message) bool {
	before, _, shown := strings.Cut(r.output, contentText(answer.Content))
	start := strings.TrimSpace(l.Dialect.Reasoning.Start)
	return shown && answer.ReasoningContent == "" && !blank(contentText(answer.Content)) && start != "" &&
		strings.HasSuffix(strings.TrimSpace(before), start)
}

// opensReasoning reports whether the rest of a generation prompt, which an answer does not repeat, belongs to the answer: it
// opens the reasoning that the answer closes. If the answer has no reasoning, the rest is dropped.
func (l *Learned) opensReasoning(rest, output string) bool {
	r := l.Dialect.Reasoning
	return r.Mode != dialect.ReasoningNone && !blank(rest) && !blank(r.End) &&
		strings.TrimSpace(rest) == strings.TrimSpace(r.Start) && strings.Contains(output, strings.TrimSpace(r.End))
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// withoutEnd returns an answer without the end of its turn, which engines do not return. Some templates always write the
// beginning of the next turn; some divide an answer into several turns, which can be parsed only if the dialect knows what
// stands between them.
func (l *Learned) withoutEnd(output string) string {
	inner := l.Dialect.Reasoning.End + l.Dialect.Content.End
	ends := []string{l.Dialect.EndOfTurn, l.Dialect.EndOfCalls, l.Template.EOS, l.Dialect.UserStart}
	if start := strings.TrimSpace(l.Dialect.AssistantStart); !strings.Contains(l.Dialect.Tools.CallSeparator, start) {
		ends = append(ends, start) // otherwise another call
	}
	for _, end := range ends {
		if end = strings.TrimSpace(end); end != "" && !strings.Contains(inner, end) {
			output, _, _ = strings.Cut(output, end)
		}
	}
	return output
}

// readBack parses a rendition like an output of the model.
func (l *Learned) readBack(ctx context.Context, req chat.Request, wrote rendition) (chat.Message, chat.Status) {
	program := assemble.Assemble(assemble.Input{Dialect: l.Dialect, Request: &req,
		GenerationPrompt: wrote.prompt, TemplatePrompt: wrote.prompt}).Program
	draft := session.Draft{Plan: handler.Plan{Program: program}, GenerationPrompt: wrote.prompt}
	plan, err := session.New(ctx, &draft, &req, session.PlanOptions{ParseOnly: true})
	if err != nil {
		return chat.Message{}, chat.Status("not read: " + err.Error())
	}
	result, err := plan.Parse(ctx, []byte(wrote.output), false, session.Options{NoIDs: true})
	if err != nil {
		return chat.Message{}, chat.Status("refused: " + err.Error())
	}
	return result.Message, result.Report.Status
}

// difference describes how the parsed answer differs from the given one; "" if it does not. Outer white space of content and
// reasoning comes from the template, and ids that the template does not write cannot be parsed back.
func (r rendition) difference(want, got chat.Message) string {
	if w, g := strings.TrimSpace(want.ReasoningContent), strings.TrimSpace(got.ReasoningContent); w != g {
		return fmt.Sprintf("reasoning: expected %q, found %q", w, g)
	}
	if w, g := strings.TrimSpace(contentText(want.Content)), strings.TrimSpace(contentText(got.Content)); w != g {
		return fmt.Sprintf("content: expected %q, found %q", w, g)
	}
	if len(want.ToolCalls) != len(got.ToolCalls) {
		return fmt.Sprintf("expected %d calls, found %d", len(want.ToolCalls), len(got.ToolCalls))
	}
	for i, w := range want.ToolCalls {
		g := got.ToolCalls[i]
		switch {
		case w.Name != g.Name:
			return fmt.Sprintf("call %d: expected the name %q, found %q", i+1, w.Name, g.Name)
		case g.ID != w.ID && strings.Contains(r.output, w.ID):
			return fmt.Sprintf("call %d: expected the id %q, found %q", i+1, w.ID, g.ID)
		case !sameJSON(w.Arguments, g.Arguments):
			return fmt.Sprintf("call %d: expected the arguments %s, found %s", i+1, w.Arguments, g.Arguments)
		}
	}
	return ""
}

// sameJSON compares values: the order of members and the spelling of numbers do not matter.
func sameJSON(a, b string) bool {
	var left, right any
	if json.Unmarshal([]byte(a), &left) != nil || json.Unmarshal([]byte(b), &right) != nil {
		return false
	}
	return reflect.DeepEqual(left, right)
}
