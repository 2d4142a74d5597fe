package assemble

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// typed matches the name of an argument and its value, if a word between before and after tells the
// value's type.
func (f tagWithTagged) typed(name peg.ID, s jsonschema.Schema, before, after string) peg.ID {
	kinds := peg.Values(s.Kinds())
	closing := f.closing()
	text := f.key(name, closing)
	untyped := f.OnlyHere("untyped", f.key(name, withoutType(closing)), f.value(s, kinds))
	other := f.Atomic(f.Tag(peg.Key, name), f.stray(f.e.nameTail), f.Lit(before), f.AnyName(), f.Lit(after))
	switch {
	case kinds == peg.StringValue:
		return f.Choice(f.Seq(text, f.value(s, kinds)), f.OnlyHere("not-text", other, f.value(jsonschema.Schema{}, peg.AnyJSON)), untyped)
	case kinds&peg.StringValue == 0:
		return f.Choice(f.Seq(other, f.value(s, kinds)), untyped)
	}
	return f.Choice(f.Seq(text, f.value(s, peg.StringValue)), f.Seq(other, f.value(s, kinds&^peg.StringValue)), untyped)
}
