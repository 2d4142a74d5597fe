package match

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/emit"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// Machine runs code over one output. It is not safe for concurrent use.
type Machine struct {
	code    *code.Code
	emitter emit.Emitter

	input         // what was fed
	eof    bool   // Finish was called
	cut    bool   // the engine stopped for length: more would have followed
	stack         // where the machine can fall back or go back to
	queue  queue  // what is not decided yet
	spans  spans  // what became of the bytes before pos, except those that a lookahead has read
	atomic atomic // the atomic region that is open
	limit  int    // bytes from here on are hidden: an atomic region or a lookahead must end before
	sure   int    // entries of the queue from this index on count only if the program reaches its end
	lacks  bool   // a marker is missing where the output ends

	pc     int32       // the instruction to run
	count  int         // its progress, if it can stop half-way; 0 at its beginning
	value  scan.Value  // its progress, of code.OpValue
	quoted scan.Quoted // its progress, of code.OpString

	cost         cost
	farthest     int          // the farthest offset reached
	expectations expectations // what was expected where the program failed
	prompt       int          // bytes of the generation prompt
	lost         bool         // the machine looks for content only
	over         bool         // the program reached its end, or the output did
	report       chat.Report
}

// New returns a machine that delivers events to sink, in order, while it is fed. The text of an event belongs to the machine
// and must be copied to be kept.
func New(c *Code, sink chat.Sink) *Machine {
	return &Machine{code: c.code, emitter: emit.Emitter{Sink: sink}, limit: unlimited, sure: unlimited}
}

// DropSpans keeps no spans if it is called before the first byte: the report has none, and the memory of the machine does not
// depend on how much it has read.
func (m *Machine) DropSpans() { m.spans.drop = true }

// Prompt feeds the generation prompt, which the model did not write, and so moves the machine to its start state. It must
// come first; later it counts as output. What the program reads in it is delivered, but a recovery never delivers it.
func (m *Machine) Prompt(text string) {
	if m.end() == 0 && !m.eof {
		m.prompt = len(text)
	}
	m.Feed([]byte(text))
}

// Feed parses the next chunk, cut anywhere, and delivers what it decides. It does not keep the chunk. After Finish it does
// nothing.
func (m *Machine) Feed(chunk []byte) {
	if len(chunk) == 0 || m.eof || m.flows(chunk) {
		return
	}
	m.add(chunk)
	m.run()
	keep := m.keep()
	if keep == m.end() { // nothing is held, most of the time
		m.forget(keep)
	} else {
		m.report.MaxHeld = max(m.report.MaxHeld, m.end()-keep)
		m.release(keep)
	}
}

// flows delivers a chunk that only continues a text, as most do, and reports whether it is one: it holds no beginning of a delimiter,
// or is plain within a string. It does what running the code would do.
func (m *Machine) flows(chunk []byte) bool {
	in := &m.code.Insts[m.pc]
	if in.Role == peg.NoRole || in.Muted || m.over || len(m.text) > 0 || !m.settled() || m.limit != unlimited {
		return false
	}
	continues := false
	switch in.Op {
	case code.OpUntil:
		_, o := in.Until.Find(chunk, m.pos, &m.tokens)
		continues = o == failed
	case code.OpValue:
		continues = m.count > 0 && m.value.Continues(chunk)
	case code.OpString:
		continues = m.count > 0 && m.quoted.Continues(chunk)
	}
	if !continues {
		return false
	}
	m.emitter.From = m.pos
	m.pos += len(chunk)
	m.base, m.emitter.To = m.pos, m.pos
	m.spans.mark(in.Region, m.pos)
	if m.spans.claims.kept {
		m.spans.claims.add(in, m.emitter.From, m.pos)
	}
	m.emitter.Text(in.Role, chunk, in.Recovered)
	m.tokens.Forget(m.pos)
	return true
}

// Range is a range of bytes of a chunk, End exclusive.
type Range = scan.Range

// FeedSpecial is Feed for engines that report which bytes came from special tokens: special lists the byte ranges of this
// chunk that did, in order. The texts of special tokens (Options.Specials) are markup there, and nowhere else in the chunk.
func (m *Machine) FeedSpecial(chunk []byte, special []Range) {
	if m.eof {
		return
	}
	m.tokens.Add(m.end(), len(chunk), special)
	m.Feed(chunk)
}

// Held returns how many bytes are not decided yet.
func (m *Machine) Held() int { return m.end() - m.keep() }

// keep returns the offset of the first byte that the machine may still need.
func (m *Machine) keep() int {
	keep := m.pos
	if m.settled() {
		return keep
	}
	if f := m.oldest(); f != nil {
		keep = min(keep, f.pos)
	}
	if m.atomic.open {
		keep = min(keep, m.atomic.at)
	}
	return min(keep, m.queue.begin(keep))
}

// settled reports whether everything up to the present place is decided and delivered.
func (m *Machine) settled() bool { return m.live == 0 && !m.atomic.open && len(m.queue) == 0 }

// Finish ends the output, delivers what that decides, and returns the report. Truncated means that the engine stopped for
// length, so that anything could have followed. It may be called again.
func (m *Machine) Finish(truncated bool) *chat.Report {
	if m.eof {
		return &m.report
	}
	m.eof, m.cut = true, truncated
	m.run()
	if m.report.Status == "" {
		m.report.Status = chat.Complete
	}
	m.report.Notes = append(m.report.Notes, m.emitter.Notes()...)
	m.report.Length = m.end()
	m.report.PromptLength = m.prompt
	m.report.Spans = m.spans.report(m.prompt)
	return &m.report
}

// run runs instructions until the program ends or needs input.
func (m *Machine) run() {
	for !m.over {
		in := &m.code.Insts[m.pc]
		var o outcome
		if in.Op == code.OpUntil { // most of the time
			o = m.until(in)
		} else {
			o = m.step(in)
		}
		if o == hungry {
			if !m.eof && m.end() < m.limit {
				return // until more comes
			}
			m.starve(in)
			continue
		}
		m.farthest = max(m.farthest, m.pos)
		m.cost.steps++
		switch {
		case m.over:
		case m.cost.excessive(m.farthest) && !m.lost:
			m.giveUp("the program takes too long")
		case o == matched:
			m.pc++
			m.count = 0
		case o == failed:
			m.fail(in)
		}
	}
}
