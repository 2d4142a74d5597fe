package peg

import (
	"fmt"
	"strconv"
	"strings"
)

// String prints the program in the notation of PEGs, a rule a line, the program itself first:
//
//	program <- prompt("<think>") content(until("<call>")) tool-call? end
//	trigger tool-call <- call("<call>" atomic(call-name(until("(")) "(") arguments(value(object)) ")")
//
// A role precedes the text that it tags. A larger node that several others share is printed as a rule of its own, named after
// its index. Invalid programs can be printed, too.
func (p *Program) String() string {
	w := newPrinter(p)
	w.rule("program", p.Root)
	for len(w.todo) > 0 {
		id := w.todo[0]
		w.todo = w.todo[1:]
		w.define(id)
	}
	return w.out.String()
}

type printer struct {
	*Program
	uses  []int         // how many others refer to a node
	names map[string]ID // the first rule of each name; the others are printed with their index, too
	flat  map[ID]string // nodes on one line; "" where that is too long
	known map[ID]bool   // rules that were referred to
	open  map[ID]bool   // nodes being printed on several lines
	todo  []ID          // known rules still to be printed, in order
	out   strings.Builder
}

const (
	maxShared = 40 // shared nodes with a longer text become rules
	maxLine   = 90 // longer nodes take several lines
	maxIndent = 40 // nodes nested deeper are left out
	indent    = "    "
)

func newPrinter(p *Program) *printer {
	w := &printer{Program: p, uses: make([]int, len(p.Nodes)), names: map[string]ID{}, flat: map[ID]string{}, known: map[ID]bool{}, open: map[ID]bool{}}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		for _, k := range n.Kids {
			if w.exists(k) {
				w.uses[k]++
			}
		}
		if _, taken := w.names[n.Text]; !taken && isRule(n) {
			w.names[n.Text] = ID(i)
		}
	}
	return w
}

func (w *printer) exists(id ID) bool { return id >= 0 && int(id) < len(w.Nodes) }

// define prints the rule, or the shared node, id.
func (w *printer) define(id ID) {
	n := &w.Nodes[id]
	switch {
	case !isRule(n):
		w.rule(nodeName(id), id)
	case len(n.Kids) == 0:
		fmt.Fprintf(&w.out, "%s is not defined\n", w.name(id))
	case n.Op == Trigger:
		w.rule("trigger "+w.name(id), n.Kids[0])
	default:
		w.rule(w.name(id), n.Kids[0])
	}
}

func (w *printer) rule(name string, body ID) {
	text, newline := w.line(body), " "
	if w.exists(body) && (text == "" || len(name)+len(text) > maxLine) {
		text, newline = w.block(body, "\n"+indent), "\n"+indent
	}
	fmt.Fprintf(&w.out, "%s <-%s%s\n", name, newline, text)
}

func nodeName(id ID) string { return fmt.Sprintf("node-%d", id) }

// name returns the name of a rule; with its index, if another rule has the same.
func (w *printer) name(id ID) string {
	text := w.Nodes[id].Text
	if w.names[text] != id {
		return fmt.Sprintf("%s-%d", text, id)
	}
	return text
}

// ref returns the name by which others refer to node id, if they do so by name.
func (w *printer) ref(id ID) (string, bool) {
	var name string
	switch {
	case !w.exists(id):
		return nodeName(id) + "?", true
	case isRule(&w.Nodes[id]):
		name = w.name(id)
	case w.uses[id] > 1 && w.isLong(id):
		name = nodeName(id)
	default:
		return "", false
	}
	if !w.known[id] {
		w.known[id] = true
		w.todo = append(w.todo, id)
	}
	return name, true
}

func (w *printer) isLong(id ID) bool {
	text := w.line(id)
	return text == "" || len(text) > maxShared
}

// line prints node id itself on one line, or returns "" if that is too long. A node without kids is never too long.
func (w *printer) line(id ID) string {
	if !w.exists(id) {
		return nodeName(id) + "?"
	}
	if text, known := w.flat[id]; known {
		return text
	}
	w.flat[id] = nodeName(id) // in case it contains itself
	n := &w.Nodes[id]
	text := n.Op.String()
	switch {
	case len(n.Kids) > 0:
		text = w.compound(n)
	case n.Op.Shape() == Leaf:
		text = n.text()
	}
	w.flat[id] = text
	return text
}

// compound prints a node with kids on one line, or returns "" if that is too long.
func (w *printer) compound(n *Node) string {
	before, separator, after := w.around(n)
	size := len(before) + len(after)
	texts := make([]string, len(n.Kids))
	for i, k := range n.Kids {
		text, named := w.ref(k)
		if !named {
			text = w.line(k)
		}
		texts[i] = text
		if size += len(text); text == "" || size > maxLine {
			return ""
		}
	}
	return before + strings.Join(texts, separator) + after
}

