package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// syntaxLine matches the beginning of a syntax error of the YAML library.
var syntaxLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// syntaxFault converts an error of the YAML library to a fault of the file called name. The library knows at most the line.
func syntaxFault(name string, err error) error {
	text := err.Error()
	m := syntaxLine.FindStringSubmatch(text)
	return fmt.Errorf("%s:%s:1: invalid YAML: %s", name, cmp.Or(m[1], "1"), text[len(m[0]):])
}

// parseFile parses the YAML file called name. The error joins all faults of the file, each with its line and column.
func parseFile(name string, data []byte) (layer, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil // comments only: everything keeps its default
	} else if err != nil {
		return nil, syntaxFault(name, err)
	}
	f := fileReader{name: name, fields: map[string]Field{}, values: layer{}}
	var second yaml.Node
	if err := d.Decode(&second); err == nil {
		f.fault(&second, "more than one document; expected one")
		return nil, f.faults[0]
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxFault(name, err)
	}
	for _, field := range Fields() {
		f.fields[field.Key] = field
	}
	f.section(doc.Content[0], "")
	return f.values, errors.Join(f.faults...)
}

// fileReader walks a document and collects values of fields, and faults.
type fileReader struct {
	name   string
	fields map[string]Field
	values layer
	faults []error
}

func (r *fileReader) fault(at *yaml.Node, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s: %s", r.place(at), fmt.Sprintf(format, args...)))
}

func (r *fileReader) place(at *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", r.name, at.Line, at.Column)
}

// section reads a mapping with keys below prefix, which is empty or ends in a dot.
func (r *fileReader) section(n *yaml.Node, prefix string) {
	n = resolve(n)
	if n.Tag == "!!null" {
		return // a section with everything commented out
	}
	if n.Kind != yaml.MappingNode {
		r.fault(n, "%s is %s; expected a mapping with the keys %s", section(prefix), kindOf(n), r.known(prefix))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		path := prefix + key.Value
		_, isField := r.fields[path]
		switch {
		case seen[path]:
			r.fault(key, "duplicate key %s", path)
		case isField:
			r.field(r.fields[path], value)
		case r.known(path+".") != "":
			r.section(value, path+".")
		default:
			r.fault(key, "unknown key %q; expected one of %s", path, r.known(prefix))
		}
		seen[path] = true
	}
}

func (r *fileReader) field(f Field, n *yaml.Node) {
	n = resolve(n)
	if n.Tag == "!!null" {
		return // a key without a value is ignored
	}
	value := reflect.New(f.typ)
	if err := n.Decode(value.Interface()); err != nil || f.typ.Kind() == reflect.String && n.Tag != "!!str" {
		expected := expectation(f)
		if f.typ.Kind() == reflect.String && n.Kind == yaml.ScalarNode {
			expected += " in quotes"
		}
		r.fault(n, "%s is %s; expected %s", f.Key, kindOf(n), expected)
		return
	}
	g := given{value: value.Elem().Interface(), origin: Origin{"file", r.place(n)}}
	if n.Kind == yaml.MappingNode {
		g.inner = map[string]Origin{}
		r.places(f.Key+".", n, g.inner)
	}
	r.values[f.Key] = g
}

// places records the places of the members of a mapping, and of nested mappings.
func (r *fileReader) places(prefix string, n *yaml.Node, to map[string]Origin) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		to[prefix+key.Value] = Origin{"file", r.place(key)}
		if value.Kind == yaml.MappingNode {
			r.places(prefix+key.Value+".", value, to)
		}
	}
}

// known returns the keys directly below prefix, as text.
func (r *fileReader) known(prefix string) string {
	var keys []string
	for key := range r.fields {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			first, _, _ := strings.Cut(rest, ".")
			keys = append(keys, first)
		}
	}
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), ", ")
}

func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func section(prefix string) string {
	if prefix == "" {
		return "the document"
	}
	return strings.TrimSuffix(prefix, ".")
}

// kindOf describes a node for a message.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		const shown = 60 // characters, enough to find it
		return fmt.Sprintf("%.*q", shown, n.Value)
	}
}
