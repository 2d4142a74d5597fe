package match

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
)

// spans records what became of the bytes up to end. Each span ends where the next begins; neighbours differ.
type spans struct {
	list []span
	end  int
}

type span struct {
	region code.Region
	start  int
}

// mark records that the bytes from end up to offset to are of region r.
func (s *spans) mark(r code.Region, to int) {
	if n := len(s.list); n == 0 || s.list[n-1].region != r {
		s.list = append(s.list, span{r, s.end})
	}
	s.end = to
}

// cut forgets the bytes from offset at on.
func (s *spans) cut(at int) {
	n := len(s.list)
	for n > 0 && s.list[n-1].start >= at {
		n--
	}
	s.list = s.list[:n]
	s.end = min(s.end, at)
}

// forget forgets the spans before the one that offset keep is in, at and after which the bytes may still become another region.
func (s *spans) forget(keep int) {
	n := len(s.list) - 1
	for n > 0 && s.list[n].start >= keep {
		n--
	}
	if n > 0 {
		s.list = s.list[:copy(s.list, s.list[n:])]
	}
}

// report returns the spans for a report, given the length of the generation prompt.
func (s *spans) report(prompt int) []chat.Span {
	all := make([]chat.Span, 0, len(s.list)+1)
	if prompt > 0 {
		all = append(all, chat.Span{Region: chat.PromptRegion, End: prompt})
	}
	for i, x := range s.list {
		end := s.end
		if i+1 < len(s.list) {
			end = s.list[i+1].start
		}
		if start := max(x.start, prompt); start < end {
			all = append(all, chat.Span{Region: x.region.Chat(), Start: start, End: end})
		}
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
