package match

import (
	"unsafe"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// Options are what the machine knows besides the program. The zero value knows nothing.
type Options struct {
	// Specials are the texts of special tokens. Where a machine knows which bytes came from special tokens
	// (Machine.FeedSpecial), these texts match there and nowhere else.
	Specials []string
}

// Code is a compiled program. It is immutable, and may be shared by machines.
type Code struct{ code *code.Code }

// Compile compiles a program. The error is a peg.Defects.
func Compile(p *peg.Program, o Options) (*Code, error) {
	c, err := code.Compile(p, o.Specials)
	if err != nil {
		return nil, err
	}
	return &Code{c}, nil
}

// size returns about how many bytes of memory the code and its program take.
func (c *Code) size() int {
	const operand = unsafe.Sizeof(scan.Until{}) // of most instructions: a literal, a class, or delimiters
	return c.code.Program.Size() + len(c.code.Insts)*int(unsafe.Sizeof(code.Inst{})+operand)
}
