package jinja

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Fork renders a template with several values of one variable, and what precedes the first use of the variable only once: a
// prompt with and without the beginning of an answer differ in their ends, and have thousands of tokens in common.
//
// The template is cut before the first of its outermost statements that mentions the variable. The rest runs for each value,
// every time on the same variables, and must not see that it ran before. It does not, because it can change nothing that lasts:
// it assigns no attribute, calls no macro and no method that changes a list or an object; and what it reads of the variables set
// before are plain values, without generators, which are consumed, and other values with a state.
type Fork struct {
	t      *Template
	name   string
	at     int         // the first statement that mentions the variable
	reads  []int       // the slots of variables that the rest mentions
	unable atomic.Bool // they had a state once
}

// Fork returns the fork of the template at a variable; nil if it cannot be cut there.
func (t *Template) Fork(name string) *Fork {
	f := &Fork{t: t, name: name}
	stored := map[string]bool{}
	for _, n := range t.body {
		stores(n, stored)
	}
	if stored[name] {
		return nil
	}
	read := map[string]bool{}
	for i, n := range t.body {
		if reads(n, read); !read[name] {
			clear(read)
			f.at = i + 1
		}
		if i >= f.at && !t.calm(n, stored) {
			return nil
		}
	}
	for id, slot := range t.program.slots {
		if read[id] {
			f.reads = append(f.reads, slot)
		}
	}
	return f
}

// reads adds the names that n reads.
func reads(n syntax.Node, names map[string]bool) {
	if n, ok := n.(*syntax.Name); ok {
		names[n.ID] = true
	}
	syntax.Children(n, func(child syntax.Node) { reads(child, names) })
}

// stores adds the names that n assigns.
func stores(n syntax.Node, names map[string]bool) {
	switch n := n.(type) {
	case *syntax.NameTarget:
		names[n.ID] = true
	case *syntax.Macro:
		names[n.ID] = true
	}
	syntax.Children(n, func(child syntax.Node) { stores(child, names) })
}

// calm reports whether n changes nothing but variables and the output.
func (t *Template) calm(n syntax.Node, stored map[string]bool) bool {
	switch n := n.(type) {
	case *syntax.AttributeTarget, *syntax.Macro, *syntax.CallBlock:
		return false
	case *syntax.Filter:
		if n.ID == "attr" {
			return false
		}
	case *syntax.Call:
		switch of := n.Of.(type) {
		case *syntax.Name:
			if stored[of.ID] {
				return false
			}
		case *syntax.Attribute:
			for _, methods := range t.program.lib.Methods {
				if m := methods[of.ID]; m != nil && m.Changes {
					return false
				}
			}
		default:
			return false
		}
	}
	calm := true
	syntax.Children(n, func(child syntax.Node) { calm = calm && t.calm(child, stored) })
	return calm
}

// Render returns what Template.Render returns for the variables with each of the values; nil stands for an unset variable. It
// fails if one of these renderings fails. ok is false if the template cannot be cut there for these variables, and must be
// rendered for each value.
func (f *Fork) Render(ctx context.Context, vars *value.Object, now time.Time, values [2]value.Value) (texts [2]string, ok bool, err error) {
	if f == nil || f.unable.Load() {
		return texts, false, nil
	}
	err = f.t.during(ctx, now, func(r *render) {
		frame := f.t.program.begin(r, vars)
		run(f.t.program.steps[:f.at], frame)
		if ok = f.still(frame); !ok {
			f.unable.Store(true)
			return
		}
		mark, slots := len(r.out), append([]value.Value(nil), frame.slots...)
		place, fallback := f.t.program.placeOf(f.name)
		for i, v := range values {
			r.out = r.out[:mark]
			copy(frame.slots, slots)
			if v == nil {
				v = fallback
			}
			if place >= 0 {
				r.context[place] = v
			}
			run(f.t.program.steps[f.at:], frame)
			texts[i] = string(r.out)
		}
	})
	return texts, ok, err
}

// mostValues limits the values that are looked at for a state.
const mostValues = 4096

// still reports whether the variables that the rest reads have no state.
func (f *Fork) still(at *frame) bool {
	left := mostValues
	for _, slot := range f.reads {
		if !still(at.slots[slot], &left) {
			return false
		}
	}
	return true
}

// still reports whether reading a value leaves it as it is. It looks at no more values than are left.
func still(v value.Value, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	all := func(items []value.Value) bool {
		return !slices.ContainsFunc(items, func(v value.Value) bool { return !still(v, left) })
	}
	switch v := v.(type) {
	case nil, value.None, value.Bool, value.Int, *value.BigInt, value.Float, value.String, value.Markup, *value.Range, *value.Undefined:
		return true
	case *library.Function: // which the rest does not call
		return true
	case *value.Namespace:
		return still(v.Attributes, left)
	case *value.List:
		return all(v.Items)
	case *value.Object:
		return !value.IsMutable(v) || all(v.Values())
	}
	return false
}

// placeOf returns the place of a context variable, or -1, and what it is if unset.
func (p *program) placeOf(name string) (int, value.Value) {
	for i, id := range p.names {
		if id == name {
			return i, p.functions[i]
		}
	}
	return -1, nil
}
