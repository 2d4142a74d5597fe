package autoparser

import (
	"encoding/json"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// SelfCheckRow is an answer that a template was not learned from. What it renders for it must be read back as it was.
type SelfCheckRow struct {
	ID       string
	Question string // ends in a question mark
	// Answer is what the assistant says, in a given dialect.
	Answer func(dialect.Dialect) chat.Message
	// Needs says what a template must be able to do for the question to make sense; nil: nothing.
	Needs func(dialect.Capabilities) bool
}

// SelfCheckRows is the table of the self-check, in order.
func SelfCheckRows() []SelfCheckRow {
	calls := func(c dialect.Capabilities) bool { return c.ToolCalls }
	parallel := func(c dialect.Capabilities) bool { return c.ParallelToolCalls }
	thinks := func(c dialect.Capabilities) bool { return c.Reasoning }
	thinksAndCalls := func(c dialect.Capabilities) bool { return c.Reasoning && c.ToolCalls }
	return []SelfCheckRow{
		{"content", "Is an answer read as content?",
			says(chat.Message{Content: chat.TextContent(plainAnswer)}), nil},
		{"lines", "Do lines, markup of other kinds and characters of other scripts survive in content?",
			says(chat.Message{Content: chat.TextContent(richAnswer)}), nil},
		{"reasoning", "Is reasoning told from content?",
			says(chat.Message{ReasoningContent: plainThought, Content: chat.TextContent(plainAnswer)}), thinks},
		{"reasoning-call", "Is a call behind reasoning read?",
			says(calling(chat.Message{ReasoningContent: plainThought}, firstCall(`{"title": "Dune"}`))), thinksAndCalls},
		{"call", "Is a call read?",
			says(calling(chat.Message{}, firstCall(`{"title": "Dune"}`))), calls},
		{"two-calls", "Are two calls read?",
			says(calling(chat.Message{}, firstCall(`{"title": "Dune"}`), secondCall(`{"title": "Emma"}`))), parallel},
		{"content-call", "Is content before a call read?",
			says(calling(chat.Message{Content: chat.TextContent(plainAnswer)}, firstCall(`{"title": "Dune"}`))), calls},
		{"no-arguments", "Is a call without arguments read?",
			says(calling(chat.Message{}, firstCall(`{}`))), calls},
		{"numbers", "Are numbers read as such?",
			says(calling(chat.Message{}, firstCall(`{"pages": 412, "price": -9.5}`))), calls},
		{"booleans", "Are truth values and null read as such?",
			says(calling(chat.Message{}, firstCall(`{"lent": true, "lost": false, "due": null}`))), calls},
		{"nested", "Are lists and objects read as such?",
			says(calling(chat.Message{}, firstCall(`{"authors": ["Brontë", "O'Hara", "\"Q\""], "shelf": {"row": 3, "tags": ["a", {"b": false, "c": null}]}}`))), calls},
		{"empty", "Are empty texts, lists and objects read as such?",
			says(calling(chat.Message{}, firstCall(`{"title": "", "authors": [], "shelf": {}}`))), calls},
		{"like-other-types", "Does a text stay a text that looks like something else?",
			says(calling(chat.Message{}, firstCall(`{"title": "1984"}`), secondCall(`{"title": "[true, null]"}`))), parallel},
		{"unicode", "Do the characters of all scripts survive in arguments?",
			says(calling(chat.Message{}, firstCall(`{"title": "Pêcheur d'Islande, 氷島の漁夫 🐟"}`))), calls},
		{"quotes", "Do quotes, backslashes and lines survive in arguments?",
			says(calling(chat.Message{}, firstCall(`{"title": "The \"C:\\new\\table\" book,\n\tsecond 'edition'\n\n{half} <b>bold</b>"}`))), calls},
		{"markers", "Do markers survive that stand in an argument?", spellsMarkers, calls},
	}
}

const (
	plainAnswer  = "The book is on the shelf."
	plainThought = "Which shelf was it? Look at the second row."
	richAnswer   = "Zwölf Bücher, 十二冊, 🐟:\n\n* a < b && c > d\n* {\"row\": [3]}\n\n```go\nfunc f() {}\n```\nDone."
)

// says is the row's answer in all dialects.
func says(m chat.Message) func(dialect.Dialect) chat.Message {
	m.Role = chat.RoleAssistant
	if m.Content.Text == nil {
		m.Content = chat.TextContent("")
	}
	return func(dialect.Dialect) chat.Message { return m }
}

func calling(m chat.Message, calls ...chat.Call) chat.Message {
	m.ToolCalls = calls
	return m
}

func firstCall(arguments string) chat.Call {
	return chat.Call{ID: probe.ID, Name: "find_book", Arguments: arguments}
}

func secondCall(arguments string) chat.Call {
	return chat.Call{ID: probe.OtherID, Name: "lend_book", Arguments: arguments}
}

// spellsMarkers is a call with the markers of the dialect in a text. Where arguments are no JSON, what ends a value cannot
// be part of one, so it is left out; and so is what ends reasoning, which many templates cut off wherever they find it.
func spellsMarkers(d dialect.Dialect) chat.Message {
	var spelled []string
	for _, m := range d.Markers() {
		if !spellsEnd(d, m) {
			spelled = append(spelled, m)
		}
	}
	text, _ := json.Marshal(strings.Join(spelled, " and ") + " are markers") //nolint:errchkjson // a text is always JSON
	return says(calling(chat.Message{}, firstCall(`{"title": `+string(text)+`}`)))(d)
}

// spellsEnd says that a marker within a text would end it.
func spellsEnd(d dialect.Dialect, marker string) bool {
	ends := []string{d.Reasoning.End}
	if d.Tools.Format == dialect.TagWithTagged {
		ends = append(ends, d.Tools.Arguments.ValueSuffix)
	}
	for _, end := range ends {
		if end = strings.TrimSpace(end); end != "" && strings.Contains(marker, end) {
			return true
		}
	}
	return false
}

// selfCheckTools are what the rows call.
func selfCheckTools() []chat.Tool {
	const properties = `{"type": "object", "properties": {
		"title": {"type": "string"}, "pages": {"type": "integer"}, "price": {"type": "number"}, "lent": {"type": "boolean"},
		"lost": {"type": "boolean"}, "due": {"description": "a date"}, "authors": {"type": "array", "items": {"type": "string"}}, "shelf": {"type": "object"}}}`
	tool := func(name string) chat.Tool {
		return chat.Tool{Name: name, Description: "Something about a book", Parameters: jsonschema.MustParse(properties)}
	}
	return []chat.Tool{tool("find_book"), tool("lend_book")}
}
