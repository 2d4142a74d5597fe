package turn_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// tags is a complete handler for a format of this kind:
//
//	<t>Hm.</t>Let me see. <call weather><arg city>Rome</arg><arg days>3</arg></call><end>
//
// If keeps is set, calls within a thought stay part of it; if tolerates is, the end of an argument may be missing.
type tags struct{ keeps, tolerates bool }

func (tags) Describe() handler.Description {
	return handler.Description{Name: "tags", Version: "1.0.0", Match: "true", Cases: []byte(`
		{"id":"a","kind":"parse","template":"t","output":"<t>Hm.</t>Yes.<end>","expect":{"content":"Yes.","reasoning_content":"Hm."},"reference":{"generation_prompt":"A: "}}`)}
}

func (f tags) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	t := turn.New(in.Request, turn.Format{
		ThinkStart: "<t>", ThinkEnd: "</t>", Opened: "<t>\n", Closed: "\n</t>\n",
		Openers: []string{"<call "}, Promoters: []string{"\n<call "}, Ends: []string{"<end>"}, Preserved: []string{"<t>", "</t>"},
	})
	header := func(name peg.ID) peg.ID { return t.Atomic(t.Lit("<call "), t.Tag(peg.CallName, name), t.Lit(">")) }
	text := func(s jsonschema.Schema) peg.ID { return t.Verbatim(s, "</arg>") }
	end := t.Seq(t.Lit("</arg>"), t.Space())
	if f.tolerates {
		end = t.Closer("</arg>")
	}
	argument := func(name string, s jsonschema.Schema) peg.ID {
		key := t.Atomic(t.Lit("<arg "), t.Tag(peg.Key, t.ArgumentName(name)), t.Lit(">"))
		return t.Seq(key, t.Typed(s, "</arg>", text), end)
	}
	arguments := func(s jsonschema.Schema) peg.ID {
		return t.Seq(t.Space(), t.Tag(peg.Object, t.Arguments(s, "", argument)))
	}
	call := t.Rule("call", t.Tag(peg.Call, t.ByName(header, arguments), t.Closer("</call>")))
	calls := t.Trigger("calls", t.Several(call, ""))
	if !f.keeps {
		t.EndThinkingAt(func() peg.ID { return t.KnownName(header) }, func() peg.ID { return calls })
	}
	return t.Plan(calls)
}

func write(m chat.Message) string {
	text := "<t>" + m.ReasoningContent + "</t>" + m.Content.Join("")
	for _, c := range m.ToolCalls {
		text += "<call " + c.Name + ">"
		for name, value := range conformance.Members(c.Arguments) {
			if s, ok := conformance.Text(value); ok {
				value = s
			}
			text += "<arg " + name + ">" + value + "</arg>"
		}
		text += "</call>"
	}
	return text
}

func TestAFormatInAFewLinesConforms(t *testing.T) {
	conformance.Run(t, tags{}, conformance.Options{Write: write})
	conformance.Run(t, tags{keeps: true}, conformance.Options{Write: write})
	conformance.Run(t, tags{tolerates: true}, conformance.Options{Write: write})
}

const (
	messages = `"messages":[{"role":"user","content":"Hi"}]`
	offered  = `"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{
		"city":{"type":"string"},"days":{"type":"integer"},"on":{"type":["boolean","null"]},"tags":{"type":"array"},"any":{},"note":{"type":["string","boolean"]}},"required":["city","days"]}}},
		{"type":"function","function":{"name":"now"}}]`
	plain    = `{` + messages + `}`
	tools    = `{` + messages + `,` + offered + `}`
	single   = `{` + messages + `,"parallel_tool_calls":false,` + offered + `}`
	required = `{` + messages + `,"tool_choice":"required",` + offered + `}`
	named    = `{` + messages + `,"tool_choice":{"type":"function","function":{"name":"now"}},` + offered + `}`
	never    = `{` + messages + `,"tool_choice":"none",` + offered + `}`
	kept     = `{` + messages + `,"reasoning_format":"none",` + offered + `}`
	keep     = `{` + messages + `,"parsing":{"call_in_reasoning":"keep"},` + offered + `}`
	shaped   = `{` + messages + `,"json_schema":{"type":"object","properties":{"a":{"type":"integer"}}}}`
	either   = `{` + messages + `,"json_schema":{"type":"object"},` + offered + `}`
	pure     = `{` + messages + `,"pure_content":true,` + offered + `}`

	now  = "<call now></call>"
	rome = "<call weather><arg city>Rome</arg><arg days>3</arg></call>"
)

