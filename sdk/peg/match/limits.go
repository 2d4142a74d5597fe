package match

import "math"

// Limits on what a program may cost, in one place. They count bytes and instructions of the program's own making, never
// anything that the borders between chunks could change.
const (
	// maxAtomic is how many bytes an atomic region or a lookahead may read; reading more is a mismatch.
	maxAtomic = 64 << 10
	// maxUndecided is how many bytes may wait for a decision; more than that speaks for itself.
	maxUndecided = 64 << 10
	// maxBlank is how much white space waits for speech; more than that speaks for itself.
	maxBlank = 256
	// maxFaults is how many faults a report lists.
	maxFaults = 32

	// A machine may take so many steps, fall back so often, and read so many bytes again, at the start and for every byte
	// that it has come to. Beyond that the program has lost, and the rest of the output is content.
	maxSteps            = 1 << 16
	maxStepsPerByte     = 1 << 10
	maxFallbacks        = 1 << 12
	maxFallbacksPerByte = 1 << 6
	maxReread           = 1 << 20
	maxRereadPerByte    = 1 << 6
)

// unlimited is the limit where there is none.
const unlimited = math.MaxInt

// cost is what the machine has done. Nothing of it depends on how the input was cut.
type cost struct {
	steps     int // instructions run to their end
	fallbacks int
	reread    int // bytes read again
}

// excessive says that it is too much for an input that has been read up to farthest.
func (c *cost) excessive(farthest int) bool {
	return c.steps > maxSteps+maxStepsPerByte*farthest ||
		c.fallbacks > maxFallbacks+maxFallbacksPerByte*farthest ||
		c.reread > maxReread+maxRereadPerByte*farthest
}
