package gemma4

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

const (
	messages = `"messages":[{"role":"user","content":"Hi"}]`
	weather  = `{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{
		"city":{"type":"string"},"days":{"type":"integer"},"units":{"enum":["C","F"]},"on":{"type":["boolean","null"]},
		"at":{"type":"object","properties":{"lat":{"type":"number"},"name":{"type":"string"}},"required":["lat"]},
		"tags":{"type":"array","items":{"type":"string"}}},"required":["city"]}}}`
	clock    = `{"type":"function","function":{"name":"get","parameters":{"type":"object"}}}`
	many     = `{"type":"function","function":{"name":"all","parameters":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"},"d":{"type":"integer"},"e":{"type":"integer"},"f":{"type":"integer"}},"required":["a","b","c","d","e"]}}}`
	offered  = `"tools":[` + weather + `,` + clock + `,` + many + `]`
	plain    = `{` + messages + `}`
	tools    = `{` + messages + `,` + offered + `}`
	single   = `{` + messages + `,"parallel_tool_calls":false,` + offered + `}`
	required = `{` + messages + `,"tool_choice":"required",` + offered + `}`
	named    = `{` + messages + `,"tool_choice":{"type":"function","function":{"name":"get_weather"}},` + offered + `}`
	never    = `{` + messages + `,"tool_choice":"none",` + offered + `}`
	none     = `{` + messages + `,"reasoning_format":"none"}`
	shaped   = `{` + messages + `,"json_schema":{"type":"object","properties":{"a":{"type":"integer"}}}}`
	keep     = `{` + messages + `,"parsing":{"call_in_reasoning":"keep"},` + offered + `}`
)

func conversation(request string) conformance.Conversation {
	return conformance.Conversation{Handler: gemma4{}, Request: request, GenerationPrompt: modelTurn}
}

// s quotes a string in the notation of the format.
func s(text string) string { return quote + text + quote }

