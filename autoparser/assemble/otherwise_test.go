package assemble_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// Models deviate from the calls that their templates write. These deviations come from real
// outputs, and the tests define how they are parsed. parser.check tries every split.

// otherwise is an output, its deviation, and the resulting message.
type otherwise struct {
	odd, output string
	want        cases.Message
}

func (o otherwise) check(t *testing.T, p parser) {
	t.Helper()
	t.Run(o.odd, func(t *testing.T) { p.check(t, o.output, o.want) })
}

// calls returns a message that consists of calls only.
func calls(c ...cases.Call) cases.Message { return cases.Message{ToolCalls: c} }

var (
	oslo = call("get_weather", "city", `"Oslo"`)
	ping = call("ping")
)

func TestJSONCallsWrittenOtherwise(t *testing.T) {
	const good = `{"name": "get_weather", "arguments": {"city": "Oslo"}}`
	p := newParser(t, named(t, "JSON in tags").input(parallel))
	for _, o := range []otherwise{
		{"the arguments come first", `<tool_call>{"arguments": {"city": "Oslo"}, "name": "get_weather"}</tool_call>`, calls(oslo)},
		{"the arguments come first, of no tool", `<tool_call>{"arguments": {"city": "Oslo"}, "names": "x"}</tool_call>`,
			cases.Message{Content: `<tool_call>{"arguments": {"city": "Oslo"}, "names": "x"}</tool_call>`}},
		{"another key of arguments", `<tool_call>{"name": "get_weather", "parameters": {"city": "Oslo"}}</tool_call>`, calls(oslo)},
		{"another key of the name", `<tool_call>{"function": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>`, calls(oslo)},
		{"the keys of another format", `<tool_call>{"tool_name": "get_weather", "args": {"city": "Oslo"}}</tool_call>`, calls(oslo)},
		{"the keys of one more", `<tool_call>{"type": "tool_use", "name": "get_weather", "input": {"city": "Oslo"}}</tool_call>`, calls(oslo)},
		{"an unknown key of arguments", `<tool_call>{"name": "get_weather", "argument": {"city": "Oslo"}}</tool_call>`, calls(oslo)},
		{"arguments in place of their object", `<tool_call>{"name": "get_weather", "id": "1", "city": "Oslo"}</tool_call>`, calls(cases.Call{ID: "1", Name: oslo.Name, Arguments: oslo.Arguments})},
		{"no comma before the arguments", `<tool_call>{"name": "get_weather" "arguments": {"city": "Oslo"}}</tool_call>`, calls(oslo)},
		{"another member before the arguments", `<tool_call>{"name": "get_weather", "note": {"a": [1]}, "arguments": {"city": "Oslo"}}</tool_call>`, calls(oslo)},
		{"nested as in requests", `<tool_call>{"type": "function", "function": ` + good + `}</tool_call>`, calls(oslo)},
		{"one bracket too many", "<tool_call>\n" + good + "}\n</tool_call>", calls(oslo)},
		{"one bracket too few", `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}</tool_call>`, calls(oslo)},
		{"a comma at the end", `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}, }</tool_call>`, calls(oslo)},
		{"in Python's quotes", `<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}</tool_call>`, calls(oslo)},
		{"in a code fence", "<tool_call>\n```json\n" + good + "\n```\n</tool_call>", calls(oslo)},
		{"in a list", "<tool_call>[" + good + `, {"name": "ping", "arguments": {}}]</tool_call>`, calls(oslo, ping)},
		{"several in one pair of markers", "<tool_call>\n" + good + "\n" + `{"name": "ping", "arguments": {}}` + "\n</tool_call>", calls(oslo, ping)},
		{"the name before the arguments", `<tool_call>get_weather {"city": "Oslo"}</tool_call>`, calls(oslo)},
		{"the first marker is missing", good + "\n</tool_call>", calls(oslo)},
		{"both markers are missing", good, calls(oslo)},
		{"both markers are missing, twice", good + "\n" + good, calls(oslo, oslo)},
		{"the first marker twice", "<tool_call>\n<tool_call>\n" + good + "\n</tool_call>", calls(oslo)},
		{"the last marker twice", "<tool_call>\n" + good + "\n</tool_call>\n</tool_call>\nDone.", cases.Message{Content: "Done.", ToolCalls: []cases.Call{oslo}}},
		{"reasoning behind a call", "<tool_call>\n" + good + "\n</tool_call>\n<think>\nHm\n</think>\nDone.",
			cases.Message{ReasoningContent: "Hm", Content: "Done.", ToolCalls: []cases.Call{oslo}}},
		{"in a code fence without markers", "```json\n" + good + "\n```\n", calls(oslo)},
		{"an example in a code fence", "```json\n" + good + "\n```\nDone.", cases.Message{Content: "```json\n" + good + "\n```\nDone."}},
		{"an example", good + " is a call.", cases.Message{Content: good + " is a call."}},
		{"broken off before one with markers", good[:len(good)-6] + "\n<tool_call>" + good + "</tool_call>", cases.Message{Content: good[:len(good)-6], ToolCalls: []cases.Call{oslo}}},
		{"without markers before one with markers", good + "\n<tool_call>" + good + "</tool_call>\nDone.", cases.Message{Content: "Done.", ToolCalls: []cases.Call{oslo, oslo}}},
		{"between other tags", "<tools>\n" + good + "\n</tools>", calls(oslo)},
		{"a list behind another token", "<|calls|> [" + good + `, {"name": "ping", "arguments": {}}]`, calls(oslo, ping)},
		{"the beginning of another tag", "<tools", cases.Message{Content: "<tools"}},
		{"another tag alone", "<tools>\n", cases.Message{Content: "<tools>"}},
		{"a tag in a code fence", "```xml\n<response>\n" + good + "\n</response>\n```", calls(oslo)},
		{"a tag with the name", `<function=get_weather>{"city": "Oslo"}</function>` + "\n" + `<function name="ping">` + "\n{}\n</function>", calls(oslo, ping)},
		{"a tag with an unknown name", `<function=who_knows>{}</function>`, cases.Message{Content: `<function=who_knows>{}</function>`}},
		{"other tags behind text", "Look: <tools>" + good + "</tools>", cases.Message{Content: "Look: <tools>" + good + "</tools>"}},
		{"other tags around other JSON", `<tools>{"name": "who_knows", "arguments": {}}</tools>`, cases.Message{Content: `<tools>{"name": "who_knows", "arguments": {}}</tools>`}},
		{"no JSON", "<tool_call>\nget_weather\n</tool_call> x", cases.Message{Content: "<tool_call>\nget_weather\n</tool_call> x"}},
		{"a comma behind the last argument", `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo", }}</tool_call>`, calls(oslo)},
		{"a name of many words", `<tool_call>{"name": "mcp: a/b c", "arguments": {}}</tool_call>`, calls(call("mcp: a/b c"))},
		{"no name", `<tool_call>{"name": "", "arguments": {}}</tool_call>`, cases.Message{Content: `<tool_call>{"name": "", "arguments": {}}</tool_call>`}},
		{"an empty object", "<tool_call>\n{}\n</tool_call> x", cases.Message{Content: "<tool_call>\n{}\n</tool_call> x"}},
		{"nothing", "<tool_call></tool_call> x", cases.Message{Content: "<tool_call></tool_call> x"}},
		{"JSON that calls no tool", `{"name": "who_knows", "arguments": {}}`, cases.Message{Content: `{"name": "who_knows", "arguments": {}}`}},
	} {
		o.check(t, p)
	}
}

