package autoparser_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
)

// Other implementations have rules for templates. Each row shows what replaces one of them here:
// either comparison makes it unnecessary, and the row's template is learned without rules, or a
// shipped rule has the same effect.
func TestRulesOfOthersAreUnnecessaryOrShipped(t *testing.T) {
	for _, c := range []struct {
		rule   string // what the other rule knows
		source string
		// shipped is our rule; if empty, everything below is learned by comparison alone.
		shipped string
		learned map[string]string // fields of the dialect
		request string            // "" renders no prompt
		prompt  string            // a part that the prompt must contain
	}{
		{rule: "templates that split content at the end of reasoning have reasoning",
			source:  chatML(`{{ m.content.split('</think>')[-1] }}`),
			learned: map[string]string{"reasoning.mode": "tag_based", "reasoning.start": "<think>", "reasoning.end": "</think>"}},
		{rule: "reasoning and answers described in words are between tags",
			source: "{% if thinking %}Write your thoughts between <think></think> and write your response between <response></response>{% endif %}" +
				chatML(`{{ m.content }}`), shipped: "granite-3.3",
			learned: map[string]string{"reasoning.end": "</think>", "content.mode": "wrapped_with_reasoning", "content.start": "<response>"}},
		{rule: "reasoning and answers described in words follow headings",
			source: "{% if thinking %}Write your thoughts after 'Here is my thought process:' and your response after 'Here is my response:'.{% endif %}" +
				chatML(`{{ m.content }}`), shipped: "thinks-behind-headings",
			learned: map[string]string{"reasoning.start": "Here is my thought process:", "reasoning.end": "Here is my response:"}},
		{rule: "content after a header with its own token is not wrapped, and ends with the turn",
			source:  `{% for m in messages %}<|TURN|><|{{ m.role | upper }}|>{{ m.content }}<|END|>{% endfor %}{% if add_generation_prompt %}<|TURN|><|ASSISTANT|>{% endif %}`,
			learned: map[string]string{"content.mode": "plain", "end_of_turn": "<|END|>"}},
		{rule: "a tag contains the name of a function, and messages with calls end differently",
			source: `{% for m in messages %}<|h|>{{ m.role }}<|/h|>{{ m.content or '' }}{% for c in m.tool_calls or [] %}<function={{ c.function.name }}>{{ c.function.arguments | tojson }}</function>{% endfor %}{{ '<|eom|>' if m.tool_calls else '<|eot|>' }}{% endfor %}{% if add_generation_prompt %}<|h|>assistant<|/h|>{% endif %}`,
			learned: map[string]string{"tools.format": "tag_with_json", "tools.function.name_prefix": "<function=",
				"tools.function.close": "</function>", "end_of_calls": "<|eom|>", "content.mode": "plain"}},
		{rule: "calls and their section have tokens, and the arguments are fenced",
			source: `{% for m in messages %}<|{{ m.role }}|>{{ m.content or '' }}{% for c in m.tool_calls or [] %}{{ '<|calls|>' if loop.first else '\n' }}<|call|>function<|sep|>{{ c.function.name }}` +
				"\n```json\n{{ c.function.arguments }}\n```<|/call|>{{ '<|/calls|>' if loop.last }}{% endfor %}<|end|>{% endfor %}",
			learned: map[string]string{"tools.section_start": "<|calls|>", "tools.section_end": "<|/calls|>", "tools.per_call_start": "<|call|>", "tools.per_call_end": "<|/call|>"}},
		{rule: "developer messages become system messages",
			source:  chatML(`{{ m.content }}`),
			request: `{"messages": [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}]}`, prompt: "<|im|>system\nBe brief."},
		{rule: "system messages become user messages if the template has no system role",
			source:  `{% for m in messages if m.role != 'system' %}{{ m.role }}: {{ m.content }};{% endfor %}`,
			request: `{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]}`, prompt: "user: Be brief.\nHi;"},
		{rule: "null content beside calls is empty",
			source:  chatML(`{{ m.content ~ (m.tool_calls or '') }}`),
			request: `{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}]}`,
			prompt:  "<|im|>assistant\n[{"},
		{rule: "the arguments of calls are objects",
			source:  chatML(`{% for c in m.tool_calls or [] %}{{ c.function.name }}{% for k, v in c.function.arguments.items() %}<{{ k }}={{ v }}>{% endfor %}{% endfor %}{{ m.content or '' }}`),
			request: `{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}}]}]}`,
			prompt:  "f<a=1>"},
		{rule: "typed parts are joined into one text",
			source:  chatML(`{{ m.content + '!' }}`),
			request: `{"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "there"}]}]}`, prompt: "Hi\nthere!"},
		{rule: "tools without parameters have an empty schema",
			source:  `{% for t in tools or [] %}{{ t.function.name }}{{ t.function.parameters.properties | length }}{% endfor %}` + chatML(`{{ m.content }}`),
			request: `{"messages": [{"role": "user", "content": "Hi"}], "tools": [{"type": "function", "function": {"name": "f"}}]}`, prompt: "f0"},
		{rule: "content has no leading or trailing white space",
			source: `{# macro render_content, multi_step_tool: If you choose to call a function ONLY reply in the following format with NO suffix #}` +
				chatML(`{{ m.content }}`), shipped: "stepfun-3.5",
			request: `{"messages": [{"role": "user", "content": "  Hi  "}]}`, prompt: "<|im|>user\nHi<|im_end|>"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			l := learnSource(t, "x", c.source, "", "", nil)
			if c.shipped != "" {
				l = with(t, l, shippedRules(t))
			}
			var held []string
			for _, w := range l.Workarounds {
				held = append(held, w.Rule)
			}
			if c.shipped != "" && !slices.Contains(held, c.shipped) {
				t.Errorf("the rules %q apply, want %q", held, c.shipped)
			}
			fields := fieldsOf(t, l.Dialect)
			for field, want := range c.learned {
				if got := fields[field]; strings.TrimSpace(got) != want {
					t.Errorf("%s is %q, expected %q", field, got, want)
				}
			}
			if c.request == "" {
				return
			}
			out, err := l.Render(t.Context(), request(t, c.request))
			if err != nil || !strings.Contains(out.Prompt, c.prompt) {
				t.Errorf("prompt %q (%v) does not contain %q", out.Prompt, err, c.prompt)
			}
		})
	}
}

