package judges

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/engine/wire"
	"github.com/dragoman-project/dragoman/gateway/openai"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// TestTheGatewayInFrontOfLlamaCpp asks real llama.cpp through the whole gateway: chat requests in, completions out, in both forms. The
// model has random weights, so that what holds its answers together is the constraint alone.
func TestTheGatewayInFrontOfLlamaCpp(t *testing.T) {
	if *folder == "" {
		t.Skip("run make judge, which installs the judges")
	}
	paths, err := filepath.Glob("../templates/*.jinja")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	for i, path := range paths {
		m, err := dragoman.Open(path, dragoman.Options{})
		if err != nil {
			t.Fatal(err)
		}
		template, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for k, r := range requests {
			if (i+k)%*every != 0 {
				continue
			}
			jobs := newJobs(t, m, r, grammar.TargetGBNF)
			if len(jobs) == 0 || jobs[0].plan.Constraint.Lazy {
				continue
			}
			t.Run(jobs[0].Name, func(t *testing.T) { askThrough(t, jobs[0], string(template), r.json) })
		}
	}
}

// TestThinkingEndsInFrontOfLlamaCpp asks real llama.cpp for an answer after thinking with a budget. The model has random weights, so that
// it would think on, and what follows the thinking is held together by the constraint alone.
func TestThinkingEndsInFrontOfLlamaCpp(t *testing.T) {
	if *folder == "" {
		t.Skip("run make judge, which installs the judges")
	}
	const path = "../templates/chatml-reasoning.jinja"
	const budget, rest = 8, 3 // the tokens of a character that the budget ends within
	m, err := dragoman.Open(path, dragoman.Options{})
	if err != nil {
		t.Fatal(err)
	}
	template, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const asked = `{"messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"n",
		"schema":{"type":"object","properties":{"a":{"enum":["x","y"]}},"required":["a"],"additionalProperties":false}}}`
	jobs := newJobs(t, m, request{"thinking", asked + "}"}, grammar.TargetGBNF)
	if len(jobs) == 0 {
		t.Skip("others are asked for")
	}
	url, ended := front(t, llamaServer(t, jobs[0], string(template))), 0
	for n := range 8 {
		text := post(t, url, fmt.Sprintf(`%s,"model":"random","temperature":1,"seed":%d,"max_completion_tokens":%d,"thinking_budget":%d}`, asked, *seed+n, jobs[0].Max, budget))
		reason, _, content := message(t, text, false)
		var counted struct {
			Usage struct {
				Details struct {
					Reasoning int `json:"reasoning_tokens"`
				} `json:"completion_tokens_details"`
			}
		}
		if err := json.Unmarshal([]byte(text), &counted); err != nil {
			t.Fatal(err)
		}
		if n := counted.Usage.Details.Reasoning; n >= budget {
			ended++
			if n > budget+rest {
				t.Errorf("%d tokens of thinking: %s", n, text)
			}
		}
		var answer struct{ A string }
		if err := json.Unmarshal([]byte(strings.Trim(content, "`json \n")), &answer); reason == "stop" && (err != nil || answer.A != "x" && answer.A != "y") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if ended == 0 {
		t.Error("the gateway never ended the thinking")
	}
}

// askThrough asks a server with the model of a job, and checks the answers.
func askThrough(t *testing.T, j *job, template, request string) {
	url := front(t, llamaServer(t, j, template))
	var values []value
	for n := range min(*samples, 4) {
		for _, stream := range []bool{false, true} {
			more := fmt.Sprintf(`,"model":"random","temperature":1,"seed":%d,"max_completion_tokens":%d,"stream":%t}`, *seed+n, j.Max, stream)
			text := post(t, url, strings.TrimSuffix(strings.TrimSpace(request), "}")+more)
			reason, calls, content := message(t, text, stream)
			if reason == "length" || !utf8.ValidString(content) || strings.Contains(content, "\uFFFD") {
				continue
			}
			if mustCall(j.request) && len(calls) == 0 {
				t.Errorf("no call: %s", text)
			}
			for _, c := range calls {
				for _, tool := range j.request.Tools {
					if tool.Name == c.Name {
						values = append(values, value{Schema: tool.Parameters.Raw(), Value: c.Arguments, job: j})
					}
				}
			}
			if schema := j.request.JSONSchema; !schema.IsZero() && len(calls) == 0 {
				values = append(values, value{Schema: schema.Raw(), Value: content, job: j})
			}
		}
	}
	for i, faults := range validate(t, values) {
		if len(faults) > 0 {
			t.Errorf("%s: %s", strings.Join(faults, "; "), values[i].Value)
		}
	}
	t.Logf("%d values", len(values))
}

// llamaServer starts server.mjs for a job, and returns its URL.
func llamaServer(t *testing.T, j *job, template string) string {
	t.Helper()
	dir, err := filepath.Abs(*folder)
	if err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(map[string]any{"template": template, "job": map[string]any{"model": j.Model, "tokens": j.Tokens, "specials": append(j.plan.PreservedTokens, endOfTurn)}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "server.mjs", dir)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "http://127.0.0.1:" + strings.TrimSpace(port)
}

// front starts a gateway in front of an engine, and returns its URL.
func front(t *testing.T, url string) string {
	t.Helper()
	h, err := host.New(t.Context(), host.Options{Config: config.Default(), Static: true, NoEmbedded: true})
	if err != nil {
		t.Fatal(err)
	}
	client := wire.NewClient(wire.Options{})
	g := gateway.New(t.Context(), gateway.Options{Host: h, Servers: []gateway.Server{{Name: url, Find: func(ctx context.Context) (engine.Engine, error) { return client.Find(ctx, url) }}}})
	s := httptest.NewServer(api.New(h, api.Options{Endpoints: openai.Endpoints(g)}))
	t.Cleanup(func() {
		s.Close()
		g.Close()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s.URL
}

// post sends a chat request and returns the body of the answer.
func post(t *testing.T, url, body string) string {
	t.Helper()
	res, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s %v", res.StatusCode, text, err)
	}
	return string(text)
}

// called is a call of an answer.
type called struct{ Name, Arguments string }

// message returns what an answer says, of a whole completion or of its chunks.
func message(t *testing.T, text string, stream bool) (reason string, calls []called, content string) {
	t.Helper()
	type part struct {
		Content string
		Calls   []struct {
			Index    int
			Function called
		} `json:"tool_calls"`
	}
	events := []string{text}
	if stream {
		events = strings.Split(strings.TrimSuffix(text, "\n\ndata: [DONE]\n\n"), "\n\n")
	}
	for _, event := range events {
		var in struct {
			Choices []struct {
				Message, Delta part
				Reason         string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &in); err != nil || len(in.Choices) != 1 {
			t.Fatalf("%q: %v", event, err)
		}
		choice := in.Choices[0]
		reason = choice.Reason
		content += choice.Message.Content + choice.Delta.Content
		for _, c := range choice.Message.Calls {
			calls = append(calls, c.Function)
		}
		for _, c := range choice.Delta.Calls {
			if c.Index == len(calls) {
				calls = append(calls, called{})
			}
			calls[c.Index].Name += c.Function.Name
			calls[c.Index].Arguments += c.Function.Arguments
		}
	}
	return reason, calls, content
}