func TestCallsWithoutMarkersWrittenOtherwise(t *testing.T) {
	const good = `{"name": "get_weather", "parameters": {"city": "Oslo"}}`
	const pong = `{"name": "ping", "parameters": {}}`
	p := newParser(t, named(t, "JSON without markers").input(parallel))
	for _, o := range []otherwise{
		{"separated by semicolons", good + "; " + pong, calls(oslo, ping)},
		{"separated by commas", good + ", " + pong, calls(oslo, ping)},
		{"behind a token", "<|python_tag|>" + good, calls(oslo)},
		{"between tokens", "<|python_start|>" + good + "<|python_end|>", calls(oslo)},
		{"a list behind a word in brackets", "[TOOL_CALLS] [" + good + ", " + pong + "]", calls(oslo, ping)},
		{"between words in brackets behind text", "I look.\n[TOOL_CALLS]" + good + "[/TOOL_CALLS]", cases.Message{Content: "I look.", ToolCalls: []cases.Call{oslo}}},
		{"a word in brackets alone", "[TOOL_CALLS]", cases.Message{Content: "[TOOL_CALLS]"}},
		{"the beginning of a word in brackets", "[TOOL_", cases.Message{Content: "[TOOL_"}},
		{"a word in brackets before other JSON", `[NOTE] {"a": 1}`, cases.Message{Content: `[NOTE] {"a": 1}`}},
		{"between tags", "<tool_call>\n" + good + "\n</tool_call>", calls(oslo)},
		{"in a list between tags behind text", "I look.\n<tools>[" + good + ", " + pong + "]</tools>\nDone.", cases.Message{Content: "I look.\nDone.", ToolCalls: []cases.Call{oslo, ping}}},
		{"the beginning of a tag at the end", "1 <", cases.Message{Content: "1 <"}},
		{"a tag at the end", "bold <b", cases.Message{Content: "bold <b"}},
		{"a token at the end", "<|x|>", cases.Message{Content: "<|x|>"}},
		{"tags around text", "<b>{bold}</b> <a>[1]</a> 1 < 2", cases.Message{Content: "<b>{bold}</b> <a>[1]</a> 1 < 2"}},
		{"in a list", "[" + good + ", " + pong + "]", calls(oslo, ping)},
		{"in a code fence", "```json\n" + good + "\n```", calls(oslo)},
		{"in a code fence behind text", "I look.\n```\n" + good + "\n```", cases.Message{Content: "I look.", ToolCalls: []cases.Call{oslo}}},
		{"in a code fence between text", "I show:\n```\n" + good + "\n```\nDone.", cases.Message{Content: "I show:\n```\n" + good + "\n```\nDone."}},
		{"code between text", `I show [get_weather(city="Oslo")] here.`, cases.Message{Content: `I show [get_weather(city="Oslo")] here.`}},
		{"behind text in the same line", "I look: " + good + " Done.", cases.Message{Content: "I look: Done.", ToolCalls: []cases.Call{oslo}}},
		{"glued to a text", "On the shelf." + good, cases.Message{Content: "On the shelf.", ToolCalls: []cases.Call{oslo}}},
		{"glued to a text, calling no tool", `On the shelf.{"name": "who_knows", "parameters": {}}`, cases.Message{Content: `On the shelf.{"name": "who_knows", "parameters": {}}`}},
		{"another key of arguments", `{"name": "get_weather", "arguments": {"city": "Oslo"}}`, calls(oslo)},
		{"another key of the name", `{"type": "function", "function": "get_weather", "parameters": {"city": "Oslo"}}`, calls(oslo)},
		{"nested as in requests", `{"type": "function", "function": ` + good + `}`, calls(oslo)},
		{"no arguments but null", `{"name": "ping", "parameters": null}`, calls(ping)},
		{"a name alone", `{"name": "ping"}`, cases.Message{Content: `{"name": "ping"}`}},
		{"another code fence", "```json\n{\"a\": 1}\n```", cases.Message{Content: "```json\n{\"a\": 1}\n```"}},
		{"another token", "<|x|> [1] {2}", cases.Message{Content: "<|x|> [1] {2}"}},
	} {
		o.check(t, p)
	}
}

