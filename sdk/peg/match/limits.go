package match

import "math"

// Limits on what running a program may cost. They count bytes and instructions, never anything that the borders between
// chunks could change.
const (
	// maxAtomic is how many bytes an atomic region or a lookahead may read; reading more is a mismatch.
	maxAtomic = 64 << 10
	// maxUndecided is how many bytes may wait for a decision; more than that speaks for itself.
	maxUndecided = 64 << 10
	// maxBlank is how much white space waits for speech; more than that speaks for itself.
	maxBlank = 256
	// maxFaults is how many faults a report lists.
	maxFaults = 32

	// A machine may run so many instructions, fall back so often, and read so many bytes again: an allowance at the start, and
	// one for each byte reached. Beyond that the rest of the output is content.
	maxSteps            = 1 << 16
	maxStepsPerByte     = 1 << 10
	maxFallbacks        = 1 << 12
	maxFallbacksPerByte = 1 << 6
	maxReread           = 1 << 20
	maxRereadPerByte    = 1 << 6
)

// unlimited stands for no limit.
const unlimited = math.MaxInt

// cost counts what the machine has done. It does not depend on how the input was cut.
type cost struct {
	steps     int // instructions run to their end
	fallbacks int
	reread    int // bytes read again
}

// excessive reports whether the cost is too high for an input that has been read up to farthest.
func (c *cost) excessive(farthest int) bool {
	return c.steps > maxSteps+maxStepsPerByte*farthest ||
		c.fallbacks > maxFallbacks+maxFallbacksPerByte*farthest ||
		c.reread > maxReread+maxRereadPerByte*farthest
}
