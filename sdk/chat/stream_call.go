package chat

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// draft is the open call.
type draft struct {
	id        string
	name      string
	held      bool // back until its end, because a policy may remove it from the message
	announced bool
	index     int // in calls, once announced
	arguments strings.Builder
	repair    repair
}

// call returns the open call, and opens one if necessary.
func (s *Stream) call() *draft {
	if s.open == nil {
		s.open = new(draft)
	}
	return s.open
}

// nameID sets the id that the model wrote. Once the call is announced, it can only fill in a missing id.
func (s *Stream) nameID(id string) {
	d := s.call()
	switch {
	case !d.announced:
		d.id = id
	case s.calls[d.index].ID == "":
		s.calls[d.index].ID = id
		s.begin(CallArguments, CallDelta{Index: d.index, ID: id})
	default:
		s.note("call %d keeps the id it was announced with: the model's own, %q, came after its arguments had begun", d.index, id)
	}
}

// nameCall sets the name of the open call's function. Only the first name counts.
func (s *Stream) nameCall(name string) {
	d := s.call()
	if d.name != "" {
		s.note("a call of %q keeps its name: the model named it %q as well", d.name, name)
		return
	}
	d.name = name
	d.held = s.Policies.TruncatedCall != TruncatedPartial
	if !s.knows(name) {
		d.held = d.held || s.Policies.UnknownTool != UnknownForward
		if !slices.Contains(s.unknown, name) {
			s.unknown = append(s.unknown, name)
		}
	}
	s.sayArguments(nil)
}

// knows reports whether the request declares a tool of that name.
func (s *Stream) knows(name string) bool {
	return slices.ContainsFunc(s.Tools, func(t Tool) bool { return t.Name == name })
}

// sayArguments appends to the arguments of the open call, and announces the call with the first of them.
func (s *Stream) sayArguments(text []byte) {
	d := s.call()
	d.arguments.Write(text)
	switch {
	case d.announced:
		s.say(CallArguments, d.index, string(text))
	case d.name != "" && !d.held && d.arguments.Len() > 0:
		s.announce(d)
	}
}

// announce sends the id, the name and the arguments so far of a call.
func (s *Stream) announce(d *draft) {
	d.announced, d.index = true, len(s.calls)
	call := Call{ID: s.idFor(d), Name: d.name}
	s.calls = append(s.calls, call)
	s.begin(CallArguments, CallDelta{Index: d.index, ID: call.ID, Name: call.Name})
	s.say(CallArguments, d.index, d.arguments.String())
}

// endCall ends the open call, if any. It is broken off if the output ended, or broke the format, within it.
func (s *Stream) endCall(brokenOff bool) {
	d := s.open
	if d == nil {
		return
	}
	s.sayArguments(d.repair.end())
	s.open = nil
	s.broken = s.broken || brokenOff
	if !d.announced {
		s.settle(d, !brokenOff && json.Valid([]byte(d.arguments.String())))
	}
	if d.announced {
		s.calls[d.index].Arguments = d.arguments.String()
	}
}

// settle applies the policies to a call that was not announced before its end, whole or not.
func (s *Stream) settle(d *draft, whole bool) {
	unknown := !s.knows(d.name)
	switch {
	case d.name == "":
		s.note("a call without a name was dropped: the output ended, or broke the format, before it")
	case unknown && s.Policies.UnknownTool == UnknownContent:
		s.note("a call of %q became content: no tool of the request has that name", d.name)
		s.quote(d, whole)
	case unknown && s.Policies.UnknownTool == UnknownError:
		s.note("a call of %q was dropped: no tool of the request has that name", d.name)
	case !whole && s.Policies.TruncatedCall == TruncatedContent:
		s.note("a call of %q became content: its arguments are not whole", d.name)
		s.quote(d, whole)
	case !whole && s.Policies.TruncatedCall == TruncatedDrop:
		s.note("a call of %q was dropped: its arguments are not whole", d.name)
	default:
		s.announce(d)
	}
}

// quote delivers a call as content, on its own line.
func (s *Stream) quote(d *draft, whole bool) {
	name, _ := jsontext.AppendQuote(nil, d.name) // always valid UTF-8
	text := fmt.Sprintf("{\"name\": %s, \"arguments\": %s", name, d.arguments.String())
	if !slices.Contains(s.content.blanks, '\n') {
		text = "\n" + text
	}
	if whole {
		text += "}\n"
	}
	s.say(ContentText, 0, s.content.add([]byte(text)))
}

// idFor returns the id that the model wrote if it is there and unique, or else a new one.
func (s *Stream) idFor(d *draft) string {
	if s.NoIDs {
		return d.id
	}
	id := d.id
	for attempt := 0; id == "" || s.taken(id); attempt++ {
		id = s.newID(d.index, attempt)
	}
	return id
}

// manyCalls is the number of calls beyond which their ids are indexed.
const manyCalls = 16

// taken reports whether another call has that id.
func (s *Stream) taken(id string) bool {
	if len(s.calls) <= manyCalls {
		return slices.ContainsFunc(s.calls, func(c Call) bool { return c.ID == id })
	}
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	for ; s.indexed < len(s.calls); s.indexed++ {
		s.ids[s.calls[s.indexed].ID] = true
	}
	return s.ids[id]
}

// newID generates an id: "call_" and 24 characters.
func (s *Stream) newID(index, attempt int) string {
	if s.seed == "" {
		s.seed = s.IDSeed
	}
	if s.seed == "" {
		s.seed = rand.Text()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%d", s.seed, index, attempt))
	return "call_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15]))
}
