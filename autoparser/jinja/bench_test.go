package jinja_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/internal/shared"
)

// recorded are templates in use to measure besides those of testdata.
var recorded = []string{
	"Qwen3-Coder.jinja", "openai-gpt-oss-120b.jinja", "deepseek-ai-DeepSeek-V3.1.jinja", "google-gemma-4-31B-it.jinja",
	"meta-llama-Llama-3.1-8B-Instruct.jinja", "GLM-4.6.jinja", "Mistral-Small-3.2-24B-Instruct-2506.jinja",
	"NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use.jinja",
}

// perTemplate runs a benchmark for each template. It skips recorded ones that are missing.
func perTemplate(b *testing.B, run func(b *testing.B, file string)) {
	files, err := filepath.Glob("testdata/*.jinja")
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		b.Run(filepath.Base(file), func(b *testing.B) { run(b, file) })
	}
	for _, name := range recorded {
		b.Run(name, func(b *testing.B) { run(b, shared.Dir(b, "templates", name)) })
	}
}

func BenchmarkRender(b *testing.B) {
	perTemplate(b, func(b *testing.B, file string) {
		tmpl := compileFile(b, file)
		for _, messages := range []int{2, 50} {
			vars := decode(b, []byte(conversation(messages, 5)))
			b.Run(fmt.Sprintf("%d-messages", messages), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := tmpl.Render(context.Background(), vars, pinned); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// BenchmarkRenderInParallel is to be run with -cpu 1,2: a rendering must not take longer on two.
func BenchmarkRenderInParallel(b *testing.B) {
	perTemplate(b, func(b *testing.B, file string) {
		tmpl := compileFile(b, file)
		vars := decode(b, []byte(conversation(50, 5)))
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := tmpl.Render(context.Background(), vars, pinned); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

func BenchmarkCompile(b *testing.B) {
	perTemplate(b, func(b *testing.B, file string) {
		source, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(source)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := jinja.Compile(file, string(source), jinja.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data := []byte(conversation(50, 5))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		decode(b, data)
	}
}

// conversation returns the variables of a conversation with tools as JSON: a system message, then
// turns of a question, a call, its result and an answer.
func conversation(messages, tools int) string {
	list := []string{`{"role": "system", "content": "Be brief, and never guess."}`}
	for i := range messages - 1 {
		switch {
		case i%4 == 0:
			list = append(list, fmt.Sprintf(`{"role": "user", "content": "Question %d: what is the weather in Zürich, and is it \"nice\"?\nThanks."}`, i))
		case i%4 == 1:
			list = append(list, fmt.Sprintf(`{"role": "assistant", "content": "", "tool_calls": [{"id": "call%05d", "type": "function",
				"function": {"name": "tool_%d", "arguments": {"place": "Zürich", "days": %d, "units": ["C", "mm"]}}}]}`, i, i%max(tools, 1), i))
		case i%4 == 2:
			list = append(list, fmt.Sprintf(`{"role": "tool", "name": "tool_%d", "tool_call_id": "call%05d", "content": "{\"temperature\": %d}"}`, (i-1)%max(tools, 1), i-1, i))
		default:
			list = append(list, fmt.Sprintf(`{"role": "assistant", "content": "It is %d degrees, and **nice**."}`, i))
		}
	}
	var specs []string
	for i := range tools {
		specs = append(specs, fmt.Sprintf(`{"type": "function", "function": {"name": "tool_%d", "description": "Does thing %d.", "parameters": {"type": "object",
			"properties": {"place": {"type": "string", "description": "Where"}, "days": {"type": "integer"}, "units": {"type": "array", "items": {"type": "string"}}},
			"required": ["place"]}}}`, i, i))
	}
	return fmt.Sprintf(`{"messages": [%s], "tools": [%s], "bos_token": "<s>", "eos_token": "</s>", "add_generation_prompt": true, "enable_thinking": true}`,
		strings.Join(list, ","), strings.Join(specs, ","))
}
