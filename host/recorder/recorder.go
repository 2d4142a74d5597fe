package recorder

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Result is what became of an output that was to be recorded.
type Result string

// The results.
const (
	Written  Result = "written"
	TooLarge Result = "too_large" // it is larger than a recording may be
	NoMemory Result = "no_memory" // the tapes that run are as large as all may be together
	Busy     Result = "busy"      // the writer does not keep up
	Failed   Result = "failed"    // it could not be written: the disk is full, or broken
)

// Results are all results.
var Results = []Result{Written, TooLarge, NoMemory, Busy, Failed}

// Output is what is known of an output before it begins.
type Output struct {
	Source     Template
	Request    *chat.Request
	Draft      *session.Draft
	Specials   []string
	Version    string // of the handler
	Generation uint64
	RulesHash  string
	Unproven   bool
}

const (
	// queued is how many tapes may wait for the writer.
	queued = 1024
	// promptBytes is how much of a prompt's end is kept; what is redacted in it is looked for in so much more before it.
	promptBytes = 4 << 10
	// pruneEvery is how often recordings that are too old are looked for.
	pruneEvery = time.Minute
	// warnEvery is how often a log may complain.
	warnEvery = time.Minute
)

// Recorder records outputs. It is safe for concurrent use. A nil Recorder records nothing.
type Recorder struct {
	log     *slog.Logger
	version string
	folder  *Folder
	writer  *writer
	rules   atomic.Pointer[rules]
	memory  atomic.Int64 // bytes of all tapes
	queue   chan *Tape
	counts  [5]atomic.Uint64 // by the index of the result in Results
	warned  time.Time        // by the goroutine that writes

	stop    chan struct{}
	stopped sync.WaitGroup
	closing sync.Once

	mu       sync.Mutex
	watching map[chan Summary]func(*Summary) bool
}

// rules are what a configuration says of recordings.
type rules struct {
	templates []*regexp.Regexp
	share     float64
	always    []Mark
	bounds    bounds
	redaction redaction
}

// New returns a recorder with a goroutine that writes, until Close; nil if the configuration names no folder. version is that of
// Dragoman.
func New(c config.Recorder, version string, log *slog.Logger) (*Recorder, error) {
	if c.Dir == "" {
		return nil, nil
	}
	secret, err := c.Secret()
	if err != nil {
		return nil, err
	}
	key, err := NewKey(secret)
	if err != nil {
		return nil, err
	}
	return start(c, version, log, newWriter(c.Dir, key))
}

// start starts a recorder with a writer.
func start(c config.Recorder, version string, log *slog.Logger, w *writer) (*Recorder, error) {
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return nil, err
	}
	r := &Recorder{log: log, version: version, folder: Open(w.dir, w.key), writer: w, queue: make(chan *Tape, queued), stop: make(chan struct{}), watching: map[chan Summary]func(*Summary) bool{}}
	r.Configure(c)
	r.stopped.Go(r.run)
	return r, nil
}

// Configure takes over the settings that may change while the daemon runs. They must be valid.
func (r *Recorder) Configure(c config.Recorder) {
	if r == nil {
		return
	}
	next := &rules{share: c.Share, bounds: bounds{int64(c.Bytes), c.Age}}
	for _, name := range c.Templates {
		next.templates = append(next.templates, pattern(name))
	}
	for _, m := range c.Always {
		next.always = append(next.always, Mark(m))
	}
	next.redaction.roles = c.RedactRoles
	for _, path := range c.RedactMembers {
		next.redaction.members = append(next.redaction.members, strings.Split(path, "."))
	}
	for _, p := range c.RedactPatterns {
		next.redaction.patterns = append(next.redaction.patterns, regexp.MustCompile(p))
	}
	r.rules.Store(next)
}

// Folder returns a reader of what is recorded; nil if the recorder is.
func (r *Recorder) Folder() *Folder {
	if r == nil {
		return nil
	}
	return r.folder
}

// Counts returns how many outputs had which result.
func (r *Recorder) Counts() map[Result]uint64 {
	if r == nil {
		return nil
	}
	counts := map[Result]uint64{}
	for i, result := range Results {
		counts[result] = r.counts[i].Load()
	}
	return counts
}

func (r *Recorder) count(result Result) { r.counts[slices.Index(Results, result)].Add(1) }

// Begin returns the tape of an output that begins now; nil if it cannot be kept, whatever becomes of it.
func (r *Recorder) Begin(o *Output) *Tape {
	if r == nil || o == nil {
		return nil
	}
	rules := r.rules.Load()
	if len(rules.templates) > 0 && !slices.ContainsFunc(rules.templates, func(p *regexp.Regexp) bool { return p.MatchString(o.Source.Name) }) {
		return nil
	}
	chosen := rules.share > 0 && rand.Float64() < rules.share
	if !chosen && len(rules.always) == 0 {
		return nil
	}
	t := tapes.Get().(*Tape)
	t.recorder, t.output, t.specials, t.chosen, t.began = r, o, o.Specials, chosen, time.Now()
	if r.memory.Add(int64(cap(t.text)+cap(t.pieces))) > maxMemory {
		t.lose(NoMemory)
	}
	return t
}

