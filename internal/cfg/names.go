package cfg

import (
	"strconv"
	"strings"
)

// Names are the names of rules that are taken, each with the last number that told another like it from it.
type Names map[string]int

// Fresh turns name into one that GBNF allows and that no other rule has.
func (n Names) Fresh(name string) string {
	clean := strings.Trim(strings.Map(func(r rune) rune {
		if r < 0x80 && isName(byte(r)) {
			return r
		}
		return '-'
	}, name), "-")
	if clean == "" {
		clean = "rule"
	}
	unique, last := clean, n[clean]
	for taken := last > 0; taken; taken = n[unique] > 0 {
		last++
		unique = clean + "-" + strconv.Itoa(last)
	}
	n[clean] = last
	n[unique] = max(n[unique], 1)
	return unique
}

// NewRule is a new rule, named name or much like it.
func (n Names) NewRule(name string) *Rule { return &Rule{Name: n.Fresh(name)} }
