package bench

import (
	"fmt"
	"strings"
)

// SampleRequest returns a request with n tools of five arguments each.
func SampleRequest(n int) []byte {
	const tool = `{"type":"function","function":{"name":"tool_%d","description":"Does what tool %[1]d does, and nothing else.","parameters":{"type":"object",` +
		`"properties":{"path":{"type":"string","description":"where"},"text":{"type":"string"},"limit":{"type":"integer"},` +
		`"deep":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string"}}},"required":["path"]}}}`
	tools := make([]string, n)
	for i := range tools {
		tools[i] = fmt.Sprintf(tool, i)
	}
	return []byte(`{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Please look it up."}],"tools":[` + strings.Join(tools, ",") + `]}`)
}
