package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// config holds the members of a tokenizer_config.json that change which ids a text has. What it lacks is as the tokenizer.json
// says.
type config struct {
	AddBOSToken        *bool                 `json:"add_bos_token"`
	AddEOSToken        *bool                 `json:"add_eos_token"`
	BOSToken           tokenContent          `json:"bos_token"`
	EOSToken           tokenContent          `json:"eos_token"`
	AddedTokensDecoder map[string]addedToken `json:"added_tokens_decoder"`
}

// tokenContent is a special token: a string, an object with the member "content", or null.
type tokenContent string

// UnmarshalJSON reads any of the three forms.
func (t *tokenContent) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("{")) {
		var object struct{ Content string }
		err := json.Unmarshal(data, &object)
		*t = tokenContent(object.Content)
		return err
	}
	return json.Unmarshal(data, (*string)(t))
}

// maxConfig bounds the file; the largest known one has a megabyte.
const maxConfig = 64 << 20

// readConfig reads the file at path, which may be missing.
func readConfig(path string) (*config, error) {
	c := &config{}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil && info.Size() > maxConfig {
		return nil, fault.Invalid(path, fmt.Sprintf("the file is longer than %d bytes", maxConfig))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\uFEFF")), c); err != nil {
		return nil, fault.Invalid(path, err.Error())
	}
	return c, nil
}

// amend returns added tokens as the configuration changes them: it can set their flags, and add more.
func (c *config) amend(added []addedToken) ([]addedToken, error) {
	var more []addedToken
	for key, a := range c.AddedTokensDecoder {
		id, err := strconv.ParseUint(key, 10, 32)
		if err != nil {
			return nil, fault.Invalid("tokenizer_config.json: added_tokens_decoder", fmt.Sprintf("expected numbers of tokens as names, found %.40q", key))
		}
		a.ID = ID(id)
		if i := slices.IndexFunc(added, func(b addedToken) bool { return b.Content == a.Content }); i >= 0 {
			a.ID = added[i].ID
			added[i] = a
		} else if a.Content != "" {
			more = append(more, a)
		}
	}
	slices.SortFunc(more, func(a, b addedToken) int { return int(a.ID) - int(b.ID) })
	return append(added, more...), nil
}

// setEnds sets the tokens that begin and end a text.
func (c *config) setEnds(t *Tokenizer) error {
	for _, end := range []struct {
		member string
		add    *bool
		token  tokenContent
		ids    *[]ID
	}{{"bos_token", c.AddBOSToken, c.BOSToken, &t.begin}, {"eos_token", c.AddEOSToken, c.EOSToken, &t.end}} {
		if end.add == nil {
			continue
		}
		*end.ids = nil
		if !*end.add || end.token == "" {
			continue
		}
		id, ok := t.ID(string(end.token))
		if !ok {
			return fault.Invalid("tokenizer_config.json: "+end.member, fmt.Sprintf("%q is not in the vocabulary", string(end.token)))
		}
		*end.ids = []ID{id}
	}
	return nil
}
