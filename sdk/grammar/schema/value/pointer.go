package value

import (
	"net/url"
	"strconv"
	"strings"
)

// At is the JSON pointer to what steps lead to from path: a field, or a field and the index of an item.
func At(path, field string, items ...int) string {
	path += "/" + pointerEscape.Replace(field)
	for _, i := range items {
		path += "/" + strconv.Itoa(i)
	}
	return path
}

var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// Pointer are the steps of a JSON pointer in a fragment.
func Pointer(ref string) []string {
	ref = strings.TrimPrefix(ref, "#")
	if plain, err := url.PathUnescape(ref); err == nil {
		ref = plain
	}
	steps := strings.Split(ref, "/")[1:]
	for i := range steps {
		steps[i] = pointerUnescape.Replace(steps[i])
	}
	return steps
}

// Child is the field or item that a step of a JSON pointer names.
func (v *Value) Child(step string) *Value {
	if v.Kind != Array {
		return v.Get(step)
	}
	for i, item := range v.Items {
		if step == strconv.Itoa(i) {
			return item
		}
	}
	return nil
}
