package responses

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/engine/replay"
	"github.com/dragoman-project/dragoman/gateway/gatewaytest"
	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/gateway/store"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is an engine that writes the output that a test has set, or plays recordings.
type scripted struct {
	*replay.Engine
	request *engine.Request // the last one
	output  string          // empty: recordings
	size    int             // of its pieces
	finish  engine.Finish
	fails   bool          // at the end
	ended   chan struct{} // an output of the model "endless" has
}

func (s *scripted) Models(context.Context) ([]engine.Model, error) {
	return []engine.Model{{Name: "replay", Known: "chatml-reasoning"}, {Name: "endless", Known: "chatml-reasoning"}}, nil
}

func (s *scripted) Complete(ctx context.Context, r *engine.Request) (engine.Stream, error) {
	s.request = r
	switch {
	case r.Model == "endless":
		return &gatewaytest.Endless{Context: ctx, Ended: s.ended}, nil
	case s.output != "":
		return &script{scripted: s, left: s.output}, nil
	}
	return s.Engine.Complete(ctx, r)
}

type script struct {
	*scripted
	left string
	done bool
}

func (s *script) Next() (engine.Piece, error) {
	switch {
	case s.done:
		return engine.Piece{}, io.EOF
	case s.left == "" && s.fails:
		return engine.Piece{}, &fault.Error{Code: fault.Unavailable, Message: "the engine is gone"}
	}
	n := min(s.size, len(s.left))
	p := engine.Piece{Text: []byte(s.left[:n])}
	if s.left = s.left[n:]; s.left == "" && !s.fails {
		p.Finish, s.done = s.finish, true
		p.Usage = &engine.Usage{Prompt: 7, Completion: 5}
	}
	return p, nil
}

func (s *script) Close() error { return nil }

type daemon struct {
	*gatewaytest.Daemon
	engine *scripted
	token  string // that requests are sent with
}

// serve starts a daemon that accepts these tokens, or anyone.
func serve(t testing.TB, kept Store, tokens ...string) *daemon {
	t.Helper()
	player, err := replay.New(replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := seal.New("secret")
	if err != nil {
		t.Fatal(err)
	}
	e := &scripted{Engine: player, size: 4, finish: engine.Stopped, ended: make(chan struct{})}
	return &daemon{gatewaytest.Serve(t, e, func(c *config.Config) { c.Auth.ClientTokens = tokens },
		func(g *gateway.Gateway) []api.Endpoint {
			return Endpoints(Options{Gateway: g, Seal: sealer, Store: kept})
		}), e, ""}
}

func (d *daemon) send(t testing.TB, method, path, body string) (gatewaytest.Head, string) {
	t.Helper()
	return d.Send(t, method, path, body, "Authorization", "Bearer "+d.token)
}

func (d *daemon) post(t testing.TB, body string) (gatewaytest.Head, string) {
	t.Helper()
	return d.send(t, http.MethodPost, path, body)
}

type values = map[string]any

// read reads JSON.
func read(t testing.TB, text string) values {
	t.Helper()
	var v values
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// response posts a request and returns the response.
func (d *daemon) response(t testing.TB, body string) values {
	t.Helper()
	res, text := d.post(t, body)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", body, res.StatusCode, text)
	}
	return read(t, text)
}

// listed returns the items of a response, by type, with their texts.
func listed(response values) (all []string) {
	for _, item := range response["output"].([]any) {
		item := item.(values)
		text := fmt.Sprint(item["type"], " ", item["status"], ": ")
		switch item["type"] {
		case "function_call":
			text += fmt.Sprint(item["name"], item["arguments"])
		case "custom_tool_call":
			text += fmt.Sprint(item["name"], " ", item["input"])
		default:
			text += item["content"].([]any)[0].(values)["text"].(string)
		}
		all = append(all, text)
	}
	return all
}

// merger puts a response together from its events, as clients do, and holds that each is what the checklist of clients expects.
type merger struct {
	t     testing.TB
	next  float64
	items []values
	done  []bool
}

// merge returns the response that the events of a stream add up to, and the type of the last event.
func merge(t testing.TB, body string) (response values, last string) {
	t.Helper()
	m := &merger{t: t}
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(strings.TrimPrefix(event, "event: "), "\ndata: ")
		if !ok || strings.Contains(data, "\n") {
			t.Fatalf("unexpected event %q", event)
		}
		e := read(t, data)
		if e["type"] != name || e["sequence_number"] != m.next {
			t.Fatalf("event %v is %s", m.next, event)
		}
		m.next++
		last = name
		if response = m.event(name, e); response != nil && name != "response.created" && name != "response.in_progress" {
			break
		}
	}
	if response == nil {
		t.Fatalf("the stream has no end: %s", body)
	}
	output := response["output"].([]any)
	if len(output) != len(m.items) {
		t.Fatalf("%d items in the events, %d in the response", len(m.items), len(output))
	}
	for i, item := range m.items {
		final := output[i].(values)
		if !m.done[i] { // an input that was broken off
			if item["type"] != "custom_tool_call" || final["status"] != incomplete {
				t.Errorf("item %d has no end: %v", i, item)
			}
			item["status"] = incomplete
		}
		if diff := cmp.Diff(item, final); diff != "" {
			t.Errorf("item %d of the events is not that of the response:\n%s", i, diff)
		}
	}
	return response, last
}

