package gptoss

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

const (
	plain    = `{"messages":[{"role":"user","content":"Hi"}]}`
	weather  = `{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}`
	clock    = `{"type":"function","function":{"name":"get","parameters":{"type":"object"}}}`
	tools    = `{"messages":[{"role":"user","content":"Hi"}],"tools":[` + weather + `,` + clock + `]}`
	single   = `{"messages":[{"role":"user","content":"Hi"}],"parallel_tool_calls":false,"tools":[` + weather + `,` + clock + `]}`
	required = `{"messages":[{"role":"user","content":"Hi"}],"tool_choice":"required","tools":[` + weather + `,` + clock + `]}`
	forbid   = `{"messages":[{"role":"user","content":"Hi"}],"tool_choice":"none","tools":[` + weather + `,` + clock + `]}`
	none     = `{"messages":[{"role":"user","content":"Hi"}],"reasoning_format":"none"}`
	shaped   = `{"messages":[{"role":"user","content":"Hi"}],"json_schema":{"type":"object","properties":{"a":{"type":"integer"}}}}`
)

func planFor(t testing.TB, request string) *handler.Plan {
	t.Helper()
	r, err := chat.ParseRequest([]byte(request))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := new(gptoss).Plan(t.Context(), handler.Input{Request: r})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func conversation(request string) conformance.Conversation {
	return conformance.Conversation{Handler: new(gptoss), Request: request, GenerationPrompt: assistantStart}
}

func TestOutputsAreRead(t *testing.T) {
	const thought = "<|channel|>analysis<|message|>Hm.<|end|>"
	const next = "<|start|>assistant"
	const call = "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{\"city\": \"Rome\"}<|call|>"
	for _, c := range []struct {
		name, request, output, want string
	}{
		{"an answer", plain, "<|channel|>final<|message|>Hello.<|return|>", `content "Hello."`},
		{"an answer that does not end", plain, "<|channel|>final<|message|>Hello.", `content "Hello."`},
		{"a thought and an answer", plain, thought + next + "<|channel|>final<|message|>Hello.<|end|>", `thought "Hm." content "Hello."`},
		{"two thoughts", plain, thought + next + thought + next + "<|channel|>final<|message|>Hello.", `thought "Hm.Hm." content "Hello."`},
		{"a thought alone", plain, "<|channel|>analysis<|message|>Hm", `thought "Hm"`},
		{"a preamble", tools, "<|channel|>commentary<|message|>Let me see.<|end|>" + next + call, `content "Let me see." get_weather{"city": "Rome"}`},
		{"a channel thought better of", plain, "<|channel|>commentary to=assistant<|channel|>final<|message|>Hello.", `content "Hello."`},
		{"a channel begun twice", plain, "<|channel|><|channel|>final<|message|>Hello.", `content "Hello."`},
		{"a call that is forbidden", forbid, call, `content "{\"city\": \"Rome\"}"`},
		{"thoughts as content", none, thought + next + "<|channel|>final<|message|>Hello.", `content "<|channel|>analysis<|message|>Hm.<|end|>Hello."`},
		{"nothing", plain, "", ``},
		{"no header at all", plain, "Hello.", `content "Hello."`},
		{"a message without a channel", plain, "<|message|>Hello.<|end|>", `content "Hello."`},
		{"an unknown channel", plain, "<|channel|>summary<|message|>Hello.<|end|>", `content "Hello."`},

		{"a call", tools, call, `get_weather{"city": "Rome"}`},
		{"a thought and a call", tools, thought + next + call, `thought "Hm." get_weather{"city": "Rome"}`},
		{"the recipient before the channel", tools, " to=functions.get_weather<|channel|>commentary json<|message|>{\"city\": \"Rome\"}", `get_weather{"city": "Rome"}`},
		{"the same in a later message", tools, thought + next + " to=functions.get_weather<|channel|>commentary json<|message|>{\"city\": \"Rome\"}", `thought "Hm." get_weather{"city": "Rome"}`},
		{"a channel thought better of before a call", tools, "<|channel|>commentary" + call, `get_weather{"city": "Rome"}`},
		{"arguments as Python has them", tools, "<|channel|>commentary to=functions.get<|message|>{'on': True}<|call|>", `get{"on": true}`},
		{"a name that begins like another", tools, "<|channel|>commentary to=functions.get<|message|>{}", `get{}`},
		{"without a namespace", tools, "<|channel|>commentary to=get_weather<|message|>{}", `get_weather{}`},
		{"with other white space", tools, "<|channel|>commentary  to=functions.get_weather \n<|message|> {\"city\": 1} <|call|>\n", `get_weather{"city": 1}`},
		{"an unknown function", tools, "<|channel|>commentary to=functions.fly<|message|>{\"far\": true}<|call|>", `fly{"far": true}`},
		{"a call that ends as a message", tools, "<|channel|>commentary to=functions.get<|message|>{}<|end|>", `get{}`},
		{"two calls", tools, call + next + call, `get_weather{"city": "Rome"} get_weather{"city": "Rome"}`},
		{"two calls where several are allowed", tools, call + next + call, `get_weather{"city": "Rome"} get_weather{"city": "Rome"}`},
		{"a call without the start of its message", tools, call + call, `get_weather{"city": "Rome"} get_weather{"city": "Rome"}`},
		{"a call and an answer", tools, call + next + "<|channel|>final<|message|>Done.", `content "Done." get_weather{"city": "Rome"}`},
		{"an answer and a call", tools, "<|channel|>final<|message|>First.<|end|>" + next + call, `content "First." get_weather{"city": "Rome"}`},
		{"a call cut off", tools, "<|channel|>commentary to=functions.get_weather<|message|>{\"city\": \"Ro", `get_weather{"city": "Ro truncated`},
		{"a header cut off", tools, "<|channel|>commentary to=functions.get_wea", `truncated`},
		{"a call without arguments", tools, "<|channel|>commentary to=functions.get<|message|><|call|>", `get{}`},
		{"an answer where a call is required", required, "<|channel|>final<|message|>No.", `content "No."`},

		{"a tool of the model's own", plain, thought + next + " to=container.exec<|channel|>commentary<|message|>ls", `thought "Hm."`},
		{"the same in the channel of thoughts", tools, "<|channel|>analysis to=python code<|message|>print(1)<|call|>" + next + call, `get_weather{"city": "Rome"}`},
		{"the same at the beginning", plain, " to=python<|channel|>analysis code<|message|>print(1)<|call|>", ``},
		{"a function where none is offered", plain, "<|channel|>commentary to=functions.f<|message|>{}<|call|>", ``},
		{"an answer of a tool, made up", tools, call + "<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>\"rain\"<|end|>" + next + "<|channel|>final<|message|>Rain.", `content "Rain." get_weather{"city": "Rome"}`},

		{"JSON as asked for", shaped, "<|channel|>final <|constrain|>json<|message|>{\"a\": 1}<|return|>", `content "{\"a\": 1}"`},
		{"JSON in a fence", shaped, "<|channel|>final<|message|>```json\n{\"a\": 1}\n```", `content "{\"a\": 1}"`},
		{"JSON behind a thought", shaped, thought + next + "<|channel|>final<|message|>{\"a\": 1}", `thought "Hm." content "{\"a\": 1}"`},
		{"prose where JSON was asked for", shaped, "<|channel|>final<|message|>I cannot.", `content "I cannot."`},

		{"a token that is talked about", plain, "<|channel|>final<|message|>Write <|channel|> and <|start|> here.<|return|>", `content "Write <|channel|> and <|start|> here."`},
		{"a missing end", plain, "<|channel|>analysis<|message|>Hm.<|start|>assistant<|channel|>final<|message|>Hello.", `thought "Hm." content "Hello."`},
		{"a missing end and start", plain, "<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Hello.", `thought "Hm." content "Hello."`},
		{"more after the end", plain, "<|channel|>final<|message|>Hello.<|return|>Bye.", `content "Hello.Bye."`},
		{"white space between messages", plain, thought + "\n" + next + "<|channel|>final<|message|>Hello.<|end|>\n", `thought "Hm." content "Hello."`},
		{"a call within a thought's channel", tools, "<|channel|>analysis to=functions.get_weather<|message|>{\"city\": \"Rome\"}", `get_weather{"city": "Rome"}`},
		{"arguments that are no JSON, and then a call", tools, "<|channel|>commentary to=functions.get<|message|>{\"a\": tru<|call|>" + next + call, `get{"a": tru get_weather{"city": "Rome"} malformed`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := conversation(c.request).Transcript(t, c.output); got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.output, got, c.want)
			}
		})
	}
}

