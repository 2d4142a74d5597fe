package autoparser_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// tenants are requests of several clients whose tools differ in what a cache could confuse: in one letter, in their spelling, in a
// field that only some templates show, in their order.
func tenants(t *testing.T) []*chat.Request {
	var all []*chat.Request
	const one = `{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}}`
	other := strings.Replace(one, `"f"`, `"g"`, 1)
	for _, tools := range []string{
		one + "," + other, other + "," + one, one, other,
		strings.Replace(one, `"d"`, `"e"`, 1),
		strings.Replace(one, `"d"`, `"\u0064"`, 1),
		strings.Replace(one, `"description"`, `"note"`, 1),
		strings.Replace(one, `"a": {"type": "string"}`, `"a": {"type": "string", "default": "<&>é"}`, 1),
		strings.Replace(one, `{"type": "function"`, `{"strict": true, "type": "function"`, 1),
		`{"name": "f"}`,
	} {
		for _, more := range []string{"", `, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}`} {
			all = append(all, request(t, `{"messages": [{"role": "user", "content": "a"}`+more+`], "tools": [`+tools+`]}`))
		}
	}
	return all
}

// Whatever requests share, the prompt of each is that which it gets alone: at first, and when all caches hold what others asked for.
func TestPromptsAreTheSameWhateverRequestsShare(t *testing.T) {
	requests := tenants(t)
	var cache autoparser.Cache
	for name, source := range styles(t) {
		tmpl, err := autoparser.Open(name, source, "<s>", "</s>", autoparser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			for _, r := range requests {
				want, wantErr := tmpl.RenderAlone(context.Background(), r, autoparser.Style{})
				got, err := tmpl.RenderWith(context.Background(), r, autoparser.Style{}, &cache)
				if !reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("%s: %+v, %v; alone it is %+v, %v", name, got, err, want, wantErr)
				}
			}
		}
	}
}
