package session

import (
	"context"
	"slices"
	"sort"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// TokenSession parses one output that comes as token ids. Which bytes came from added tokens, such as <think>, is then known: a
// marker that is one matches only there, so that prose may spell it. It is used by one goroutine at a time.
type TokenSession struct {
	session *Session
	decoder *tokenizer.Decoder
	prompt  int // the length of the generation prompt

	specials []string

	text    []byte        // of the ids that were fed last; its memory is reused
	special []match.Range // in text
	last    []chat.Piece  // of Feed
	counts  chat.TokenCounts
	counted int // how many of ends have been counted as a part of the message, or passed over

	// ends are the offsets in the output at which the texts of ids end, from id number first on, and start is where the first of them
	// begins. What was delivered is dropped at the next call.
	ends         []int
	first, start int
	done, fed    int // the bytes that are delivered, and all
}

// TokenSession starts parsing an output of the plan that comes as the ids of a tokenizer, which must be the model's. Special tokens that
// the plan does not know, such as one that ends every output, are no part of the text, unless Options.KeepSpecial is set.
func (p *Plan) TokenSession(ctx context.Context, t *tokenizer.Tokenizer, o Options) (*TokenSession, error) {
	known, keep := *p, map[tokenizer.ID]bool{}
	markers := spellings(t, keep, p.markers)
	spellings(t, keep, p.PreservedTokens)
	spellings(t, keep, p.Stops)
	if p.code != nil {
		if err := known.compile(p.codes, markers); err != nil {
			return nil, programFault(err)
		}
	}
	s := &TokenSession{decoder: t.ContinueDecoder(), prompt: len(p.GenerationPrompt), specials: markers}
	if !o.KeepSpecial {
		s.decoder.SkipSpecial(keep)
	}
	observe := o.Events
	o.Events = func(e chat.Event) {
		s.count(e)
		if observe != nil {
			observe(e)
		}
	}
	s.session = known.Session(ctx, o)
	return s, nil
}

// spellings adds the added tokens that texts consist of to a set, and returns their spellings.
func spellings(t *tokenizer.Tokenizer, to map[tokenizer.ID]bool, texts []string) (found []string) {
	var ids []tokenizer.ID
	for _, text := range texts {
		ids = t.Append(ids[:0], text, tokenizer.Options{})
		for _, id := range ids {
			if info, _ := t.Token(id); info.Added && !slices.Contains(found, info.Spelling) {
				to[id] = true
				found = append(found, info.Spelling)
			}
		}
	}
	return found
}

// Specials returns the special tokens that markers match as; see Plan.Specials.
func (s *TokenSession) Specials() []string { return s.specials }

// Append takes the next ids of the output, appends to dst what they decided, and returns the extended slice; see Session.Append. The pieces
// say which ids they came from.
func (s *TokenSession) Append(dst []chat.Piece, ids ...tokenizer.ID) ([]chat.Piece, error) {
	s.forget()
	s.text, s.special = s.text[:0], s.special[:0]
	for _, id := range ids {
		var added int
		s.text, added = s.decoder.Append(s.text, id)
		if added > 0 {
			s.special = append(s.special, match.Range{Start: len(s.text) - added, End: len(s.text)})
		}
		s.ends = append(s.ends, s.fed+len(s.text))
	}
	s.counts.Output += len(ids)
	s.fed += len(s.text)
	n := len(dst)
	dst, err := s.session.Append(dst, s.text, s.known())
	s.locate(dst[n:])
	return dst, err
}

// known returns the ranges of special tokens, which are known, even where there are none.
func (s *TokenSession) known() []match.Range {
	if s.special == nil {
		return []match.Range{}
	}
	return s.special
}

// Feed is Append for callers that keep what they get: it returns deltas.
func (s *TokenSession) Feed(ids ...tokenizer.ID) ([]chat.Delta, error) {
	pieces, err := s.Append(s.last[:0], ids...)
	s.last = pieces
	return chat.Deltas(pieces), err
}

// locate gives pieces the ids that they came from, and notes how far the output is delivered. A token whose text spreads over two pieces
// belongs to both.
func (s *TokenSession) locate(pieces []chat.Piece) {
	for i := range pieces {
		p := &pieces[i]
		from := sort.Search(len(s.ends), func(i int) bool { return s.ends[i] > p.From })
		for from > 0 && s.begin(from-1) >= p.From { // tokens that only began a character here, or have no text
			from--
		}
		to := sort.Search(len(s.ends), func(i int) bool { return s.begin(i) >= p.To })
		p.FirstID, p.EndID = s.first+from, s.first+max(from, to)
		s.done = max(s.done, p.To)
	}
}

// begin returns where the text of an id begins.
func (s *TokenSession) begin(i int) int {
	if i == 0 {
		return s.start
	}
	return s.ends[i-1]
}

// count counts the ids that an event was read from. One that reaches over the end of an event counts for it, and not for the next.
func (s *TokenSession) count(e chat.Event) {
	from, to := e.From-s.prompt, e.To-s.prompt
	n := 0
	for ; s.counted < len(s.ends) && s.begin(s.counted) < to; s.counted++ {
		if s.ends[s.counted] > from || s.begin(s.counted) >= from { // a token that only begins a character has no text yet
			n++
		}
	}
	switch e.Kind {
	case chat.ReasoningText:
		s.counts.Reasoning += n
	case chat.ContentText:
		s.counts.Content += n
	default:
		s.counts.Calls += n
	}
}

// forget drops the ids whose texts were delivered.
func (s *TokenSession) forget() {
	n := 0
	for n < s.counted && s.ends[n] <= s.done {
		n++
	}
	if n > 0 {
		s.start = s.ends[n-1]
		s.first, s.counted = s.first+n, s.counted-n
		s.ends = append(s.ends[:0], s.ends[n:]...)
	}
}

// Tokens returns how many ids were fed, and which parts of the message they became.
func (s *TokenSession) Tokens() chat.TokenCounts { return s.counts }

// Held returns how many bytes are received and not yet decided.
func (s *TokenSession) Held() int { return s.session.Held() }

// Waits reports whether feeding the session can block; see Session.Waits.
func (s *TokenSession) Waits() bool { return s.session.Waits() }

// Finish ends the output; see Session.Finish. The report counts the tokens.
func (s *TokenSession) Finish(truncated bool) (Result, error) {
	pieces, result, err := s.AppendLast(nil, truncated)
	result.Deltas = chat.Deltas(pieces)
	return result, err
}

// AppendLast is Finish that appends what the end decided to dst, and leaves the deltas of the result out.
func (s *TokenSession) AppendLast(dst []chat.Piece, truncated bool) ([]chat.Piece, Result, error) {
	s.forget()
	n := len(dst)
	s.text, s.special = s.decoder.Finish(s.text[:0]), s.special[:0]
	if len(s.text) > 0 {
		s.fed += len(s.text)
		if err := s.session.feed(s.text, s.known()); err != nil { // its pieces are taken with the last ones
			return s.session.stream.Append(dst), Result{}, err
		}
		if len(s.ends) > 0 {
			s.ends[len(s.ends)-1] = s.fed
		}
	}
	dst, result, err := s.session.AppendLast(dst, truncated)
	s.locate(dst[n:])
	if result.Report != nil {
		counts := s.counts
		result.Report.Tokens = &counts
	}
	return dst, result, err
}