// block prints node id, on several lines if one is too short.
func (w *printer) block(id ID, newline string) string {
	text := w.line(id)
	switch {
	case text != "" && len(newline)+len(text) <= maxLine || len(w.Nodes[id].Kids) == 0:
		return text
	case w.open[id] || len(newline) > maxIndent*len(indent):
		return "…"
	}
	w.open[id] = true
	defer delete(w.open, id)
	n := &w.Nodes[id]
	before, separator, after := w.around(n)
	if strings.HasSuffix(before, "(") {
		inner := newline + indent
		return before + inner + w.blocks(n.Kids, inner, separator) + newline + after
	}
	return before + w.blocks(n.Kids, newline, separator) + after
}

func (w *printer) blocks(kids []ID, newline, separator string) string {
	texts := make([]string, len(kids))
	for i, k := range kids {
		text, named := w.ref(k)
		if !named {
			text = w.block(k, newline)
		}
		texts[i] = text
	}
	return strings.Join(texts, newline+strings.TrimPrefix(separator, " "))
}

// around returns what stands before, between and after the kids of n.
func (w *printer) around(n *Node) (before, separator, after string) {
	switch n.Op.Shape() {
	case Alternatives:
		return "(", " / ", ")"
	case Loop:
		return w.group(n, "", times(n.Min, n.Max))
	case Lookahead:
		return w.group(n, n.text(), "")
	case Wrapper:
		if !isRule(n) {
			return n.text(), " ", ")"
		}
	}
	return "", " ", ""
}

// group puts parentheses around the kid of n, unless it needs none.
func (w *printer) group(n *Node, before, after string) (string, string, string) {
	if _, named := w.ref(n.Kids[0]); !named {
		switch w.Nodes[n.Kids[0]].Op {
		case Sequence, Repeat, Chars, Peek, Not:
			return before + "(", " ", ")" + after
		}
	}
	return before, " ", after
}

// Leaf prints a node that has no kids as String does: until("<call>").
func (n *Node) Leaf() string { return n.text() }

// text prints a leaf, or what precedes the kids of another node.
func (n *Node) text() string {
	if text := n.Op.kind().text; text != nil {
		return text(n)
	}
	return n.Op.String()
}

func charsText(n *Node) string { return n.Class() + times(n.Min, n.Max) }

func untilText(n *Node) string {
	if isRest(n) {
		return "rest"
	}
	return "until(" + quoteAll(n.Delims) + ")"
}

func valueText(n *Node) string {
	kinds := n.Values.String()
	switch n.Values {
	case AnyJSON:
		kinds = "json"
	case AnyPython:
		kinds = "python"
	}
	return "value(" + kinds + ")"
}

func schemaText(n *Node) string {
	name := "schema"
	if n.Raw {
		name = "raw-schema"
	}
	return fmt.Sprintf("%s(%s, ", name, n.JSONSchema)
}

func tagText(n *Node) string {
	if n.Text == "" {
		return n.Role.String() + "("
	}
	return fmt.Sprintf("%s=%q(", n.Role, n.Text)
}

func times(lo, hi int) string {
	switch {
	case lo == 1 && hi == 1:
		return ""
	case lo == 0 && hi == 1:
		return "?"
	case lo == 0 && hi < 0:
		return "*"
	case lo == 1 && hi < 0:
		return "+"
	case hi < 0:
		return fmt.Sprintf("{%d,}", lo)
	}
	return fmt.Sprintf("{%d,%d}", lo, hi)
}

// quote quotes a text as Go does, with backquotes where that is easier to read.
func quote(t string) string {
	if strings.ContainsAny(t, `"\`) && strconv.CanBackquote(t) {
		return "`" + t + "`"
	}
	return strconv.Quote(t)
}

func quoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = quote(t)
	}
	return strings.Join(quoted, ", ")
}

// Class prints the characters of a Chars node as regular expressions do, without the bounds.
func (n *Node) Class() string {
	var b strings.Builder
	b.WriteByte('[')
	if n.Negated {
		b.WriteByte('^')
	}
	for _, r := range n.Ranges {
		b.WriteString(runeText(r.Lo))
		if r.Hi != r.Lo {
			b.WriteByte('-')
			b.WriteString(runeText(r.Hi))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// runeText returns a character as it is written within a class, escaped if necessary.
func runeText(r rune) string {
	if strings.ContainsRune(`\-]^`, r) {
		return `\` + string(r)
	}
	quoted := fmt.Sprintf("%q", r)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\'`, `'`)
}
