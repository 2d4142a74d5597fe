package reply

import (
	"errors"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Places are members of a chat request that was written for a request of another API, and the members of that request which they come
// from. The zero value has none.
type Places []place

type place struct {
	chat, own string
	made      bool
}

// Add adds a member of the chat request. Members below it come from members of the same names, unless they are added, too.
func (p *Places) Add(chat, own string) {
	if chat != own {
		*p = append(*p, place{chat: chat, own: own})
	}
}

// AddMade is Add for a member that was made of one value: what is below it has no place of its own.
func (p *Places) AddMade(chat, own string) { *p = append(*p, place{chat, own, true}) }

// Of returns the place in the request of a place in the chat request.
func (p Places) Of(chat string) string {
	best, at := -1, chat
	for _, known := range p {
		rest, within := strings.CutPrefix(chat, known.chat)
		if !within || rest != "" && rest[0] != '.' && rest[0] != '[' || len(known.chat) <= best {
			continue
		}
		if best, at = len(known.chat), known.own; !known.made {
			at += rest
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
