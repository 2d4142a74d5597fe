// Package code compiles programs into instructions for the machine of package match.
//
// An instruction either consumes input by means of a recogniser (package scan) or moves the machine about. Rules become
// subroutines; repetitions with finite bounds are unrolled. Everything that a node's place in the program decides is in
// its instructions: whose text is read, whether it is delivered, what becomes of its bytes. So a rule is compiled once for
// each kind of place where it is used.
//
// The code of a program is followed by two small programs for recovery, which the machine runs after output that breaks
// the format (Code.Resume, Code.Plain). They enter the program again where a call can begin (Entry).
package code
