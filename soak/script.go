package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// script is an output, its pieces, and the expected result.
type script struct {
	template, request string
	pieces            []string // the first is empty and opens the stream
	remote            bool     // a plugin's process parses the output
	wants             [ruleSets]want
}

// want is the expected result of a script under one rule set.
type want struct {
	deltas [][]byte // JSON
	after  []int    // the number of deltas decided after each piece
	merged string   // all deltas together
	end    string   // message, finish reason and report: see ending
}

const request = `{"messages": [{"role": "user", "content": "Will it rain in Oslo?"}], "tools": [{"type": "function", "function": {"name": "get_weather",
	"parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "about": {"type": "string"}}, "required": ["city"]}}}]}`

// splitsOfEach is the number of scripts for each output, each split differently.
const splitsOfEach = 8

// sources returns the outputs by template. Each takes about ten seconds at thirty pieces per second.
func sources() map[string]string {
	prose := strings.Repeat("A long answer – with 雨, dashes and <b>marks</b>, “quotes” {and} braces.\n", 10)
	arguments := `{"city": "Oslo", "days": 3, "about": "` + strings.Repeat(`rain \"and\" snow, `, 15) + `"}`
	call := "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": " + arguments + "}\n</tool_call>"
	return map[string]string{
		"chatml-json":      "<think>Hm. " + prose + "</think>\n<plan>Look. " + prose + "</plan>\nLet me look.\n" + call + "\n" + call + "<|im_end|>",
		"chatml-reasoning": "They want the weather. " + prose + "</think>\n\n" + prose + "\n" + call + "\n" + call + "<|im_end|>",
		"chatml-tagged": prose + "<calls>\n<invoke=get_weather>\n<arg=city>Oslo</arg>\n<arg=days>3</arg>\n<arg=about>" + prose +
			"</arg>\n</invoke>\n</calls><|im_end|>",
		"soak-brackets": "((Hm. " + prose + "))" + prose + "[[get_weather " + arguments + "]][[get_weather " + arguments + "]]Done.",
		"soak-tildes":   "~Hm. " + prose + "~" + prose + "~And: " + prose + "~Done.",
	}
}

// shares is the percentage of streams for each template.
var shares = map[string]int{"chatml-json": 30, "chatml-reasoning": 25, "chatml-tagged": 20, "soak-brackets": 20, "soak-tildes": 5}

// prepare parses every script with the library, under each rule set, for the expected results.
func prepare(ctx context.Context, dir folder) (scripts map[string][]*script, err error) {
	scripts = map[string][]*script{}
	random := rand.New(rand.NewPCG(1, 2))
	for template, output := range sources() {
		for range splitsOfEach {
			scripts[template] = append(scripts[template], &script{template: template, request: request, pieces: split(output, random)})
		}
	}
	for set := range ruleSets {
		if err := os.WriteFile(dir.rules(), []byte(rules(set)), 0o644); err != nil {
			return nil, err
		}
		if err := prepareUnder(ctx, dir, scripts, set); err != nil {
			return nil, fmt.Errorf("under rule set %d: %w", set, err)
		}
	}
	return scripts, nil
}

// split splits an output into pieces of a few bytes, about the size of tokens.
func split(output string, random *rand.Rand) (pieces []string) {
	pieces = append(pieces, "")
	for output != "" {
		n := min(1+random.IntN(10), len(output))
		pieces = append(pieces, output[:n])
		output = output[n:]
	}
	return pieces
}

func prepareUnder(ctx context.Context, dir folder, scripts map[string][]*script, set int) (err error) {
	cfg := config.Default()
	cfg.Templates.Dir, cfg.Workarounds.File, cfg.Plugins.Dir = dir.templates(), dir.rules(), dir.plugins()
	h, err := host.New(ctx, host.Options{Config: cfg, Static: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(ctx)) }()
	for _, all := range scripts {
		for _, s := range all {
			if err := s.prepare(ctx, h, set); err != nil {
				return fmt.Errorf("%s: %w", s.template, err)
			}
		}
	}
	return nil
}

// prepare parses the output at once and in pieces; the results must agree.
func (s *script) prepare(ctx context.Context, h *host.Host, set int) error {
	req, err := chat.ParseRequest([]byte(s.request))
	if err != nil {
		return err
	}
	planned, err := h.Plan(ctx, s.template, req)
	if err != nil {
		return err
	}
	s.remote = planned.Program == nil
	w := &s.wants[set]
	var whole want
	if err := errors.Join(w.parse(ctx, planned, s.pieces), whole.parse(ctx, planned, []string{strings.Join(s.pieces, "")})); err != nil {
		return err
	}
	if w.end != whole.end || w.merged != whole.merged {
		return fmt.Errorf("the output gives in pieces\n%s\n%s\nand at once\n%s\n%s", w.merged, w.end, whole.merged, whole.end)
	}
	return nil
}

// parse parses an output in a session of the library.
func (w *want) parse(ctx context.Context, planned *host.Planned, pieces []string) error {
	session := planned.Session(ctx, session.Options{NoIDs: true})
	for _, p := range pieces {
		deltas, err := session.Feed([]byte(p))
		if err != nil {
			return err
		}
		w.add(deltas)
		w.after = append(w.after, len(w.deltas))
	}
	result, err := session.Finish(false)
	if err != nil {
		return err
	}
	w.add(result.Deltas)
	w.merged = merge(w.deltas)
	w.end, err = ending(&result)
	return err
}

func (w *want) add(deltas []chat.Delta) {
	for _, d := range deltas {
		w.deltas = append(w.deltas, d.AppendJSON(nil))
	}
}

// ending returns the message, the finish reason and the report of an output as JSON, without how many bytes were held: that
// depends on how the daemon happened to receive the pieces.
func ending(r *session.Result) (string, error) {
	report := *r.Report
	report.MaxHeld = 0
	text, err := json.Marshal(map[string]any{"message": r.Message, "finish_reason": r.FinishReason, "report": report})
	return string(text), err
}

// merge puts deltas together, as a client does. Deltas that are not JSON are part of the result, so that it differs.
func merge(deltas [][]byte) string {
	var all struct {
		Role, Content, Reasoning string
		Calls                    []string
	}
	for _, text := range deltas {
		var d struct {
			Role      string `json:"role"`
			Content   string `json:"content"`
			Reasoning string `json:"reasoning_content"`
			ToolCalls []struct {
				Index    int
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		if json.Unmarshal(text, &d) != nil {
			d.Content = string(text)
		}
		all.Role += d.Role
		all.Content += d.Content
		all.Reasoning += d.Reasoning
		for _, c := range d.ToolCalls {
			for c.Index >= len(all.Calls) {
				all.Calls = append(all.Calls, "")
			}
			all.Calls[c.Index] += c.Function.Name + c.Function.Arguments
		}
	}
	return fmt.Sprintf("%+q", all)
}
