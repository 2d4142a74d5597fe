package functionary

import (
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

const (
	messages = `"messages":[{"role":"user","content":"Hi"}]`
	weather  = `{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}`
	clock    = `{"type":"function","function":{"name":"get","parameters":{"type":"object"}}}`
	coder    = `{"type":"function","function":{"name":"python","parameters":{"type":"object","properties":{"code":{"type":"string"}},"required":["code"]}}}`
	offered  = `"tools":[` + weather + `,` + clock + `]`
	plain    = `{` + messages + `}`
	tools    = `{` + messages + `,` + offered + `}`
	single   = `{` + messages + `,"parallel_tool_calls":false,` + offered + `}`
	required = `{` + messages + `,"tool_choice":"required",` + offered + `}`
	named    = `{` + messages + `,"tool_choice":{"type":"function","function":{"name":"get_weather"}},` + offered + `}`
	never    = `{` + messages + `,"tool_choice":"none",` + offered + `}`
	shaped   = `{` + messages + `,"json_schema":{"type":"object","properties":{"a":{"type":"integer"}}}}`
	coding   = `{` + messages + `,"tools":[` + coder + `]}`
	prompt   = "<|start_header_id|>assistant<|end_header_id|>\n\n>>>"
)

func conversation(request string) conformance.Conversation {
	return conformance.Conversation{Handler: new(functionary), Request: request, GenerationPrompt: prompt}
}

func TestOutputsAreRead(t *testing.T) {
	const rome = "get_weather\n{\"city\": \"Rome\"}"
	for _, c := range []struct {
		name, request, output, want string
	}{
		{"nothing", plain, "", ``},
		{"an answer", plain, "all\nHello.<|eot_id|>", `content "Hello."`},
		{"an answer in parts", plain, "all\nOne. >>>all\nTwo.", `content "One. Two."`},
		{"no recipient", plain, "Hello.\nBye.", `content "Hello.\nBye."`},
		{"a recipient with blanks", plain, "all \nHello.", `content "Hello."`},
		{"a prompt of Python's", tools, "all\n>>> print(1)\n1\n>>>x\n", `content ">>> print(1)\n1\n>>>x"`},
		{"a made-up message", plain, "all\nHello.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nBye.", `content "Hello.Bye."`},

		{"a call", tools, rome, `get_weather{"city": "Rome"}`},
		{"words and a call", tools, "all\nLet me see.\n>>>" + rome + "<|eot_id|>", `content "Let me see." get_weather{"city": "Rome"}`},
		{"a call and words", tools, rome + ">>>all\nDone.", `content "Done." get_weather{"city": "Rome"}`},
		{"two calls", tools, rome + ">>>" + rome, `get_weather{"city": "Rome"} get_weather{"city": "Rome"}`},
		{"two calls where one is allowed", tools, rome + "\n>>>" + rome, `get_weather{"city": "Rome"} get_weather{"city": "Rome"}`},
		{"words, a call, words and a call", tools, "all\nA>>>" + rome + ">>>all\nB>>>get\n{}", `content "AB" get_weather{"city": "Rome"} get{}`},
		{"a name that begins like another", tools, "get\n{}", `get{}`},
		{"an unknown function", tools, "fly\n{\"far\": true}", `fly{"far": true}`},
		{"an unknown function behind words", tools, "all\nUp.>>>fly\n{\"far\": true}", `content "Up." fly{"far": true}`},
		{"no arguments", tools, "get\n<|eot_id|>", `get{}`},
		{"a call cut off", tools, "get_weather\n{\"city\": \"Ro", `get_weather{"city": "Ro truncated`},
		{"a header cut off", tools, "all\nLet me see.>>>get_wea", `content "Let me see." truncated`},
		{"an answer where a call is required", required, "all\nNo.", `content "No."`},
		{"a call where another is asked for", named, "get\n{}", `get{}`},
		{"a call where none is offered", plain, "get\n{}", `content "get\n{}"`},
		{"a call where none is wanted", never, "all\nA.>>>get\n{}", `content "A.>>>get\n{}"`},
		{"arguments that are no JSON, and then a call", tools, "get\n{\"a\": tru}>>>" + rome, `content "}" get{"a": tru get_weather{"city": "Rome"} malformed`},

		{"code", tools, "python\nprint(\"a\")\n>>> b", `python{"code":"print(\"a\")\n>>> b"}`},
		{"code and a call", tools, "python\nprint(1)\n>>>" + rome, `python{"code":"print(1)\n"} get_weather{"city": "Rome"}`},
		{"code that begins with a bracket", coding, "python\n{1: 2}", `python{"code":"{1: 2}"}`},
		{"code as JSON", coding, "python\n{\"code\": \"1\"}", `python{"code": "1"}`},

		{"JSON as asked for", shaped, "all\n{\"a\": 1}<|eot_id|>", `content "{\"a\": 1}"`},
		{"JSON in a fence", shaped, "all\n```json\n{\"a\": 1}\n```", `content "{\"a\": 1}"`},
		{"prose where JSON was asked for", shaped, "all\nI cannot.", `content "I cannot."`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := conversation(c.request).Transcript(t, c.output)
			if got != c.want && got != strings.ReplaceAll(c.want, "\n", `\n`) {
				t.Errorf("%q\n got %s\nwant %s", c.output, got, c.want)
			}
		})
	}
}

