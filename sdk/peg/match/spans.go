package match

import "github.com/dragoman-project/dragoman/sdk/chat"

// spans says what became of every byte so far. Each span ends where the next begins; neighbours differ.
type spans []span

type span struct {
	region region
	start  int
}

// mark says that the bytes from at on, behind all marked before, are of region r.
func (s *spans) mark(r region, at int) {
	if n := len(*s); n == 0 || (*s)[n-1].region != r {
		*s = append(*s, span{r, at})
	}
}

// cut forgets what was said of the bytes from at on.
func (s *spans) cut(at int) {
	n := len(*s)
	for n > 0 && (*s)[n-1].start >= at {
		n--
	}
	*s = (*s)[:n]
}

// report lists the spans of an input of the given length, its first prompt bytes being the generation prompt.
func (s spans) report(length, prompt int) []chat.Span {
	out := make([]chat.Span, 0, len(s)+1)
	if prompt > 0 {
		out = append(out, chat.Span{Region: chat.PromptRegion, End: prompt})
	}
	for i, x := range s {
		end := length
		if i+1 < len(s) {
			end = s[i+1].start
		}
		if start := max(x.start, prompt); start < end {
			out = append(out, chat.Span{Region: x.region.chat(), Start: start, End: end})
		}
	}
	return out
}