func TestOutputsAreRead(t *testing.T) {
	const thought = "<|channel>thought\nHm.<channel|>"
	rome := callOpen + "get_weather{city:" + s("Rome") + "}" + callEnd
	for _, c := range []struct {
		name, request, output, want string
	}{
		{"nothing", plain, "", ``},
		{"an answer", plain, "Hello.<turn|>", `content "Hello."`},
		{"a thought and an answer", plain, thought + "Hello.<turn|>\n", `thought "Hm." content "Hello."`},
		{"a thought cut off", plain, "<|channel>thought\nHm", `thought "Hm"`},
		{"an empty thought", plain, "<|channel>thought<channel|>Hello.", `content "Hello."`},
		{"thoughts between", plain, thought + "One. " + thought + "Two.", `thought "Hm.Hm." content "One. Two."`},
		{"a thought that does not end", plain, "<|channel>thought\nHm.<turn|>", `thought "Hm."`},
		{"a channel begun twice", plain, "<|channel>" + thought + "Hello.", `thought "Hm." content "Hello."`},
		{"a thought begun twice", plain, "<|channel>thought\n" + thought + "Hello.", `thought "Hm." content "Hello."`},
		{"stray closers", plain, "Hello.<channel|> Bye.<channel|>", `content "Hello. Bye."`},
		{"thoughts as content", none, thought + "Hello.<channel|>", `content "<|channel>thought\nHm.<channel|>Hello.<channel|>"`},
		{"a channel that is talked about", plain, "Write <|channel> here.", `content "Write <|channel> here."`},
		{"a made-up turn", plain, "Hello.<turn|>\n<|turn>user\nBye.", `content "Hello.\n\nBye."`},

		{"a call", tools, rome, `get_weather{"city":"Rome"}`},
		{"words and a call", tools, thought + "Let me see." + rome, `thought "Hm." content "Let me see." get_weather{"city":"Rome"}`},
		{"a call and words", tools, rome + "Done.", `content "Done." get_weather{"city":"Rome"}`},
		{"two calls", tools, rome + rome, `get_weather{"city":"Rome"} get_weather{"city":"Rome"}`},
		{"two calls with other white space", tools, rome + "\n" + rome + "\n", `get_weather{"city":"Rome"} get_weather{"city":"Rome"}`},
		{"a name that begins like another", tools, "<|tool_call>call:get{}<tool_call|>", `get{}`},
		{"an unknown function", tools, "<|tool_call>call:fly{far:true}<tool_call|>", `fly{"far":true}`},
		{"no end marker", tools, "<|tool_call>call:get{a:1}", `get{"a":1}`},
		{"a token begun twice", tools, "<|tool_call>" + rome, `get_weather{"city":"Rome"}`},
		{"a word between the tokens", tools, "See <|tool_call>something<tool_call|> here.", `content "See <|tool_call>something here."`},
		{"no bracket", tools, "<|tool_call>call:get{a:1<tool_call|>", `get{"a":1}`},
		{"no arguments", tools, "<|tool_call>call:get<tool_call|>", `get{}`},
		{"no word before the name", tools, "<|tool_call>get{a:1}<tool_call|>", `get{"a":1}`},
		{"a call in an open thought", tools, "<|channel>thought\nHm." + rome, `thought "Hm." get_weather{"city":"Rome"}`},
		{"an unknown function in a thought", tools, "<|channel>thought\n<|tool_call>call:fly{}<tool_call|>?<channel|>Hello.", `thought "<|tool_call>call:fly{}<tool_call|>?" content "Hello."`},
		{"a call that stays a thought", keep, "<|channel>thought\nHm." + rome + "<channel|>Hello.", `thought "Hm.<|tool_call>call:get_weather{city:<|\"|>Rome<|\"|>}<tool_call|>" content "Hello."`},
		{"handing over", tools, rome + "<|tool_response>", `get_weather{"city":"Rome"}`},
		{"an answer of a tool, made up", tools, rome + "<|tool_response>response:get_weather{value:" + s("rain") + "}<tool_response|>Rain.", `content "Rain." get_weather{"city":"Rome"}`},
		{"a call cut off", tools, "<|tool_call>call:get_weather{city:<|\"|>Ro", `get_weather{"city":"Ro truncated`},
		{"a header cut off", tools, "<|tool_call>call:get_wea", `truncated`},
		{"an answer where a call is required", required, "No.", `content "No."`},
		{"a call where another is asked for", named, "<|tool_call>call:get{}<tool_call|>", `get{}`},
		{"a call where none is offered", plain, rome, `content "<|tool_call>call:get_weather{city:<|\"|>Rome<|\"|>}<tool_call|>"`},
		{"a call where none is wanted", never, "<|tool_call>call:get{}<tool_call|>", `content "<|tool_call>call:get{}<tool_call|>"`},
		{"a call that is talked about", tools, "Begin with <|tool_call>, then the name.", `content "Begin with <|tool_call>, then the name."`},
		{"a broken call and a good one", tools, "<|tool_call>call:get{a}<tool_call|>" + rome, `content "a}<tool_call|>" get{ get_weather{"city":"Rome"} malformed`},

		{"JSON as asked for", shaped, `{"a": 1}<turn|>`, `content "{\"a\": 1}"`},
		{"JSON in a fence", shaped, "```json\n{\"a\": 1}\n```", `content "{\"a\": 1}"`},
		{"JSON behind a thought", shaped, thought + "\n" + `{"a": 1}`, `thought "Hm." content "{\"a\": 1}"`},
		{"prose where JSON was asked for", shaped, "I cannot.", `content "I cannot."`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := conversation(c.request).Transcript(t, c.output); got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.output, got, c.want)
			}
		})
	}
}