func TestTokensOfAMarkerMayBeSpacedOtherwise(t *testing.T) {
	const weather, pong = `{"name": "get_weather", "parameters": {"city": "Oslo"}}`, `{"name": "ping", "parameters": {}}`
	tight := named(t, "JSON behind two tokens")
	spaced, array, name := tight, tight, tight
	spaced.Tools.PerCallStart, spaced.Tools.PerCallEnd = "<|action_start|> <|plugin|>\n", "<|action_end|>\n<|done|>"
	array.Tools.JSON.ArrayWrapped = true
	name.Tools = dialect.Tools{Format: dialect.TagWithJSON, PerCallEnd: "<|done|>", Function: dialect.Function{NamePrefix: "<|action_start|><|name|>", NameSuffix: "<|/name|><|args|>"}}
	for _, space := range []string{"", " ", "\n"} {
		start := "<|action_start|>" + space + "<|plugin|>"
		end := "<|action_end|>" + space + "<|done|>"
		behind := func(odd string, c ...cases.Call) otherwise {
			return otherwise{odd + space, odd, cases.Message{Content: "I look.", ToolCalls: c}}
		}
		for _, o := range []struct {
			s sample
			otherwise
		}{
			{tight, behind("I look."+start+"\n"+weather+"<|action_end|>", oslo)},
			{tight, behind("I look.\n"+start+weather+"<|action_end|>"+start+pong+"<|action_end|>", oslo, ping)},
			{tight, behind("I look."+start+"["+weather+", "+pong+"]<|action_end|>", oslo, ping)},
			{tight, behind("I look.<|action_start|>"+start+weather+"<|action_end|>", oslo)},
			{tight, otherwise{"a start cut off", "Look: " + start[:len(start)-1], cases.Message{Content: "Look: " + start[:len(start)-1]}}},
			{tight, otherwise{"out of reasoning", "<think>\nHm" + start + weather + "<|action_end|>", cases.Message{ReasoningContent: "Hm", ToolCalls: []cases.Call{oslo}}}},
			{spaced, behind("I look."+start+weather+end, oslo)},
			{spaced, otherwise{"ends again", "I look." + start + weather + end + end + "Done.", cases.Message{Content: "I look.Done.", ToolCalls: []cases.Call{oslo}}}},
			{array, behind("I look."+start+"["+weather+", "+pong+"]<|action_end|>", oslo, ping)},
			{name, behind("I look.<|action_start|>"+space+"<|name|>get_weather<|/name|>"+space+`<|args|>{"city": "Oslo"}<|done|>`, oslo)},
		} {
			o.check(t, newParser(t, o.s.input(parallel)))
		}
	}
	in := tight.input(choose(chat.ToolRequired, ""))
	if got := constraint(t, in).Match("<|action_start|> <|plugin|>" + weather + "<|action_end|>"); got.Status == grammar.Accepted {
		t.Error("the grammar accepts other white space between the tokens")
	}
	if ends := assemble.Assemble(in).ThinkingEnds; len(ends) != 2 {
		t.Errorf("reasoning ends at %q", ends)
	}
}

