package methods

import (
	"math"
	"math/big"
	"slices"

	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// All returns all methods by class and name.
func All() map[string]map[string]*library.Builtin {
	all := map[string]map[string]*library.Builtin{
		"str":    strMethods(),
		"Markup": markupMethods(),
		"list":   listMethods(),
		"tuple":  {"index": positions, "count": counts},
		"range":  {"index": positions, "count": counts},
		"dict":   dictMethods(),
		"int":    {"bit_length": {Run: bitLength}},
		"bool":   {"bit_length": {Run: bitLength}},
		"float":  {"is_integer": {Run: isWhole}},
	}
	for _, methods := range all {
		for name, m := range methods {
			m.Unnamed = !m.Keywords && !slices.Contains(withNames, name)
		}
	}
	return all
}

// withNames are the methods that accept named arguments.
var withNames = []string{"split", "rsplit", "splitlines", "expandtabs", "sort"}

// markupMethods are the methods of strings, with results that are marked safe.
func markupMethods() map[string]*library.Builtin {
	methods := strMethods()
	for name, m := range methods {
		marked := *m
		if m.Run != nil {
			marked.Run = func(e *library.Env, in value.Value, a library.Arguments) value.Value {
				return value.Mark(m.Run(e, in, a))
			}
		}
		methods[name] = &marked
	}
	return methods
}

func bitLength(_ *library.Env, in value.Value, _ library.Arguments) value.Value {
	n, _ := value.Big(in)
	return value.Int(new(big.Int).Abs(n).BitLen())
}

func isWhole(_ *library.Env, in value.Value, _ library.Arguments) value.Value {
	f, _ := value.Float64(in)
	return value.Bool(f == math.Trunc(f) && !math.IsInf(f, 0))
}
