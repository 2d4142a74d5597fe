package match

import (
	"encoding/binary"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
)

// spans records what became of the bytes up to end. Each span ends where the next begins; neighbours differ. Those that are decided
// are packed: an output of many calls has a span for every few bytes.
//
//	0              list[0].start             end
//	|                   |                     |
//	+-------------------+---------------------+
//	| packed            | may still be cut    |
type spans struct {
	drop   bool   // keep none
	claims claims // of the same bytes
	packed []byte // of each span its region, and its length as a varint
	count  int    // of packed spans
	list   []span
	end    int
}

type span struct {
	region code.Region
	start  int
}

// mark records that the bytes from end up to offset to are of region r.
func (s *spans) mark(r code.Region, to int) {
	if n := len(s.list); n == 0 || s.list[n-1].region != r {
		s.add(r)
	}
	s.end = to
}

func (s *spans) add(r code.Region) { s.list = append(s.list, span{r, s.end}) }

// cut forgets the bytes from offset at on.
func (s *spans) cut(at int) {
	n := len(s.list)
	for n > 0 && s.list[n-1].start >= at {
		n--
	}
	s.list = s.list[:n]
	s.end = min(s.end, at)
	s.claims.cut(at)
}

// many is how many spans are worth packing.
const many = 32

// decide packs all spans but the last, which may grow: they cannot be cut any more.
func (s *spans) decide() {
	last := len(s.list) - 1
	for i := range last {
		s.pack(s.list[i], s.list[i+1].start)
	}
	s.list = s.list[:copy(s.list, s.list[last:])]
}

func (s *spans) pack(x span, end int) {
	if !s.drop {
		s.packed = binary.AppendUvarint(append(s.packed, byte(x.region)), uint64(end-x.start))
		s.count++
	}
}

// report returns the spans for a report, given the length of the generation prompt.
func (s *spans) report(prompt int) []chat.Span {
	if s.drop {
		return nil
	}
	all := make([]chat.Span, 0, s.count+len(s.list)+1)
	if prompt > 0 {
		all = append(all, chat.Span{Region: chat.PromptRegion, End: prompt})
	}
	add := func(r code.Region, start, end int) {
		if start = max(start, prompt); start < end {
			all = append(all, chat.Span{Region: r.Chat(), Start: start, End: end})
		}
	}
	at := 0
	for b := s.packed; len(b) > 0; {
		length, n := binary.Uvarint(b[1:])
		add(code.Region(b[0]), at, at+int(length))
		at += int(length)
		b = b[1+n:]
	}
	for i, x := range s.list {
		end := s.end
		if i+1 < len(s.list) {
			end = s.list[i+1].start
		}
		add(x.region, x.start, end)
	}
	return all
}

// solid returns the offset up to which the bytes are not just white space between markers.
func (s *spans) solid() int {
	if n := len(s.list); n > 0 && s.list[n-1].region == code.SpaceRegion {
		return s.list[n-1].start
	}
	return s.end
}