func TestCodeWithoutMarkersWrittenOtherwise(t *testing.T) {
	const good = `get_weather(city="Oslo")`
	lines := sample{prompt: "ai\n", Dialect: dialect.Dialect{
		EndOfTurn: "<|end|>",
		Tools: dialect.Tools{Format: dialect.TagWithTagged, CallSeparator: "\n", Function: dialect.Function{NameSuffix: "(", Close: ")"},
			Arguments: dialect.Arguments{NameSuffix: "=", Separator: ", ", ValuesAreJSON: true}},
	}}
	same := func(text string) cases.Message { return cases.Message{Content: text} }
	behind := cases.Message{Content: "I look.", ToolCalls: []cases.Call{oslo, ping}}
	for name, s := range map[string]sample{"lines": lines, "list": named(t, "a list of code")} {
		p := newParser(t, s.input(parallel))
		both := good + "\nping()"
		if name == "list" {
			both = "[" + good + ", ping()]"
		}
		for _, o := range []otherwise{
			{"behind a token", "<|python_tag|>" + both, calls(oslo, ping)},
			{"behind a token and a space", "<|python_tag|> " + both, calls(oslo, ping)},
			{"between tokens", "<|python_start|>" + both + "<|python_end|>", calls(oslo, ping)},
			{"between tokens, before the end of the turn", "<|python_start|>" + both + "<|python_end|>" + s.EndOfTurn, calls(oslo, ping)},
			{"the end of the turn behind a token", "<|python_tag|>" + both + s.EndOfTurn, calls(oslo, ping)},
			{"between tokens behind text", "I look.\n<|python_start|>" + both + "<|python_end|>", behind},
			{"between tags", "<tool_call>\n" + both + "\n</tool_call>", calls(oslo, ping)},
			{"behind a word in brackets", "[TOOL_CALLS] " + both, calls(oslo, ping)},
			{"in a code fence", "```tool_code\n" + both + "\n```", calls(oslo, ping)},
			{"in a code fence behind text", "I look.\n```python\n" + both + "\n```\n", behind},
			{"in a code fence between text", "I show:\n```python\n" + both + "\n```\nDone.", same("I show:\n```python\n" + both + "\n```\nDone.")},
			{"within a line", "I show [" + good + "] here.", same("I show [" + good + "] here.")},
			{"in a code fence at the end of the turn", "```tool_code\n" + both + "\n```" + s.EndOfTurn, calls(oslo, ping)},
			{"in a code fence in a tag", "```\n<tools>\n" + both + "\n</tools>\n```", calls(oslo, ping)},
			{"in a list in a code fence", "```tool_code\n[" + good + ", ping()]\n```", calls(oslo, ping)},
			{"in two code fences", "I look.\n```tool_code\n" + good + "\n```\n```tool_code\nping()\n```", behind},
			{"a token glued to a text", "I look.<|python_tag|>" + both, behind},
			{"a tag within a line", "Call <code>" + good + "</code>.", same("Call <code>" + good + "</code>.")},
			{"a fence within a line", "Call ``` " + good + "```.", same("Call ``` " + good + "```.")},
			{"without a list in a code fence", "```tool_code\n" + good + "\nping()\n```", calls(oslo, ping)},
			{"separated by semicolons", "<|python_tag|>" + good + "; " + good, calls(oslo, oslo)},
			{"code that calls no tool between tokens", "<|python_start|>print(1)<|python_end|>", same("<|python_start|>print(1)<|python_end|>")},
			{"code that calls no tool in a code fence", "```python\nprint(1)\n```", same("```python\nprint(1)\n```")},
			{"a tool that is not called", "```python\nget_weather\n```", same("```python\nget_weather\n```")},
			{"the name of a tool alone", "<|x|>get_weather", same("<|x|>get_weather")},
			{"the beginning of the name of a tool", "<|x|>get_wea", same("<|x|>get_wea")},
			{"the beginning of the name in a fence", "```python\nget_wea", same("```python\nget_wea")},
			{"the beginning of a fence", "```py", same("```py")},
			{"an empty fence", "```python\n", same("```python")},
			{"a tag at the end", "bold <b", same("bold <b")},
			{"a token at the end", "<|x|>", same("<|x|>")},
			{"a word in brackets at the end", "[TOOL_CALLS]", same("[TOOL_CALLS]")},
			{"less than", "1 < 2", same("1 < 2")},
			{"a list of texts", "[NOTE] [1] <b>x</b>", same("[NOTE] [1] <b>x</b>")},
		} {
			t.Run(name, func(t *testing.T) { o.check(t, p) })
		}
	}
}

