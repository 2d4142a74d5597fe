// Package wiretest has engines for tests: servers that speak the wire of real ones, quirks and failures included.
//
//	answers: what a kind is known by      Script: what it writes, and what becomes of it
//
// Sources. vLLM: entrypoints/openai/models, v1/engine/detokenizer.py, and tokenizer_info with --enable-tokenizer-info-endpoint. SGLang:
// entrypoints/http_server.py, managers/io_struct.py, managers/detokenizer_manager.py. llama-server: tools/server. TGI:
// router/src/server.rs. Ollama: server/routes.go. SGLang and old llama-servers answer /api/tags, so that it tells nothing.
package wiretest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Answers are the fixed answers of each kind of engine, by path. All serve one model.
var Answers = map[string]map[string]string{
	"vllm": {
		"/v1/models":      `{"object":"list","data":[{"id":"org/m","owned_by":"vllm","root":"/models/m","max_model_len":4096}]}`,
		"/tokenizer_info": `{"chat_template":"{{ 1 }}","bos_token":"<s>","eos_token":"</s>"}`,
		"/version":        `{"version":"0.29"}`,
		"/tokenize":       `{"count":1,"max_model_len":4096,"tokens":[1]}`,
	},
	"sglang": {
		"/v1/models":   `{"data":[{"id":"org/m","owned_by":"sglang","root":"org/m"}]}`,
		"/server_info": `{"internal_states":[{}],"version":"0.5"}`,
		"/v1/tokenize": `{"tokens":[1],"count":1}`,
		"/api/tags":    `{"models":[]}`,
	},
	"llama-server": {
		"/v1/models": `{"data":[{"id":"org/m","owned_by":"llamacpp"}]}`,
		"/props":     `{"chat_template":"{{ 1 }}","bos_token":"<s>","eos_token":"</s>","build_info":"b1","total_slots":1}`,
		"/tokenize":  `{"tokens":[1]}`,
		"/api/tags":  `{"models":[]}`,
	},
	"tgi":      {"/v1/models": `{"data":[{"id":"org/m","owned_by":"org/m"}]}`, "/info": `{"model_id":"org/m","version":"3.0"}`, "/health": ""},
	"ollama":   {"/v1/models": `{"data":[{"id":"m:latest","owned_by":"library"}]}`, "/api/version": `{"version":"0.17.4"}`, "/api/tags": `{"models":[{"name":"m:latest"}]}`},
	"openai":   {"/v1/models": `{"data":[{"id":"org/m","owned_by":"someone"}]}`},
	"lmdeploy": {"/v1/models": `{"data":[{"id":"org/m","owned_by":"lmdeploy"}]}`},
}

// Fate is what becomes of an output.
type Fate int

// The fates. Those after Whole come when At pieces were written.
const (
	Whole   Fate = iota
	Refused      // 503 in place of a stream
	Dropped      // the connection is closed before the first byte
	Broken       // the connection is closed
	Failed       // an event has an error
	Silent       // nothing follows, until the client leaves
)

// Script is an output and its fate.
type Script struct {
	Pieces []string
	Fate   Fate
	At     int
	// Pace is the time between two pieces.
	Pace time.Duration
}

// Handler serves an engine of a kind whose completions are scripts.
func Handler(kind string, next func(prompt string) Script) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what could not be read is not JSON
		text, known := Answers[kind][r.URL.Path]
		switch {
		case strings.HasSuffix(r.URL.Path, "tokenize"):
			fmt.Fprint(w, text)
		case known && r.Method == http.MethodGet:
			fmt.Fprint(w, text)
		case r.Method == http.MethodPost:
			var in struct{ Prompt, Text, Inputs string }
			if err := json.Unmarshal(body, &in); err != nil {
				http.Error(w, `{"error":"no JSON"}`, http.StatusBadRequest)
				return
			}
			play(w, r, wires[kind], next(in.Prompt+in.Text+in.Inputs))
		default:
			http.Error(w, `{"detail":"Not Found"}`, http.StatusNotFound)
		}
	})
}

