package recorder

import (
	"encoding/binary"
	"encoding/json"
	"iter"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// Mark is something unusual about an output.
type Mark string

// The marks.
const (
	Malformed      Mark = "malformed"       // it broke the format, or went on after its end
	Truncated      Mark = "truncated"       // it ended within the format
	MissingMarkers Mark = "missing_markers" // it lacks markers of the format
	UnknownTools   Mark = "unknown_tools"   // it calls tools that the request does not have
	Unproven       Mark = "unproven"        // parts of the template's dialect are read as content, because nothing proves them
)

// Marks are all marks, in the order in which recordings have them.
var Marks = []Mark{Malformed, Truncated, MissingMarkers, UnknownTools, Unproven}

// marksOf returns what is unusual about an output.
func marksOf(r *chat.Report, unproven bool) (marks []Mark) {
	for i, holds := range []bool{
		r.Status == chat.Malformed || r.Status == chat.Trailing, r.Status == chat.Truncated, len(r.MissingMarkers) > 0, len(r.UnknownTools) > 0, unproven,
	} {
		if holds {
			marks = append(marks, Marks[i])
		}
	}
	return marks
}

// Summary is what lists show of a recording.
type Summary struct {
	ID             string        `json:"id"`
	At             time.Time     `json:"at"`   // when the output began
	Took           time.Duration `json:"took"` // until its end, in nanoseconds
	Template       string        `json:"template"`
	TemplateHash   string        `json:"template_hash"` // SHA-256 of the source and its tokens
	Handler        string        `json:"handler"`
	HandlerVersion string        `json:"handler_version,omitempty"` // empty: it is part of Dragoman
	Version        string        `json:"version"`                   // of Dragoman
	Generation     uint64        `json:"generation"`                // of the snapshot
	RulesHash      string        `json:"rules_hash"`
	Status         chat.Status   `json:"status"`
	Marks          []Mark        `json:"marks,omitempty"`
	Limited        bool          `json:"limited,omitempty"` // the engine stopped for length
	Bytes          int           `json:"bytes"`
	Pieces         int           `json:"pieces"`
}

// Template is a template with what it needs to be learned again.
type Template struct {
	Name          string   `json:"name"`
	Hash          string   `json:"hash"`
	Source        string   `json:"source"`
	BOSToken      string   `json:"bos_token"`
	EOSToken      string   `json:"eos_token"`
	SpecialTokens []string `json:"special_tokens,omitempty"`
}

// Parser is what parsed an output, besides the program.
type Parser struct {
	PreservedTokens  []string `json:"preserved_tokens,omitempty"`
	Specials         []string `json:"specials,omitempty"` // the markers that match only as special tokens where these are known
	SupportsThinking bool     `json:"supports_thinking,omitempty"`
	ThinkingStart    string   `json:"thinking_start,omitempty"`
	ThinkingEnds     []string `json:"thinking_ends,omitempty"`
	// Stream means that the process of a plugin parsed the output: there is no program.
	Stream bool `json:"stream,omitempty"`
}

// Recording is what was kept of one output.
type Recording struct {
	Summary
	details
	// Source is the template, and Program the program that parsed the output, as plugins send programs.
	Source  Template
	Program []byte
	// Output is what the model wrote.
	Output []byte

	pieces []byte // packed
}

// details are the members of a recording that lists do not show.
type details struct {
	// Request is the chat completion request, redacted.
	Request json.RawMessage `json:"-"`
	// PromptTail is the end of the prompt before the generation prompt, as far as it is kept.
	PromptTail       string       `json:"prompt_tail"`
	GenerationPrompt string       `json:"generation_prompt"`
	Parser           Parser       `json:"parser"`
	Report           *chat.Report `json:"report"`
	// Now is the time that the template saw; zero: that of At.
	Now time.Time `json:"now,omitzero"`
}

// Piece is a part of an output, as the engine sent it.
type Piece struct {
	Length int           `json:"length"`
	At     time.Duration `json:"at"` // since the output began, in nanoseconds
	// Special are its bytes that came from special tokens; nil: that is not known.
	Special []match.Range `json:"special,omitempty"`
}

// Packed pieces are varints: microseconds since the piece before, the length, 0 or one more than the number of special ranges,
// and for each range its distance from the end of the one before and its length.

// appendPiece packs a piece that came after so many microseconds.
func appendPiece(dst []byte, after, length int, special []match.Range) []byte {
	dst = binary.AppendUvarint(dst, uint64(after))
	dst = binary.AppendUvarint(dst, uint64(length))
	if special == nil {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(special)+1))
	end := 0
	for _, r := range special {
		dst = binary.AppendUvarint(dst, uint64(r.Start-end))
		dst = binary.AppendUvarint(dst, uint64(r.End-r.Start))
		end = r.End
	}
	return dst
}

// maxPacked returns the most bytes that appendPiece appends.
func maxPacked(special []match.Range) int { return (3 + 2*len(special)) * binary.MaxVarintLen64 }

// Each iterates over the pieces with their bytes.
func (r *Recording) Each() iter.Seq2[Piece, []byte] {
	return func(yield func(Piece, []byte) bool) {
		in, rest, at := unpacker{left: r.pieces}, r.Output, time.Duration(0)
		for len(in.left) > 0 {
			at += time.Duration(in.next()) * time.Microsecond
			p := Piece{At: at, Length: in.next()}
			if n := in.next(); n > 0 {
				p.Special = in.ranges(n-1, p.Length)
			}
			if in.broken || p.Length > len(rest) || !yield(p, rest[:p.Length:p.Length]) {
				return
			}
			rest = rest[p.Length:]
		}
	}
}

// whole reports whether the packed pieces make up the output.
func (r *Recording) whole() bool {
	length, count := 0, 0
	for p := range r.Each() {
		length += p.Length
		count++
	}
	return length == len(r.Output) && count == r.Summary.Pieces
}

// unpacker reads packed pieces.
type unpacker struct {
	left   []byte
	broken bool
}

// next returns the next number, which fits an int32.
func (u *unpacker) next() int {
	v, n := binary.Uvarint(u.left)
	if n <= 0 || v > 1<<31-1 {
		u.broken, u.left = true, nil
		return 0
	}
	u.left = u.left[n:]
	return int(v)
}

// ranges returns the special ranges in a piece of so many bytes.
func (u *unpacker) ranges(count, length int) []match.Range {
	all, end := []match.Range{}, 0
	for range count {
		start := end + u.next()
		end = start + u.next()
		if u.broken || end > length {
			u.broken = true
			break
		}
		all = append(all, match.Range{Start: start, End: end})
	}
	return all
}
