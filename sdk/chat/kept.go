package chat

import "slices"

// keptCall is a call that was announced.
type keptCall struct {
	id, name string
	begin    int // where its arguments begin
}

// fill adds what was delivered to a message.
func (s *Stream) fill(m *Message) {
	m.ReasoningContent = string(s.reasoning.text)
	if len(s.content.text) > 0 || len(s.announced) == 0 {
		m.Content = TextContent(string(s.content.text))
	}
	m.ToolCalls = slices.Grow(m.ToolCalls, len(s.announced))
	arguments := string(s.arguments)
	for i, c := range s.announced {
		end := len(arguments)
		if i+1 < len(s.announced) {
			end = s.announced[i+1].begin
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
