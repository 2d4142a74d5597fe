package peg

import (
	"fmt"
	"slices"
	"strings"
)

// The tables of kinds, roles and values hold the names under which they are printed and encoded.
var (
	opNames    = namesOf(kinds[:], func(k kind) string { return k.name })
	roleNames  = namesOf(roles[:], func(r roleKind) string { return r.name })
	valueNames = valueBitNames()
)

func namesOf[T any](table []T, name func(T) string) []string {
	names := make([]string, len(table))
	for i, row := range table {
		names[i] = name(row)
	}
	return names
}

func valueBitNames() (names []string) {
	for _, bit := range valueBits {
		names = append(names, bit.name)
	}
	return names
}

// MarshalText encodes the kind by its name.
func (o Op) MarshalText() ([]byte, error) { return marshalName("kind of node", opNames, uint8(o)) }

// UnmarshalText decodes the name of a kind.
func (o *Op) UnmarshalText(text []byte) (err error) {
	*(*uint8)(o), err = unmarshalName("kind of node", opNames, text)
	return err
}

// String returns the name of the role.
func (r Role) String() string {
	if r.exists() {
		return roles[r].name
	}
	return fmt.Sprintf("%d", r)
}

// MarshalText encodes the role by its name.
func (r Role) MarshalText() ([]byte, error) { return marshalName("role", roleNames, uint8(r)) }

// UnmarshalText decodes the name of a role.
func (r *Role) UnmarshalText(text []byte) (err error) {
	*(*uint8)(r), err = unmarshalName("role", roleNames, text)
	return err
}

// String returns the names of the kinds of values, joined by "|".
func (v Values) String() string {
	var names []string
	for i, name := range valueNames {
		if v&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

// MarshalText encodes the kinds of values by their names.
func (v Values) MarshalText() ([]byte, error) {
	if v&^AllNotations != 0 {
		return nil, fmt.Errorf("no kinds of values %#x", uint16(v))
	}
	return []byte(v.String()), nil
}

// UnmarshalText decodes the names of kinds of values.
func (v *Values) UnmarshalText(text []byte) error {
	*v = 0
	for name := range strings.SplitSeq(string(text), "|") {
		if name == "" {
			continue
		}
		i, err := unmarshalName("kind of value", valueNames, []byte(name))
		if err != nil {
			return err
		}
		*v |= 1 << i
	}
	return nil
}

func marshalName(what string, names []string, i uint8) ([]byte, error) {
	if int(i) >= len(names) {
		return nil, fmt.Errorf("no %s %d", what, i)
	}
	return []byte(names[i]), nil
}

func unmarshalName(what string, names []string, text []byte) (uint8, error) {
	i := slices.Index(names, string(text))
	if i < 0 {
		return 0, fmt.Errorf("unknown %s %q; expected one of %s", what, text, strings.Join(names, ", "))
	}
	return uint8(i), nil
}
