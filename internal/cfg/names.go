package cfg

import (
	"strconv"
	"strings"
)

// Names is the set of rule names in use, each with the last number appended to make it unique.
type Names map[string]int

// Fresh returns name, changed to be valid in GBNF and different from all names in use.
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

// NewRule returns a new rule named after name.
func (n Names) NewRule(name string) *Rule { return &Rule{Name: n.Fresh(name)} }
