package value

import (
	"fmt"
	"math"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
)

func (s *Range) len() int {
	width := s.stop - s.start
	step := s.step
	if step < 0 {
		width, step = -width, -step
	}
	if width <= 0 {
		return 0
	}
	return int((width-1)/step + 1)
}

func (s *Range) at(i int) Value { return Int(s.start + int64(i)*s.step) }

// equal compares the elements of two ranges.
func (s *Range) equal(t *Range) bool {
	n := s.len()
	if n != t.len() {
		return false
	}
	return n == 0 || s.start == t.start && (n == 1 || s.step == t.step)
}

// Property returns an attribute of a range, or nil.
func (s *Range) Property(name string) Value {
	switch name {
	case "start":
		return Int(s.start)
	case "stop":
		return Int(s.stop)
	case "step":
		return Int(s.step)
	}
	return nil
}

// Repr implements Special.
func (s *Range) Repr() string {
	if s.step == 1 {
		return fmt.Sprintf("range(%d, %d)", s.start, s.stop)
	}
	return fmt.Sprintf("range(%d, %d, %d)", s.start, s.stop, s.step)
}

// NewRange is range() with the limit of the sandbox.
func NewRange(h *Heap, a []Value) *Range {
	s := &Range{step: 1}
	bounds := make([]int64, len(a))
	for i, v := range a {
		if _, ok := v.(*BigInt); ok {
			failure.Throw("OverflowError", "Python int too large to convert to C ssize_t")
		}
		Index(v)
		bounds[i], _ = Int64(v)
		if bounds[i] > math.MaxInt64/4 || bounds[i] < -math.MaxInt64/4 {
			failure.Throw("OverflowError", "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", h.Limits.Range)
		}
	}
	switch len(bounds) {
	case 1:
		s.stop = bounds[0]
	case 2:
		s.start, s.stop = bounds[0], bounds[1]
	default:
		s.start, s.stop, s.step = bounds[0], bounds[1], bounds[2]
	}
	if s.step == 0 {
		failure.Throw("ValueError", "range() arg 3 must not be zero")
	}
	if s.len() > h.Limits.Range {
		failure.Throw("OverflowError", "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", h.Limits.Range)
	}
	return s
}

// Range is the value of range().
type Range struct{ start, stop, step int64 }

// Class implements Value.
func (*Range) Class() string { return "range" }
