package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

const (
	plain    = `{"messages":[{"role":"user","content":"Hi"}]}`
	weather  = `{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}`
	clock    = `{"type":"function","function":{"name":"get","parameters":{"type":"object"}}}`
	tools    = `{"messages":[{"role":"user","content":"Hi"}],"tools":[` + weather + `,` + clock + `]}`
	parallel = `{"messages":[{"role":"user","content":"Hi"}],"parallel_tool_calls":true,"tools":[` + weather + `,` + clock + `]}`
	required = `{"messages":[{"role":"user","content":"Hi"}],"tool_choice":"required","tools":[` + weather + `,` + clock + `]}`
	none     = `{"messages":[{"role":"user","content":"Hi"}],"reasoning_format":"none"}`
	schema   = `{"messages":[{"role":"user","content":"Hi"}],"json_schema":{"type":"object","properties":{"a":{"type":"integer"}}}}`
)

func planFor(t testing.TB, request string) *sdk.Plan {
	t.Helper()
	r, err := chat.ParseRequest([]byte(request))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := gptoss{}.Plan(t.Context(), sdk.Input{Request: r})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// read reads an output at every cut and shows what became of it: reasoning, content, calls, status.
func read(t testing.TB, request, prompt, output string) string {
	t.Helper()
	code, err := match.Compile(planFor(t, request).Program.Bind(prompt), match.Options{})
	if err != nil {
		t.Fatal(err)
	}
	first := ""
	for _, cut := range cases.Cuts(10, 1) {
		s := chat.Stream{StreamOptions: chat.StreamOptions{NoIDs: true}}
		m := match.New(code, s.Add)
		m.Prompt(prompt)
		for piece := range cut.Pieces([]byte(output)) {
			m.Feed(piece)
		}
		report := m.Finish()
		s.Finish(chat.FinishStop)
		got := show(s.Message(), report)
		if first == "" {
			first = got
		}
		if got != first {
			t.Errorf("%q %s:\n got %s\nwhole %s", output, cut.Name, got, first)
		}
	}
	return first
}

func show(m chat.Message, r *chat.Report) string {
	var parts []string
	if m.ReasoningContent != "" {
		parts = append(parts, fmt.Sprintf("thought %q", m.ReasoningContent))
	}
	if m.Content.Text != nil && *m.Content.Text != "" {
		parts = append(parts, fmt.Sprintf("content %q", *m.Content.Text))
	}
	for _, c := range m.ToolCalls {
		parts = append(parts, c.Name+c.Arguments)
	}
	if r.Status != chat.Complete {
		parts = append(parts, string(r.Status))
	}
	return strings.Join(parts, " ")
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
		{"thoughts as content", none, thought + next + "<|channel|>final<|message|>Hello.", `content "<|channel|>analysis<|message|>Hm.<|end|>Hello."`},
		{"nothing", plain, "", ``},
		{"no header at all", plain, "Hello.", `content "Hello."`},
		{"a message without a channel", plain, "<|message|>Hello.<|end|>", `content "Hello."`},
		{"an unknown channel", plain, "<|channel|>summary<|message|>Hello.<|end|>", `content "Hello."`},

		{"a call", tools, call, `get_weather{"city": "Rome"}`},
		{"a thought and a call", tools, thought + next + call, `thought "Hm." get_weather{"city": "Rome"}`},
		{"the recipient before the channel", tools, " to=functions.get_weather<|channel|>commentary json<|message|>{\"city\": \"Rome\"}", `get_weather{"city": "Rome"}`},
		{"the same in a later message", tools, thought + next + " to=functions.get_weather<|channel|>commentary json<|message|>{\"city\": \"Rome\"}", `thought "Hm." get_weather{"city": "Rome"}`},
		{"a name that begins like another", tools, "<|channel|>commentary to=functions.get<|message|>{}", `get{}`},
		{"without a namespace", tools, "<|channel|>commentary to=get_weather<|message|>{}", `get_weather{}`},
		{"with other white space", tools, "<|channel|>commentary  to=functions.get_weather \n<|message|> {\"city\": 1} <|call|>\n", `get_weather{"city": 1}`},
		{"an unknown function", tools, "<|channel|>commentary to=functions.fly<|message|>{\"far\": true}<|call|>", `fly{"far": true}`},
		{"a call that ends as a message", tools, "<|channel|>commentary to=functions.get<|message|>{}<|end|>", `get{}`},
		{"two calls", tools, call + next + call, `get_weather{"city": "Rome"} get_weather{"city": "Rome"}`},
		{"two calls where several are allowed", parallel, call + next + call, `get_weather{"city": "Rome"} get_weather{"city": "Rome"}`},
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

		{"JSON as asked for", schema, "<|channel|>final <|constrain|>json<|message|>{\"a\": 1}<|return|>", `content "{\"a\": 1}"`},
		{"JSON behind a thought", schema, thought + next + "<|channel|>final<|message|>{\"a\": 1}", `thought "Hm." content "{\"a\": 1}"`},
		{"prose where JSON was asked for", schema, "<|channel|>final<|message|>I cannot.", `content "I cannot."`},

		{"a token that is talked about", plain, "<|channel|>final<|message|>Write <|channel|> and <|start|> here.<|return|>", `content "Write <|channel|> and <|start|> here."`},
		{"a missing end", plain, "<|channel|>analysis<|message|>Hm.<|start|>assistant<|channel|>final<|message|>Hello.", `thought "Hm." content "Hello."`},
		{"a missing end and start", plain, "<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Hello.", `thought "Hm." content "Hello."`},
		{"more after the end", plain, "<|channel|>final<|message|>Hello.<|return|>Bye.", `content "Hello.Bye."`},
		{"white space between messages", plain, thought + "\n" + next + "<|channel|>final<|message|>Hello.<|end|>\n", `thought "Hm." content "Hello."`},
		{"a call within a thought's channel", tools, "<|channel|>analysis to=functions.get_weather<|message|>{\"city\": \"Rome\"}", `get_weather{"city": "Rome"}`},
		{"arguments that are no JSON, and then a call", tools, "<|channel|>commentary to=functions.get<|message|>{\"a\": tru<|call|>" + next + call, `get{"a": tru get_weather{"city": "Rome"} malformed`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, c.request, assistantStart, c.output); got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.output, got, c.want)
			}
		})
	}
}

func TestWhatTheConstraintLetsThroughIsRead(t *testing.T) {
	for name, request := range map[string]string{"auto": tools, "parallel": parallel, "required": required, "schema": schema} {
		t.Run(name, func(t *testing.T) {
			plan := planFor(t, request)
			c, err := grammar.Build(plan.Program, grammar.Options{Mode: plan.Grammar, Prompt: assistantStart, Triggers: plan.Triggers})
			if err != nil {
				t.Fatal(err)
			}
			g, err := grammar.Parse(c.Grammar)
			if err != nil {
				t.Fatal(err)
			}
			sampler := g.Sampler(rand.New(rand.NewPCG(1, 1)))
			for range 100 {
				output, ok := sampler.Text(80)
				if !ok {
					continue
				}
				got := read(t, request, assistantStart, strings.TrimPrefix(output, assistantStart))
				if calls := strings.Contains(got, "get"); calls == (name == "schema") || strings.Contains(got, string(chat.Malformed)) {
					t.Fatalf("%q is read as %s", output, got)
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
	report := m.Finish()
	s.Finish(chat.FinishStop)
	want := `thought "I write <|end|><|start|>assistant<|channel|>final<|message|> here" content "Done."`
	if got := show(s.Message(), report); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
