package assemble

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Where the names of functions and arguments are tags, as in <city>Oslo</city>, the closing tags
// contain the names, too. Then only declared names can be parsed.

// closesByName reports whether the closing tag of a function contains its name.
func (a *assembly) closesByName() bool {
	return strings.Contains(a.d.Tools.Function.Close, dialect.NamePlaceholder)
}

// closeOf returns the closing tag of the function of that name.
func (a *assembly) closeOf(name string) string {
	return strings.TrimSpace(strings.ReplaceAll(a.d.Tools.Function.Close, dialect.NamePlaceholder, name))
}

// closesArguments reports whether the closing tag of an argument contains its name.
func (f tagWithTagged) closesArguments() bool {
	return strings.Contains(f.e.ValueSuffix, dialect.NamePlaceholder)
}

// closedBy returns the format of the argument of that name.
func (f tagWithTagged) closedBy(name string) tagWithTagged {
	if f.closesArguments() {
		f.e.own = name
		f.e.ValueSuffix = strings.ReplaceAll(f.e.ValueSuffix, dialect.NamePlaceholder, name)
	}
	return f
}

// per is Once for a rule that depends on the closing tag of the argument.
func (f tagWithTagged) per(name string, body func() peg.ID) peg.ID {
	return f.OncePer(name, f.e.own, body)
}
