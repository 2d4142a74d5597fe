package detect

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// jsonCall is a call that is JSON.
type jsonCall struct {
	array *literal // the array that contains the call; nil: none
	call  literal  // the whole call
	named literal  // the object with the name: the call itself, or a member of it
	field string   // the member; "" for the call itself
}

// findCall finds the call that contains a function's name, in quotes, and an argument.
func findCall(text, name, argument string) (jsonCall, bool) {
	for from := 0; ; {
		root, ok := literalWith(text, from, name, argument)
		if !ok || root.start > strings.Index(text, name) {
			return jsonCall{}, false
		}
		c := descend(text, root, name, argument)
		if key, _ := c.nameMember(name); key != "" || c.nameIsKey(name) {
			return c, true
		}
		from = root.start + 1
	}
}

// descend goes from the outermost literal to the object whose members are the name and the
// arguments.
func descend(text string, root literal, name, argument string) jsonCall {
	c := jsonCall{call: root, named: root}
	for {
		switch next, key, ok := c.named.childWith(text, name, argument); {
		case !ok:
			return c
		case c.named.kind == '[':
			array := c.named
			c = jsonCall{array: &array, call: next, named: next}
		default:
			c.call, c.named, c.field = c.named, next, key
		}
	}
}

// childWith returns the item or member that contains all needles.
func (l literal) childWith(text string, needles ...string) (child literal, key string, ok bool) {
	for _, item := range l.items {
		if item.holds(text, needles...) {
			return item, "", true
		}
	}
	for _, m := range l.members {
		if (m.value.kind == '{' || m.value.kind == '[') && m.value.holds(text, needles...) {
			return m.value, m.key.text, true
		}
	}
	return literal{}, "", false
}

// nameMember returns the key of the member that is the name.
func (c jsonCall) nameMember(name string) (key string, quote byte) {
	for _, m := range c.named.members {
		if m.value.kind == '"' && m.value.text == name {
			return m.key.text, m.value.quote
		}
	}
	return "", 0
}

// nameIsKey reports whether the name is itself a key.
func (c jsonCall) nameIsKey(name string) bool {
	return len(c.named.members) > 0 && c.named.members[0].key.text == name
}

// span returns the range of the call with its array.
func (c jsonCall) span() span {
	if c.array != nil {
		return span{c.array.start, c.array.end}
	}
	return span{c.call.start, c.call.end}
}

// jsonCalls learns how calls in JSON are written.
func (d *detective) jsonCalls(c jsonCall, one, two string) {
	second, isTwo := findCall(two, probe.OtherFunction, probe.OtherArgument)
	first, _ := findCall(two, probe.Function, probe.Argument)
	shared := isTwo && c.array != nil && second.array != nil && first.array != nil && first.array.start == second.array.start
	t := &d.Dialect.Tools
	if c.array != nil {
		learn(d, &t.JSON.ArrayWrapped, true, from("T1", one))
	}
	var both []span
	if isTwo && !shared {
		both = []span{first.span(), second.span()}
	}
	f := frameOf(one, c.span(), two, both)
	if both == nil {
		f = frame{sectionStart: f.sectionStart + f.open, sectionEnd: f.close + f.sectionEnd, rest: f.rest}
	}
	d.framed(f, one, two)
	learn(d, &t.PerCallStart, f.open, from("T2", two))
	learn(d, &t.PerCallEnd, trimLeft(f.close), from("T2", two))
	d.jsonMembers(c, second, one)
	if !d.Dialect.Tools.JSON.NameIsKey && d.Dialect.Tools.JSON.ArgsField == "" {
		d.abandonCalls("T1: the arguments of a call stand among its own members, where nothing tells them apart")
		return
	}
	d.confirmJSON()
}

