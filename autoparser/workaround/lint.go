package workaround

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
)

// Lint finds rules that are useless for the given templates, whose facts are as detected: rules that hold for none of them,
// rules that hold but change nothing, rules that vouch for what is proven without them, and rules that do not hold for a
// template listed in their seen-in. Each is reported as
// a fault at the beginning of its rule; the set is valid nevertheless.
func (s *Set) Lint(templates []Facts) Faults {
	seen := make([]evidence, len(s.Rules()))
	for _, f := range templates {
		_, applied := s.Apply(f)
		for i, r := range s.Rules() {
			seen[i].add(r, f, applied)
		}
	}
	var out Faults
	for i, r := range s.Rules() {
		for _, message := range seen[i].complaints(r.vouches) {
			out = append(out, Fault{s.Name(), r.Line, 1, fmt.Sprintf("rule %q %s", r.Name, message)})
		}
	}
	return out
}

// evidence is what a rule did for all templates.
type evidence struct {
	held   bool
	useful bool
	needed []dialect.Part // parts that it vouches for, and that are not proven
	errors []string
	absent []string // templates in seen-in for which it does not hold
}

func (e *evidence) add(r Rule, f Facts, applied []Applied) {
	i := slices.IndexFunc(applied, func(a Applied) bool { return a.Rule == r.Name })
	switch {
	case i < 0:
		if slices.Contains(r.SeenIn, f.Name) {
			e.absent = append(e.absent, f.Name)
		}
	case applied[i].Error != "":
		e.errors = append(e.errors, applied[i].Error)
	default:
		e.held = true
		e.useful = e.useful || len(applied[i].Changes) > 0 || len(applied[i].Requests) > 0
		e.needed = append(e.needed, f.Unproven...)
	}
}

func (e *evidence) complaints(vouches []dialect.Part) []string {
	var out []string
	for _, message := range e.errors {
		out = append(out, "cannot be evaluated: "+message)
	}
	for _, name := range e.absent {
		out = append(out, fmt.Sprintf("does not hold for %q, which seen-in lists; correct one of them", name))
	}
	switch {
	case len(e.errors) > 0:
	case !e.held:
		out = append(out, "holds for none of the templates; remove it, or correct its predicate")
	case !e.useful && len(vouches) == 0:
		out = append(out, "no longer changes anything; remove it")
	default:
		for _, part := range vouches {
			if !slices.Contains(e.needed, part) {
				out = append(out, fmt.Sprintf("vouches for %s, which are proven without it; remove that", part))
			}
		}
	}
	return out
}
