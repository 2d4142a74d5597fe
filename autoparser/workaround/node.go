package workaround

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// keys are readers of the values of a mapping, by their keys.
type keys map[string]func(*yaml.Node)

// mapping reads a mapping. Unknown and duplicate keys are faults.
func (d *decoder) mapping(n *yaml.Node, what string, readers keys) {
	if n.Kind != yaml.MappingNode {
		d.fault(n, "%s: expected a mapping, found %s", what, found(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, known := readers[key.Value]
		switch {
		case !known:
			d.fault(key, "%s: unknown key %q; expected one of %s", what, key.Value, strings.Join(sortedKeys(readers), ", "))
		case seen[key.Value]:
			d.fault(key, "%s: duplicate key %q; remove one", what, key.Value)
		case value.Kind == yaml.AliasNode:
			d.fault(value, "%s: %q is an alias; write the value itself", what, key.Value)
		default:
			read(value)
		}
		seen[key.Value] = true
	}
}

func sortedKeys[V any](readers map[string]V) []string {
	names := make([]string, 0, len(readers))
	for name := range readers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// sequence returns the items of a sequence.
func (d *decoder) sequence(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		d.fault(n, "%s: expected a list, found %s", what, found(n))
		return nil
	}
	return n.Content
}

// texts reads a list of non-empty strings.
func (d *decoder) texts(n *yaml.Node, what string) []string {
	var out []string
	for _, item := range d.sequence(n, what) {
		if text := d.text(item, what); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// text reads a non-empty string.
func (d *decoder) text(n *yaml.Node, what string) string {
	text, ok := d.string(n, what)
	if ok && strings.TrimSpace(text) == "" {
		d.fault(n, "%s: expected a non-empty string, found an empty one", what)
	}
	return text
}

// string reads a string.
func (d *decoder) string(n *yaml.Node, what string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		d.fault(n, "%s: expected a string, found %s", what, found(n))
		return "", false
	}
	return n.Value, true
}

// found describes a node for messages.
func found(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.ShortTag() == "!!null" {
		return "nothing"
	}
	return strconv.Quote(n.Value) + " (quote it to make it a string)"
}