// event applies an event, and returns its response if it has one.
func (m *merger) event(name string, e values) values {
	m.t.Helper()
	response, _ := e["response"].(values)
	switch name {
	case "response.created", "response.in_progress":
		if m.next > 2 || len(response["output"].([]any)) != 0 || response["usage"] != nil || response["status"] != inProgress || response["created_at"] == 0.0 {
			m.t.Errorf("%s: %v", name, e)
		}
		return response
	case "response.completed", "response.incomplete", "response.failed":
		return response
	}
	at := int(e["output_index"].(float64))
	if name == "response.output_item.added" {
		item := e["item"].(values)
		if at != len(m.items) || item["status"] != inProgress || item["id"] == item["call_id"] || slices.Contains(m.done, false) {
			m.t.Errorf("%v", e)
		}
		m.items, m.done = append(m.items, item), append(m.done, false)
		return nil
	}
	item := m.items[at]
	if id, has := e["item_id"]; at != len(m.items)-1 || m.done[at] || has && id != item["id"] {
		m.t.Errorf("%s of no open item: %v", name, e)
	}
	if name == "response.output_item.done" {
		item["status"] = e["item"].(values)["status"]
		if sealed, ok := e["item"].(values)["encrypted_content"]; ok {
			item["encrypted_content"] = sealed
		}
		if item["type"] == "custom_tool_call" && item["status"] != completed {
			m.t.Errorf("the end of an input that was broken off: %v", e)
		}
		if diff := cmp.Diff(item, e["item"]); diff != "" {
			m.t.Errorf("the item is not what its events are:\n%s", diff)
		}
		m.done[at] = true
		return nil
	}
	m.text(name, item, e)
	return nil
}

// text applies an event about the text of an item.
func (m *merger) text(name string, item, e values) {
	m.t.Helper()
	parts, _ := item["content"].([]any)
	member, holder := "text", values(nil)
	if len(parts) > 0 {
		holder = parts[0].(values)
	}
	switch kind := strings.TrimPrefix(name, "response."); kind {
	case "content_part.added":
		item["content"] = append(parts, e["part"])
	case "content_part.done":
		if diff := cmp.Diff(holder, e["part"]); diff != "" {
			m.t.Errorf("the part is not what its deltas are:\n%s", diff)
		}
	case "function_call_arguments.delta", "function_call_arguments.done":
		member, holder = "arguments", item
		if strings.HasSuffix(kind, "done") && e["name"] != item["name"] {
			m.t.Errorf("no name: %v", e)
		}
	case "custom_tool_call_input.delta", "custom_tool_call_input.done":
		member, holder = "input", item
	case "output_text.delta", "output_text.done":
		if e["logprobs"] == nil || e["content_index"] == nil {
			m.t.Errorf("%v", e)
		}
	case "reasoning_text.delta", "reasoning_text.done":
	default:
		m.t.Errorf("unexpected event %s", name)
	}
	switch {
	case strings.HasPrefix(name, "response.content_part"):
	case strings.HasSuffix(name, ".delta"):
		holder[member] = holder[member].(string) + e["delta"].(string)
	case e[member] != holder[member]:
		m.t.Errorf("%s: %v, but the deltas are %v", name, e, holder[member])
	}
}

var random = regexp.MustCompile(`_[a-z2-7]{24,}|"(created|completed)_at":\d+|"encrypted_content":"[^"]+"`)

// plain returns a response without what differs between two that are the same.
func plain(t testing.TB, response values) string {
	t.Helper()
	text, err := json.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}
	return random.ReplaceAllString(string(text), "_")
}