// take decides about a tape that has ended.
func (r *Recorder) take(t *Tape) {
	marks := marksOf(&t.report, t.output.Unproven)
	rules := r.rules.Load()
	if !t.chosen && !slices.ContainsFunc(marks, func(m Mark) bool { return slices.Contains(rules.always, m) }) {
		t.free()
		return
	}
	if t.lost != "" {
		r.count(t.lost)
		t.free()
		return
	}
	select {
	case r.queue <- t:
	default:
		r.count(Busy)
		t.free()
	}
}

// run writes what is queued until the recorder closes, and then what is left.
func (r *Recorder) run() {
	due := time.NewTicker(pruneEvery)
	defer due.Stop()
	for {
		select {
		case t := <-r.queue:
			r.write(t)
		case <-due.C:
			if err := r.writer.room(0, r.rules.Load().bounds); err != nil {
				r.warn(err)
			}
		case <-r.stop:
			r.drain()
			return
		}
	}
}

func (r *Recorder) drain() {
	for {
		select {
		case t := <-r.queue:
			r.write(t)
		default:
			if err := r.writer.end(); err != nil {
				r.warn(err)
			}
			return
		}
	}
}

// write writes a tape, and gives it back.
func (r *Recorder) write(t *Tape) {
	defer t.free()
	rules := r.rules.Load()
	recording, err := t.recording(rules)
	if err == nil {
		key, program := programOf(t.output.Draft.Program)
		err = r.writer.write(recording, key, program, rules.bounds)
	}
	if err != nil {
		r.count(Failed)
		r.warn(err)
		return
	}
	r.count(Written)
	r.tell(&recording.Summary)
}

// warn logs an error, unless it has logged one lately.
func (r *Recorder) warn(err error) {
	if time.Since(r.warned) > warnEvery {
		r.warned = time.Now()
		r.log.Warn("recordings are lost", "folder", r.writer.dir, "error", err)
	}
}

// programOf returns what identifies a program, and what encodes it; nil for a plan without a program.
func programOf(p *peg.Program) (key string, encode func() ([]byte, error)) {
	if p == nil {
		return "", nil
	}
	digest := p.Digest()
	return string(digest[:]), func() ([]byte, error) {
		m, err := wire.EncodeProgram(p)
		if err != nil {
			return nil, err
		}
		return proto.Marshal(m)
	}
}

// recording returns what is kept of a tape.
func (t *Tape) recording(rules *rules) (*Recording, error) {
	o, d := t.output, t.output.Draft
	request, err := o.Request.MarshalJSON()
	if err != nil {
		return nil, err
	}
	out := &Recording{
		Summary: Summary{
			At: t.began, Took: t.took, Template: o.Source.Name, TemplateHash: o.Source.Hash, Handler: d.Handler, HandlerVersion: o.Version,
			Version: t.recorder.version, Generation: o.Generation, RulesHash: o.RulesHash, Status: t.report.Status,
			Marks: marksOf(&t.report, o.Unproven), Limited: t.limited, Bytes: len(t.text), Pieces: t.count,
		},
		details: details{
			Request: request, PromptTail: tail(d.Prompt, d.GenerationPrompt, 2*promptBytes), GenerationPrompt: d.GenerationPrompt, Report: &t.report, Now: o.Request.Now,
			Parser: Parser{PreservedTokens: d.PreservedTokens, Specials: t.specials, SupportsThinking: d.SupportsThinking, ThinkingStart: d.ThinkingStart,
				ThinkingEnds: d.ThinkingEnds, Stream: d.Program == nil},
		},
		Source: o.Source, Output: t.text, pieces: t.pieces,
	}
	if err := rules.redaction.apply(out); err != nil {
		return nil, err
	}
	out.PromptTail = tail(out.PromptTail, "", promptBytes)
	return out, nil
}

// tail returns the end of a prompt before its last part, in whole characters.
func tail(prompt, last string, most int) string {
	prompt = strings.TrimSuffix(prompt, last)
	from := max(0, len(prompt)-most)
	for from < len(prompt) && !utf8.RuneStart(prompt[from]) {
		from++
	}
	return prompt[from:]
}

// Watch returns a channel of the recordings that a filter chooses, as they are written, until ctx ends. What is not received in time
// is left out.
func (r *Recorder) Watch(ctx context.Context, f Filter) <-chan Summary {
	const waiting = 64
	to := make(chan Summary, waiting)
	r.mu.Lock()
	r.watching[to] = f.Match()
	r.mu.Unlock()
	context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.watching, to)
	})
	return to
}

func (r *Recorder) tell(s *Summary) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for to, chosen := range r.watching {
		if !chosen(s) {
			continue
		}
		select {
		case to <- *s:
		default:
		}
	}
}

// Close writes what is queued, and stops.
func (r *Recorder) Close() {
	if r != nil {
		r.closing.Do(func() { close(r.stop) })
		r.stopped.Wait()
	}
}
