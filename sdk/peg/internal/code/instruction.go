package code

import (
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// Opcode is what an instruction does.
type Opcode uint8

const (
	// These consume input.

	OpLiteral Opcode = iota // a text
	OpSpace                 // white space, possibly none
	OpChars                 // min to max characters of a class
	OpUntil                 // up to the nearest of several delimiters
	OpString                // the inside of a string up to its quote
	OpValue                 // a JSON or Python value
	OpEnd                   // the end of the input

	// These move about.

	OpChoice  // push a choice frame that goes on at to
	OpChosen  // pop it, go to to: an alternative matched
	OpAgain   // an iteration matched: the frame starts anew from here, go to to
	OpPeek    // push the frame of a lookahead, which goes on at to if it fails
	OpPeeked  // it matched: pop the frame, return to where it began, go to to
	OpNot     // push the frame of a negative lookahead, which goes on at to if it fails
	OpDenied  // it matched: pop the frame, return to where it began, fail
	OpFail    // fail
	OpCall    // push the next address, go to to
	OpReturn  // go back to the newest return address
	OpEnter   // push the frames of an entry, go to its address
	OpJump    // go to to
	OpOpen    // a region of role begins
	OpClose   // it ends
	OpHold    // an outermost atomic region begins
	OpRelease // it ends
	OpHalt    // the program matched
)

// inst is one instruction. What it says of its place in the program (role, region, muted, held, rule) is fixed when the
// program is compiled: a rule is compiled once for each kind of place in which it is used.
type Inst struct {
	Op        Opcode
	Role      peg.Role // what bytes consumed here mean; of opOpen and opClose: the region
	Region    Region   // what becomes of bytes consumed here
	Muted     bool     // within a lookahead: nothing consumed here is told
	held      bool     // within an atomic region
	Recovered bool     // bytes consumed here did not follow the program
	Negated   bool     // within a negative one

	To   int32  // where to go
	Of   int32  // opChosen, opAgain, opPeeked: the address of their choice or lookahead; of those: the address of these
	Node peg.ID // where it comes from
	Rule int32  // the rule that it belongs to, an index into Code.rules

	Min, Max int           // opChars; max < 0: without bound
	First    *scan.ByteSet // opChoice: what the first alternative can begin with; nil: unknown
	Literal  *scan.Literal
	Class    *scan.Class
	Until    *scan.Until
	Quote    byte // opString
	Values   *scan.Accept
}

// speaks says that a byte consumed here, unless it is white space, commits.
func (in *Inst) Speaks() bool { return in.Op <= OpEnd && in.Role.Streams() && !in.held && !in.Muted }

// Code is a compiled program. It is immutable, and may be shared by machines.
type Code struct {
	Insts   []Inst
	Program *peg.Program
	Rules   []string // the names of rules; the first is the program as a whole
	Entries []Entry  // where calls begin
	Resume  int32    // the address of the program that looks for the next call
	Plain   int32    // the address of the program that takes the rest as content
}
