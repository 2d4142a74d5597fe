package api

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
)

// TestLinesOfTokenIds sends lines of ids, and lines that are not what their output consists of.
func TestLinesOfTokenIds(t *testing.T) {
	source, err := os.ReadFile("../../templates/chatml-reasoning.jinja")
	must(t, err)
	dir := filepath.Join(t.TempDir(), "m")
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "chat_template.jinja"), source, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(shared.ByteVocabulary("<s>", "<|im_start|>", "<|im_end|>", "</think>")), 0o600))
	d := serve(t, func(c *config.Config) { c.Templates.Models = []string{dir} })
	start := func(template, options string) string {
		return fmt.Sprintf(`{"start": {"template": %q, "request": %s, "options": {"deltas": true%s}}}`+"\n", template, request1, options)
	}
	const tokens = `, "token_ids": true`
	for name, c := range map[string]struct{ body, want string }{
		"ids": {start("m", tokens) + `{"ids":[72,258]}` + "\n" + `{"ids": [105, 257]}`,
			`{"chunk":{"reasoning_content":"H"},"ids":{"first":0,"end":1}}` + "\n" + `{"chunk":{"content":"i"},"ids":{"first":2,"end":3}}`},
		"the counts":           {start("m", tokens) + `{"ids":[72,258,105,257]}`, `"tokens":{"output":4,"reasoning":1,"content":1}`},
		"at once":              {`{"template": "m", "request": ` + request1 + `, "ids": [72, 258, 105]}`, `"reasoning_content":"H"`},
		"an unknown id":        {start("m", tokens) + `{"ids":[72,999]}`, `"place":"ids[1]","message":"expected a token id below 259, found 999`},
		"a negative id":        {start("m", tokens) + `{"ids":[-1]}`, `line 2`},
		"text among ids":       {start("m", tokens) + `{"text":"Hi"}`, `"message":"unexpected in an output of token ids"`},
		"ids among text":       {start("m", "") + `{"ids":[72]}`, `"message":"unexpected in an output of text"`},
		"ids and text at once": {`{"template": "m", "request": ` + request1 + `, "ids": [72], "text": "H"}`, `"place":"ids"`},
		"without a tokenizer":  {start(template1, tokens), `"place":"template","message":"the tokenizer of \"` + template1 + `\" is not known"`},
		"at once, without one": {`{"template": "` + template1 + `", "request": ` + request1 + `, "ids": [72]}`, `is not known`},
	} {
		path := linesPath
		if !strings.Contains(c.body, `"start"`) {
			path = "/dragoman.v1.ChatService/Parse"
		}
		if _, answer := d.post(t, path, c.body); !strings.Contains(strings.ReplaceAll(answer, ", ", ","), c.want) && !strings.Contains(answer, c.want) {
			t.Errorf("%s: %s\nwant %s", name, answer, c.want)
		}
	}
	if status, _ := d.post(t, linesPath, start(template1, tokens)); status != http.StatusNotFound {
		t.Errorf("without a tokenizer: status %d", status)
	}
}
