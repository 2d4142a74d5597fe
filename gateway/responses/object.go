package responses

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/gateway/responses/request"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// object is a response on the wire.
type object struct {
	id, model string
	created   time.Time
	status    string
	ended     *int64
	failure   *failure
	short     *details
	usage     *usage
	store     bool
	echo      []byte // the members of the request, each after a comma
}

// failure is why a response has failed.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// details are why a response is incomplete.
type details struct {
	Reason string `json:"reason"`
}

// usage counts tokens. Clients expect the details, which are 0 where the engine does not say.
type usage struct {
	Input        int           `json:"input_tokens"`
	InputDetails inputDetails  `json:"input_tokens_details"`
	Output       int           `json:"output_tokens"`
	Details      outputDetails `json:"output_tokens_details"`
	Total        int           `json:"total_tokens"`
}

type inputDetails struct {
	Cached int `json:"cached_tokens"`
}

type outputDetails struct {
	Reasoning int `json:"reasoning_tokens"`
}

// echoes are the members of a request that the response repeats, and what they are otherwise.
var echoes = []struct{ name, absent string }{
	{"instructions", "null"}, {"max_output_tokens", "null"}, {"max_tool_calls", "null"}, {"metadata", "{}"}, {"parallel_tool_calls", "true"},
	{"previous_response_id", "null"}, {"prompt_cache_key", "null"}, {"reasoning", `{"effort":null,"summary":null}`},
	{"safety_identifier", "null"}, {"service_tier", `"default"`}, {"temperature", "null"}, {"text", `{"format":{"type":"text"}}`},
	{"tool_choice", `"auto"`}, {"tools", "[]"}, {"top_logprobs", "0"}, {"top_p", "null"}, {"truncation", `"disabled"`}, {"user", "null"},
}

// newObject returns a response that is in progress.
func newObject(r *reply.Reply, in *request.Request, store bool) (*object, error) {
	o := &object{id: r.ID, model: r.Model, created: r.Created, status: inProgress, store: store}
	var echo bytes.Buffer
	for _, e := range echoes {
		raw := in.Member(e.name).Raw()
		if len(raw) == 0 || string(raw) == "null" {
			raw = []byte(e.absent)
		}
		echo.WriteString(`,"` + e.name + `":`)
		if err := json.Compact(&echo, raw); err != nil {
			return nil, err
		}
	}
	o.echo = echo.Bytes()
	return o, nil
}

// end ends a response for the reason that its output has.
func (o *object) end(reason chat.FinishReason, counted *engine.Usage) {
	if o.status = completed; reason == chat.FinishLength {
		o.status, o.short = incomplete, &details{"max_output_tokens"}
	} else {
		now := time.Now().Unix()
		o.ended = &now
	}
	if u := counted; u != nil {
		o.usage = &usage{Input: u.Prompt, Output: u.Completion, Total: u.Prompt + u.Completion}
		if u.Cached != nil {
			o.usage.InputDetails.Cached = *u.Cached
		}
		if u.Reasoning != nil {
			o.usage.Details.Reasoning = *u.Reasoning
		}
	}
}

// json returns the response with these items.
func (o *object) json(items []any) json.RawMessage {
	if items == nil {
		items = []any{}
	}
	own, err := json.Marshal(struct {
		ID         string   `json:"id"`
		Object     string   `json:"object"`
		Created    int64    `json:"created_at"`
		Status     string   `json:"status"`
		Background bool     `json:"background"`
		Ended      *int64   `json:"completed_at"`
		Error      *failure `json:"error"`
		Short      *details `json:"incomplete_details"`
		Model      string   `json:"model"`
		Output     []any    `json:"output"`
		Store      bool     `json:"store"`
		Usage      *usage   `json:"usage"`
	}{o.id, "response", o.created.Unix(), o.status, false, o.ended, o.failure, o.short, o.model, items, o.store, o.usage})
	if err != nil {
		panic(err) // of texts and numbers
	}
	return append(append(own[:len(own)-1], o.echo...), '}')
}
