package dialect

import (
	"reflect"
	"slices"
	"strings"
)

// Markers returns the trimmed markers of reasoning, content and calls, each once, in the order in
// which an answer has them.
func (d Dialect) Markers() []string {
	t := d.Tools
	all := []string{}
	if d.Reasoning.Mode != ReasoningNone {
		all = append(all, d.Reasoning.Start, d.Reasoning.End)
	}
	if d.Content.Mode != ContentPlain {
		all = append(all, d.Content.Start, d.Content.End)
	}
	if t.Format != ToolsNone {
		all = append(all, t.SectionStart, t.SectionEnd, t.PerCallStart, t.PerCallEnd,
			t.Function.NamePrefix, t.Function.NameSuffix, t.Function.Close,
			t.Arguments.Start, t.Arguments.NamePrefix, t.Arguments.NameSuffix, t.Arguments.Separator,
			t.Arguments.ValuePrefix, t.Arguments.ValueSuffix, t.Arguments.End,
			t.CallID.Prefix, t.CallID.Suffix)
	}
	return slices.DeleteFunc(distinct(all), func(m string) bool { return strings.Contains(m, NamePlaceholder) })
}

// PreservedTokens returns the texts that the engine must not drop if they are special tokens: the
// markers, and those that rules add.
func (d Dialect) PreservedTokens() []string { return distinct(append(d.Markers(), d.Preserve...)) }

// Trimmed returns the dialect with its markers as they are compared: without the white space at
// their edges, and without those that its modes do not use.
func (d Dialect) Trimmed() Dialect {
	if d.Reasoning.Mode == ReasoningNone {
		d.Reasoning.Start, d.Reasoning.End = "", ""
	}
	if d.Content.Mode == ContentPlain || d.Content.Mode == "" {
		d.Content.Start, d.Content.End = "", ""
	}
	t := &d.Tools
	for _, marker := range []*string{
		&d.Reasoning.Start, &d.Reasoning.End, &d.Content.Start, &d.Content.End,
		&t.SectionStart, &t.SectionEnd, &t.PerCallStart, &t.PerCallEnd, &t.CallSeparator,
		&t.Function.NamePrefix, &t.Function.NameSuffix, &t.Function.Close,
		&t.Arguments.Start, &t.Arguments.NamePrefix, &t.Arguments.NameSuffix, &t.Arguments.Separator,
		&t.Arguments.ValuePrefix, &t.Arguments.ValueSuffix, &t.Arguments.End,
		&t.CallID.Prefix, &t.CallID.Suffix,
	} {
		*marker = strings.TrimSpace(*marker)
	}
	return d
}

// Part is a part of a dialect that can be left out: what it would describe is then content.
type Part string

// The parts.
const (
	PartReasoning Part = "reasoning"
	PartCalls     Part = "calls"
)

// Parts returns all parts.
func Parts() []Part { return []Part{PartReasoning, PartCalls} }

// Owns reports whether a field, as workarounds write it, belongs to the part.
func (p Part) Owns(field string) bool {
	return strings.HasPrefix(field, map[Part]string{PartReasoning: "reasoning.", PartCalls: "tools."}[p])
}

// Has reports whether the dialect describes a part.
func (d Dialect) Has(part Part) bool {
	if part == PartCalls {
		return d.Tools.Format != ToolsNone
	}
	return d.Reasoning.Mode != ReasoningNone
}

// Without returns the dialect without a part.
func (d Dialect) Without(part Part) Dialect {
	if part == PartCalls {
		d.Tools = Tools{Format: ToolsNone, CallID: CallID{Position: CallIDNone}}
		return d
	}
	d.Reasoning = Reasoning{Mode: ReasoningNone}
	if d.Content.Mode == ContentWrappedWithReasoning {
		d.Content = Content{Mode: ContentPlain}
	}
	return d
}

// distinct returns the trimmed texts that are not empty, each once.
func distinct(texts []string) []string {
	out := []string{}
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// Fields returns the names of all fields of a dialect, as workarounds write them, in the order of
// the types.
func Fields() []string { return fieldsOf(reflect.TypeFor[Dialect](), "") }

func fieldsOf(t reflect.Type, prefix string) []string {
	var names []string
	for f := range t.Fields() {
		name := prefix + f.Tag.Get("yaml")
		if f.Type.Kind() == reflect.Struct {
			names = append(names, fieldsOf(f.Type, name+".")...)
		} else {
			names = append(names, name)
		}
	}
	return names
}

// FieldAt returns the name of the field of d that p points to, as workarounds write it; "" if p
// points to none.
func (d *Dialect) FieldAt(p any) string { return fieldAt(reflect.ValueOf(d).Elem(), "", p) }

func fieldAt(v reflect.Value, prefix string, p any) string {
	for i := range v.NumField() {
		f, name := v.Field(i), prefix+v.Type().Field(i).Tag.Get("yaml")
		if f.Addr().Interface() == p {
			return name
		}
		if f.Kind() == reflect.Struct {
			if within := fieldAt(f, name+".", p); within != "" {
				return within
			}
		}
	}
	return ""
}