func TestCallsInMarkupWrittenOtherwise(t *testing.T) {
	lines := newParser(t, named(t, "tags with lines").input(parallel))
	three := call("get_weather", "city", `"Oslo"`, "days", "3")
	for _, o := range []otherwise{
		{"no end of a text before the next argument", "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>", calls(three)},
		{"no end of a number before the next argument", "<tool_call>\n<function=get_weather>\n<parameter=days>\n3\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
			calls(call("get_weather", "days", "3", "city", `"Oslo"`))},
		{"no end of the last argument", "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</function>\n</tool_call>", calls(oslo)},
		{"no end of the last argument, nor of the call", "<tool_call>\n<function=get_weather>\n<parameter=days>\n3\n</function>", calls(call("get_weather", "days", "3"))},
		{"the end of a call within a text", "<tool_call>\n<function=get>\n<parameter=text>\nwrite\n</function>\nthen\n<parameter=x>\n</parameter>\n</function>\n</tool_call>",
			calls(call("get", "text", `"write\n</function>\nthen\n<parameter=x>"`))},
		{"white space around names", "<tool_call>\n<function= get_weather >\n<parameter= city >\nOslo\n</parameter>\n</function>\n</tool_call>",
			cases.Message{Content: "<tool_call>\n<function= get_weather >\n<parameter= city >\nOslo\n</parameter>\n</function>\n</tool_call>"}},
		{"white space around the names of arguments", "<tool_call>\n<function=get_weather>\n<parameter= city >\nOslo\n</parameter>\n</function>\n</tool_call>", calls(oslo)},
		{"JSON in the markers", `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>`, calls(oslo)},
		{"no first marker", "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>", calls(oslo)},
		{"a JSON object for arguments", "<tool_call>\n<function=get_weather>\n{\"city\": \"Oslo\"}\n</function>\n</tool_call>", calls(oslo)},
		{"no line breaks", "<tool_call><function=get_weather><parameter=city>Oslo</parameter></function></tool_call>", calls(oslo)},
		{"words of another language", "<tool_call>\n<function=get_weather>\n<parameter=metric>\nTrue\n</parameter>\n<parameter=note>\nNone\n</parameter>\n<parameter=where>\n{'a': False}\n</parameter>\n</function>\n</tool_call>",
			calls(call("get_weather", "metric", "true", "note", "null", "where", `{"a":false}`))},
	} {
		o.check(t, lines)
	}
	function := newParser(t, named(t, "JSON in a function tag").input(parallel))
	for _, o := range []otherwise{
		{"no arguments at all", "<function=ping></function>", calls(ping)},
		{"an empty line for arguments", "<function=ping>\n</function><function=get_weather>{\"city\": \"Oslo\"}</function>", calls(ping, oslo)},
		{"no end", "Look: <function=get_weather>{\"city\": \"Oslo\"}", cases.Message{Content: "Look:", ToolCalls: []cases.Call{oslo}}},
	} {
		o.check(t, function)
	}
	keys := newParser(t, named(t, "tags for name and value").input(parallel))
	for _, o := range []otherwise{
		{"white space around a name", "<tool_call> get_weather \n<arg_key> city </arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>", calls(oslo)},
		{"no end of a value", "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo\n<arg_key>days</arg_key>\n<arg_value>3\n</tool_call>",
			calls(call("get_weather", "city", `"Oslo"`, "days", "3"))},
		{"no marker before a value", "<tool_call>get_weather\n<arg_key>city</arg_key>\nOslo</arg_value>\n</tool_call>", calls(oslo)},
		{"JSON behind the name", "<tool_call>get_weather\n{\"city\": \"Oslo\"}\n</tool_call>", calls(oslo)},
		{"no line breaks, and two calls", "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call><tool_call>ping</tool_call>", calls(oslo, ping)},
	} {
		o.check(t, keys)
	}
}

