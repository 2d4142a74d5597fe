package peg

import "slices"

// The functions below check the fields of one kind of node each. The table kinds refers to them.

func checkLiteral(v *validator, id ID) {
	n := &v.Nodes[id]
	if n.Text == "" {
		v.add(id, "use an empty node", "a literal without text")
	}
}

func checkUntil(v *validator, id ID) {
	n := &v.Nodes[id]
	if slices.Contains(n.Delims, "") {
		v.add(id, "remove it", "an empty delimiter")
	}
}

func checkString(v *validator, id ID) {
	n := &v.Nodes[id]
	if len(n.Text) != 1 || n.Text == `\` {
		v.add(id, "use one byte other than a backslash", "the quote is %q", n.Text)
	}
}

func checkValue(v *validator, id ID) {
	n := &v.Nodes[id]
	if n.Values&AnyJSON == 0 || n.Values&^AllNotations != 0 {
		v.add(id, "name existing kinds of values", "accepts no kind of value")
	}
}

func checkRepeat(v *validator, id ID) {
	n := &v.Nodes[id]
	checkBounds(v, id)
	if n.Min > MaxRepeat || n.Max > MaxRepeat {
		v.add(id, "count with Chars, or leave the repetition without bound", "repeats up to %d times, at most %d are allowed", max(n.Min, n.Max), MaxRepeat)
	}
}

func checkChars(v *validator, id ID) {
	n := &v.Nodes[id]
	checkBounds(v, id)
	for _, r := range n.Ranges {
		if r.Lo > r.Hi || r.Lo < 0 {
			v.add(id, "order its ends", "the range %#x to %#x is empty", r.Lo, r.Hi)
		}
	}
}

func checkBounds(v *validator, id ID) {
	n := &v.Nodes[id]
	if n.Min < 0 || n.Max >= 0 && n.Max < n.Min {
		v.add(id, "order them", "the bounds %d and %d", n.Min, n.Max)
	}
}

func checkTag(v *validator, id ID) {
	n := &v.Nodes[id]
	if !n.Role.exists() {
		v.add(id, "use an existing role", "role %d is unknown", n.Role)
	}
	if n.Text == "" && n.Role == Missing {
		v.add(id, "give it the text of the marker", "a missing marker without text")
	}
	if n.Text != "" && n.Role != Missing && !n.Role.IsWhole() {
		v.add(id, "leave the text out", "text %q for the role %s, whose text is what matches", n.Text, n.Role)
	}
}

func checkPrompt(v *validator, id ID) {
	v.add(id, "bind it first, with Program.Bind", "the generation prompt is not bound")
}

func checkUnknown(v *validator, id ID) {
	v.add(id, "use an existing kind", "kind %d is unknown", v.Nodes[id].Op)
}