const tools = `"tools":[{"type":"function","name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}},
	{"type":"namespace","name":"files","tools":[{"type":"function","name":"list"}]},{"type":"custom","name":"patch"},{"type":"web_search"}]`

func TestEventsAddUpToTheResponse(t *testing.T) {
	t.Parallel()
	d := serve(t, nil)
	for _, request := range []string{
		`"input":"Hi"`, `"input":"Please count.","include":["reasoning.encrypted_content"]`, `"input":"Weather in Oslo and Bergen?",` + tools,
		`"input":"Weather?","tool_choice":"none",` + tools, `"input":"Please count.","max_output_tokens":3`, `"input":"Weather?","max_output_tokens":30,` + tools,
		`"input":"Extract the event.","text":{"format":{"type":"json_schema","name":"event","schema":{"type":"object"}}}`,
	} {
		_, body := d.post(t, `{"model":"replay","stream":true,`+request+`}`)
		streamed, last := merge(t, body)
		if last != "response."+streamed["status"].(string) || streamed["usage"] == nil {
			t.Errorf("%s: %s, but %v", request, last, streamed)
		}
		if diff := cmp.Diff(plain(t, d.response(t, `{"model":"replay",`+request+`}`)), plain(t, streamed)); diff != "" {
			t.Errorf("%s:\n%s", request, diff)
		}
	}
}

// outputs are outputs of a model, well-formed and not, and the items that they are.
var outputs = []struct {
	name, text string
	items      []string
}{
	{"reasoning, text and calls", "I think. Ü\n</think>\n\nI löok.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"files__list\", \"arguments\": {}}\n</tool_call><|im_end|>",
		[]string{"reasoning completed: I think. Ü", "message completed: I löok.", `function_call completed: get_weather{"city": "Oslo"}`, "function_call completed: list{}"}},
	{"free text", "R\n</think>\n\n<tool_call>\n{\"name\": \"patch\", \"arguments\": {\"input\": \"*** \\\"a\\\"\\n+ \\u00e9 \\ud83d\\ude00\"}}\n</tool_call><|im_end|>",
		[]string{"reasoning completed: R", "custom_tool_call completed: patch *** \"a\"\n+ é 😀"}},
	{"an unknown tool", "R\n</think>\n\n<tool_call>\n{\"name\": \"other\", \"arguments\": {\"a\": 1}}\n</tool_call>", []string{"reasoning completed: R", `function_call completed: other{"a": 1}`}},
	{"a broken call", "R\n</think>\n\nA <tool_call>\n{\"name\": 7}\n</tool_call>\nB<|im_end|>", nil},
	{"nothing but thought", "R and R", nil},
	{"invalid bytes", "R\xff\n</think>\n\n\xe2\x82 A", nil},
	{"blank", "R\n</think>\n\n \n ", []string{"reasoning completed: R"}},
}

func TestHowAnOutputIsCutDoesNotMatter(t *testing.T) {
	t.Parallel()
	d := serve(t, nil)
	for _, output := range outputs {
		d.engine.output = output.text
		want, size := "", 0
		for d.engine.size = len(output.text); d.engine.size > 0; d.engine.size /= 2 {
			_, body := d.post(t, `{"model":"replay","stream":true,"input":"Hi",`+tools+`}`)
			streamed, _ := merge(t, body)
			whole := plain(t, d.response(t, `{"model":"replay","input":"Hi",`+tools+`}`))
			if got := listed(streamed); output.items != nil && !slices.Equal(got, output.items) {
				t.Errorf("%s: %q", output.name, got)
			}
			if want == "" {
				want, size = whole, d.engine.size
			}
			if diff := cmp.Diff(want, plain(t, streamed)) + cmp.Diff(want, whole); diff != "" {
				t.Errorf("%s: in pieces of %d and of %d:\n%s", output.name, size, d.engine.size, diff)
			}
		}
	}
}