func TestAttributesMayBeQuotedOtherwise(t *testing.T) {
	p := newParser(t, named(t, "attributes in a section").input(parallel))
	for _, name := range []string{`name='city'`, `name = "city"`, `name= 'city' `, `name ="city"`, `name=city`} {
		function := strings.ReplaceAll(name, "city", "get_weather")
		otherwise{name, "<minimax:tool_call>\n<invoke " + function + ">\n<parameter " + name + ">Oslo</parameter>\n</invoke>\n</minimax:tool_call>", calls(oslo)}.check(t, p)
	}
}

func TestWhatACallLosesIsReported(t *testing.T) {
	p := newParser(t, named(t, "JSON in tags").input())
	for arguments, noted := range map[string]bool{`"plain words"`: true, `"{}"`: false, `null`: false, `{}`: false, `{}, "note": "x"`: true, `{}, "type": "function"`: false} {
		report := p.check(t, `<tool_call>{"name": "ping", "arguments": `+arguments+`}</tool_call>`, calls(ping))
		if (len(report.Notes) > 0) != noted {
			t.Errorf("%s: noted %q", arguments, report.Notes)
		}
	}
	for _, text := range []string{`"{city: Oslo}"`, `"{\"city\": "`, `"{} or so"`} {
		if _, report := p.run(`<tool_call>{"name": "ping", "arguments": ` + text + `}</tool_call>`); len(report.Notes) == 0 {
			t.Errorf("%s: nothing noted", text)
		}
	}
	if _, report := p.run(`<tool_call>{"name": "ping", "argument": {}}</tool_call>`); len(report.MissingMarkers) != 1 || report.MissingMarkers[0].Marker != "arguments" {
		t.Errorf("an unknown key of arguments: missing %v", report.MissingMarkers)
	}
}

