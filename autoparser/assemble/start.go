package assemble

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// start is the state in which the generation prompt leaves the message.
type start struct {
	// header is the part of the prompt before the message; the program reads the rest of it.
	header   string
	thinking thinking
	state    handler.ReasoningState
}

// thinking is how reasoning begins after the header.
type thinking uint8

const (
	noThinking      thinking = iota // no reasoning
	mayThink                        // optionally, with its start marker
	mustThink                       // with its start marker, which is in the prompt
	alreadyThinking                 // at once, without a start marker
)

// startOf reads the start state from the generation prompt. A start marker in it leaves reasoning
// open. An end marker after that closes it. With other text of the template after it, the start
// marker is an accident of the template, and reasoning follows the whole prompt.
func startOf(in Input) start {
	reasoning := in.Dialect.Trimmed().Reasoning
	s := start{header: in.TemplatePrompt, state: handler.ReasoningIdle}
	if in.Request.PureContent || in.Dialect.Reasoning.Mode == dialect.ReasoningNone || reasoning.End == "" {
		return s
	}
	header, behind, opened := strings.Cut(in.GenerationPrompt, reasoning.Start)
	_, behindInTemplate, openedByTemplate := strings.Cut(in.TemplatePrompt, reasoning.Start)
	switch {
	case reasoning.Start == "" && strings.Contains(in.TemplatePrompt, reasoning.End):
		s.state = handler.ReasoningClosed
	case reasoning.Start == "":
		s.thinking, s.state = alreadyThinking, handler.ReasoningOpen
	case openedByTemplate && strings.Contains(behindInTemplate, reasoning.End):
		s.state = handler.ReasoningClosed // what the template itself wrote there is no part of the answer
	case opened && strings.Contains(behind, reasoning.End):
		return start{header, mustThink, handler.ReasoningClosed}
	case openedByTemplate && strings.TrimSpace(behindInTemplate) != "":
		s.thinking, s.state = alreadyThinking, handler.ReasoningOpen
	case opened:
		return start{header, mustThink, handler.ReasoningOpen}
	case strings.Contains(in.TemplatePrompt, reasoning.End):
		s.state = handler.ReasoningClosed
	default:
		s.thinking = mayThink
	}
	return s
}
