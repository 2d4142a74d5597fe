package render

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"strings"
	"sync"
	"time"

	gojson "github.com/go-json-experiment/json"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// state is what a client echoes with the next chunk of a stream: the name of a session in this process, and how many chunks it has
// taken. After the end of the output there is no session, and all that is left is a number.
type state struct {
	Session   string `json:"session,omitempty"`
	Chunks    int    `json:"chunks"`
	Ended     bool   `json:"ended,omitzero"`
	Completed int    `json:"completion_tokens,omitzero"` // once it has ended
	Reasoning *int   `json:"reasoning_tokens,omitzero"`  // of those
}

// streams are the outputs that come chunk by chunk.
type streams struct {
	host     *host.Host
	instance string // names this process in states
	seed     maphash.Seed
	mu       *sync.Mutex
	open     map[string]*stream
}

func newStreams(h *host.Host) streams {
	return streams{host: h, instance: rand.Text()[:8], seed: maphash.MakeSeed(), mu: new(sync.Mutex), open: map[string]*stream{}}
}

// stream is one output that comes chunk by chunk.
type stream struct {
	mu     sync.Mutex
	name   string
	model  *host.Model
	index  int // of the choice
	out    *output
	object string
	id     string
	began  time.Time
	chunks int
	text   int // characters so far, of a completion

	last  []byte // the answer to the latest chunk, for a client that has not received it
	mark  uint64 // of that chunk
	close func()
	idle  *time.Timer
}

// keptAnswer is the largest answer that is kept for a client that asks again.
const keptAnswer = 64 << 10

// chunkAnswer is the answer to a chunk.
type chunkAnswer struct {
	Chunk chunk `json:"chunk"`
	State state `json:"stream_state"`
}

type chunk struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []chunkChoice `json:"choices"`
	Usage   *usage        `json:"usage,omitzero"`
}

// chunkChoice is what a chunk adds: a delta to a message, or a text to a completion.
type chunkChoice struct {
	Index        int     `json:"index"`
	Delta        *delta  `json:"delta,omitzero"`
	Text         *string `json:"text,omitzero"`
	Logprobs     any     `json:"logprobs"`
	FinishReason *string `json:"finish_reason"`
}

// planner returns the plan of the request that an output answers, and whether it wants special tokens skipped; no plan for plain text.
type planner func(*host.Model) (*host.Planned, *bool, error)

// stream answers one chunk. plan is called for the first one.
func (s *Service) stream(w http.ResponseWriter, r *http.Request, in *derenderRequest, prompt int, object string, plan planner) error {
	const place = "generate_chunk"
	switch {
	case in.Chunk == nil:
		return fault.Invalid(place, "expected a chunk of the engine, found nothing")
	case len(in.Chunk.Choices) > 1:
		return fault.Invalid(place+".choices", fmt.Sprintf("expected at most one choice, found %d; send a chunk for each, with a state of its own", len(in.Chunk.Choices)))
	}
	var known *state
	if raw := set(in.State); len(raw) > 0 {
		known = new(state)
		if err := read("stream_state", raw, known); err != nil {
			return err
		}
	}
	switch {
	case len(in.Chunk.Choices) == 0:
		return s.countOnly(w, r, in, known, prompt, object)
	case known == nil:
		st, err := s.begin(r, in, object, plan)
		if err != nil {
			return err
		}
		st.mu.Lock()
		defer st.mu.Unlock()
		return s.next(w, r, st, in, prompt)
	case known.Ended:
		return fault.Invalid("stream_state", "the output has ended; send what follows with a new stream_state, null")
	}
	st, err := s.streams.find(known.Session)
	if err != nil {
		return err
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case st.close == nil:
		return errGone
	case st.object != object:
		return fault.Invalid("stream_state", "it belongs to a stream of the other endpoint")
	case known.Chunks == st.chunks-1 && st.last != nil && st.mark == s.streams.hash(in.Chunk):
		return send(w, st.last) // the client has not received the answer
	case known.Chunks != st.chunks:
		return fault.Invalid("stream_state", fmt.Sprintf("it was echoed after %d chunks, but %d were received; echo the state of the latest answer, one chunk at a time", known.Chunks, st.chunks))
	}
	return s.next(w, r, st, in, prompt)
}