func TestArgumentsAreRead(t *testing.T) {
	for _, c := range []struct{ name, arguments, want string }{
		{"every kind", "city:" + s("Rome") + ",days:-3,on:null,at:{lat:1.5e3},tags:[" + s("a") + "," + s("b") + "]", `{"city":"Rome","days":-3,"on":null,"at":{"lat":1.5e3},"tags":["a","b"]}`},
		{"any order", "days:3,city:" + s("Rome"), `{"days":3,"city":"Rome"}`},
		{"empty values", "city:" + s("") + ",tags:[],at:{}", `{"city":"","tags":[],"at":{}}`},
		{"raw text", "city:" + s("a \"b\" {c: [1]}, \\n\n}<tool_call|>"), `{"city":"a \"b\" {c: [1]}, \\n\n}<tool_call|>"}`},
		{"quotes within text", "city:" + s("a "+s("b")+" c"), `{"city":"a <|\"|>b<|\"|> c"}`},
		{"other members", "city:" + s("Rome") + ",more:[{a:" + s("b") + "}]", `{"city":"Rome","more":[{"a":"b"}]}`},
		{"names in quotes", s("city") + ":" + s("Rome") + `,"days":3`, `{"city":"Rome","days":3}`},
		{"names of any kind", "a/b c.d:1,$ref:{é-e:2}", `{"a/b c.d":1,"$ref":{"é-e":2}}`},
		{"white space", " city : " + s("Rome") + " ,\n days: 3 ", `{"city":"Rome","days":3}`},
		{"a comma too many", "city:" + s("Rome") + ",", `{"city":"Rome"}`},
		{"a string without quotes", "city:New York,days:3", `{"city":"New York","days":3}`},
		{"one with commas and brackets", "city:a, b {c} d,days:3", `{"city":"a, b {c} d","days":3}`},
		{"one that looks like a number", "city:10115", `{"city":"10115"}`},
		{"one where a number should be", "city:" + s("Rome") + ",days:a few", `{"city":"Rome","days":"a few"}`},
		{"one that begins like a number", "more:2026-01-15", `{"more":"2026-01-15"}`},
		{"items without quotes", "tags:[a b,c]", `{"tags":["a b","c"]}`},
		{"a JSON string", `city:"a \"b\"\n"`, `{"city":"a \"b\"\n"}`},
		{"a value of another kind", "city:[1,2],days:" + s("3"), `{"city":[1,2],"days":"3"}`},
		{"Python's words", "on:True,more:None", `{"on":true,"more":null}`},
		{"a value left out", "city:,days:3", `{"city":null,"days":3}`},
		{"not ASCII", "größe:" + s("日本 🎉"), `{"größe":"日本 🎉"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := conversation(tools).Transcript(t, "<|tool_call>call:get_weather{"+c.arguments+"}<tool_call|>")
			if want := strings.NewReplacer("\n", `\n`).Replace("get_weather" + c.want); got != want {
				t.Errorf("%s\n got %s\nwant %s", c.arguments, got, want)
			}
		})
	}
}

func TestWhatTheConstraintAcceptsIsRead(t *testing.T) {
	for name, request := range map[string]string{"auto": tools, "single": single, "required": required, "named": named, "schema": shaped} {
		t.Run(name, func(t *testing.T) {
			c := conversation(request)
			for output := range c.Sampled(t, 20) {
				got := c.Transcript(t, output)
				if calls := strings.Contains(got, "}"); !calls || strings.HasSuffix(got, string(chat.Malformed)) || strings.HasSuffix(got, string(chat.Truncated)) {
					t.Fatalf("%q is parsed as %s", output, got)
				}
			}
		})
	}
}

func TestTheConstraintEnforcesTheTools(t *testing.T) {
	rome := "city:" + s("Rome")
	for _, c := range []struct {
		name, request, output string
		accepted              bool
	}{
		{"what is required", tools, "get_weather{" + rome + "}", true},
		{"anything before it", tools, "get_weather{days:1," + rome + "}", true},
		{"anything behind it", tools, "get_weather{" + rome + ",units:" + s("C") + ",on:null}", true},
		{"nested", tools, "get_weather{" + rome + ",at:{name:" + s("x") + ",lat:1.5},tags:[" + s("a") + "]}", true},
		{"less than is required", tools, "get_weather{days:1}", false},
		{"less than is required within", tools, "get_weather{" + rome + ",at:{}}", false},
		{"another kind", tools, "get_weather{" + rome + ",days:" + s("1") + "}", false},
		{"not among the choices", tools, "get_weather{" + rome + ",units:" + s("K") + "}", false},
		{"what is not declared", tools, "get_weather{" + rome + ",more:1}", false},
		{"no quotes", tools, "get_weather{city:Rome}", false},
		{"white space", tools, "get_weather{ " + rome + "}", false},
		{"free arguments", tools, "get{a:{b:[1," + s("c") + "]},d:true}", true},
		{"no arguments", tools, "get{}", true},
		{"many that are required", tools, "all{e:1,f:2,d:1,c:1,b:1,a:1}", true},
		{"one too few of them", tools, "all{e:1,f:2,d:1,c:1,b:1}", false},
		{"another tool", tools, "fly{}", false},
		{"a tool that was not asked for", named, "get{}", false},
		{"the one that was", named, "get_weather{" + rome + "}", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := conversation(c.request).Grammar(t).Match(callOpen + c.output + callEnd)
			if got := m.Status == grammar.Accepted; got != c.accepted {
				t.Errorf("%s: %v at byte %d, expected %q", c.output, m.Status, m.Offset, m.Expected)
			}
		})
	}
	if g := conversation(single).Grammar(t); g.Match(strings.Repeat(callOpen+"get{}"+callEnd, 2)).Status == grammar.Accepted {
		t.Error("the constraint accepts two calls where one is allowed")
	}
	if g := conversation(tools).Grammar(t); g.Match(strings.Repeat(callOpen+"get{}"+callEnd, 2)).Status != grammar.Accepted {
		t.Error("the constraint rejects two calls where several are allowed")
	}
	both := strings.Replace(required, "{", `{"json_schema":{"type":"object"},`, 1)
	if g := conversation(both).Grammar(t); g.Match("{}").Status == grammar.Accepted || g.Match(callOpen+"get{}"+callEnd).Status != grammar.Accepted {
		t.Error("the constraint accepts a JSON answer where a call is required")
	}
	if g := conversation(required).Grammar(t); g.Match("No.").Status == grammar.Accepted {
		t.Error("the constraint accepts an answer where a call is required")
	}
}

func TestSchemasMayBeRecursive(t *testing.T) {
	c := conversation(`{` + messages + `,"tools":[{"type":"function","function":{"name":"grow","parameters":{"$ref":"#/$defs/tree",
		"$defs":{"tree":{"type":"object","properties":{"left":{"$ref":"#/$defs/tree"},"name":{"type":"string"}},"required":["name"]}}}}}]}`)
	output := callOpen + "grow{left:{left:{name:" + s("a") + "},name:" + s("b") + "},name:" + s("c") + "}" + callEnd
	if got, want := c.Transcript(t, output), `grow{"left":{"left":{"name":"a"},"name":"b"},"name":"c"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if m := c.Grammar(t).Match(output); m.Status != grammar.Accepted {
		t.Errorf("%v at byte %d, expected %q", m.Status, m.Offset, m.Expected)
	}
	if m := c.Grammar(t).Match(strings.Replace(output, "name:", "nick:", 1)); m.Status == grammar.Accepted {
		t.Error("the constraint accepts a branch without its required member")
	}
}

func TestOutputsContinueThePrompt(t *testing.T) {
	const call = callOpen + "get{}" + callEnd
	for _, c := range []struct{ name, prompt, output, want string }{
		{"a turn that answers of tools interrupted", "", call, `get{}`},
		{"a turn that the model begins itself", "", modelTurn + call, `get{}`},
		{"an empty thought", modelTurn + thinking + "\n" + channelEnd, call, `get{}`},
		{"the same without a turn", thinking + "\n" + channelEnd, call, `get{}`},
		{"an open thought", modelTurn + thinking + "\nHm", "." + channelEnd + call, `thought "Hm." get{}`},
		{"a closed thought", modelTurn + thinking + "\nHm." + channelEnd, call, `thought "Hm." get{}`},
		{"words", modelTurn + thinking + "\n" + channelEnd + "Let me", " see." + call, `content "Let me see." get{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			conversation := conformance.Conversation{Handler: gemma4{}, Request: required, GenerationPrompt: c.prompt}
			if got := conversation.Transcript(t, c.output); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if m := conversation.Grammar(t).Match(c.output); m.Status != grammar.Accepted {
				t.Errorf("%v at byte %d, expected %q", m.Status, m.Offset, m.Expected)
			}
		})
	}
}
