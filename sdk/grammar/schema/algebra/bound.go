package algebra

import (
	"math/big"

	"github.com/dragoman-project/dragoman/sdk/grammar/schema/number"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Bounds returns the bounds in s, in the form of any draft: exclusiveMinimum is a number, or a
// boolean beside minimum.
func (d *Document) Bounds(s *jsonschema.Value, path string) (number.Limits, error) {
	var l number.Limits
	var err error
	if l.Lo, l.LoOpen, err = bound(s, path, "minimum", "exclusiveMinimum", 1); err != nil {
		return l, err
	}
	if l.Hi, l.HiOpen, err = bound(s, path, "maximum", "exclusiveMaximum", -1); err != nil {
		return l, err
	}
	if l.Hi != nil && l.Hi.Cmp(number.Beyond) >= 0 {
		l.Hi = nil
	}
	if l.Lo != nil && new(big.Rat).Neg(l.Lo).Cmp(number.Beyond) >= 0 {
		l.Lo = nil
	}
	switch {
	case l.Lo != nil && l.Lo.Cmp(number.Beyond) >= 0, l.Hi != nil && new(big.Rat).Neg(l.Hi).Cmp(number.Beyond) >= 0:
		return l, Errorf(path, "numbers of more than 64 digits are not supported")
	case l.Empty():
		return l, Contradiction(path, "no number is between these bounds")
	}
	return l, nil
}

// bound returns the tighter of the bounds under key and exclusive, and whether it is excluded; nil
// if there is none. Sign is 1 for lower bounds and -1 for upper ones.
func bound(s *jsonschema.Value, path, key, exclusive string, sign int) (*big.Rat, bool, error) {
	for _, k := range []string{key, exclusive} {
		if v := s.Get(k); v.Is(jsonschema.Number) && v.Rational() == nil {
			return nil, false, Errorf(jsonschema.Pointer(path, k), "%s is too large a number", v.Text)
		}
	}
	closed, open := s.Get(key).Rational(), s.Get(exclusive)
	switch {
	case open.Is(jsonschema.Bool):
		return closed, open.Bool && closed != nil, nil
	case open == nil:
		return closed, false, nil
	case closed == nil || open.Rational().Cmp(closed)*sign >= 0:
		return open.Rational(), true, nil
	}
	return closed, false, nil
}
