package jinja

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind says what sort of failure an Error is. It is an error itself, so that errors.Is(err, jinja.Raised) works.
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
	Line     int    // from 1; 0 when the failure has no place
	Column   int    // from 1, in characters; 0 when the failure has no place
	Class    string // Python's name of the exception, such as UndefinedError; empty for limits and deadlines
	Message  string // for Raised the template's own message
	Err      error  // the cause, where there is one: the error of a context
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

// failure is what the package panics with: compilation and rendering recover it at their outermost function. at is an
// offset into the source, or -1 when the place is that of the operation in progress.
type failure struct {
	kind    Kind
	class   string
	message string
	cause   error
	at      int
}

// throw raises a Python exception inside a rendering.
func throw(class, format string, args ...any) {
	panic(&failure{kind: Runtime, class: class, message: fmt.Sprintf(format, args...), at: -1})
}

// exceed raises the failure of a limit.
func exceed(format string, args ...any) {
	panic(&failure{kind: Limit, message: fmt.Sprintf(format, args...), at: -1})
}

// reject raises a syntax error at an offset of the source.
func reject(at int, format string, args ...any) {
	rejectAs("TemplateSyntaxError", at, format, args...)
}

// rejectAs is reject for errors of another class than TemplateSyntaxError.
func rejectAs(class string, at int, format string, args ...any) {
	panic(&failure{kind: Syntax, class: class, message: fmt.Sprintf(format, args...), at: at})
}

// locate turns a failure into an Error with its place in source.
func (f *failure) locate(name, source string) *Error {
	e := &Error{Kind: f.kind, Template: name, Class: f.class, Message: f.message, Err: f.cause}
	if f.at < 0 || f.at > len(source) {
		return e
	}
	before := source[:f.at]
	e.Line = strings.Count(before, "\n") + 1
	e.Column = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return e
}

// recovered turns the value of a recover into a failure. What is none of ours is a fault of this package, or of gonja;
// it must not take the process down, for templates are foreign.
func recovered(p any) *failure {
	if f, ok := p.(*failure); ok {
		return f
	}
	return &failure{kind: Runtime, class: "InternalError", message: fmt.Sprint(p), at: -1}
}
