package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestLogprobsAreTheContent puts the bytes of the tokens together, in both forms of an answer.
func TestLogprobsAreTheContent(t *testing.T) {
	d := serve(t)
	var contents []string
	for _, stream := range []string{"false", "true"} {
		_, text := d.post(t, `{"model":"replay","messages":[{"role":"user","content":"Hi"}],"logprobs":true,"top_logprobs":2,"stream":`+stream+`}`)
		content, told := "", []byte(nil)
		for line := range strings.Lines(text) {
			var in struct {
				Choices []struct {
					Message, Delta struct{ Content string }
					Logprobs       *struct {
						Content []struct {
							Token   string
							Logprob float64
							Bytes   []int
							Top     []struct{ Bytes []int } `json:"top_logprobs"`
						}
					}
				}
			}
			if line = strings.TrimPrefix(line, "data: "); json.Unmarshal([]byte(line), &in) != nil {
				continue
			}
			for _, c := range in.Choices {
				content += c.Message.Content + c.Delta.Content
				if c.Logprobs == nil {
					continue
				}
				for _, token := range c.Logprobs.Content {
					for _, b := range token.Bytes {
						told = append(told, byte(b))
					}
					if token.Logprob != -0.5 || len(token.Top) != 2 || token.Top[1].Bytes[0] != 0xc3 {
						t.Errorf("%+v", token)
					}
				}
			}
		}
		if content == "" || !bytes.Contains(told, []byte(content)) || len(told) > len(content)+8 { // the first and the last may be of a marker, too
			t.Errorf("stream %s: the content is %q, the tokens %q", stream, content, told)
		}
		contents = append(contents, string(told))
	}
	if contents[0] != contents[1] {
		t.Errorf("%q", contents)
	}
	if _, text := d.post(t, `{"model":"replay","messages":[{"role":"user","content":"Hi"}]}`); !strings.Contains(text, `"logprobs":null`) {
		t.Error(text)
	}
}
