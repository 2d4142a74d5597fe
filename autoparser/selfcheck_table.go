package autoparser

import (
	"cmp"
	"encoding/json"
	"errors"
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
	// write returns how the template writes the answer; nil means that it renders it as a message.
	write func(*checker, chat.Message) (rendition, error)
}

// SelfCheckRows returns the table of the self-check, in order.
func SelfCheckRows() []SelfCheckRow {
	calls := func(c dialect.Capabilities) bool { return c.ToolCalls }
	parallel := func(c dialect.Capabilities) bool { return c.ParallelToolCalls }
	thinks := func(c dialect.Capabilities) bool { return c.Reasoning }
	thinksAndCalls := func(c dialect.Capabilities) bool { return c.Reasoning && c.ToolCalls }
	thinksUnseen := func(c dialect.Capabilities) bool { return !c.Reasoning }
	return []SelfCheckRow{
		{"content", "Is an answer read as content?",
			says(chat.Message{Content: chat.TextContent(plainAnswer)}), nil, nil},
		{"lines", "Do lines, markup of other kinds and characters of other scripts survive in content?",
			says(chat.Message{Content: chat.TextContent(richAnswer)}), nil, nil},
		{"reasoning", "Is reasoning told from content?",
			says(chat.Message{ReasoningContent: plainThought, Content: chat.TextContent(plainAnswer)}), thinks, nil},
		{"reasoning-call", "Is a call behind reasoning read?",
			says(calling(chat.Message{ReasoningContent: plainThought}, firstCall(`{"title": "Dune"}`))), thinksAndCalls, nil},
		{"reasoning-removed", "Is that reasoning which the template removes from earlier answers?",
			says(chat.Message{ReasoningContent: plainThought, Content: chat.TextContent(plainAnswer)}), thinksUnseen, (*checker).removedReasoning},
		{"reasoning-prompted", "Is that reasoning which stands between what the prompt opens and closes?",
			says(chat.Message{ReasoningContent: plainThought, Content: chat.TextContent(plainAnswer)}), thinksUnseen, (*checker).promptedReasoning},
		{"call", "Is a call read?",
			says(calling(chat.Message{}, firstCall(`{"title": "Dune"}`))), calls, nil},
		{"two-calls", "Are two calls read?",
			says(calling(chat.Message{}, firstCall(`{"title": "Dune"}`), secondCall(`{"title": "Emma"}`))), parallel, nil},
		{"content-call", "Is content before a call read?",
			says(calling(chat.Message{Content: chat.TextContent(plainAnswer)}, firstCall(`{"title": "Dune"}`))), calls, nil},
		{"no-arguments", "Is a call without arguments read?",
			says(calling(chat.Message{}, firstCall(`{}`))), calls, nil},
		{"numbers", "Are numbers read as such?",
			says(calling(chat.Message{}, firstCall(`{"pages": 412, "price": -9.5}`))), calls, nil},
		{"booleans", "Are truth values and null read as such?",
			says(calling(chat.Message{}, firstCall(`{"lent": true, "lost": false, "due": null}`))), calls, nil},
		{"nested", "Are lists and objects read as such?",
			says(calling(chat.Message{}, firstCall(`{"authors": ["Brontë", "O'Hara", "\"Q\""], "shelf": {"row": 3, "tags": ["a", {"b": false, "c": null}]}}`))), calls, nil},
		{"empty", "Are empty texts, lists and objects read as such?",
			says(calling(chat.Message{}, firstCall(`{"title": "", "authors": [], "shelf": {}}`))), calls, nil},
		{"like-other-types", "Does a text stay a text that looks like something else?",
			says(calling(chat.Message{}, firstCall(`{"title": "1984"}`), secondCall(`{"title": "[true, null]"}`))), parallel, nil},
		{"unicode", "Do the characters of all scripts survive in arguments?",
			says(calling(chat.Message{}, firstCall(`{"title": "Pêcheur d'Islande, 氷島の漁夫 🐟"}`))), calls, nil},
		{"quotes", "Do quotes, backslashes and lines survive in arguments?",
			says(calling(chat.Message{}, firstCall(`{"title": "The \"C:\\new\\table\" book,\n\tsecond 'edition'\n\n{half} <b>bold</b>"}`))), calls, nil},
		{"markers", "Do markers survive that stand in an argument?", spellsMarkers, calls, nil},
	}
}

