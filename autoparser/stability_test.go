package autoparser_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/google/go-cmp/cmp"
)

// TestRewrites tests templates that render earlier messages differently as a conversation grows.
func TestRewrites(t *testing.T) {
	const each = `{% for m in messages %}<|{{ m.role }}|>`
	const end = `{{ m.content }}<|end|>{% endfor %}`
	for _, tt := range []struct {
		name, source string
		want         []autoparser.Rewrite
	}{
		{"none", each + end + `{% if add_generation_prompt %}<|assistant|>{% endif %}`, nil},
		{"the number of messages goes first", "{{ messages | length }} " + each + end, []autoparser.Rewrite{
			{Turn: 1, Role: "user", Following: 3, Because: "earlier messages change", Was: "1 <|user|>Where is the book?<|end|>", Is: "3 <|user|>Where is the book?<|end|><|ass"}}},
		{"the prompt opens what answers do not have", each + end + `{% if add_generation_prompt %}<|assistant|><think>{% endif %}`, []autoparser.Rewrite{
			{Turn: 2, Role: "assistant", Following: 3, Because: "a prompt ends otherwise than earlier answers begin", Before: "er|>Where is the book?<|end|><|assistant|>", Was: "<think>", Is: "The book is on the shelf.<|end|><|user|>"},
			{Turn: 4, Role: "assistant", Following: 5, Because: "a prompt ends otherwise than earlier answers begin", Before: "er|>Which book is beside it?<|end|><|assistant|>", Was: "<think>", Is: "It is Emma.<|end|><|user|>Thank you.<|en"}}},
		{"the last question is marked", each + `{% if loop.last %}!{% endif %}` + end, []autoparser.Rewrite{
			{Turn: 1, Role: "user", Following: 3, Because: "earlier messages change", Before: "<|user|>", Was: "!Where is the book?<|end|>", Is: "Where is the book?<|end|><|assistant|>Th"},
			{Turn: 3, Role: "user", Following: 5, Because: "earlier messages change"}}},
		{"only answers to the last question keep their reasoning", each + `{% if m.reasoning_content and not (messages[loop.index0:] | selectattr('role', 'equalto', 'user') | list) %}({{ m.reasoning_content }}){% endif %}` +
			`{% if m.tool_calls %}<call>{{ m.tool_calls[0].function.name }} {{ m.tool_calls[0].function.arguments | tojson }}</call>{% endif %}` + end + `{% if add_generation_prompt %}<|assistant|>{% endif %}`, []autoparser.Rewrite{
			{Turn: 4, Role: "assistant", Following: 7, Because: "the reasoning of earlier answers is left out", Before: "h book is beside it?<|end|><|assistant|>", Was: "(Which shelf was it? Look at the second ", Is: `<call>find_book {"title": "Dune"}</call>`}}},
		{"a conversation that is refused", `{{ raise_exception("no") }}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := learnSource(t, "x", tt.source, "", "", nil)
			got := l.Rewrites(context.Background())
			for i := range got {
				if i < len(tt.want) && tt.want[i].Was == "" {
					got[i].Before, got[i].Was, got[i].Is = "", "", ""
				}
				if i < len(tt.want) && strings.HasSuffix(tt.want[i].Before, got[i].Before) {
					got[i].Before = tt.want[i].Before
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
