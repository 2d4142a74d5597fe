package cases

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/spelling"
)

// members are the members of a JSON object, as raw JSON.
type members map[string]json.RawMessage

// get returns the value of a member, or nil.
func (m members) get(name string) json.RawMessage {
	for member, value := range m {
		if strings.EqualFold(member, name) {
			return value
		}
	}
	return nil
}

// has reports whether there is such a member.
func (m members) has(name string) bool { return m.get(name) != nil }

// in returns the members of an object that is a member; none if that is absent or not an object.
func (m members) in(name string) (inner members) {
	_ = json.Unmarshal(m.get(name), &inner) // its type was checked when the case was decoded
	return inner
}

// counted are the fields that matter, by the kind of the case. Recorders may add others, which are ignored.
var counted = map[Kind][]string{
	Parse:    {"request", "output", "partial", "expect", "reconstruct", "reference"},
	Plan:     {"request", "reference", "reference_error"},
	Template: {"context", "prompt", "error"},
}

// everywhere are the fields that matter in cases of every kind.
var everywhere = []string{"id", "kind", "template", "handler", "bos_token", "eos_token", "now"}

// misspelt returns an error if a member that would be ignored differs by one letter from one that counts.
func (m members) misspelt(counted []string) error {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if known(name, counted) {
			continue
		}
		for _, meant := range counted {
			if spelling.Alike(name, meant) {
				return fmt.Errorf("unknown field %q; did you mean %q?", name, meant)
			}
		}
	}
	return nil
}

// only returns an error if there is a member that does not count. It is for what a case expects, where an unknown field would
// look as if it were compared.
func (m members) only(counted []string) error {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !known(name, counted) {
			return fmt.Errorf("unknown field %q; expected one of %s", name, strings.Join(counted, ", "))
		}
	}
	return nil
}

// known reports whether a member counts. Case does not matter, as in package encoding/json.
func known(name string, counted []string) bool {
	return slices.ContainsFunc(counted, func(c string) bool { return strings.EqualFold(c, name) })
}

// membersOf returns the JSON names of the fields of a struct type.
func membersOf[T any]() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}

// checkExpect checks the fields of what a parse case expects.
func checkExpect(expect members) error {
	if err := expect.only(membersOf[Message]()); err != nil {
		return fmt.Errorf(`"expect": %w`, err)
	}
	var calls []members
	_ = json.Unmarshal(expect.get("tool_calls"), &calls) // it was decoded before
	for i, call := range calls {
		if err := call.only(membersOf[Call]()); err != nil {
			return fmt.Errorf(`"expect": tool_calls[%d]: %w`, i, err)
		}
	}
	return nil
}