// confirmJSON looks for the name in calls of another function, with another argument, and without
// any.
func (d *detective) confirmJSON() {
	t3, ok3 := d.answers.Of("T3")
	a1, ok1 := d.answers.Of("A1")
	t6, ok6 := d.answers.Of("T6")
	for _, c := range []struct {
		id, text, name, argument string
		ok                       bool
	}{
		{"T3", t3.TextB, probe.OtherFunction, probe.Argument, ok3},
		{"A1", a1.TextB, probe.Function, probe.OtherArgument, ok1},
		{"T6", t6.TextA, probe.Function, "", ok6},
	} {
		if c.ok && !d.confirmsName(d.callsIn(c.text), c.name, c.argument) {
			d.lint("%s: the call is written differently: %q", c.id, diff.Excerpt(d.callsIn(c.text), longestExcerpt))
		}
	}
}

// confirmsName reports whether a call has its name where it was found before.
func (d *detective) confirmsName(text, name, argument string) bool {
	j := d.Dialect.Tools.JSON
	call, found := findCall(text, name, argument)
	key, _ := call.nameMember(name)
	return found && (j.NameIsKey || strings.HasSuffix("."+j.NameField, "."+key))
}

// jsonMembers learns the meaning of members.
func (d *detective) jsonMembers(c, second jsonCall, one string) {
	j := &d.Dialect.Tools.JSON
	key, quote := c.nameMember(probe.Function)
	if key == "" {
		learn(d, &j.NameIsKey, true, from("T3", probe.Function))
		quote = c.named.members[0].key.quote
	}
	if quote == '\'' {
		learn(d, &j.PythonDicts, true, from("T1", "'"+probe.Function+"'"))
	}
	if j.NameIsKey {
		return
	}
	prefix := ""
	if c.field != "" {
		prefix = c.field + "."
		learn(d, &j.FunctionField, c.field, from("T3", c.field))
		d.members(j, c.call, second.call, "", one)
	}
	d.members(j, c.named, second.named, prefix, one)
	learn(d, &j.Constants, j.Constants, from("T1", one))
	learn(d, &j.ParameterOrder, j.ParameterOrder, from("T1", one))
}

// members learns which members of an object are the name, the arguments and the id, and their
// order. A text that counts the calls is an id that the model makes up; a member before the name
// that is equal in all calls is a constant.
func (d *detective) members(j *dialect.JSON, object, other literal, prefix, text string) {
	for i, m := range object.members {
		name := prefix + m.key.text
		switch {
		case m.value.text == probe.Function:
			learn(d, &j.NameField, name, from("T3", m.value.text))
		case m.value.kind == '{' && holdsKey(m.value, probe.Argument):
			learn(d, &j.ArgsField, name, from("A1", probe.Argument))
		case m.value.kind == '"' && strings.Contains(m.value.text, probe.Argument):
			learn(d, &j.ArgsField, name, from("A1", m.value.text))
			learn(d, &j.ArgsAreString, true, from("A1", m.value.text))
		case m.value.text == probe.ID:
			learn(d, &j.IDField, name, from("T7", m.value.text))
		case counts(m, other, i):
			learn(d, &j.GenIDField, name, from("T2", m.value.text+", "+other.members[i].value.text))
		case len(j.Constants) < maxConstants && scalar(m.value) && m.value.end < strings.Index(text, probe.Function):
			j.Constants = append(j.Constants, name+": "+text[m.value.start:m.value.end])
			continue
		default:
			continue
		}
		j.ParameterOrder = append(j.ParameterOrder, name)
	}
}

// holdsKey reports whether an object has a member of that name.
func holdsKey(object literal, name string) bool {
	for _, m := range object.members {
		if m.key.text == name {
			return true
		}
	}
	return false
}

// counts reports whether a member differs between the first call and the second without being part
// of what the probes changed.
func counts(m member, other literal, i int) bool {
	if i >= len(other.members) || other.members[i].key.text != m.key.text {
		return false
	}
	return scalar(m.value) && m.value.text != other.members[i].value.text
}

// maxConstants bounds the constant members before the name of a call. Templates have one or two.
const maxConstants = 16

// scalar reports whether a value contains no others.
func scalar(l literal) bool { return l.kind == '"' || l.kind == '0' }