func TestSectionsWrittenOtherwise(t *testing.T) {
	lines := sample{prompt: "ai\n", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.JSONNative, SectionStart: "<tool_calls>\n", SectionEnd: "</tool_calls>", CallSeparator: "\n",
			JSON: dialect.JSON{NameField: "name", ArgsField: "arguments"}},
	}}
	tokens := named(t, "JSON behind a tag")
	fences := sample{Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.TagWithJSON, SectionStart: "<tool_calls>\n", SectionEnd: "\n</tool_calls>", PerCallStart: "<tool_call>", PerCallEnd: "</tool_call>",
			CallSeparator: "\n", Function: dialect.Function{NameSuffix: "\n```json\n", Close: "\n```"}},
	}}
	const weather = `{"name": "get_weather", "arguments": {"city": "Oslo"}}`
	p := newParser(t, lines.input(parallel))
	for _, o := range []otherwise{
		{"a list", "<tool_calls>[" + weather + `, {"name": "ping", "arguments": {}}]</tool_calls>`, calls(oslo, ping)},
		{"commas", "<tool_calls>\n" + weather + ",\n" + `{"name": "ping", "arguments": {}}` + "\n</tool_calls>", calls(oslo, ping)},
		{"nothing", "<tool_calls>\n</tool_calls>ok", cases.Message{Content: "<tool_calls>\n</tool_calls>ok"}},
	} {
		o.check(t, p)
	}
	p = newParser(t, tokens.input(parallel))
	for _, o := range []otherwise{
		{"a fence around the arguments", "<|calls_begin|><|call_begin|>get_weather<|sep|>```json\n{\"city\": \"Oslo\"}\n```<|call_end|><|calls_end|>", calls(oslo)},
		{"no marker of the first call", "<|calls_begin|>get_weather<|sep|>{\"city\": \"Oslo\"}<|call_end|>\n<|call_begin|>ping<|sep|>{}<|call_end|><|calls_end|>", calls(oslo, ping)},
		{"ends of no call", "<|call_end|>Well.<|calls_end|>", cases.Message{Content: "Well."}},
		{"a fault, and then a call", "<|calls_begin|><|call_begin|>get_weather<|sep|>{\"city\": %<|call_end|><|call_begin|>ping<|sep|>{}<|call_end|><|calls_end|>",
			cases.Message{Content: "%", ToolCalls: []cases.Call{{Name: "get_weather", Arguments: `{"city": `}, ping}}},
		{"a name with colons", "<|calls_begin|><|call_begin|>functions.ping:0<|sep|>{}<|call_end|><|calls_end|>", calls(call("functions.ping:0"))},
		{"lines between all markers", "<|calls_begin|>\n<|call_begin|>get_weather\n<|sep|>\n{\"city\": \"Oslo\"}\n<|call_end|>\n<|calls_end|>\n", calls(oslo)},
	} {
		o.check(t, p)
	}
	turns := sample{prompt: "ai<|sep|>\n", Dialect: dialect.Dialect{
		EndOfTurn: "<|message_end|>",
		Tools:     dialect.Tools{Format: dialect.JSONNative, SectionStart: "<|message_end|>\n\ncall<|sep|>\n", JSON: dialect.JSON{NameField: "name", ArgsField: "arguments"}},
	}}
	p = newParser(t, turns.input(parallel))
	for _, o := range []otherwise{
		{"a text, its end and a call", "Well.<|message_end|>\n\ncall<|sep|>\n" + weather, cases.Message{Content: "Well.", ToolCalls: []cases.Call{oslo}}},
		{"no text to end", "call<|sep|>\n" + weather + "<|message_end|>", calls(oslo)},
		{"a text that begins so", "call<|sep|>\nme", cases.Message{Content: "call<|sep|>\nme"}},
	} {
		o.check(t, p)
	}
	p = newParser(t, fences.input(parallel))
	for _, o := range []otherwise{
		{"as the template does", "<tool_calls>\n<tool_call>get_weather\n```json\n{\"city\": \"Oslo\"}\n```</tool_call>\n</tool_calls>", calls(oslo)},
		{"a fence in the same line", "<tool_calls>\n<tool_call>get_weather\n```json\n{\"city\": \"Oslo\"}```</tool_call></tool_calls>ok",
			cases.Message{Content: "ok", ToolCalls: []cases.Call{oslo}}},
		{"JSON in place of markup", "<tool_calls>[" + weather + "]</tool_calls>", calls(oslo)},
	} {
		o.check(t, p)
	}
}
