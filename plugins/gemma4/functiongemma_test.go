package gemma4

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/conformance"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

func functionConversation(request string) conformance.Conversation {
	return conformance.Conversation{Handler: functionGemma{}, Request: request, GenerationPrompt: "<start_of_turn>model\n"}
}

func TestFunctionGemmaIsRead(t *testing.T) {
	const rome = "<start_function_call>call:get_weather{city:<escape>Rome<escape>}<end_function_call>"
	for _, c := range []struct{ name, request, output, want string }{
		{"an answer", plain, "Hello.<end_of_turn>\n", `content "Hello."`},
		{"a call", tools, rome, `get_weather{"city":"Rome"}`},
		{"words and two calls, handing over", tools, "Let me see." + rome + rome + "<start_function_response>", `content "Let me see." get_weather{"city":"Rome"} get_weather{"city":"Rome"}`},
		{"an answer of a tool, made up", tools, rome + "<start_function_response>response:get_weather{value:1}<end_function_response>Rain.", `content "Rain." get_weather{"city":"Rome"}`},
		{"every kind of value", tools, "<start_function_call>call:get_weather{days:-3,on:null,at:{lat:1.5e3,name:<escape>a, {b}<escape>},tags:[<escape>a<escape>,<escape>b<escape>]}<end_function_call>",
			`get_weather{"days":-3,"on":null,"at":{"lat":1.5e3,"name":"a, {b}"},"tags":["a","b"]}`},
		{"a token within a string", tools, "<start_function_call>call:get_weather{city:<escape>a <escape>b<escape> c <end_function_call><escape>}<end_function_call>", `get_weather{"city":"a <escape>b<escape> c <end_function_call>"}`},
		{"a text that looks like a number, and none that does not", tools, "<start_function_call>call:get_weather{city:1,days:<escape>few<escape>}<end_function_call>", `get_weather{"city":"1","days":"few"}`},
		{"an unknown function, without an end", tools, "<start_function_call>call:fly{far:true}", `fly{"far":true}`},
		{"a call cut off", tools, "<start_function_call>call:get_weather{city:<escape>Ro", `get_weather{"city":"Ro truncated`},
		{"tokens of other models", tools, "<|channel>thought\nHm.<channel|>", `content "<|channel>thought\nHm.<channel|>"`},
		{"a call where none is wanted", never, rome, `content "<start_function_call>call:get_weather{city:<escape>Rome<escape>}<end_function_call>"`},
		{"tokens that are talked about", tools, "Begin with <start_function_call>, then the name.", `content "Begin with <start_function_call>, then the name."`},
		{"JSON as asked for", shaped, `{"a": 1}<end_of_turn>`, `content "{\"a\": 1}"`},
		{"behind answers of tools", tools, "<start_of_turn>model\n" + rome, `get_weather{"city":"Rome"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := functionConversation(c.request).Transcript(t, c.output); got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.output, got, c.want)
			}
		})
	}
}

func TestTheConstraintOfFunctionGemmaEnforcesTheTools(t *testing.T) {
	for output, accepted := range map[string]bool{
		"get_weather{city:<escape>Rome<escape>,days:3}": true,
		"get_weather{days:3}":                           false,
		"get_weather{city:Rome}":                        false,
		`get_weather{city:<|"|>Rome<|"|>}`:              false,
	} {
		m := functionConversation(tools).Grammar(t).Match("<start_function_call>call:" + output + "<end_function_call>")
		if got := m.Status == grammar.Accepted; got != accepted {
			t.Errorf("%s: %v at byte %d, expected %q", output, m.Status, m.Offset, m.Expected)
		}
	}
}

func TestToolMessagesNameTheirFunctions(t *testing.T) {
	const history = `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"","tool_calls":[
		{"id":"1","type":"function","function":{"name":"now","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"get","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"2","content":"a"},{"role":"tool","tool_call_id":"1","content":"b"},{"role":"tool","name":"own","content":"c"}]}`
	plan := planned(t, functionGemma{}, "", history)
	var names []string
	for _, m := range plan.Request.Messages[2:] {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "get now own" {
		t.Errorf("the function names are %s", got)
	}
}

func TestAContinuedMessageIsContent(t *testing.T) {
	const history = `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Yes","reasoning_content":"Hm."}],"continue_final_message":`
	for request, notes := range map[string]int{history + `true}`: 0, history + `"reasoning_content"}`: 1} {
		if plan := planned(t, functionGemma{}, "", request); plan.Prefill != "Yes" || len(plan.Request.Messages) != 1 || len(plan.Notes) != notes || plan.SupportsThinking {
			t.Errorf("prefill %q, notes %q, messages %+v", plan.Prefill, plan.Notes, plan.Request.Messages)
		}
	}
}

func TestFunctionGemmaBeginsBehindAPromptWithoutALineEnd(t *testing.T) {
	for _, output := range []string{"Hello there.", "\nHello there."} {
		c := functionConversation(plain)
		c.GenerationPrompt = "<start_of_turn>model"
		if got := c.Transcript(t, output); got != `content "Hello there."` {
			t.Errorf("%q: %s", output, got)
		}
	}
}