// hash identifies a chunk.
func (s *streams) hash(g *generated) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	c := &g.Choices[0]
	for _, id := range c.TokenIDs {
		maphash.WriteComparable(&h, id)
	}
	if c.FinishReason != nil {
		_, _ = h.WriteString(*c.FinishReason) // never fails
	}
	return h.Sum64()
}

// countOnly answers a chunk without a choice, which has the usage.
func (s *Service) countOnly(w http.ResponseWriter, r *http.Request, in *derenderRequest, known *state, prompt int, object string) error {
	m, _, err := s.model(r.Context(), in.Model)
	if err != nil {
		return err
	}
	if known == nil {
		known = new(state)
	}
	completed, reasoning := known.Completed, known.Reasoning
	if st, err := s.streams.find(known.Session); err == nil {
		st.mu.Lock()
		completed, reasoning = st.out.count, st.out.reasoning()
		st.mu.Unlock()
	}
	counted := newUsage(prompt, completed, reasoning)
	if u := in.Chunk.Usage; u != nil {
		counted = newUsage(max(prompt, u.Prompt), u.Completion, reasoning)
	}
	return answer(w, chunkAnswer{chunk{ID: in.Chunk.RequestID, Object: object, Created: time.Now().Unix(), Model: m.Name, Choices: []chunkChoice{}, Usage: counted}, *known})
}

// begin begins the stream of a first chunk. The caller has it for itself.
func (s *Service) begin(r *http.Request, in *derenderRequest, object string, plan planner) (*stream, error) {
	m, t, err := s.model(r.Context(), in.Model)
	if err != nil {
		return nil, err
	}
	if err := in.Chunk.check("generate_chunk", t); err != nil {
		return nil, err
	}
	planned, skip, err := plan(m)
	if err != nil {
		return nil, err
	}
	release, err := api.Outputs(r.Context(), 1)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background()) // it outlives the request
	st := &stream{name: s.streams.instance + "." + rand.Text(), model: m, index: in.Chunk.Choices[0].Index, object: object, id: in.Chunk.RequestID, began: time.Now()}
	if st.out, err = newOutput(ctx, t, planned, skip); err != nil {
		cancel()
		release()
		return nil, err
	}
	st.close = func() {
		st.out.close()
		cancel()
		release()
	}
	return st, nil
}

// next takes the next chunk of a stream, whose lock the caller holds, and answers.
func (s *Service) next(w http.ResponseWriter, r *http.Request, st *stream, in *derenderRequest, prompt int) error {
	reply, err := s.advance(st, in, prompt)
	if err != nil {
		if st.chunks == 0 || !errors.Is(err, errChunk) {
			s.streams.end(st)
		}
		return err
	}
	data, err := gojson.Marshal(reply, gojson.FormatNilSliceAsNull(true))
	if err != nil {
		s.streams.end(st)
		return err
	}
	if reply.State.Ended {
		s.streams.end(st)
		api.Note(r.Context(), api.Facts{Template: st.model.Name, PromptTokens: prompt, CompletionTokens: st.out.count})
	} else {
		st.last, st.mark = nil, 0
		if len(data) <= keptAnswer {
			st.last, st.mark = data, s.streams.hash(in.Chunk)
		}
		s.streams.keep(st)
	}
	return send(w, data)
}

// errChunk is the cause of errors of chunks that leave the stream as it was.
var errChunk = errors.New("invalid chunk")

