package scan

// outcome is how an attempt to match went: exactly one of these.
type Outcome uint8

const (
	Matched Outcome = iota // go on behind it
	Hungry                 // it takes a byte that is not there yet to tell
	Failed                 // what is there does not match
)
