package jinja

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxJSONDepth bounds the nesting of decoded JSON.
const maxJSONDepth = 500

// Decode reads one JSON text. Objects keep the order of their keys; where a key comes twice, the last value counts, at
// the place of the first. Numbers become what Python makes of them: integers of any size without a fraction or an
// exponent, floats else. Half of a surrogate pair becomes U+FFFD.
func Decode(data []byte) (Value, error) {
	// A buffer is read in place, any other reader in pieces that are copied.
	d := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := decode(d, 0)
	if err != nil {
		return nil, fmt.Errorf("decode JSON: %w", err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("decode JSON: byte %d: expected the end after the value", d.InputOffset())
	}
	return v, nil
}

// decode reads one value.
func decode(d *jsontext.Decoder, depth int) (Value, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("byte %d: nested deeper than %d", d.InputOffset(), maxJSONDepth)
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return decodeObject(d, depth)
	case '[':
		return decodeList(d, depth)
	case '"':
		return text(token.String()), nil
	case '0':
		return decodeNumber(token.String()), nil
	case 't', 'f':
		return boolean(token.Bool()), nil
	}
	return none{}, nil
}

func decodeObject(d *jsontext.Decoder, depth int) (Value, error) {
	o := &Object{}
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		v, err := decode(d, depth+1)
		if err != nil {
			return nil, err
		}
		o.Set(name, v)
	}
	_, err := d.ReadToken()
	return o, err
}

func decodeList(d *jsontext.Decoder, depth int) (Value, error) {
	l := &list{}
	for d.PeekKind() != ']' {
		v, err := decode(d, depth+1)
		if err != nil {
			return nil, err
		}
		l.items = append(l.items, v)
	}
	_, err := d.ReadToken()
	return l, err
}

// decodeNumber reads a number by its spelling: 1 is an integer, 1.0 and 1e0 are floats.
func decodeNumber(s string) Value {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return integer(n)
	}
	if !strings.ContainsAny(s, ".eE") && len(s) <= maxDigits {
		n, _ := new(big.Int).SetString(s, 10)
		return &bigInteger{n}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return float(math.NaN())
	}
	return float(f)
}
