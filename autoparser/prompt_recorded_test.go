package autoparser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// recordedPlan is a line of the recorded plans, reduced to the fields about prompts.
type recordedPlan struct {
	ID        string          `json:"id"` // template/plan/conversation
	Template  string          `json:"template"`
	BOS       string          `json:"bos_token"`
	EOS       string          `json:"eos_token"`
	Now       time.Time       `json:"now"`
	Request   json.RawMessage `json:"request"`
	Reference *struct {
		Prompt           string `json:"prompt"`
		GenerationPrompt string `json:"generation_prompt"`
	} `json:"reference"`
}

const (
	byPlugin    = "a plugin's format; the plugin decides how to continue a message or merge tool results"
	python      = "None and strings with quotes are written as Python does; recorded differently"
	openedTwice = "the template opens reasoning by itself; recorded with the marker twice"
	wholeMarker = "recorded as continuing in the middle of a marker, after the end of the text"
	fullStart   = "continues after the words that begin the model's answer; recorded without them"
	whiteSpace  = "the white space around the end of reasoning is the template's"
	bothMarkers = "the template itself writes both markers around empty reasoning; recorded without the first"
	noThoughts  = "the template does not render reasoning, so the message has none; recorded with markers that the template lacks"
	turned      = "the request turns thinking on or off, and the template has a switch for it; recorded without turning it"
	keeps       = "the answers of earlier turns are kept; recorded without them"
)

// promptDifferences lists the recorded prompts from which ours intentionally differ, by template
// and conversation.
var promptDifferences = map[string]map[string]string{
	"Apriel-1.6-15b-Thinker-fixed":        {"nested_args": python, "continue_*": fullStart},
	"ByteDance-Seed-OSS":                  {"think_off*": turned},
	"Cohere2MoE":                          {"think_off*": turned},
	"Kimi-K2-Instruct":                    {"continue_*": byPlugin},
	"LFM2-8B-A1B":                         {"continue_*": byPlugin},
	"LFM2.5-Instruct":                     {"continue_*": byPlugin},
	"MiniMax-M3":                          {"think_off*": turned},
	"NVIDIA-Nemotron-Nano-v2":             {"think_off*": turned},
	"NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": {"continue_content": whiteSpace, "continue_both": whiteSpace},
	"StepFun3.5-Flash":                    {"continue_content": whiteSpace, "continue_both": whiteSpace},
	"deepseek-ai-DeepSeek-V4":             {"continue_content": bothMarkers},
	"google-gemma-4-31B-it":               {"continue_content": whiteSpace, "continue_both": whiteSpace, "parallel_calls": byPlugin, "nested_args": python},
	"google-gemma-4-31B-it-interleaved":   {"*tool*": byPlugin, "*_args": byPlugin, "parallel_calls": byPlugin},
	"ibm-granite-granite-3.3-2B-Instruct": {"user_simple": turned, "multi_turn_no_system": turned, "*reasoning*": turned, "json_schema": turned, "effort_high": turned},
	"llama-cpp-rwkv-world":                {"continue_*": openedTwice},
	"meetkai-functionary-medium-v3.2":     {"continue_*": byPlugin},
	"microsoft-Phi-3.5-mini-instruct":     {"continue_*": wholeMarker},
	"moonshotai-Kimi-K2":                  {"continue_*": byPlugin},
	"openai-gpt-oss-120b":                 {"no_gen_prompt": byPlugin},
	"openbmb-MiniCPM5-1B":                 {"nested_args": python},
	"unsloth-Apriel-1.5":                  {"nested_args": python},
	"unsloth-mistral-Devstral-Small-2507": {"continue_*": noThoughts, "*reasoning*": keeps},
}

// reasonFor returns the entry of promptDifferences that allows a prompt to differ, and its reason.
func reasonFor(id string) (entry, reason string) {
	template, conversation, _ := strings.Cut(id, "/plan/")
	for pattern, reason := range promptDifferences[template] {
		if matches(pattern, conversation) {
			return template + " " + pattern, reason
		}
	}
	return "", ""
}

// matches reports whether text matches a pattern, which may begin and end with a star.
func matches(pattern, text string) bool {
	inner := strings.Trim(pattern, "*")
	switch {
	case pattern == inner:
		return text == inner
	case strings.HasPrefix(pattern, "*"):
		return strings.Contains(text, inner)
	}
	return strings.HasPrefix(text, inner)
}

func TestPromptsAgreeWithThoseRecorded(t *testing.T) {
	school := newSchool(t)
	var cache autoparser.Cache
	agreed, allowed := 0, map[string]int{}
	eachLine(t, "plan.jsonl", func(c recordedPlan) {
		if c.Reference == nil {
			return
		}
		req, err := chat.ParseRequest(c.Request)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			return
		}
		req.Now = c.Now
		learned := school.learn(t, c.Template, c.BOS, c.EOS)
		got, err := learned.RenderWith(context.Background(), req, &cache)
		if alone, aloneErr := learned.Template.RenderAlone(context.Background(), req, learned.Style()); !reflect.DeepEqual(alone, got) || fmt.Sprint(err) != fmt.Sprint(aloneErr) {
			t.Errorf("%s: what requests share changes the prompt:\n%+v, %v\n%+v, %v", c.ID, got, err, alone, aloneErr)
		}
		entry, reason := reasonFor(c.ID)
		switch {
		case err == nil && got.Prompt == c.Reference.Prompt && got.GenerationPrompt == c.Reference.GenerationPrompt:
			agreed++
		case reason != "":
			allowed[entry]++
		case err != nil:
			t.Errorf("%s: %v", c.ID, err)
		default:
			t.Errorf("%s\n got %q\nwant %q", c.ID, tail(got.Prompt), tail(c.Reference.Prompt))
		}
	})
	for template, patterns := range promptDifferences {
		for pattern, reason := range patterns {
			if allowed[template+" "+pattern] == 0 {
				t.Errorf("%s %s agrees: remove it from the list (%s)", template, pattern, reason)
			}
		}
	}
	t.Logf("%d prompts agree; %v differ intentionally", agreed, allowed)
}

func tail(text string) string { return text[max(0, len(text)-200):] }
