package match

import "github.com/dragoman-project/dragoman/sdk/peg"

// opcode is what an instruction does.
type opcode uint8

const (
	// These consume input.

	opLiteral opcode = iota // a text
	opSpace                 // white space, possibly none
	opChars                 // min to max characters of a class
	opUntil                 // up to the nearest of several delimiters
	opString                // the inside of a string up to its quote
	opValue                 // a JSON or Python value
	opEnd                   // the end of the input

	// These move about.

	opChoice  // push a choice frame that goes on at to
	opChosen  // pop it, go to to: an alternative matched
	opAgain   // an iteration matched: the frame starts anew from here, go to to
	opPeek    // push the frame of a lookahead, which goes on at to if it fails
	opPeeked  // it matched: pop the frame, return to where it began, go to to
	opNot     // push the frame of a negative lookahead, which goes on at to if it fails
	opDenied  // it matched: pop the frame, return to where it began, fail
	opFail    // fail
	opCall    // push the next address, go to to
	opReturn  // go back to the newest return address
	opEnter   // push the frames of an entry, go to its address
	opJump    // go to to
	opOpen    // a region of role begins
	opClose   // it ends
	opHold    // an outermost atomic region begins
	opRelease // it ends
	opHalt    // the program matched
)

// inst is one instruction. What it says of its place in the program (role, region, muted, held, rule) is fixed when the
// program is compiled: a rule is compiled once for each kind of place in which it is used.
type inst struct {
	op        opcode
	role      peg.Role // what bytes consumed here mean; of opOpen and opClose: the region
	region    region   // what becomes of bytes consumed here
	muted     bool     // within a lookahead: nothing consumed here is told
	held      bool     // within an atomic region
	recovered bool     // bytes consumed here did not follow the program
	negated   bool     // within a negative one

	to   int32  // where to go
	of   int32  // opChosen, opAgain, opPeeked: the address of their choice or lookahead; of those: the address of these
	node peg.ID // where it comes from
	rule int32  // the rule that it belongs to, an index into Code.rules

	min, max int      // opChars; max < 0: without bound
	first    *byteSet // opChoice: what the first alternative can begin with; nil: unknown
	literal  *literal
	class    *class
	until    *until
	quote    byte // opString
	values   *values
}

// speaks says that a byte consumed here, unless it is white space, commits.
func (in *inst) speaks() bool { return in.op <= opEnd && in.role.Streams() && !in.held && !in.muted }

// Code is a compiled program. It is immutable, and may be shared by machines.
type Code struct {
	insts   []inst
	program *peg.Program
	rules   []string // the names of rules; the first is the program as a whole
	entries []entry  // where calls begin
	resume  int32    // the address of the program that looks for the next call
	plain   int32    // the address of the program that takes the rest as content
}
