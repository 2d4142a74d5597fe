package peg_test

import (
	"reflect"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// TestEveryFieldOfANodeTellsProgramsApart changes one field after the other, also those that are yet to be added.
func TestEveryFieldOfANodeTellsProgramsApart(t *testing.T) {
	seen := map[peg.Digest]string{(&peg.Program{Nodes: make([]peg.Node, 1)}).Digest(): "nothing"}
	note := func(what string, p peg.Program) {
		key := p.Digest()
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s are not told apart", what, other)
		}
		seen[key] = what
	}
	for i := range reflect.TypeFor[peg.Node]().NumField() {
		var n peg.Node
		field := reflect.ValueOf(&n).Elem().Field(i)
		switch field.Kind() {
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		case reflect.String:
			field.SetString("x")
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Uint8, reflect.Uint16:
			field.SetUint(1)
		default:
			field.SetInt(1)
		}
		note(reflect.TypeFor[peg.Node]().Field(i).Name, peg.Program{Nodes: []peg.Node{n}})
	}
	note("another root", peg.Program{Nodes: make([]peg.Node, 1), Root: 1})
	note("another node", peg.Program{Nodes: make([]peg.Node, 2)})
}