// advance takes the ids of a chunk and returns the answer.
func (s *Service) advance(st *stream, in *derenderRequest, prompt int) (*chunkAnswer, error) {
	c := &in.Chunk.Choices[0]
	const place = "generate_chunk"
	if err := in.Chunk.check(place, st.out.tokens); err != nil {
		return nil, unchanged(err)
	}
	if c.Index != st.index {
		return nil, unchanged(fault.Invalid(place+".choices[0].index", fmt.Sprintf("expected %d, the choice of this stream, found %d", st.index, c.Index)))
	}
	probable, err := probabilities(st.out.tokens, place+".choices[0].logprobs", c.Logprobs)
	if err != nil {
		return nil, unchanged(err)
	}
	var d delta
	pieces, err := st.out.take(c.TokenIDs)
	if err != nil {
		return nil, err
	}
	d.add(pieces)
	one := chunkChoice{Index: c.Index}
	if c.FinishReason != nil {
		last, reason, err := st.out.finish(*c.FinishReason)
		if err != nil {
			return nil, err
		}
		d.add(last)
		one.FinishReason = &reason
	}
	if st.object == "text_completion" {
		text := ""
		if d.Content != nil {
			text = string(*d.Content)
		}
		one.Text = &text
		if probable != nil {
			one.Logprobs = newCompletionLogprobs(probable, st.text)
		}
		st.text += len([]rune(text))
	} else {
		if st.chunks == 0 {
			d.Role = "assistant"
			if d.Content == nil && d.Reasoning == nil && len(d.Calls) == 0 {
				d.Content = new(growing)
			}
		}
		one.Delta = &d
		if probable != nil {
			one.Logprobs = chatLogprobs{probable}
		}
	}
	st.chunks++
	reply := &chunkAnswer{chunk{ID: st.id, Object: st.object, Created: st.began.Unix(), Model: st.model.Name, Choices: []chunkChoice{one}},
		state{Session: st.name, Chunks: st.chunks}}
	if c.FinishReason != nil {
		reply.State = state{Chunks: st.chunks, Ended: true, Completed: st.out.count, Reasoning: st.out.reasoning()}
	}
	if in.Chunk.Usage != nil {
		reply.Chunk.Usage = newUsage(max(prompt, in.Chunk.Usage.Prompt), max(st.out.count, in.Chunk.Usage.Completion), st.out.reasoning())
	}
	return reply, nil
}

// unchanged marks an error that leaves the stream as it was.
func unchanged(err error) error {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err
	}
	out := *known
	out.Err = errChunk
	return &out
}

var errGone = fault.Invalid("stream_state", "the stream has ended, or was silent for longer than limits.session_idle; begin again with null and everything that was generated")

// find returns the open stream of that name.
func (s *streams) find(name string) (*stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.open[name]
	if st != nil {
		return st, nil
	}
	if instance, _, ours := strings.Cut(name, "."); !ours || instance != s.instance {
		return nil, fault.Invalid("stream_state", "another process has begun this stream, or this one before it was restarted; send all chunks of a stream to the same replica, or begin again with null and everything that was generated")
	}
	return nil, errGone
}

// keep keeps a stream for its next chunk, which may take limits.session_idle to come.
func (s *streams) keep(st *stream) {
	limits := s.host.Snapshot().Config.Limits
	wait := min(limits.SessionIdle, time.Until(st.began.Add(limits.SessionTime)))
	if st.idle != nil {
		st.idle.Reset(wait)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[st.name] = st
	st.idle = time.AfterFunc(wait, func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		s.end(st)
	})
}

// end forgets a stream, whose lock the caller holds.
func (s *streams) end(st *stream) {
	s.mu.Lock()
	delete(s.open, st.name)
	s.mu.Unlock()
	if st.idle != nil {
		st.idle.Stop()
	}
	if st.close != nil {
		st.close()
		st.close = nil
	}
}

// within puts a place before that of an error.
func within(place string, err error) error {
	var known *fault.Error
	if !errors.As(err, &known) || known.Code != fault.InvalidArgument {
		return err
	}
	out := *known
	out.Place = strings.TrimSuffix(place+"."+known.Place, ".")
	return &out
}