func conversation(request string) conformance.Conversation {
	return conformance.Conversation{Handler: tags{}, Request: request, GenerationPrompt: "A: "}
}

func TestOutputsAreRead(t *testing.T) {
	for _, c := range []struct{ name, request, output, want string }{
		{"an answer", plain, "Yes.<end>", `content "Yes."`},
		{"a thought and an answer", plain, "<t>Hm.</t>\n\n    Yes.", `thought "Hm." content "    Yes."`},
		{"a thought that does not end", plain, "<t>Hm.", `thought "Hm."`},
		{"a thought that is begun twice", plain, "<t>\n<t>Hm.</t>Yes.", `thought "Hm." content "Yes."`},
		{"a thought behind a thought", plain, "<t>Hm.</t>\n<t>So.</t>Yes.", `thought "Hm.So." content "Yes."`},
		{"a thought behind no thought", plain, "</t><t>So.</t>Yes.", `thought "So." content "Yes."`},
		{"a thought that the turn ends", plain, "<t>Say <end> twice.<end>\n", `thought "Say <end> twice."`},
		{"the same with functions", tools, "<t>Say <end> twice.<end>", `thought "Say <end> twice."`},
		{"the end of no thought", plain, "</t>Yes.", `content "Yes."`},
		{"thoughts as content", kept, "<t>Hm.</t> Yes." + now, `content "<t>Hm.</t> Yes." now{}`},
		{"everything as content", pure, "<t>Hm.</t>" + now, `content "<t>Hm.</t><call now></call>"`},

		{"a call", tools, rome, `weather{"city":"Rome","days":3}`},
		{"words, a call and words", tools, "A " + now + " B", `content "A B" now{}`},
		{"two calls where one is allowed", tools, now + "\n" + rome, `now{} weather{"city":"Rome","days":3}`},
		{"words between calls", tools, now + "A" + now, `content "A" now{} now{}`},
		{"an unknown function", tools, "<call fly><arg far>true</arg><arg to>Rome</arg></call>", `fly{"far":true,"to":"Rome"}`},
		{"a function that is not asked for", named, rome, `weather{"city":"Rome","days":3}`},
		{"a call where none is wanted", never, now, `content "<call now></call>"`},
		{"an opener that is talked about", tools, "Write <call me maybe> or <call", `content "Write <call me maybe> or <call"`},
		{"no closer", tools, "<call now>", `now{ truncated`},
		{"no closer before the end of the turn", tools, "<call now><end>", `now{}`},
		{"an answer where a call is required", required, "No.", `content "No."`},
		{"a call that ends a thought", tools, "<t>Hm. " + now + "</t>Done.", `thought "Hm." content "Done." now{}`},
		{"a call at the beginning of a thought", tools, "<t>" + now + "So.", `content "So." now{}`},
		{"a thought behind a call", tools, now + "<t>So.</t>Done.", `thought "So." content "Done." now{}`},
		{"a call that stays a thought", keep, "<t>" + now + "</t>No.", `thought "<call now></call>" content "No."`},
		{"a thought about calls", tools, "<t>Say <call fly></call> or <call now.</t>No.", `thought "Say <call fly></call> or <call now." content "No."`},

		{"JSON", shaped, " {\"a\": 1}\n<end>\n", `content "{\"a\": 1}"`},
		{"JSON in a fence", shaped, "```json\n{\"a\": 1}\n```", `content "{\"a\": 1}"`},
		{"JSON and white space", shaped, "<t>Hm.</t>{} ", `thought "Hm." content "{}"`},
		{"JSON and more", shaped, "{}\nThere.", `content "{}\nThere."`},
		{"prose for JSON", shaped, "I cannot.", `content "I cannot."`},
		{"a call in place of JSON", either, now, `now{}`},

		{"arguments in any order", tools, "<call weather><arg days> 3 </arg>\n<arg city>Rome</arg></call>", `weather{"days":3,"city":"Rome"}`},
		{"fewer than required, and others", tools, "<call weather><arg where>here</arg></call>", `weather{"where":"here"}`},
		{"a text like a number", tools, "<call weather><arg city>3</arg></call>", `weather{"city":"3"}`},
		{"a number that is none", tools, "<call weather><arg days>3 or 4</arg></call>", `weather{"days":"3 or 4"}`},
		{"values as Python has them", tools, "<call weather><arg on>None</arg><arg tags>['a', True]</arg></call>", `weather{"on":null,"tags":["a", true]}`},
		{"a text where there may be a truth value", tools, "<call weather><arg note>5</arg><arg note>True</arg></call>", `weather{"note":"5","note":true}`},
		{"a list that is none", tools, "<call weather><arg tags>[sic]</arg></call>", `weather{"tags":"[sic]"}`},
		{"anything", tools, "<call weather><arg any>{\"a\": [1]}</arg><arg any>-0.5e3</arg><arg any>x</arg></call>", `weather{"any":{"a": [1]},"any":-0.5e3,"any":"x"}`},
		{"a value cut off", tools, "<call weather><arg city>Ro", `weather{"city":"Ro truncated`},
		{"a call cut off behind a value", tools, "<call weather><arg city>Rome</arg>", `weather{"city":"Rome" truncated`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := conversation(c.request).Transcript(t, c.output); got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.output, got, c.want)
			}
		})
	}
}

