package library

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/format"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Binary is a op b for the arithmetic operators, including % of strings.
func (e *Env) Binary(op string, a, b value.Value) value.Value {
	if op == "%" {
		if s, ok := value.Text(a); ok {
			return value.MarkedLike(a, format.Printf(&e.Heap, s, b, a))
		}
	}
	return e.Arithmetic(op, a, b)
}
