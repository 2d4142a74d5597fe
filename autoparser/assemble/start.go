package assemble

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// start is where the generation prompt leaves the message. The prompt is divided in two ways:
//
//	head                                  | what a continued message says last
//	header | the reasoning that it begins |
type start struct {
	head   string
	header string
	// thinking says how reasoning begins behind the header.
	thinking thinking
	state    handler.ReasoningState
}

// thinking is how reasoning begins.
type thinking uint8

const (
	noThinking      thinking = iota // there is none
	mayThink                        // with its start marker, or not at all
	mustThink                       // with its start marker, which is in the prompt
	alreadyThinking                 // at once: it has no start marker
)

// startOf reads the start state from the generation prompt. A start marker at the end of the prompt leaves reasoning open;
// with an end marker behind it, it is closed; with other text behind it, the marker is an accident of the template, and
// what follows the whole prompt is reasoning.
func startOf(in Input) start {
	head := strings.TrimSuffix(in.GenerationPrompt, continued(in.Request, in.GenerationPrompt))
	m := marksOf(in.Dialect)
	s := start{head: head, header: head, state: handler.ReasoningIdle}
	if in.Dialect.Reasoning.Mode == dialect.ReasoningNone || m.reasoningEnd == "" {
		return s
	}
	at := -1
	if m.reasoningStart != "" {
		at = strings.Index(head, m.reasoningStart)
	}
	switch {
	case at >= 0:
		s.header = head[:at]
		s.thinking, s.state = mustThink, handler.ReasoningOpen
		if behind := head[at+len(m.reasoningStart):]; strings.Contains(behind, m.reasoningEnd) {
			s.state = handler.ReasoningClosed
		} else if strings.TrimSpace(behind) != "" {
			s.header, s.thinking = head, alreadyThinking
		}
	case strings.Contains(head, m.reasoningEnd):
		s.state = handler.ReasoningClosed
	case m.reasoningStart == "":
		s.thinking, s.state = alreadyThinking, handler.ReasoningOpen
	default:
		s.thinking = mayThink
	}
	return s
}

// continued is the end of the prompt that the message to be continued says itself: its content, or its reasoning.
func continued(r *chat.Request, prompt string) string {
	if r.ContinueFinalMessage == chat.ContinueNone || len(r.Messages) == 0 {
		return ""
	}
	last := r.Messages[len(r.Messages)-1]
	text := contentText(last.Content)
	if r.ContinueFinalMessage == chat.ContinueReasoning || r.ContinueFinalMessage == chat.ContinueAuto && text == "" {
		text = last.ReasoningContent
	}
	for _, spelling := range []string{text, strings.TrimRight(text, " \t\r\n"), strings.TrimSpace(text)} {
		if strings.HasSuffix(prompt, spelling) {
			return spelling
		}
	}
	return ""
}

func contentText(c chat.Content) string {
	if c.Text != nil {
		return *c.Text
	}
	var text strings.Builder
	for _, p := range c.Parts {
		text.WriteString(p.Text)
	}
	return text.String()
}