// play writes an output.
func play(w http.ResponseWriter, r *http.Request, write wire, s Script) {
	switch s.Fate {
	case Refused:
		http.Error(w, `{"error":{"code":503,"message":"overloaded","type":"unavailable_error"}}`, http.StatusServiceUnavailable)
		return
	case Dropped:
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	for i := range s.Pieces {
		if s.Fate != Whole && i == s.At {
			fail(w, r, s.Fate)
			return
		}
		_, _ = io.WriteString(w, write(s.Pieces[:i+1], i == len(s.Pieces)-1)) // fails only when the client is gone
		_ = out.Flush()
		if s.Pace > 0 {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(s.Pace):
			}
		}
	}
}

// fail ends an output within it.
func fail(w http.ResponseWriter, r *http.Request, how Fate) {
	switch how {
	case Failed:
		fmt.Fprint(w, "data: {\"error\":{\"code\":500,\"message\":\"out of memory\",\"type\":\"server_error\"}}\n\n")
	case Silent:
		<-r.Context().Done()
	default:
		_ = http.NewResponseController(w).Flush() // what was written is on its way
		panic(http.ErrAbortHandler)
	}
}

// wire returns the event for the last of the pieces.
type wire func(pieces []string, last bool) string

var wires = map[string]wire{
	"vllm": func(p []string, last bool) string {
		n, text := len(p), p[len(p)-1]
		if !last {
			return event(`{"choices":[{"index":0,"text":%s,"finish_reason":null}],"usage":{"prompt_tokens":9,"completion_tokens":%d}}`, quoted(text), n)
		}
		return event(`{"choices":[{"index":0,"text":%s,"finish_reason":"stop"}]}`, quoted(text)) +
			event(`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d}}`, n) + event("[DONE]")
	},
	// Each event has the whole text so far, in which the last character may be incomplete.
	"sglang": func(p []string, last bool) string {
		text, reason, end := strings.ToValidUTF8(strings.Join(p, ""), "\uFFFD"), "null", ""
		if last {
			reason, end = `{"type":"stop","matched":1}`, event("[DONE]")
		}
		return event(`{"text":%s,"meta_info":{"finish_reason":%s,"prompt_tokens":9,"completion_tokens":%d}}`, quoted(text), reason, len(p)) + end
	},
	// No [DONE]; comments keep the connection alive.
	"llama-server": func(p []string, last bool) string {
		return ":\n\n" + event(`{"index":0,"content":%s,"stop":%t,"stop_type":"eos","tokens_predicted":%d,"tokens_evaluated":9}`, quoted(p[len(p)-1]), last, len(p))
	},
	"tgi": func(p []string, last bool) string {
		details, text := "null", p[len(p)-1]
		if last {
			details = fmt.Sprintf(`{"finish_reason":"eos_token","generated_tokens":%d}`, len(p))
		}
		return event(`{"index":%d,"token":{"id":1,"text":%s,"special":%t},"generated_text":null,"details":%s}`, len(p), quoted(text), strings.HasPrefix(text, "<|"), details)
	},
	"ollama": func(p []string, last bool) string {
		more := ""
		if last {
			more = fmt.Sprintf(`,"done_reason":"stop","prompt_eval_count":9,"eval_count":%d`, len(p))
		}
		return fmt.Sprintf(`{"response":%s,"done":%t%s}`+"\n", quoted(p[len(p)-1]), last, more)
	},
}

func event(format string, args ...any) string {
	return "data: " + fmt.Sprintf(format, args...) + "\n\n"
}

// quoted returns a text as JSON; what is not UTF-8 in it stays as it is.
func quoted(s string) string {
	if utf8.ValidString(s) {
		b, _ := json.Marshal(s) // a string always can be
		return string(b)
	}
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", `\n`).Replace(s) + `"`
}
