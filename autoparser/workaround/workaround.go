// Package workaround holds the rules that correct what comparison concludes about single templates.
//
// A rule says when it holds, a predicate over the template, and what it sets: fields of the dialect, white space to trim,
// tokens to preserve, strings to stop at, normalisations of requests. It carries its own evidence: because and seen-in.
//
//	version: 1
//	workarounds:
//	  - name: response-with-thoughts
//	    because: content is wrapped only when the model thinks, which no comparison can show
//	    seen-in: [example.jinja]
//	    when: source contains "Write your thoughts between <think></think>"
//	    set:
//	      content: {mode: wrapped_with_reasoning, start: "<response>", end: "</response>"}
//
// Parse turns a file into a Set or into all of its Faults, each with line and column: a file with a fault is no Set, so that
// the one in force stays. Apply runs the rules in the order of the file and says which rule changed which field. A Set
// never changes once made; to put other rules in force is to use another Set. Reading the file, and watching it, is the
// host's.
//
// The language of predicates is expr's, cut down to what cannot loop (predicate.go). Manifests of plugins use the same.
//
// Words that must not be confused: a *fault* is a mistake in the file, a *change* is what a rule did to a dialect; facts
// are what predicates see, and the dialect among them is the one detected, whatever earlier rules have set.
package workaround

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
)

// Facts are what is known of a template.
type Facts struct {
	Source       string // of the template
	Name         string // of the template, for people
	Dialect      dialect.Dialect
	Capabilities dialect.Capabilities
}

// Rule is one workaround.
type Rule struct {
	Name    string
	Because string   // why comparison cannot know
	SeenIn  []string // names of templates that need it
	When    string   // source of the predicate
	Line    int      // where the rule begins in its file, from 1

	predicate *Predicate
	set       []assignment
	trim      []field
	preserve  []string
	stop      []string
	requests  []Normalisation
}

// Normalisation is a way to fit the messages of a request to a template, which a rule can ask for where the template's
// capabilities do not show that it is needed.
type Normalisation string

// The normalisations.
const (
	TrimContent    Normalisation = "trim-content"     // content loses the white space at its edges
	DeveloperRole  Normalisation = "developer-role"   // messages of developers become system messages
	NoSystemRole   Normalisation = "no-system-role"   // what system messages say begins the first message of the user
	NoNullContent  Normalisation = "no-null-content"  // null content becomes an empty text
	ObjectArgs     Normalisation = "object-arguments" // the arguments of calls become objects
	JoinedContent  Normalisation = "joined-content"   // typed parts of content become one text
	NullContent    Normalisation = "null-content"     // empty content beside calls becomes null
	EmptyParameter Normalisation = "tool-parameters"  // tools without parameters get an empty schema
)

// Normalisations lists them all.
func Normalisations() []Normalisation {
	return []Normalisation{TrimContent, DeveloperRole, NoSystemRole, NoNullContent, ObjectArgs, JoinedContent, NullContent, EmptyParameter}
}

// Set is the rules of one file. The zero value, and nil, has none.
type Set struct {
	name  string
	hash  string
	rules []Rule
}

// Rules lists the rules in the order of the file. Callers must not change them.
func (s *Set) Rules() []Rule {
	if s == nil {
		return nil
	}
	return s.rules
}

// Name is the name of the file.
func (s *Set) Name() string {
	if s == nil {
		return ""
	}
	return s.name
}

// Hash identifies the content of the file: SHA-256 in hexadecimal. It is empty for a set without a file.
func (s *Set) Hash() string {
	if s == nil {
		return ""
	}
	return s.hash
}

// Join returns the rules of several files, in order. Its name and hash are those of the files together.
func Join(sets ...*Set) *Set {
	if len(sets) == 1 {
		return sets[0]
	}
	var out Set
	var names, hashes []string
	for _, s := range sets {
		names, hashes = append(names, s.Name()), append(hashes, s.Hash())
		out.rules = append(out.rules, s.Rules()...)
	}
	sum := sha256.Sum256([]byte(strings.Join(hashes, "\n")))
	out.name, out.hash = strings.Join(names, ", "), hex.EncodeToString(sum[:])
	return &out
}

// Applied is what a rule did that held for a template.
type Applied struct {
	Rule     string
	Because  string
	Changes  []Change        // in the order of the rule; empty when everything was so already
	Requests []Normalisation // asked for by the rule
	// Error says why the predicate could not be evaluated; such a rule does nothing.
	Error string
}

// Change is a field of the dialect that a rule set to another value.
type Change struct {
	Field    string // as rules write it: "tools.function.close"
	From, To string // as YAML writes them
}

// Apply runs the rules over the dialect detected, and reports on every rule that held.
func (s *Set) Apply(f Facts) (dialect.Dialect, []Applied) {
	d := f.Dialect
	d.Preserve, d.Stop = slices.Clone(d.Preserve), slices.Clone(d.Stop)
	var out []Applied
	for _, r := range s.Rules() {
		holds, err := r.predicate.Match(f)
		if err != nil {
			out = append(out, Applied{Rule: r.Name, Because: r.Because, Error: err.Error()})
		} else if holds {
			out = append(out, Applied{Rule: r.Name, Because: r.Because, Changes: r.apply(&d), Requests: r.requests})
		}
	}
	return d, out
}

// apply changes d and says what it changed.
func (r *Rule) apply(d *dialect.Dialect) []Change {
	var changes []Change
	change := func(f field, value reflect.Value) {
		at := f.in(d)
		if from, to := show(at), show(value); from != to {
			changes = append(changes, Change{f.path, from, to})
			at.Set(value)
		}
	}
	for _, a := range r.set {
		change(a.field, a.value)
	}
	for _, f := range r.trim {
		trimmed := reflect.New(f.in(d).Type()).Elem()
		trimmed.SetString(strings.TrimSpace(f.in(d).String()))
		change(f, trimmed)
	}
	for _, add := range []struct {
		path  string
		texts []string
	}{{"preserve", r.preserve}, {"stop", r.stop}} {
		f, _ := fieldAt(add.path)
		change(f, reflect.ValueOf(union(f.in(d).Interface().([]string), add.texts)))
	}
	return changes
}

// union is a with what b has besides.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, text := range b {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
