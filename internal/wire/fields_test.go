package wire

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// atHome lists the fields that are not sent: the host sets them itself, or requests them by other
// calls.
var atHome = []string{
	"Plan.Prompt", "Plan.GenerationPrompt", "Plan.Constraint", "Plan.ReasoningState", "Description.Cases", "Program.digest",
	"Event.From", "Event.To",
}

// TestEveryFieldIsSent inspects the values that the tests of this package send. Every field of
// every type must have a value in one of them, so that a field added to a type is not forgotten
// here. Other tests check that they arrive.
func TestEveryFieldIsSent(t *testing.T) {
	seen := fields{}
	for _, sent := range []any{
		fullInput(t), fullPlan(t), handler.Plan{Stream: &handler.StreamPlan{Token: []byte{1}}}, events, results, descriptions,
	} {
		seen.look(reflect.ValueOf(sent))
	}
	for _, text := range otherRequests {
		seen.look(reflect.ValueOf(parseRequest(t, text)))
	}
	for name, filled := range seen {
		if filled == slices.Contains(atHome, name) {
			t.Errorf("%s: set: %t; set it in these tests and encode it, or list it as not sent", name, filled)
		}
	}
}

// fields records, by name, which fields of structs had a value.
type fields map[string]bool

func (f fields) look(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f.look(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.look(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() || v.Type() == reflect.TypeFor[jsonschema.Schema]() {
			return
		}
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name := v.Type().Name() + "." + field.Name
			f[name] = f[name] || !v.Field(i).IsZero()
			f.look(v.Field(i))
		}
	default: // no parts
	}
}

// TestEveryConstantTravels counts the constants of each type in its source, so that an added one is
// not forgotten here.
func TestEveryConstantTravels(t *testing.T) {
	kindsOfNodes := map[peg.Op]bool{}
	for _, n := range everyNode().Nodes {
		kindsOfNodes[n.Op] = true
	}
	for _, c := range []struct {
		pkg, name string
		carried   int
	}{
		{"peg", "Op", len(kindsOfNodes)},
		{"peg", "Role", len(roles) + 1}, // a tag needs a role
		{"grammar", "Mode", len(modes) - 1},
		{"grammar", "TriggerType", len(fullPlan(t).Triggers)},
		{"chat", "EventKind", len(kinds)},
		{"chat", "Status", len(statuses) - 1},
		{"chat", "Region", len(regions) + 1}, // the prompt region is set by the host
	} {
		if names := constantsOf(t, c.pkg, c.name); len(names) != c.carried || c.carried == 0 {
			t.Errorf("%s.%s: %d of the constants %v are sent", c.pkg, c.name, c.carried, names)
		}
	}
}

// constantsOf returns the names of the constants of a type that its package declares.
func constantsOf(t *testing.T, pkg, typeName string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "sdk", pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if group, ok := decl.(*ast.GenDecl); ok && group.Tok == token.CONST {
				names = append(names, named(group, typeName)...)
			}
		}
	}
	return names
}

// named returns the constants of a group that have the given type. A constant without a type or
// value has the type of the one before it.
func named(group *ast.GenDecl, typeName string) (names []string) {
	current := ""
	for _, spec := range group.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if ident, ok := value.Type.(*ast.Ident); ok {
			current = ident.Name
		} else if value.Values != nil {
			current = ""
		}
		if current == typeName {
			names = append(names, value.Names[0].Name)
		}
	}
	return names
}
