package workaround

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// keys reads the values of a mapping.
type keys map[string]func(*yaml.Node)

// mapping reads a mapping that has no other keys, and none twice.
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
			d.fault(key, "%s: unknown key %q: expected one of %s", what, key.Value, strings.Join(sortedKeys(readers), ", "))
		case seen[key.Value]:
			d.fault(key, "%s: %q stands here a second time: remove one", what, key.Value)
		case value.Kind == yaml.AliasNode:
			d.fault(value, "%s: an alias stands for the value of %q: write the value", what, key.Value)
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

// sequence lists the items of a sequence.
func (d *decoder) sequence(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		d.fault(n, "%s: expected a list, found %s", what, found(n))
		return nil
	}
	return n.Content
}

// texts reads a list of texts that are not empty.
func (d *decoder) texts(n *yaml.Node, what string) []string {
	var out []string
	for _, item := range d.sequence(n, what) {
		if text := d.text(item, what); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// text reads a text that is not empty.
func (d *decoder) text(n *yaml.Node, what string) string {
	text, ok := d.string(n, what)
	if ok && strings.TrimSpace(text) == "" {
		d.fault(n, "%s: expected a text, found an empty one", what)
	}
	return text
}

// string reads a text.
func (d *decoder) string(n *yaml.Node, what string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		d.fault(n, "%s: expected a text, found %s", what, found(n))
		return "", false
	}
	return n.Value, true
}

// found says what a node is.
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
	return strconv.Quote(n.Value) + " (put it in quotes to make it a text)"
}
