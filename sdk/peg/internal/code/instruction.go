package code

import (
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// Opcode is what an instruction does.
type Opcode uint8

// The opcodes.
const (
	// These consume input, or test it.

	OpLiteral Opcode = iota // a text
	OpSpace                 // white space, possibly none
	OpChars                 // Min to Max characters of a class
	OpUntil                 // up to the nearest of several delimiters
	OpString                // the inside of a string up to its quote
	OpValue                 // a JSON or Python value
	OpEnd                   // the end of the input; the last of these

	// These move about.

	OpChoice  // push a choice frame that continues at To
	OpChosen  // an alternative matched: pop its frame, go to To
	OpAgain   // an iteration matched: renew its frame from here, go to To
	OpPeek    // push the frame of a lookahead, which continues at To if it fails
	OpPeeked  // the lookahead matched: pop its frame, return to where it began, go to To
	OpNot     // push the frame of a negative lookahead, which continues at To if it fails
	OpDenied  // the negative lookahead matched: pop its frame, return to where it began, fail
	OpFail    // fail
	OpCall    // push the next address, go to To
	OpReturn  // return to the newest return address
	OpEnter   // push the frames of the entry To, go to its address
	OpJump    // go to To
	OpOpen    // a region of Role begins
	OpClose   // it ends
	OpHold    // an outermost atomic region begins
	OpRelease // it ends
	OpHalt    // the program matched
)

// Consumes reports whether the instruction consumes input.
func (o Opcode) Consumes() bool { return o < OpEnd }

// Inst is one instruction.
type Inst struct {
	Op        Opcode
	Role      peg.Role // the meaning of bytes consumed here; of OpOpen and OpClose: of the region
	Region    Region   // what becomes of bytes consumed here
	Muted     bool     // within a lookahead: nothing consumed here is delivered
	held      bool     // within an atomic region
	Recovered bool     // bytes consumed here did not follow the program
	Negated   bool     // within a negative lookahead
	InCall    bool     // within a call, and not in a lookahead
	Omits     bool     // OpCall: the rule stands for something that is missing

	To   int32  // where to go
	Of   int32  // OpChosen, OpAgain, OpPeeked: the address of their choice or lookahead; of those: the address of these
	Node peg.ID // the node that it was compiled from
	Rule int32  // the rule that it belongs to, an index into Code.Rules

	Min, Max int           // OpChars; Max < 0: no upper bound
	First    *scan.ByteSet // OpChoice: what the first alternative can begin with; nil: unknown
	Words    *Words        // OpChoice, OpCall: the texts that it reads; nil: it reads more
	Head     *Head         // OpChoice: what the first alternative begins with; nil: unknown
	Literal  *scan.Literal
	Class    *scan.Class
	Until    *scan.Until
	Quote    byte // OpString
	Values   *scan.Accept
}

// Speaks reports whether a byte consumed here commits, unless it is white space.
func (in *Inst) Speaks() bool { return in.Op.Consumes() && in.Role.Streams() && !in.held && !in.Muted }

// Code is a compiled program. It is immutable, and may be shared by machines.
type Code struct {
	Insts   []Inst
	Program *peg.Program
	Rules   []string // the names of the rules; the first is the program as a whole
	Entries []Entry  // where calls begin
	Resume  int32    // the address of the program that looks for the next call
	Plain   int32    // the address of the program that takes the rest as content
}