func TestWhatTheConstraintAcceptsIsRead(t *testing.T) {
	for name, request := range map[string]string{"auto": tools, "single": single, "required": required, "schema": shaped} {
		t.Run(name, func(t *testing.T) {
			c := conversation(request)
			for output := range c.Sampled(t, 20) {
				got := c.Transcript(t, strings.TrimPrefix(output, assistantStart))
				if calls := strings.Contains(got, "get"); calls == (name == "schema") || strings.Contains(got, string(chat.Malformed)) {
					t.Fatalf("%q is parsed as %s", output, got)
				}
			}
		})
	}
}

func TestProseMaySpellTokensWhereTheEngineTellsThemApart(t *testing.T) {
	plan := planFor(t, tools)
	code, err := match.Compile(plan.Program.Bind(assistantStart), match.Options{Specials: plan.PreservedTokens})
	if err != nil {
		t.Fatal(err)
	}
	s := chat.Stream{StreamOptions: chat.StreamOptions{NoIDs: true}}
	m := match.New(code, s.Add)
	m.Prompt(assistantStart)
	token := func(text string) { m.FeedSpecial([]byte(text), []match.Range{{Start: 0, End: len(text)}}) }
	prose := func(text string) { m.FeedSpecial([]byte(text), []match.Range{}) }
	token(channelToken)
	prose("analysis")
	token(messageToken)
	prose("I write <|end|><|start|>assistant<|channel|>final<|message|> here")
	token(endToken)
	token(startToken)
	prose("assistant")
	token(channelToken)
	prose("final")
	token(messageToken)
	prose("Done.")
	report := m.Finish(false)
	s.Finish(chat.FinishStop)
	const thought = "I write <|end|><|start|>assistant<|channel|>final<|message|> here"
	if got := s.Message(); got.ReasoningContent != thought || got.Content.Join("") != "Done." || report.Status != chat.Complete {
		t.Errorf("got %+v, %s", got, report.Status)
	}
}
