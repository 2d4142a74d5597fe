package failure

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of an Error. It is an error itself, so that errors.Is(err, jinja.Raised) works.
type Kind int

// The kinds of failures.
const (
	Syntax   Kind = iota + 1 // the source is not a valid template, or uses something refused
	Runtime                  // an operation failed where Jinja2 fails too: an undefined variable, a wrong type
	Raised                   // the template itself called raise_exception
	Limit                    // a limit was exceeded
	Deadline                 // the context was cancelled, or its time was up
)

var kindNames = [...]string{"unknown", "syntax", "runtime", "raised", "limit", "deadline"}

func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		k = 0
	}
	return kindNames[k]
}

// Error makes a Kind usable as the target of errors.Is.
func (k Kind) Error() string { return "template failure: " + k.String() }

// Error is the failure of a compilation or of a rendering.
type Error struct {
	Kind     Kind
	Template string // name given to Compile
	Line     int    // from 1; 0 if the failure has no place
	Column   int    // from 1, in characters; 0 if the failure has no place
	Class    string // Python's name of the exception, such as UndefinedError; empty for limits and deadlines
	Message  string // for Raised, the template's own message
	Err      error  // the error of the context that ended the rendering, or nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Template)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": ")
	if e.Class != "" {
		b.WriteString(e.Class + ": ")
	}
	b.WriteString(e.Message)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the Kind of e.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// Failure is the value that compiling and rendering panic with. At is an offset into the source, or
// -1 for the operation in progress.
type Failure struct {
	Kind    Kind
	Class   string
	Message string
	Cause   error
	At      int
}

// Throw raises a Python exception during a rendering.
func Throw(class, format string, args ...any) {
	panic(&Failure{Kind: Runtime, Class: class, Message: fmt.Sprintf(format, args...), At: -1})
}

// Exceed raises the failure of a limit.
func Exceed(format string, args ...any) {
	panic(&Failure{Kind: Limit, Message: fmt.Sprintf(format, args...), At: -1})
}

// Reject raises a TemplateSyntaxError at an offset of the source.
func Reject(at int, format string, args ...any) {
	RejectAs("TemplateSyntaxError", at, format, args...)
}

// RejectAs raises a syntax error of another class than TemplateSyntaxError.
func RejectAs(class string, at int, format string, args ...any) {
	panic(&Failure{Kind: Syntax, Class: class, Message: fmt.Sprintf(format, args...), At: at})
}

// Locate converts the failure of the template name to an Error.
func (f *Failure) Locate(name, source string) *Error {
	e := &Error{Kind: f.Kind, Template: name, Class: f.Class, Message: f.Message, Err: f.Cause}
	if f.At < 0 || f.At > len(source) {
		return e
	}
	e.Line, e.Column = Place(source, f.At)
	return e
}

// Place returns the line and the column, in characters, of a byte of a source; both count from 1.
func Place(source string, at int) (line, column int) {
	before := source[:at]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

// Recovered converts the value of a recover to a Failure. A panic of another kind is a bug here or
// in gonja; it must not end the process, because templates are not trusted.
func Recovered(p any) *Failure {
	if f, ok := p.(*Failure); ok {
		return f
	}
	return &Failure{Kind: Runtime, Class: "InternalError", Message: fmt.Sprint(p), At: -1}
}
