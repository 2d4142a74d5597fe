package chat

import (
	"slices"
	"strings"
)

// kept is what a Stream has delivered, for the final message.
type kept struct {
	content   strings.Builder
	reasoning strings.Builder
	arguments strings.Builder // of all calls, one after the other
	calls     []keptCall
}

type keptCall struct {
	id, name string
	begin    int // where its arguments begin
}

// keep keeps a text that is delivered, unless it is not needed.
func (s *Stream) keep(kind EventKind, text []byte) {
	switch {
	case s.NoMessage && (s.Policies.UnclosedReasoning != UnclosedContent || s.content.begun || s.calls > 0):
		s.kept.reasoning.Reset()
	case kind == ContentText:
		s.kept.content.Write(text)
	case kind == ReasoningText:
		s.kept.reasoning.Write(text)
	default:
		s.kept.arguments.Write(text)
	}
}

// fill adds what is kept to a message.
func (k *kept) fill(m *Message) {
	m.ReasoningContent = k.reasoning.String()
	if k.content.Len() > 0 || len(k.calls) == 0 {
		m.Content = TextContent(k.content.String())
	}
	m.ToolCalls = slices.Grow(m.ToolCalls, len(k.calls))
	arguments := k.arguments.String()
	for i, c := range k.calls {
		end := len(arguments)
		if i+1 < len(k.calls) {
			end = k.calls[i+1].begin
		}
		m.ToolCalls = append(m.ToolCalls, Call{ID: c.id, Name: c.name, Arguments: arguments[c.begin:end]})
	}
}

// names is a list of texts. It is indexed once it is long and often asked.
type names struct {
	list    []string
	index   map[string]string
	indexed int // the beginning of the list that is in index
	asked   int
}

// many is the number of texts, and of questions, beyond which names are indexed.
const many = 16

// find returns the text of the list that equals name.
func (n *names) find(name []byte) (string, bool) {
	if n.asked++; len(n.list) <= many || n.asked <= many {
		for _, t := range n.list {
			if t == string(name) {
				return t, true
			}
		}
		return "", false
	}
	if n.index == nil {
		n.index = make(map[string]string, len(n.list))
	}
	for ; n.indexed < len(n.list); n.indexed++ {
		n.index[n.list[n.indexed]] = n.list[n.indexed]
	}
	t, ok := n.index[string(name)]
	return t, ok
}

// add adds a text that is not in the list.
func (n *names) add(name string) { n.list = append(n.list, name) }
