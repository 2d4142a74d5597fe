package value

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/internal/ordered"
)

// maxJSONDepth bounds the nesting of JSON.
const maxJSONDepth = 500

// Decode reads a JSON text. Objects keep the order of their keys; of duplicate keys the last value
// counts, in the place of the first. Numbers are converted as in Python: without a fraction and an
// exponent to integers of any size, otherwise to floats. Half of a surrogate pair becomes U+FFFD.
func Decode(data []byte) (Value, error) {
	v, err := ordered.Build(data, ordered.Options{Tolerant: true, MaxDepth: maxJSONDepth}, builder{})
	if err != nil {
		return nil, fmt.Errorf("decode JSON: %w", err)
	}
	return v, nil
}

// builder builds Values from JSON.
type builder struct{}

func (builder) Scalar(kind ordered.Kind, raw []byte) Value {
	switch kind {
	case ordered.String:
		return String(ordered.Unquote(raw))
	case ordered.Number:
		return decodeNumber(string(raw))
	case ordered.Bool:
		return Bool(raw[0] == 't')
	}
	return None{}
}

func (builder) Array(_ []byte, items []Value) Value { return &List{Items: items} }

func (builder) Object(_ []byte, names []string, values []Value) Value {
	o := &Object{keys: make([]Value, len(names)), values: values}
	for i, name := range names {
		o.keys[i] = String(name)
	}
	if len(names) >= indexFrom {
		o.reindex(nil)
	}
	return o
}

// decodeNumber converts a number by its spelling: 1 is an integer, 1.0 and 1e0 are floats.
func decodeNumber(s string) Value {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return Int(n)
	}
	if !strings.ContainsAny(s, ".eE") && len(s) <= MaxDigits {
		n, _ := new(big.Int).SetString(s, 10)
		return &BigInt{n}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return Float(math.NaN())
	}
	return Float(f)
}