// TestABrokenOffOutputIsTruthful cuts outputs off after every byte.
func TestABrokenOffOutputIsTruthful(t *testing.T) {
	t.Parallel()
	d := serve(t, nil)
	d.engine.size, d.engine.finish = 1<<20, engine.Limited
	for _, output := range outputs[:2] {
		for n := 1; n < len(output.text); n++ {
			d.engine.output = output.text[:n]
			_, body := d.post(t, `{"model":"replay","stream":true,"input":"Hi",`+tools+`}`)
			streamed, last := merge(t, body)
			if reason, _ := streamed["incomplete_details"].(values); last != "response.incomplete" || reason["reason"] != "max_output_tokens" {
				t.Errorf("%q: %s, %v", d.engine.output, last, streamed)
			}
			for i, item := range streamed["output"].([]any) {
				item := item.(values)
				arguments, isCall := item["arguments"].(string)
				if isCall && (item["status"] == completed) != json.Valid([]byte(arguments)) {
					t.Errorf("%q: %v", d.engine.output, item)
				}
				if input, free := item["input"].(string); free && (item["status"] == completed) != strings.HasSuffix(input, "😀") && !strings.HasSuffix(d.engine.output, `\ude00`) && !strings.HasSuffix(d.engine.output, `"`) {
					t.Errorf("item %d of %q: %v", i, d.engine.output, item)
				}
			}
		}
	}
}