const (
	plainQuestion = "Where is the book?"
	plainAnswer   = "The book is on the shelf."
	plainThought  = "Which shelf was it? Look at the second row."
	richAnswer    = "Zwölf Bücher, 十二冊, 🐟:\n\n* a < b && c > d\n* {\"row\": [3]}\n\n```go\nfunc f() {}\n```\nDone."
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

// selfCheckTools returns the tools that the rows call, with parameters that have these properties.
func selfCheckTools(properties string) []chat.Tool {
	parameters := jsonschema.MustParse(`{"type": "object", "properties": {` + properties + `}, "required": []}`)
	tool := func(name string) chat.Tool {
		return chat.Tool{Name: name, Description: "Something about a book", Parameters: parameters}
	}
	return []chat.Tool{tool("find_book"), tool("lend_book")}
}

// The properties of the tools: of types that all templates render, and of the others. Templates look for descriptions, and some
// for what an object contains.
const (
	plainProperties = `"title": {"type": "string", "description": "a title"}, "pages": {"type": "integer", "description": "a number"},
		"price": {"type": "number", "description": "a price"}, "lent": {"type": "boolean", "description": "is it out?"},
		"lost": {"type": "boolean", "description": "is it lost?"}`
	allProperties = plainProperties + `, "due": {"description": "a date"},
		"authors": {"type": "array", "description": "names", "items": {"type": "string"}},
		"shelf": {"type": "object", "description": "a place", "properties": {}, "additionalProperties": {}}`
)

// plain reports whether all calls of an answer have only arguments of types that all templates render.
func plain(answer chat.Message) bool {
	for _, call := range answer.ToolCalls {
		for _, name := range []string{"due", "authors", "shelf"} {
			if strings.Contains(call.Arguments, `"`+name+`":`) {
				return false
			}
		}
	}
	return true
}

// errUnseen is why reasoning that no answer renders cannot be checked either.
var errUnseen = errors.New("the template does not show that it is reasoning")

// removedReasoning returns an answer with the reasoning in its text, if the template removes it from earlier answers.
func (c *checker) removedReasoning(answer chat.Message) (rendition, error) {
	r, err := c.thought(answer)
	if err != nil {
		return r, err
	}
	reasoning, question := c.Dialect.Reasoning, c.question()
	earlier := chat.Message{Role: chat.RoleAssistant,
		Content: chat.TextContent(reasoning.Start + answer.ReasoningContent + reasoning.End + contentText(answer.Content))}
	later, err := c.render(append(question, earlier, question[len(question)-1]), false, true)
	if err == nil && (strings.Contains(later, answer.ReasoningContent) || !strings.Contains(later, contentText(answer.Content))) {
		err = errUnseen
	}
	return r, err
}

// promptedReasoning returns an answer with the reasoning in its text, if a prompt, with thinking or without, contains the end
// of reasoning.
func (c *checker) promptedReasoning(answer chat.Message) (rendition, error) {
	r, err := c.thought(answer)
	if err != nil {
		return r, err
	}
	for _, thinking := range []bool{false, true} {
		prompt, err := c.render(c.question(), true, thinking)
		if err == nil && strings.Contains(prompt[behindQuestion(prompt):], strings.TrimSpace(c.Dialect.Reasoning.End)) {
			return r, nil
		}
	}
	return r, errUnseen
}

// thought returns an answer with reasoning as the dialect has it, behind the prompt.
func (c *checker) thought(answer chat.Message) (rendition, error) {
	reasoning := c.Dialect.Reasoning
	if c.err != nil || blank(reasoning.End) {
		return rendition{}, cmp.Or(c.err, errUnseen)
	}
	r := rendition{prompt: c.begun, output: answer.ReasoningContent + reasoning.End + contentText(answer.Content)}
	if start := strings.TrimSpace(reasoning.Start); !strings.HasSuffix(strings.TrimSpace(c.begun), start) {
		r.output = reasoning.Start + r.output
	}
	return r, nil
}
