package workaround

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"go.yaml.in/yaml/v3"
)

// Limits of a file.
const (
	MaxFile  = 1 << 20 // bytes
	MaxRules = 1000
)

// Parse reads a file of rules; faults contain its name. If the error is not nil, it is of type Faults, and the set is nil.
func Parse(name string, data []byte) (*Set, error) {
	d := &decoder{name: name}
	rules := d.document(data)
	if len(d.faults) > 0 {
		return nil, d.faults
	}
	return &Set{name: name, hash: hashOf(data), rules: rules}, nil
}

// decoder reads YAML nodes and collects their faults.
type decoder struct {
	name   string
	faults Faults
}

func (d *decoder) fault(at *yaml.Node, format string, args ...any) {
	d.faultAt(at.Line, at.Column, format, args...)
}

func (d *decoder) faultAt(line, column int, format string, args ...any) {
	d.faults = append(d.faults, Fault{d.name, max(line, 1), max(column, 1), fmt.Sprintf(format, args...)})
}

func (d *decoder) document(data []byte) (rules []Rule) {
	if len(data) > MaxFile {
		d.faultAt(1, 1, "the file has %d bytes; at most %d are allowed", len(data), MaxFile)
		return nil
	}
	in := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := in.Decode(&doc); {
	case errors.Is(err, io.EOF), err == nil && (len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null"):
		d.faultAt(1, 1, "the file is empty; expected \"version: 1\" and \"workarounds:\"; write \"workarounds: []\" for no rules")
		return nil
	case err != nil:
		d.syntax(err)
		return nil
	}
	var second yaml.Node
	if err := in.Decode(&second); err == nil {
		d.fault(&second, "second document; put all rules into one")
	} else if !errors.Is(err, io.EOF) {
		d.syntax(err)
	}
	rules = d.top(doc.Content[0])
	slices.SortStableFunc(d.faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return rules
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// syntax reports an error of the YAML parser, which knows the line at most.
func (d *decoder) syntax(err error) {
	text := err.Error()
	m := yamlLine.FindStringSubmatch(text)
	line := 1
	if m != nil {
		text = text[len(m[0]):]
		line, _ = strconv.Atoi(m[1])
	}
	d.faultAt(line, 1, "invalid YAML: %s", text)
}

func (d *decoder) top(n *yaml.Node) (rules []Rule) {
	versioned := false
	d.mapping(n, "the file", keys{
		"version": func(v *yaml.Node) {
			versioned = true
			if v.Value != "1" {
				d.fault(v, "unknown version %s; expected 1", v.Value)
			}
		},
		"workarounds": func(v *yaml.Node) {
			for _, item := range d.sequence(v, "workarounds") {
				rules = append(rules, d.rule(item))
			}
			if len(rules) > MaxRules {
				d.fault(v, "%d rules; at most %d are allowed", len(rules), MaxRules)
			}
			d.distinct(rules)
		},
	})
	if n.Kind == yaml.MappingNode && !versioned {
		d.fault(n, "missing version; expected \"version: 1\"")
	}
	return rules
}

// distinct checks that no two rules have the same name.
func (d *decoder) distinct(rules []Rule) {
	lines := map[string]int{}
	for _, r := range rules {
		if first, twice := lines[r.Name]; twice && r.Name != "" {
			d.faultAt(r.Line, 1, "duplicate rule name %q, first used in line %d; rename one of the rules", r.Name, first)
			continue
		}
		lines[r.Name] = r.Line
	}
}

var ruleName = regexp.MustCompile(`^[a-z0-9]+([._-][a-z0-9]+)*$`)

func (d *decoder) rule(n *yaml.Node) Rule {
	r := Rule{Line: n.Line}
	d.mapping(n, "a rule", keys{
		"name": func(v *yaml.Node) {
			if r.Name = d.text(v, "name"); r.Name != "" && !ruleName.MatchString(r.Name) {
				d.fault(v, `invalid name %q; expected lower-case letters and digits in parts separated by "-", "_" or "."`, r.Name)
			}
		},
		"because":  func(v *yaml.Node) { r.Because = d.text(v, "because") },
		"seen-in":  func(v *yaml.Node) { r.SeenIn = d.texts(v, "seen-in") },
		"when":     func(v *yaml.Node) { r.When, r.predicate = d.when(v) },
		"set":      func(v *yaml.Node) { r.set = d.assignments(v, "") },
		"trim":     func(v *yaml.Node) { r.trim = d.trims(v) },
		"preserve": func(v *yaml.Node) { r.preserve = d.texts(v, "preserve") },
		"stop":     func(v *yaml.Node) { r.stop = d.texts(v, "stop") },
		"request":  func(v *yaml.Node) { r.requests = listed(d, v, "request", Normalisations()) },
		"vouch":    func(v *yaml.Node) { r.vouches = listed(d, v, "vouch", dialect.Parts()) },
	})
	if n.Kind == yaml.MappingNode {
		d.complete(n, r)
	}
	return r
}

// effects are the keys of a rule that have an effect.
var effects = []string{"set", "trim", "preserve", "stop", "request", "vouch"}

// complete checks that a rule has all required keys.
func (d *decoder) complete(n *yaml.Node, r Rule) {
	for _, need := range []struct{ key, why string }{
		{"name", "expected the name by which reports refer to the rule"},
		{"because", "expected the reason, so that others can tell whether it still holds"},
		{"when", "expected a predicate; write true for a rule that always holds"},
	} {
		if !has(n, need.key) {
			d.fault(n, "rule %q: missing %q; %s", r.Name, need.key, need.why)
		}
	}
	if !slices.ContainsFunc(effects, func(key string) bool { return has(n, key) }) {
		d.fault(n, "rule %q has no effect; expected set, trim, preserve, stop, request or vouch", r.Name)
	}
}

func has(n *yaml.Node, key string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

func (d *decoder) when(v *yaml.Node) (string, *Predicate) {
	if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!bool" {
		v.Tag = "!!str"
	}
	source := d.text(v, "when")
	if source == "" {
		return "", nil
	}
	p, err := CompilePredicate(source)
	var fault *PredicateError
	if errors.As(err, &fault) {
		line, column := within(v, fault)
		d.faultAt(line, column, "when: %s", fault.Message)
	}
	return source, p
}

// within returns the position in the file of a place in a scalar's value; for folded and escaped scalars, that of their
// beginning.
func within(v *yaml.Node, at *PredicateError) (line, column int) {
	switch {
	case v.Style&yaml.LiteralStyle != 0:
		return v.Line + at.Line, at.Column
	case v.Style&yaml.FoldedStyle != 0 || strings.Contains(v.Value, "\n") || strings.ContainsAny(v.Value, `\"`) && v.Style&yaml.DoubleQuotedStyle != 0:
		return v.Line, v.Column
	case v.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return v.Line, v.Column + at.Column
	}
	return v.Line, v.Column + at.Column - 1
}

// assignments reads what a rule sets below a path, which is empty or a field of the dialect followed by a dot.
func (d *decoder) assignments(n *yaml.Node, path string) (out []assignment) {
	readers := keys{}
	for _, name := range below(path) {
		at := path + name
		readers[name] = func(v *yaml.Node) {
			if f, ok := fieldAt(at); ok {
				out = append(out, assignment{f, d.value(v, f)})
			} else {
				out = append(out, d.assignments(v, at+".")...)
			}
		}
	}
	what := "set"
	if path != "" {
		what = "set." + strings.TrimSuffix(path, ".")
	}
	d.mapping(n, what, readers)
	return out
}

// value reads the value of a field.
func (d *decoder) value(v *yaml.Node, f field) reflect.Value {
	out := reflect.New(f.typ).Elem()
	switch f.typ.Kind() {
	case reflect.Bool:
		if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!bool" || v.Decode(out.Addr().Interface()) != nil {
			d.fault(v, "%s: expected true or false, found %s", f.path, found(v))
		}
	case reflect.Slice:
		out.Set(reflect.ValueOf(d.texts(v, f.path)))
	default:
		text, ok := d.string(v, f.path)
		if allowed := choices(f.typ); ok && allowed != nil && !slices.Contains(allowed, text) {
			d.fault(v, "%s: expected one of %s, found %q", f.path, strings.Join(allowed, ", "), text)
		}
		out.SetString(text)
	}
	return out
}

func (d *decoder) trims(v *yaml.Node) (out []field) {
	for _, item := range d.sequence(v, "trim") {
		path := d.text(item, "trim")
		f, ok := fieldAt(path)
		if path != "" && (!ok || !f.isText()) {
			d.fault(item, "trim: unknown string field %q", path)
			continue
		}
		out = append(out, f)
	}
	return out
}

// listed reads a list of texts, of which only some are allowed.
func listed[T ~string](d *decoder, v *yaml.Node, key string, allowed []T) (out []T) {
	for _, item := range d.sequence(v, key) {
		n := T(d.text(item, key))
		if n != "" && !slices.Contains(allowed, n) {
			d.fault(item, "%s: expected one of %s, found %q", key, strings.Join(texts(allowed...), ", "), n)
		}
		out = append(out, n)
	}
	return out
}
