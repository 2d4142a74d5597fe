package autoparser

import (
	"encoding/json"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// SelfCheckRow is an answer that was not learned from. Its rendering must be parsed back to the same answer.
type SelfCheckRow struct {
	ID       string
	Question string // ends in a question mark
	// Answer returns the message of the assistant, which may depend on the dialect.
	Answer func(dialect.Dialect) chat.Message
	// Needs reports whether a template has the capabilities that the question is about; nil means always.
	Needs func(dialect.Capabilities) bool
}

// SelfCheckRows returns the table of the self-check, in order.
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

// says returns a message as the answer in all dialects.
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

// spellsMarkers returns a call with the markers of the dialect in a string. It omits the marker that ends a value if arguments
// are not JSON, because values cannot contain it, and the end of reasoning, which many templates cut at wherever it occurs.
func spellsMarkers(d dialect.Dialect) chat.Message {
	var spelled []string
	for _, m := range d.Markers() {
		if !spellsEnd(d, m) {
			spelled = append(spelled, m)
		}
	}
	text, _ := json.Marshal(strings.Join(spelled, " and ") + " are markers") //nolint:errchkjson // strings always encode
	return says(calling(chat.Message{}, firstCall(`{"title": `+string(text)+`}`)))(d)
}

// spellsEnd reports whether a marker within a string would end that.
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

// selfCheckTools returns the tools that the rows call.
func selfCheckTools() []chat.Tool {
	const properties = `{"type": "object", "properties": {
		"title": {"type": "string"}, "pages": {"type": "integer"}, "price": {"type": "number"}, "lent": {"type": "boolean"},
		"lost": {"type": "boolean"}, "due": {"description": "a date"}, "authors": {"type": "array", "items": {"type": "string"}}, "shelf": {"type": "object"}}}`
	tool := func(name string) chat.Tool {
		return chat.Tool{Name: name, Description: "Something about a book", Parameters: jsonschema.MustParse(properties)}
	}
	return []chat.Tool{tool("find_book"), tool("lend_book")}
}
