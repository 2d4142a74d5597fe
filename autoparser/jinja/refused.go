package jinja

import (
	"sort"

	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library/standard"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
)

// Refusal is a part of Jinja2 that this package does not support.
type Refusal struct {
	Kind string // tag, filter, function, method or escape
	Name string
	Why  string
}

// Refused lists what templates cannot use, by kind and name. Methods are refused when they are
// called, everything else by Compile.
func Refused() []Refusal {
	all := []Refusal{{"escape", `\N{…}`, "write the character itself"}}
	for name, why := range syntax.RefusedTags {
		all = append(all, Refusal{"tag", name, why})
	}
	add := func(kind, prefix string, from map[string]*library.Builtin) {
		for name, b := range from {
			if b.Refused != "" {
				all = append(all, Refusal{kind, prefix + name, b.Refused})
			}
		}
	}
	add("filter", "", standard.Library.Filters)
	add("function", "", standard.Library.Globals)
	for _, class := range []string{"str", "dict"} {
		add("method", class+".", standard.Library.Methods[class])
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].Kind != all[j].Kind {
			return all[i].Kind < all[j].Kind
		}
		return all[i].Name < all[j].Name
	})
	return all
}