func TestConstraintsHoldToTheRequest(t *testing.T) {
	for _, c := range []struct {
		name, request, output string
		accepted              bool
	}{
		{"a call", tools, rome, true},
		{"the other order", tools, "<call weather><arg days>3</arg><arg city>Rome</arg></call>", true},
		{"one too few", tools, "<call weather><arg city>Rome</arg></call>", false},
		{"one twice for the other", tools, "<call weather><arg city>a</arg><arg city>b</arg></call>", false},
		{"others between them", tools, "<call weather><arg on>true</arg><arg city>a</arg><arg any>1</arg><arg days>1</arg></call>", true},
		{"another one twice", tools, "<call weather><arg on>true</arg><arg city>a</arg><arg days>1</arg><arg on>null</arg></call>", false},
		{"another type", tools, "<call weather><arg city>a</arg><arg days>x</arg></call>", false},
		{"an undeclared argument", tools, "<call weather><arg city>a</arg><arg days>1</arg><arg more>1</arg></call>", false},
		{"a free argument", tools, "<call now><arg more>1</arg></call>", true},
		{"an unknown function", tools, "<call fly></call>", false},
		{"a second call where one is allowed", single, now + now, false},
		{"a second call", tools, now + now, true},
		{"no closer", tools, "<call now>", false},
		{"another function than asked for", named, rome, false},
		{"words before a call that is required", required, "<t>Hm.</t>Let me see." + now, true},
		{"words in its place", required, "No.", false},
		{"JSON", shaped, `<t>Hm.</t>{"a": 1}`, true},
		{"other JSON", shaped, `{"a": "b"}`, false},
		{"a call in place of JSON", either, now, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := conversation(c.request).Grammar(t).Match(c.output)
			if got := m.Status == grammar.Accepted; got != c.accepted {
				t.Errorf("%q: %v at byte %d, expected %q", c.output, m.Status, m.Offset, m.Expected)
			}
		})
	}
}

func TestMessagesAreContinued(t *testing.T) {
	const history = `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Yes","reasoning_content":"Hm."}],"continue_final_message":`
	for _, c := range []struct{ name, request, prefill, replaced string }{
		{"a new message", plain, "", ""},
		{"its content", history + `true}`, "<t>\nHm.\n</t>\nYes", "<t>\n"},
		{"its reasoning", history + `"reasoning_content"}`, "<t>\nHm.", "<t>\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := chat.ParseRequest([]byte(c.request))
			if err != nil {
				t.Fatal(err)
			}
			plan, err := tags{}.Plan(t.Context(), handler.Input{Request: r})
			if err != nil || plan.Prefill != c.prefill || plan.Ending != (handler.Ending{Old: c.replaced}) {
				t.Errorf("prefill %q, ending %+v (%v)", plan.Prefill, plan.Ending, err)
			}
			if c.prefill != "" && (len(plan.Request.Messages) != 1 || !plan.Request.AddGenerationPrompt) {
				t.Errorf("rendered request: %+v", plan.Request)
			}
		})
	}
	r := &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser}}, ContinueFinalMessage: chat.ContinueAuto}
	var invalid *fault.Error
	if _, err := (tags{}).Plan(t.Context(), handler.Input{Request: r}); !errors.As(err, &invalid) {
		t.Errorf("continuing a missing message: %v", err)
	}
}

func TestToolsAreKnownOnce(t *testing.T) {
	r, err := chat.ParseRequest([]byte(named))
	if err != nil {
		t.Fatal(err)
	}
	r.Tools = append(r.Tools, chat.Tool{Name: "now", Parameters: jsonschema.MustParse(`{}`)}, chat.Tool{})
	b := turn.New(r, turn.Format{})
	if len(b.Tools) != 2 || b.Tools[0].Allowed || !b.Tools[1].Allowed || !b.MustCall() || b.Mode() != grammar.Strict {
		t.Errorf("tools %+v, call required %t, mode %d", b.Tools, b.MustCall(), b.Mode())
	}
}
