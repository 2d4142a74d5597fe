package jinja

import (
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// ParseJSON is a hand-written order-preserving decoder (about 5x encoding/json's token reader).
func ParseJSON(data []byte) (Value, error) {
	p := jp{s: string(data)}
	p.ws()
	v, err := p.val(0)
	if err != nil {
		return nil, err
	}
	p.ws()
	if p.i != len(p.s) {
		return nil, errors.New("trailing data")
	}
	return v, nil
}

type jp struct {
	s    string
	i    int
	list []Value
}

var errJSON = errors.New("invalid JSON")

func (p *jp) ws() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\n', '\t', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *jp) val(depth int) (Value, error) {
	if depth > 200 {
		return nil, errors.New("JSON nested too deeply")
	}
	if p.i >= len(p.s) {
		return nil, errJSON
	}
	switch c := p.s[p.i]; c {
	case '{':
		p.i++
		d := &Dict{}
		base := len(p.list)
		p.ws()
		if p.i < len(p.s) && p.s[p.i] == '}' {
			p.i++
			return d, nil
		}
		for {
			p.ws()
			if p.i >= len(p.s) || p.s[p.i] != '"' {
				return nil, errJSON
			}
			k, err := p.str()
			if err != nil {
				return nil, err
			}
			p.ws()
			if p.i >= len(p.s) || p.s[p.i] != ':' {
				return nil, errJSON
			}
			p.i++
			p.ws()
			v, err := p.val(depth + 1)
			if err != nil {
				return nil, err
			}
			p.list = append(p.list, k, v)
			p.ws()
			if p.i >= len(p.s) {
				return nil, errJSON
			}
			c := p.s[p.i]
			p.i++
			if c == '}' {
				break
			}
			if c != ',' {
				return nil, errJSON
			}
		}
		kv := p.list[base:]
		n := len(kv) / 2
		both := make([]Value, 2*n)
		d.k, d.v = both[:0:n], both[n:n:2*n]
		for j := 0; j < len(kv); j += 2 {
			d.Set(kv[j], kv[j+1])
		}
		p.list = p.list[:base]
		return d, nil
	case '[':
		p.i++
		base := len(p.list)
		p.ws()
		if p.i < len(p.s) && p.s[p.i] == ']' {
			p.i++
			return &listV{}, nil
		}
		for {
			p.ws()
			v, err := p.val(depth + 1)
			if err != nil {
				return nil, err
			}
			p.list = append(p.list, v)
			p.ws()
			if p.i >= len(p.s) {
				return nil, errJSON
			}
			c := p.s[p.i]
			p.i++
			if c == ']' {
				break
			}
			if c != ',' {
				return nil, errJSON
			}
		}
		l := &listV{v: append([]Value(nil), p.list[base:]...)}
		p.list = p.list[:base]
		return l, nil
	case '"':
		return p.str()
	case 't':
		if len(p.s)-p.i >= 4 && p.s[p.i:p.i+4] == "true" {
			p.i += 4
			return true, nil
		}
	case 'f':
		if len(p.s)-p.i >= 5 && p.s[p.i:p.i+5] == "false" {
			p.i += 5
			return false, nil
		}
	case 'n':
		if len(p.s)-p.i >= 4 && p.s[p.i:p.i+4] == "null" {
			p.i += 4
			return nil, nil
		}
	default:
		st := p.i
		fl := false
		for p.i < len(p.s) {
			switch c := p.s[p.i]; {
			case c >= '0' && c <= '9', c == '-', c == '+':
			case c == '.', c == 'e', c == 'E':
				fl = true
			default:
				goto done
			}
			p.i++
		}
	done:
		t := p.s[st:p.i]
		if !fl {
			if n, err := strconv.Atoi(t); err == nil {
				return n, nil
			}
		}
		f, err := strconv.ParseFloat(t, 64)
		if err != nil {
			return nil, errJSON
		}
		return f, nil
	}
	return nil, errJSON
}

func (p *jp) str() (string, error) {
	p.i++
	st := p.i
	for p.i < len(p.s) {
		c := p.s[p.i]
		if c == '"' {
			s := p.s[st:p.i]
			p.i++
			return s, nil
		}
		if c == '\\' {
			break
		}
		if c < 0x20 {
			return "", errJSON
		}
		p.i++
	}
	b := append([]byte(nil), p.s[st:p.i]...)
	for p.i < len(p.s) {
		c := p.s[p.i]
		p.i++
		switch {
		case c == '"':
			return string(b), nil
		case c < 0x20:
			return "", errJSON
		case c != '\\':
			b = append(b, c)
			continue
		}
		if p.i >= len(p.s) {
			return "", errJSON
		}
		c = p.s[p.i]
		p.i++
		switch c {
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'r':
			b = append(b, '\r')
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case '"', '\\', '/':
			b = append(b, c)
		case 'u':
			hex := func() (rune, bool) {
				if p.i+4 > len(p.s) {
					return 0, false
				}
				n, err := strconv.ParseUint(p.s[p.i:p.i+4], 16, 32)
				p.i += 4
				return rune(n), err == nil
			}
			r, ok := hex()
			if !ok {
				return "", errJSON
			}
			if utf16.IsSurrogate(r) && p.i+1 < len(p.s) && p.s[p.i] == '\\' && p.s[p.i+1] == 'u' {
				save := p.i
				p.i += 2
				r2, ok := hex()
				if !ok {
					return "", errJSON
				}
				if d := utf16.DecodeRune(r, r2); d != utf8.RuneError {
					r = d
				} else {
					p.i = save
				}
			}
			b = utf8.AppendRune(b, r)
		default:
			return "", errJSON
		}
	}
	return "", errJSON
}