func TestAFailureWithinAStreamEndsIt(t *testing.T) {
	t.Parallel()
	d := serve(t, nil)
	d.engine.output, d.engine.fails = outputs[0].text[:40], true
	_, body := d.post(t, `{"model":"replay","stream":true,"input":"Hi"}`)
	response, last := merge(t, body)
	if failure := response["error"].(values); last != "response.failed" || failure["code"] != "server_error" || failure["message"] != "the engine is gone" || response["usage"] != nil {
		t.Errorf("%s %v", last, response)
	}
	if res, body := d.post(t, `{"model":"replay","input":"Hi"}`); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, `"server_error"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

func TestAClientThatLeavesEndsItsEngine(t *testing.T) {
	t.Parallel()
	d := serve(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL+path, strings.NewReader(`{"model":"endless","stream":true,"input":"Hi"}`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := d.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || line != "event: response.created\n" {
		t.Errorf("%q %v", line, err)
	}
	leave()
	<-d.engine.ended
}

func TestErrorsComeBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	d := serve(t, nil)
	for _, test := range []struct {
		body, param, code string
		status            int
	}{
		{`{`, "", "", 400},
		{`{"model":"replay"}`, "input", "", 400},
		{`{"model":"replay","input":[{"role":"user","content":[{"type":"input_file","file_id":"f"}]}]}`, "input[0].content[0].type", "", 400},
		{`{"model":"nothing","input":"Hi"}`, "model", "model_not_found", 404},
		{`{"model":"replay","input":"Hi","max_output_tokens":"many"}`, "max_output_tokens", "", 400},
		{`{"model":"replay","input":"Hi","tool_choice":"required"}`, "tool_choice", "", 400},
		{`{"model":"replay","input":"Hi","previous_response_id":"resp_1"}`, "previous_response_id", "", 400},
		{`{"model":"replay","input":"Hi","tools":[{"type":"web_search"},{"type":"function","name":"f","parameters":{"type":"string"}}]}`, "tools[1].parameters.type", "", 400},
		{`{"model":"replay","input":"Hi","text":{"format":{"type":"json_schema","schema":{"type":7}}}}`, "text.format.schema.type", "", 400},
	} {
		for _, stream := range []string{"", `,"stream":true}`} {
			body := test.body
			if stream != "" {
				body = strings.TrimSuffix(body, "}") + stream
			}
			res, text := d.post(t, body)
			got, _ := read(t, text)["error"].(values)
			param, _ := got["param"].(string)
			code, _ := got["code"].(string)
			if res.StatusCode != test.status || param != test.param || code != test.code {
				t.Errorf("%s: %d %s", body, res.StatusCode, text)
			}
		}
	}
}

func TestReasoningGoesBackWhereTheTemplateWantsIt(t *testing.T) {
	t.Parallel()
	d := serve(t, nil)
	d.engine.output = "My thought.\n</think>\n\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call><|im_end|>"
	output := d.response(t, `{"model":"replay","input":"Weather?","store":false,"include":["reasoning.encrypted_content"],`+tools+`}`)["output"].([]any)
	call := output[1].(values)["call_id"]
	for _, take := range []string{"", "content", "encrypted_content"} {
		delete(output[0].(values), take)
		if take == "encrypted_content" {
			continue // nothing is left of it
		}
		text, err := json.Marshal(output)
		if err != nil {
			t.Fatal(err)
		}
		d.response(t, fmt.Sprintf(`{"model":"replay","input":[{"role":"user","content":"Weather?"},%s,{"type":"function_call_output","call_id":%q,"output":"7 degrees"}],%s}`, text[1:len(text)-1], call, tools))
		if !strings.Contains(d.engine.request.Prompt, "<think>\nMy thought.\n</think>") || !strings.Contains(d.engine.request.Prompt, "7 degrees") {
			t.Errorf("without %q: %s", take, d.engine.request.Prompt)
		}
	}
}

func TestWarningsSayWhatHasNoEffect(t *testing.T) {
	t.Parallel()
	res, body := serve(t, nil).post(t, `{"model":"replay","input":"Hi","future":1,"truncation":"auto",`+tools+`}`)
	warnings := res.Header.Get("Dragoman-Warnings")
	for _, part := range []string{"ignored tools of type web_search", "ignored future", "ignored truncation"} {
		if !strings.Contains(warnings, part) {
			t.Errorf("%q: %s", warnings, body)
		}
	}
}

// newStore returns a store.
func newStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(filepath.Join(t.TempDir(), "store"), store.Options{MaxBytes: 1 << 20, MaxAge: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestAConversationGoesOnFromWhatIsStored(t *testing.T) {
	t.Parallel()
	d := serve(t, newStore(t))
	first := d.response(t, `{"model":"replay","instructions":"Once.","input":"Weather in Oslo?",`+tools+`}`)
	id, output := first["id"].(string), first["output"].([]any)
	call := output[len(output)-1].(values)["call_id"]
	_, body := d.post(t, fmt.Sprintf(`{"model":"replay","stream":true,"previous_response_id":%q,"input":[{"type":"function_call_output","call_id":%q,"output":"7 degrees"}],%s}`, id, call, tools))
	second, _ := merge(t, body)
	if got := listed(second); first["store"] != true || second["previous_response_id"] != id || got[len(got)-1] != "message completed: The answer is: 7 degrees" {
		t.Errorf("%q, %v", got, second)
	}
	if strings.Contains(d.engine.request.Prompt, "Once.") || !strings.Contains(d.engine.request.Prompt, "Weather in Oslo?") {
		t.Errorf("instructions are not for the next response: %s", d.engine.request.Prompt)
	}
	d.response(t, fmt.Sprintf(`{"model":"replay","input":[{"type":"item_reference","id":"%s"},{"role":"user","content":"And?"}],"previous_response_id":%q}`, strings.Replace(id, "resp_", "in_", 1)+"_0", second["id"]))
	if n := strings.Count(d.engine.request.Prompt, "Weather in Oslo?"); n != 2 || !strings.Contains(d.engine.request.Prompt, "The answer is: 7 degrees") {
		t.Errorf("%s", d.engine.request.Prompt)
	}
}

func TestWhatIsStoredIsReadAndDeleted(t *testing.T) {
	t.Parallel()
	d := serve(t, newStore(t))
	first := d.response(t, `{"model":"replay","input":[{"role":"user","content":"Hi"},{"role":"user","content":"Please count."}]}`)
	at := path + "/" + first["id"].(string)
	if res, body := d.send(t, http.MethodGet, at, ""); res.StatusCode != http.StatusOK || cmp.Diff(first, read(t, body)) != "" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	for query, want := range map[string]string{"": "Please count. Hi", "?order=asc": "Hi Please count.", "?limit=1": "Please count."} {
		_, body := d.send(t, http.MethodGet, at+itemsPath+query, "")
		list := read(t, body)
		var got []string
		for _, item := range list["data"].([]any) {
			got = append(got, item.(values)["content"].(string))
		}
		if strings.Join(got, " ") != want || list["has_more"] != (len(got) == 1) {
			t.Errorf("%s: %s", query, body)
		}
		if query == "?limit=1" {
			if _, rest := d.send(t, http.MethodGet, at+itemsPath+"?after="+list["last_id"].(string), ""); !strings.Contains(rest, `"Hi"`) || strings.Contains(rest, "count") {
				t.Error(rest)
			}
		}
	}
	if res, body := d.send(t, http.MethodDelete, at, ""); res.StatusCode != http.StatusOK || read(t, body)["deleted"] != true {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	quiet := d.response(t, `{"model":"replay","store":false,"input":"Hi"}`)
	for _, path := range []string{at, at + itemsPath, path + "/" + quiet["id"].(string)} {
		if res, _ := d.send(t, http.MethodGet, path, ""); res.StatusCode != http.StatusNotFound || quiet["store"] != false {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	for _, member := range []string{`"previous_response_id":"resp_x","input":"Hi"`, `"input":[{"type":"item_reference","id":"msg_x_0"}]`} {
		if res, body := d.post(t, `{"model":"replay",`+member+`}`); res.StatusCode != http.StatusBadRequest || !strings.Contains(body, "not any more") && !strings.Contains(body, "no item") {
			t.Errorf("%d %s", res.StatusCode, body)
		}
	}
	if res, _ := d.send(t, http.MethodPut, at, ""); res.StatusCode != http.StatusBadRequest {
		t.Errorf("PUT: %d", res.StatusCode)
	}
}

func TestEachTokenHasItsOwnResponses(t *testing.T) {
	t.Parallel()
	d := serve(t, newStore(t), "a", "b")
	d.token = "a"
	id := d.response(t, `{"model":"replay","input":"Hi"}`)["id"].(string)
	for token, want := range map[string]int{"a": http.StatusOK, "b": http.StatusNotFound, "c": http.StatusUnauthorized} {
		d.token = token
		if res, body := d.send(t, http.MethodGet, path+"/"+id, ""); res.StatusCode != want {
			t.Errorf("%s: %d %s", token, res.StatusCode, body)
		}
	}
	d.token = "b"
	if res, _ := d.send(t, http.MethodDelete, path+"/"+id, ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("deleted by another: %d", res.StatusCode)
	}
	if res, body := d.post(t, `{"model":"replay","input":"Hi","previous_response_id":"`+id+`"}`); res.StatusCode != http.StatusBadRequest {
		t.Errorf("gone on from by another: %d %s", res.StatusCode, body)
	}
}

func TestTheGrammarOfACustomToolIsHeld(t *testing.T) {
	t.Parallel()
	d := serve(t, nil)
	for definition, held := range map[string]bool{`[a-c]{2}`: true, `(?<=a)b`: false} {
		res, _ := d.post(t, `{"model":"replay","input":"Hi","tool_choice":"required","tools":[{"type":"custom","name":"f","format":{"type":"grammar","syntax":"regex","definition":"`+definition+`"}}]}`)
		noted := strings.Contains(res.Header.Get("Dragoman-Warnings"), "not enforced")
		if c := d.engine.request.Constraint; res.StatusCode != http.StatusOK || c == nil || strings.Contains(c.Grammar, "[a-c]") != held || noted == held {
			t.Errorf("%s: %d %q %s", definition, res.StatusCode, res.Header.Get("Dragoman-Warnings"), c.Grammar)
		}
	}
}

// TestWhatClientsSendIsAnswered sends what clients have sent to a server that logged it.
func TestWhatClientsSendIsAnswered(t *testing.T) {
	t.Parallel()
	logged, err := os.ReadFile(shared.Dir(t, "cases", "clients.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	d := serve(t, nil)
	n := 0
	for line := range strings.Lines(string(logged)) {
		var c struct {
			Path string
			Body values
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if c.Path != path {
			continue
		}
		n++
		c.Body["model"] = "replay"
		body, err := json.Marshal(c.Body)
		if err != nil {
			t.Fatal(err)
		}
		res, text := d.post(t, string(body))
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", body, res.StatusCode, text)
		} else if c.Body["stream"] == true {
			if response, _ := merge(t, text); response["status"] != completed {
				t.Errorf("%s: %v", body, response)
			}
		}
	}
	if n == 0 {
		t.Error("no case")
	}
}

func TestNothingIsStoredWithoutAStore(t *testing.T) {
	t.Parallel()
	d := serve(t, nil)
	first := d.response(t, `{"model":"replay","store":true,"input":"Hi"}`)
	if res, body := d.send(t, http.MethodGet, path+"/"+first["id"].(string), ""); res.StatusCode != http.StatusNotFound || first["store"] != false {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// BenchmarkDelta measures what an event costs.
func BenchmarkDelta(b *testing.B) {
	text, where := []byte(" a word"), []byte(`,"item_id":"msg_1","output_index":0,"content_index":0`)
	e := new(encoder)
	b.ReportAllocs()
	for b.Loop() {
		e.delta(message.delta, where, text, message.more)
		if _, err := e.take(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestADeltaAllocatesNothing(t *testing.T) {
	text, where := []byte(" a word"), []byte(`,"item_id":"msg_1"`)
	e := new(encoder)
	once := func() {
		e.delta(message.delta, where, text, message.more)
		_, _ = e.take()
	}
	once()
	if n := testing.AllocsPerRun(100, once); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
