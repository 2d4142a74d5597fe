package autoparser_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
)

// Templates on which other parsers are known to fail.
const (
	turnsOnly = `{% for m in messages %}{% if m.role != 'assistant' %}[` + "{{ m.role }}]{{ m.content }}[/{{ m.role }}]" + `{% else %}`
	turnsEnd  = `{% endif %}{% endfor %}{% if add_generation_prompt %}{% endif %}`
	toolList  = `{% for t in tools or [] %}{{ t | tojson }}{% endfor %}`

	// calls and answers end in the EOS token
	endsInEOS = toolList + turnsOnly + `{{ m.content or '' }}{% for c in m.tool_calls or [] %}[TOOL_CALLS]{{ c.function.name }}[ARGS]{{ c.function.arguments | tojson }}{% endfor %}{{ eos_token }}` + turnsEnd
	// argument values are printed as Python does
	asPrinted = toolList + turnsOnly + `{{ m.content or '' }}{% for c in m.tool_calls or [] %}<tool_call><function={{ c.function.name }}>
{% for k, v in c.function.arguments.items() %}<parameter={{ k }}>
{{ v | string }}
</parameter>
{% endfor %}</function></tool_call>{% endfor %}<|end|>` + turnsEnd
	// only the first call of a message is written
	oneCall = toolList + turnsOnly + `{{ m.content or '' }}{% if m.tool_calls %}<|call|>{"name": "{{ m.tool_calls[0].function.name }}", "arguments": {{ m.tool_calls[0].function.arguments | tojson }}}{% endif %}<|end|>` + turnsEnd
	// an attribute marks string values
	attributed = toolList + turnsOnly + `{{ m.content or '' }}{% for c in m.tool_calls or [] %}<|x|invoke name="{{ c.function.name }}">
{% for k, v in c.function.arguments.items() %}<|x|parameter name="{{ k }}" string="{{ 'true' if v is string else 'false' }}">{{ v if v is string else v | tojson }}</|x|parameter>
{% endfor %}</|x|invoke>{% endfor %}<|end|>` + turnsEnd
	// calls are JSON without markers
	bare = toolList + turnsOnly + `{% if m.tool_calls %}{"name": "{{ m.tool_calls[0].function.name }}", "parameters": {{ m.tool_calls[0].function.arguments | tojson }}}{% else %}{{ m.content }}{% endif %}<|end|>` + turnsEnd
	// the types of arguments are looked up by their names
	byType = `{% for t in tools or [] %}{% for k, p in t.function.parameters.properties.items() %}{{ k + ': ' + {'string': 'str'}[p.type] }}{% endfor %}{% endfor %}` + turnsOnly + `{{ m.content }}` + turnsEnd
)

const weatherTools = `"tools": [
	{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"},
		"metric": {"type": "boolean"}, "note": {"type": ["string", "null"]}}}}},
	{"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}},
	{"type": "function", "function": {"name": "many", "parameters": {"type": "object", "required": ["a", "b", "c", "d", "e", "f", "g", "h"], "properties":
		{"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"}, "d": {"type": "integer"}, "e": {"type": "integer"}, "f": {"type": "integer"}, "g": {"type": "integer"}, "h": {"type": "integer"}}}}}]`

// TestWhereOtherParsersFail parses outputs on which other parsers drop calls, fail, or produce
// invalid JSON.
func TestWhereOtherParsersFail(t *testing.T) {
	const oslo = "call get_weather {\"city\": \"Oslo\"}\n"
	for _, c := range []struct{ name, template, eos, output, want string }{
		{"one call where the template ends in an eos that is known", endsInEOS, "</s>", `[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}`, oslo + "complete\n"},
		{"one call where the template ends in an eos that is empty", endsInEOS, "", `[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}`, oslo + "complete\n"},
		{"the same with the eos written", endsInEOS, "</s>", `[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}</s>`, oslo + "complete\n"},
		{"a boolean as the template prints it", asPrinted, "", "<tool_call><function=get_weather>\n<parameter=metric>\nTrue\n</parameter>\n</function></tool_call>",
			"call get_weather {\"metric\":true}\ncomplete\n"},
		{"null for a string that may be null, in Python's word", asPrinted, "", "<tool_call><function=get_weather>\n<parameter=note>\nNone\n</parameter>\n</function></tool_call>",
			"call get_weather {\"note\":null}\ncomplete\n"},
		{"null for a string that may be null", asPrinted, "", "<tool_call><function=get_weather>\n<parameter=note>\nnull\n</parameter>\n</function></tool_call>",
			"call get_weather {\"note\":null}\ncomplete\n"},
		{"null that an attribute says to be no string", attributed, "", `<|x|invoke name="get_weather"><|x|parameter name="note" string="false">null</|x|parameter></|x|invoke>`,
			"call get_weather {\"note\":null}\ncomplete\n"},
		{"two calls where the template writes one", oneCall, "", `<|call|>{"name": "get_weather", "arguments": {"city": "Oslo"}}` + "\n" + `<|call|>{"name": "search", "arguments": {"query": "x"}}`,
			oslo + "call search {\"query\": \"x\"}\ncomplete\n"},
		{"two calls with text between them", oneCall, "", `<|call|>{"name": "get_weather", "arguments": {"city": "Oslo"}} and <|call|>{"name": "search", "arguments": {"query": "x"}}`,
			"content \"and\"\n" + oslo + "call search {\"query\": \"x\"}\ncomplete\n"},
		{"a line break within a JSON string", oneCall, "", "<|call|>{\"name\": \"search\", \"arguments\": {\"query\": \"a\nb\"}}", "call search {\"query\": \"a\\nb\"}\ncomplete\n"},
		{"content that looks like the beginning of a call", bare, "", `{"name": "x"}`, "content \"{\\\"name\\\": \\\"x\\\"}\"\ncomplete\n"},
		{"more required arguments than six, in any order", asPrinted, "", "<tool_call><function=many>\n" + ones("h", "c", "a", "g", "b", "f", "e", "d") + "</function></tool_call>",
			"call many {\"h\":1,\"c\":1,\"a\":1,\"g\":1,\"b\":1,\"f\":1,\"e\":1,\"d\":1}\ncomplete\n"},
		{"output that breaks the format", oneCall, "", `<|call|>{"name": "search", "arguments": {"query" "x"}} so`,
			"content \"\\\"x\\\"}} so\"\ncall search {\"query\" \nmalformed\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := learnSource(t, "test", c.template, "", c.eos, nil)
			got := newReader(t, l, `{`+weatherTools+`}`).read(t, c.output)
			if got != c.want {
				t.Errorf("got\n%swant\n%s%s", got, c.want, learnings(l))
			}
		})
	}
}

func ones(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		b.WriteString("<parameter=" + n + ">\n1\n</parameter>\n")
	}
	return b.String()
}

// TestAToolThatTheTemplateCannotWriteIsRefusedOrTolerated renders tools whose types are lists,
// which some templates treat as names. Either the prompt is rendered tolerantly, with a note, or
// the error has the position and the reason.
func TestAToolThatTheTemplateCannotWriteIsRefusedOrTolerated(t *testing.T) {
	l := learnSource(t, "test", byType, "", "", nil)
	r := request(t, `{"messages": [{"role": "user", "content": "hi"}], `+weatherTools+`}`)
	rendered, err := l.Render(t.Context(), r)
	switch {
	case err == nil && strings.Join(rendered.Normalised, " ") != autoparser.Tolerated:
		t.Errorf("rendered without a note: %+v", rendered)
	case err != nil && !strings.Contains(err.Error(), "test:1:"):
		t.Errorf("error %v", err)
	}
}
