package cases

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// members are the raw members of an object.
type members map[string]json.RawMessage

// get is the value of a member; nil: there is none.
func (m members) get(name string) json.RawMessage {
	for said, value := range m {
		if strings.EqualFold(said, name) {
			return value
		}
	}
	return nil
}

// have says whether there is such a member.
func (m members) have(name string) bool { return m.get(name) != nil }

// in are the members of a member; none, if it is not there or no object.
func (m members) in(name string) (inner members) {
	_ = json.Unmarshal(m.get(name), &inner) // what it must be has been looked at when the case was decoded
	return inner
}

// counted are the members of a case that count, by its kind. Whoever recorded a case may say more of it; what is said in
// another word than these is foreign, and ignored.
var counted = map[Kind][]string{
	Parse:    {"request", "output", "partial", "expect", "reconstruct", "reference"},
	Plan:     {"request", "reference", "reference_error"},
	Template: {"context", "prompt", "error"},
}

// everywhere are the members that count in a case of any kind.
var everywhere = []string{"id", "kind", "template", "handler", "bos_token", "eos_token", "now"}

// misspelt says which member of an object must be a slip of the pen: it would be ignored, and is one letter from a member that
// counts.
func (m members) misspelt(counted []string) error {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if known(name, counted) {
			continue
		}
		for _, meant := range counted {
			if alike(name, meant) {
				return fmt.Errorf("unknown member %q: did you mean %q?", name, meant)
			}
		}
	}
	return nil
}

// only refuses every member that does not count. There is nothing foreign in what a case expects: what is not compared must not
// look as if it were.
func (m members) only(counted []string) error {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !known(name, counted) {
			return fmt.Errorf("unknown member %q, expected %s", name, strings.Join(counted, ", "))
		}
	}
	return nil
}

// known says whether a member counts. The case of letters does not matter, as in all JSON that is decoded here.
func known(name string, counted []string) bool {
	return slices.ContainsFunc(counted, func(c string) bool { return strings.EqualFold(c, name) })
}

// alike says whether a name is another but for one letter that is missing, too many, wrong, or in its neighbour's place.
// Capitals and what separates words do not count. Names of two and three letters are like too many others.
func alike(name, meant string) bool {
	a, b := letters(name), letters(meant)
	if len(b) < 4 {
		return false
	}
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return swapped || len(a) <= 1 && len(b) <= 1
}

// letters is a name in small letters, without what separates words.
func letters(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// membersOf are the members that the fields of a type are decoded from.
func membersOf[T any]() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}

// checkExpect looks at the members of what a parse case expects.
func checkExpect(expect members) error {
	if err := expect.only(membersOf[Message]()); err != nil {
		return fmt.Errorf(`"expect": %w`, err)
	}
	var calls []members
	_ = json.Unmarshal(expect.get("tool_calls"), &calls) // it has been decoded before
	for i, call := range calls {
		if err := call.only(membersOf[Call]()); err != nil {
			return fmt.Errorf(`"expect": tool_calls[%d]: %w`, i, err)
		}
	}
	return nil
}
