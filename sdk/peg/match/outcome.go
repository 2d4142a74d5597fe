package match

// outcome is how an attempt to match went: exactly one of these.
type outcome uint8

const (
	matched outcome = iota // go on behind it
	hungry                 // it takes a byte that is not there yet to tell
	failed                 // what is there does not match
	jumped                 // of an instruction: it has already said where to go on
)
