// Package workaround holds rules that correct what comparison concludes about individual templates.
//
// A rule has a predicate over the template, and effects: fields of the dialect to set, white space to trim, tokens to
// preserve, strings to stop at, normalisations of requests, parts to vouch for. It carries its own evidence: because and seen-in.
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
// Parse returns the Set of a file, or all of its Faults, each with line and column: a file with a fault has no Set, and the one
// in force remains. Apply runs the rules in the order of the file and reports which rule changed which field. A Set is
// immutable; other rules are put into force by using another Set. The host reads and watches the file.
//
// Predicates are written in the language of expr, restricted to what cannot loop (predicate.go). Manifests of plugins use the
// same language.
//
// Words that must not be confused: a *fault* is a mistake in the file, a *change* is what a rule did to a dialect; *facts* are
// what predicates see, among them the dialect as detected, whatever earlier rules have set.
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
	// Unproven are the parts of the dialect that the self-check does not prove. Predicates do not see them; Lint does.
	Unproven []dialect.Part
}

// Rule is one workaround.
type Rule struct {
	Name    string
	Because string   // why comparison cannot find out
	SeenIn  []string // names of templates that need it
	When    string   // the source of the predicate
	Line    int      // where the rule begins in its file, from 1

	predicate *Predicate
	set       []assignment
	trim      []field
	preserve  []string
	stop      []string
	requests  []Normalisation
	vouches   []dialect.Part
}

// Normalisation is a way to adapt the messages of a request to a template. A rule can request it if the capabilities of the
// template do not show that it is needed.
type Normalisation string

// The normalisations.
const (
	TrimContent    Normalisation = "trim-content"     // outer white space of content is removed
	DeveloperRole  Normalisation = "developer-role"   // developer messages become system messages
	NoSystemRole   Normalisation = "no-system-role"   // system messages are put before the first user message
	NoNullContent  Normalisation = "no-null-content"  // null content becomes an empty string
	ObjectArgs     Normalisation = "object-arguments" // arguments of calls become objects
	JoinedContent  Normalisation = "joined-content"   // typed parts of content are joined to a string
	NullContent    Normalisation = "null-content"     // empty content of messages with calls becomes null
	EmptyParameter Normalisation = "tool-parameters"  // tools without parameters get an empty schema
)

// Normalisations returns all normalisations.
func Normalisations() []Normalisation {
	return []Normalisation{TrimContent, DeveloperRole, NoSystemRole, NoNullContent, ObjectArgs, JoinedContent, NullContent, EmptyParameter}
}

// Set is the rules of a file. The zero value and nil are empty.
type Set struct {
	name  string
	hash  string
	rules []Rule
}

// Rules returns the rules in the order of the file. Callers must not modify them.
func (s *Set) Rules() []Rule {
	if s == nil {
		return nil
	}
	return s.rules
}

// Name returns the name of the file.
func (s *Set) Name() string {
	if s == nil {
		return ""
	}
	return s.name
}

// Hash returns the SHA-256 of the content of the file in hexadecimal; "" for a set without a file.
func (s *Set) Hash() string {
	if s == nil {
		return ""
	}
	return s.hash
}

// Join returns a set of the rules of several files, in order. Its name and hash combine those of the files.
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

// Applied is what a rule that held for a template did.
type Applied struct {
	Rule     string
	Because  string
	Changes  []Change        // in the order of the rule; empty if the fields had these values before
	Requests []Normalisation // that the rule requests
	Vouches  []dialect.Part  // that the rule vouches for: they are served although nothing proves them
	// Error is why the predicate could not be evaluated; such a rule has no effect.
	Error string
}

// Change is a field of the dialect that a rule set to another value.
type Change struct {
	Field    string // as rules write it: "tools.function.close"
	From, To string // as YAML writes them
}

// Apply applies the rules to the detected dialect, and reports every rule that held.
func (s *Set) Apply(f Facts) (dialect.Dialect, []Applied) {
	d := f.Dialect
	d.Preserve, d.Stop = slices.Clone(d.Preserve), slices.Clone(d.Stop)
	var out []Applied
	for _, r := range s.Rules() {
		holds, err := r.predicate.Match(f)
		if err != nil {
			out = append(out, Applied{Rule: r.Name, Because: r.Because, Error: err.Error()})
		} else if holds {
			out = append(out, Applied{Rule: r.Name, Because: r.Because, Changes: r.apply(&d), Requests: r.requests, Vouches: r.vouches})
		}
	}
	return d, out
}

// apply changes d and returns the changes.
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

// union returns a with the elements of b that it lacks.
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
