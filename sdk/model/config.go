package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// tokenizerConfig holds the members of a tokenizer_config.json that matter here. A chat_template.json has only the first.
type tokenizerConfig struct {
	ChatTemplate            json.RawMessage  `json:"chat_template"`
	BOSToken                token            `json:"bos_token"`
	EOSToken                token            `json:"eos_token"`
	AdditionalSpecialTokens []token          `json:"additional_special_tokens"`
	AddedTokensDecoder      map[string]added `json:"added_tokens_decoder"`
}

// added is a token added to the vocabulary.
type added struct {
	Content string `json:"content"`
	Special bool   `json:"special"`
}

// token is a special token: a string, an object with the member "content", or null.
type token string

// UnmarshalJSON reads any of the three forms.
func (t *token) UnmarshalJSON(data []byte) error {
	var text *string
	if err := json.Unmarshal(data, &text); err == nil {
		if text != nil {
			*t = token(*text)
		}
		return nil
	}
	var object added
	if err := json.Unmarshal(data, &object); err != nil {
		return fmt.Errorf("special token: expected a string, or an object with the string as its content, found %.40s", data)
	}
	*t = token(object.Content)
	return nil
}

// readConfig reads a JSON file. What it lacks stays as it was.
func (m *Model) readConfig(path string) error {
	data, err := readFile(path)
	if err != nil {
		return err
	}
	var c tokenizerConfig
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // a byte order mark
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("%s:%s: %w", path, position(data, err), err)
	}
	if err := m.setTemplates(c.ChatTemplate); err != nil {
		return fmt.Errorf("%s: chat_template: %w", path, err)
	}
	if c.BOSToken != "" {
		m.BOSToken = string(c.BOSToken)
	}
	if c.EOSToken != "" {
		m.EOSToken = string(c.EOSToken)
	}
	m.addSpecial(c)
	return nil
}

// setTemplates reads one template, or a list of named ones.
func (m *Model) setTemplates(raw json.RawMessage) error {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	var one string
	if err := json.Unmarshal(raw, &one); err == nil {
		m.set("", one)
		return nil
	}
	var named []struct {
		Name     *string `json:"name"`
		Template *string `json:"template"`
	}
	if err := json.Unmarshal(raw, &named); err != nil {
		return errors.New("expected a string, or a list of objects with name and template")
	}
	for i, n := range named {
		if n.Name == nil || n.Template == nil {
			return fmt.Errorf("[%d]: expected an object with the strings name and template", i)
		}
		m.set(*n.Name, *n.Template)
	}
	return nil
}

func (m *Model) addSpecial(c tokenizerConfig) {
	all := []string{string(c.BOSToken), string(c.EOSToken)}
	for _, t := range c.AdditionalSpecialTokens {
		all = append(all, string(t))
	}
	for _, t := range c.AddedTokensDecoder {
		if t.Special {
			all = append(all, t.Content)
		}
	}
	m.SpecialTokens = append(m.SpecialTokens, all...)
	slices.Sort(m.SpecialTokens)
	m.SpecialTokens = slices.DeleteFunc(slices.Compact(m.SpecialTokens), func(t string) bool { return t == "" })
}

// position returns the line and column of a JSON error; 1:1 if it has none.
func position(data []byte, err error) string {
	var at int64
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	default:
		return "1:1"
	}
	before := data[:min(max(at-1, 0), int64(len(data)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	return fmt.Sprintf("%d:%d", line, len(before)-bytes.LastIndexByte(before, '\n'))
}
