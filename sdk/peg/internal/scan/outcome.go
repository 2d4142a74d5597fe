package scan

// Outcome is how an attempt to match went: exactly one of these.
type Outcome uint8

// The outcomes.
const (
	Matched Outcome = iota // what was consumed matches
	Hungry                 // the answer depends on bytes that have not come yet
	Failed                 // the input does not match
)
