package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// withTool returns a request with one tool and the given members.
func withTool(t *testing.T, parameters, members string) *chat.Request {
	t.Helper()
	r, err := chat.ParseRequest([]byte(`{"messages": [{"role": "user", "content": "Hi"}], "tools": [{"type": "function", "function":
		{"name": "f", "parameters": ` + parameters + `}}]` + members + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAnInvalidSchemaIsRefusedWithItsPath(t *testing.T) {
	h, err := New(t.Context(), Options{Config: config.Default(), Static: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ template, parameters, members, want string }{
		{"chatml-json", `{"properties": {"a": {"type": "text"}}}`, ``, `tools[0].function.parameters.properties.a.type: unknown type "text"`},
		{"chatml-tagged", `{"type": "object", "properties": {"a.b": {"type": "text"}}}`, ``, `tools[0].function.parameters.properties["a.b"].type: unknown type "text"`},
		{"chatml-json", `{}`, `, "tool_choice": "none", "json_schema": {"$ref": "#/nowhere"}`, `json_schema.$ref: "#/nowhere" refers to nothing`},
	} {
		_, err := h.Plan(t.Context(), tt.template, withTool(t, tt.parameters, tt.members))
		var invalid *fault.Error
		if !errors.As(err, &invalid) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.template, err, tt.want)
		}
	}
	if err := h.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
