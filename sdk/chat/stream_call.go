package chat

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"strconv"
)

// draft is a call on its way to the client. The zero value is one that has not begun.
type draft struct {
	begun     bool
	announced bool
	held      bool // back until its end, because a policy may remove it from the message
	id        string
	name      string
	known     bool   // the request has a tool of that name
	from      int    // where it begins in the output
	index     int    // among the calls of the message, once announced
	arguments []byte // before it is announced
	repair    repair
}

// addCall adds an event of a call.
func (s *Stream) addCall(e *Event) {
	if e.Kind == CallBegin {
		s.endCall(false)
	}
	d := &s.open
	if e.Kind != CallEnd && !d.begun {
		d.begun, d.from = true, e.From
	}
	switch e.Kind {
	case CallID:
		s.nameID(string(bytes.TrimSpace(whole(e.Text))))
	case CallName:
		s.nameCall(bytes.TrimSpace(whole(e.Text)))
	case CallArguments:
		s.sayArguments(e.From, d.repair.add(e.Text))
	case CallEnd:
		s.endCall(e.Open)
	}
}

// nameID sets the id that the model wrote. Once the call is announced, it can only fill in a missing id.
func (s *Stream) nameID(id string) {
	d := &s.open
	switch {
	case !d.announced:
		d.id = id
	case d.id == "":
		d.id = id
		if !s.NoMessage {
			s.announced[d.index].id = id
		}
		s.begin(Piece{Call: d.index, ID: id, From: s.to})
	default:
		s.note("call %d keeps the id it was announced with: the model's own, %q, came after its arguments had begun", d.index, id)
	}
}

// nameCall sets the name of the open call's function. Only the first name counts.
func (s *Stream) nameCall(name []byte) {
	d := &s.open
	if d.name != "" {
		s.note("a call of %q keeps its name: the model named it %q as well", d.name, name)
		return
	}
	d.held = s.Policies.TruncatedCall != TruncatedPartial
	if d.name, d.known = s.tool(name); !d.known {
		d.held = d.held || s.Policies.UnknownTool != UnknownForward
		if _, seen := s.unknown.find(name); !seen {
			s.unknown.add(d.name)
		}
	}
	s.sayArguments(s.to, nil)
}

// tool returns the name as a string, and reports whether the request has a tool of that name.
func (s *Stream) tool(name []byte) (string, bool) {
	if len(s.tools.list) < len(s.Tools) {
		s.tools.list = make([]string, len(s.Tools))
		for i, t := range s.Tools {
			s.tools.list[i] = t.Name
		}
	}
	if known, ok := s.tools.find(name); ok {
		return known, true
	}
	return string(name), false
}

// sayArguments appends to the arguments of the open call, and announces the call with the first of them.
func (s *Stream) sayArguments(from int, text []byte) {
	d := &s.open
	if !d.announced && d.name != "" && !d.held && len(d.arguments)+len(text) > 0 {
		s.announce(d)
	}
	if d.announced {
		s.sayArgument(d.index, from, text)
	} else {
		d.arguments = append(d.arguments, text...)
	}
}

// announce sends the id, the name and the arguments so far of a call.
func (s *Stream) announce(d *draft) {
	d.announced, d.index = true, s.calls
	d.id = s.idFor(d)
	s.calls++
	if !s.NoIDs {
		s.ids.add(d.id)
	}
	if !s.NoMessage {
		s.announced = append(s.announced, keptCall{d.id, d.name, len(s.arguments)})
	}
	s.begin(Piece{Call: d.index, ID: d.id, Name: d.name, From: d.from})
	s.sayArgument(d.index, d.from, d.arguments)
}

// endCall ends the open call, if any. It is broken off if the output ended, or broke the format, within it.
func (s *Stream) endCall(brokenOff bool) {
	d := &s.open
	if !d.begun {
		return
	}
	s.sayArguments(s.to, d.repair.end())
	s.broken = s.broken || brokenOff
	if !d.announced {
		s.settle(d, !brokenOff && json.Valid(d.arguments))
	}
	*d = draft{arguments: d.arguments[:0], repair: repair{tail: d.repair.tail[:0], text: d.repair.text[:0], out: d.repair.out[:0]}}
}

// settle applies the policies to a call that was not announced before its end, whole or not.
func (s *Stream) settle(d *draft, whole bool) {
	unknown := !d.known
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
	text := appendText([]byte(`{"name": `), d.name)
	text = append(append(text, `, "arguments": `...), d.arguments...)
	if !bytes.ContainsRune(s.content.blanks, '\n') {
		text = append([]byte("\n"), text...)
	}
	if whole {
		text = append(text, "}\n"...)
	}
	s.addProse(ContentText, &s.content, &Event{Text: text, From: d.from, To: s.to})
}

// idFor returns the id that the model wrote if it is there and unique, or else a new one.
func (s *Stream) idFor(d *draft) string {
	if s.NoIDs {
		return d.id
	}
	if _, taken := s.ids.find([]byte(d.id)); d.id != "" && !taken {
		s.written.add(d.id)
		return d.id
	}
	for attempt := 0; ; attempt++ { // generated ids differ
		id := s.newID(d.index, attempt)
		if _, taken := s.written.find([]byte(id)); !taken {
			return id
		}
	}
}

// idText is how ids are written.
var idText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567")

// newID generates an id: "call_" and 24 characters.
func (s *Stream) newID(index, attempt int) string {
	if s.seed == "" {
		s.seed = s.IDSeed
	}
	if s.seed == "" {
		s.seed = rand.Text()
	}
	var room [128]byte
	source := strconv.AppendInt(append(append(room[:0], s.seed...), '/'), int64(index), 10)
	sum := sha256.Sum256(strconv.AppendInt(append(source, '/'), int64(attempt), 10))
	return string(idText.AppendEncode(append(room[:0], "call_"...), sum[:15]))
}
