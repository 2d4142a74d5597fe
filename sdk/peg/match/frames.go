package match

// frame is an entry of the stack: where to continue, and the state to restore there.
type frame struct {
	kind   frameKind
	lacks  bool
	pc     int32
	pos    int
	queue  int // the length of the queue
	atomic atomic
	limit  int
	sure   int
}

type frameKind uint8

const (
	returning frameKind = iota // where a rule returns to
	choice                     // where to continue if the alternative being tried fails
	looking                    // where to continue if a lookahead fails
	spent                      // a choice that is closed, to be popped when its alternative has matched
)

// open reports whether the machine can fall back to the frame, unless it is dead.
func (f *frame) open() bool { return f.kind == choice || f.kind == looking }

// atomic is the open atomic region, if there is one.
type atomic struct {
	open  bool
	at    int // where it began
	queue int // the length of the queue then
}

// stack holds the frames of choices and rules. An open frame is live if it is at index cut or above: only then can the
// machine still fall back to it.
//
// Invariant: live is the number of live frames; if there are any, first is the index of the oldest.
type stack struct {
	frames []frame
	cut    int
	live   int
	first  int
}

// clear drops all frames.
func (s *stack) clear() { s.frames, s.cut, s.live = s.frames[:0], 0, 0 }

// push adds an open frame, for the caller to fill in.
func (s *stack) push() *frame {
	if s.live == 0 {
		s.first = len(s.frames)
	}
	s.live++
	n := len(s.frames)
	if n < cap(s.frames) {
		s.frames = s.frames[:n+1]
	} else {
		s.frames = append(s.frames, frame{})
	}
	return &s.frames[n]
}

// top returns the newest frame.
func (s *stack) top() *frame { return &s.frames[len(s.frames)-1] }

// pop drops the newest frame.
func (s *stack) pop() {
	top := len(s.frames) - 1
	if top < s.cut {
		s.cut = top
	} else if s.frames[top].open() {
		s.live--
	}
	s.frames = s.frames[:top]
}

// commit kills every live frame. They stay until they are popped.
func (s *stack) commit() { s.cut, s.live = len(s.frames), 0 }

// unwind drops the frames down to and including the newest live one, and returns that, valid until the next push; nil if there is
// none.
func (s *stack) unwind() *frame {
	for i := len(s.frames) - 1; i >= s.cut; i-- {
		if f := &s.frames[i]; f.open() {
			s.frames = s.frames[:i]
			s.live--
			return f
		}
	}
	return nil
}

// newest returns the newest live frame of a choice; nil if there is none.
func (s *stack) newest() *frame {
	for i := len(s.frames) - 1; i >= s.cut; i-- {
		if s.frames[i].kind == choice {
			return &s.frames[i]
		}
	}
	return nil
}

// oldest returns the oldest live frame; nil if there is none.
func (s *stack) oldest() *frame {
	if s.live == 0 {
		return nil
	}
	return &s.frames[s.first]
}
