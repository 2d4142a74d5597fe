package reply

import (
	"errors"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Places are members of a chat request that was written for a request of another API, and the members of that request which they come
// from. The zero value has none.
type Places []struct{ chat, own string }

// Add adds a member of the chat request. Members below it come from members of the same names, unless they are added, too.
func (p *Places) Add(chat, own string) {
	if chat != own {
		*p = append(*p, struct{ chat, own string }{chat, own})
	}
}

// Of returns the place in the request of a place in the chat request.
func (p Places) Of(chat string) string {
	best, at := -1, chat
	for _, known := range p {
		rest, within := strings.CutPrefix(chat, known.chat)
		if within && (rest == "" || rest[0] == '.' || rest[0] == '[') && len(known.chat) > best {
			best, at = len(known.chat), known.own+rest
		}
	}
	return at
}

// Fault returns an error about the chat request as one about the request.
func (p Places) Fault(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Place == "" {
		return err
	}
	own := *f
	own.Place = p.Of(f.Place)
	return &own
}