// chatML returns a ChatML template whose messages have the given content.
func chatML(message string) string {
	return "{%- for m in messages %}{{ '<|im|>' + m.role + '\n' }}" + message + "{{ '<|im_end|>\n' }}{% endfor %}" +
		"{%- if add_generation_prompt %}{{ '<|im|>assistant\n' }}{% endif %}"
}

// Shipped rules also apply to templates derived from known ones.
func TestShippedRulesServeUnseenTemplates(t *testing.T) {
	for _, c := range []struct {
		rule, source, output, read string
	}{
		{"thinks-in-words", "{{ 'Think between <think> and </think>, then answer.' }}" + chatML(`{{ m.content }}`),
			"<think>Easy.</think>It is sunny.", "reasoning \"Easy.\"\ncontent \"It is sunny.\"\ncomplete\n"},
		{"granite-calls-in-words", "{{ 'Respond only with <|tool_call|> followed by a JSON list of tools used.' }}" + chatML(`{{ m.content }}`),
			`<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "search", "arguments": {}}]`,
			"call get_weather {\"city\": \"Oslo\"}\ncall search {}\ncomplete\n"},
		{"lfm2-calls-in-words", "{{ 'List of tools: [' ~ (tools or []) ~ ']' }}" + strings.ReplaceAll(chatML(`{{ m.content }}`), "<|im|>", "<|im_start|>"),
			`I look.<|tool_call_start|>[get_weather(city="Oslo"), search(query='x')]<|tool_call_end|>`,
			"content \"I look.\"\ncall get_weather {\"city\":\"Oslo\"}\ncall search {\"query\":\"x\"}\ncomplete\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			l := learnSource(t, "x", c.source, "", "", shippedRules(t))
			if !slices.ContainsFunc(l.Workarounds, func(w workaround.Applied) bool { return w.Rule == c.rule }) {
				t.Errorf("the rule does not apply, but %v do", l.Workarounds)
			}
			if got := newReader(t, l, "").read(t, c.output); got != c.read {
				t.Errorf("%s became\n%s, expected\n%s", c.output, got, c.read)
			}
		})
	}
}
