package workaround

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
)

// MaxPredicate limits the bytes in the source of a predicate. The parser is recursive, and deeper nesting than fits into that
// would overflow its stack.
const MaxPredicate = 4 << 10

// Predicate is a condition over the facts of a template:
//
//	source contains "<|channel|>" and not dialect.tools.json.array_wrapped
//	name startsWith "acme-" or dialect.tools.format == "none"
//	source matches "(?s)<tool_call>.*</tool_call>"
//
// Its variables are source, name, dialect and capabilities, whose fields have the names that rules and JSON use. Comparisons,
// arithmetic, and, or, not, in, contains, startsWith, endsWith, and matches with a literal are allowed; functions, ranges,
// variables and loops are not, so that a predicate costs at most its length times the length of the source. The zero value
// holds for no template. A Predicate is immutable.
type Predicate struct {
	source  string
	program *vm.Program
}

// PredicateError is an error in the source of a predicate.
type PredicateError struct {
	Line, Column int // in the source, from 1
	Message      string
}

func (e *PredicateError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// CompilePredicate compiles a predicate. Errors are of type *PredicateError.
func CompilePredicate(source string) (*Predicate, error) {
	if len(source) > MaxPredicate {
		return nil, &PredicateError{1, 1, fmt.Sprintf("the expression has %d bytes; at most %d are allowed", len(source), MaxPredicate)}
	}
	if strings.TrimSpace(source) == "" {
		return nil, &PredicateError{1, 1, `empty expression; write true for a rule that always holds`}
	}
	tree, err := parser.Parse(source)
	if err != nil {
		return nil, predicateError(err)
	}
	limits := &visitor{source: source}
	ast.Walk(&tree.Node, limits)
	if limits.err != nil {
		return nil, limits.err
	}
	program, err := expr.Compile(source, expr.Env(environmentTypes()), expr.AsBool(), expr.DisableAllBuiltins())
	if err != nil {
		return nil, predicateError(err)
	}
	return &Predicate{source, program}, nil
}

// String returns the source of the predicate.
func (p *Predicate) String() string { return p.source }

// Match reports whether the predicate holds.
func (p *Predicate) Match(f Facts) (bool, error) {
	if p == nil || p.program == nil {
		return false, nil
	}
	out, err := expr.Run(p.program, environment(f))
	if err != nil {
		return false, predicateError(err)
	}
	holds, _ := out.(bool)
	return holds, nil
}

// predicateError returns an error of package expr with its position and message, without its excerpt of the source.
func predicateError(err error) error {
	var at *file.Error
	if errors.As(err, &at) {
		return &PredicateError{max(at.Line, 1), at.Column + 1, at.Message}
	}
	return &PredicateError{1, 1, err.Error()}
}

// visitor finds expressions that are not allowed.
type visitor struct {
	source string
	err    error
}

// Visit implements ast.Visitor.
func (v *visitor) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BuiltinNode, *ast.CallNode, *ast.PredicateNode, *ast.PointerNode:
		v.refuse(*node, "functions are not allowed in predicates")
	case *ast.VariableDeclaratorNode, *ast.SequenceNode:
		v.refuse(*node, "variables are not allowed in predicates")
	case *ast.BinaryNode:
		if n.Operator == ".." {
			v.refuse(*node, "ranges are not allowed in predicates")
		}
		if _, literal := n.Right.(*ast.StringNode); n.Operator == "matches" && !literal {
			v.refuse(*node, "the right side of matches must be a string literal")
		}
	}
}

func (v *visitor) refuse(node ast.Node, message string) {
	if v.err != nil {
		return
	}
	before := []rune(v.source)
	before = before[:min(max(node.Location().From, 0), len(before))]
	line := strings.Count(string(before), "\n")
	column := len(before) - (strings.LastIndex(string(before), "\n") + 1)
	v.err = &PredicateError{line + 1, column + 1, message}
}

func environmentTypes() types.Map {
	return types.Map{
		"source": types.String, "name": types.String,
		"dialect":      typeOf(reflect.TypeFor[dialect.Dialect](), "yaml"),
		"capabilities": typeOf(reflect.TypeFor[dialect.Capabilities](), "json"),
	}
}

// typeOf returns the type of a struct for expr. The names of its fields come from a tag.
func typeOf(t reflect.Type, tag string) types.Type {
	switch t.Kind() {
	case reflect.Struct:
		m := types.Map{}
		for i := range t.NumField() {
			m[nameOf(t.Field(i), tag)] = typeOf(t.Field(i).Type, tag)
		}
		return m
	case reflect.Slice:
		return types.Array(typeOf(t.Elem(), tag))
	case reflect.Bool:
		return types.Bool
	}
	return types.String
}

func environment(f Facts) map[string]any {
	return map[string]any{
		"source": f.Source, "name": f.Name,
		"dialect":      valueOf(reflect.ValueOf(f.Dialect), "yaml"),
		"capabilities": valueOf(reflect.ValueOf(f.Capabilities), "json"),
	}
}

// valueOf returns a value for expr, whose type is that of typeOf.
func valueOf(v reflect.Value, tag string) any {
	switch v.Kind() {
	case reflect.Struct:
		m := map[string]any{}
		for i := range v.NumField() {
			m[nameOf(v.Type().Field(i), tag)] = valueOf(v.Field(i), tag)
		}
		return m
	case reflect.Slice:
		items := make([]any, v.Len())
		for i := range items {
			items[i] = valueOf(v.Index(i), tag)
		}
		return items
	case reflect.Bool:
		return v.Bool()
	}
	return v.String()
}

func nameOf(f reflect.StructField, tag string) string {
	name, _, _ := strings.Cut(f.Tag.Get(tag), ",")
	return name
}
