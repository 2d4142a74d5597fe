package render

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// tokenize answers with the ids of a text, or of the prompt of a chat request.
func (s *Service) tokenize(w http.ResponseWriter, r *http.Request) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	var in struct {
		Model      string         `json:"model"`
		Prompt     *string        `json:"prompt"`
		Messages   jsontext.Value `json:"messages"`
		AddSpecial *bool          `json:"add_special_tokens"`
		Strings    bool           `json:"return_token_strs"`
	}
	if err := read("", data, &in); err != nil {
		return err
	}
	m, t, err := s.model(r.Context(), in.Model)
	if err != nil {
		return err
	}
	var text string
	var o tokenizer.Options
	switch chat := len(set(in.Messages)) > 0; {
	case chat == (in.Prompt != nil):
		return fault.Invalid("prompt", "expected either a prompt or messages")
	case chat:
		planned, err := s.plan(r, m, data)
		if err != nil {
			return err
		}
		text, o.AddSpecial = planned.Prompt, in.AddSpecial != nil && *in.AddSpecial
	default:
		text, o.AddSpecial = *in.Prompt, in.AddSpecial == nil || *in.AddSpecial
	}
	out := struct {
		Count   int            `json:"count"`
		Limit   *int           `json:"max_model_len"`
		Tokens  []tokenizer.ID `json:"tokens"`
		Strings []string       `json:"token_strs"`
	}{Limit: limitOf(m)}
	if out.Tokens, err = t.EncodeWithin(r.Context(), text, o); err != nil {
		return err
	}
	out.Count = len(out.Tokens)
	if in.Strings {
		out.Strings = make([]string, len(out.Tokens))
		for i, id := range out.Tokens {
			info, _ := t.Token(id)
			out.Strings[i] = info.Spelling
		}
	}
	return answer(w, out)
}

// detokenize answers with the text of ids.
func (s *Service) detokenize(w http.ResponseWriter, r *http.Request) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	var in struct {
		Model  string         `json:"model"`
		Tokens []tokenizer.ID `json:"tokens"`
	}
	if err := read("", data, &in); err != nil {
		return err
	}
	_, t, err := s.model(r.Context(), in.Model)
	if err != nil {
		return err
	}
	if in.Tokens == nil {
		return fault.Invalid("tokens", "expected an array of token ids, found nothing")
	}
	if err := t.Check("tokens", in.Tokens); err != nil {
		return err
	}
	return answer(w, map[string]string{"prompt": t.Decode(in.Tokens, false)})
}