func TestWhatTheConstraintAcceptsIsRead(t *testing.T) {
	for name, request := range map[string]string{"auto": tools, "single": single, "required": required, "named": named, "schema": shaped, "code": coding} {
		t.Run(name, func(t *testing.T) {
			c := conversation(request)
			for output := range c.Sampled(t, 20) {
				got := c.Transcript(t, strings.TrimPrefix(output, section))
				if !strings.Contains(got, "}") || strings.HasSuffix(got, string(chat.Malformed)) || strings.HasSuffix(got, string(chat.Truncated)) {
					t.Fatalf("%q is parsed as %s", output, got)
				}
			}
		})
	}
}

func TestTheConstraintEnforcesTheRequest(t *testing.T) {
	both := strings.Replace(required, "{", `{"json_schema":{"type":"object"},`, 1)
	const rome = "get_weather\n{\"city\": \"Rome\"}"
	for _, c := range []struct {
		name, request, output string
		accepted              bool
	}{
		{"a call", tools, rome, true},
		{"arguments against the schema", tools, "get_weather\n{\"city\": 1}", false},
		{"an unknown function", tools, "fly\n{}", false},
		{"a second call where one is allowed", single, rome + section + rome, false},
		{"a second call", tools, rome + section + rome, true},
		{"a call that is required", required, rome, true},
		{"words before it", required, "all\nLet me see." + section + rome, true},
		{"words instead", required, "all\nNo.", false},
		{"JSON instead", both, "all\n{}", false},
		{"another function than asked for", named, "get\n{}", false},
		{"JSON as asked for", shaped, "all\n{\"a\": 1}", true},
		{"other JSON", shaped, "all\n{\"a\": true}", false},
		{"code", coding, "python\nprint(1)", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := conversation(c.request).Grammar(t).Match(c.output)
			if got := m.Status == grammar.Accepted; got != c.accepted {
				t.Errorf("%q: %v at byte %d, expected %q", c.output, m.Status, m.Offset, m.Expected)
			}
		})
	}
}

func TestTriggersFireWhereACallBegins(t *testing.T) {
	r, err := chat.ParseRequest([]byte(tools))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := new(functionary).Plan(t.Context(), handler.Input{Request: r})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		output, from string
	}{
		{"get_weather\n{}", "get_weather\n{}"},
		{"all\nA.>>>get\n{}", ">>>get\n{}"},
		{"all\nget\n{}", ""},
		{"all\nA.>>>all\nB.", ""},
	} {
		at, fired := grammar.FindTrigger(c.output, plan.Triggers)
		if fired != (c.from != "") || fired && c.output[at:] != c.from {
			t.Errorf("%q: fired %t, at byte %d", c.output, fired, at)
		}
	}
}

func TestOnlyAMessageOfTheAssistantCanBeContinued(t *testing.T) {
	r, err := chat.ParseRequest([]byte(`{"messages":[{"role":"user","content":"Hi"},{"role":"user","content":"Hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.ContinueFinalMessage = chat.ContinueAuto
	_, err = new(functionary).Plan(t.Context(), handler.Input{Request: r})
	var invalid *fault.Error
	if !errors.As(err, &invalid) || invalid.Place != "continue_final_message" {
		t.Errorf("got %v", err)
	}
}
