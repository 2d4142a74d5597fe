package match

import "github.com/dragoman-project/dragoman/sdk/peg/internal/scan"

// outcome is how an instruction went: exactly one of these. An instruction that jumped has already set the next one.
type outcome = scan.Outcome

const (
	matched = scan.Matched
	hungry  = scan.Hungry
	failed  = scan.Failed
	jumped  = scan.Failed + 1
)
