package match

import "github.com/dragoman-project/dragoman/sdk/peg"

// waiting is something to deliver that is not decided yet.
type waiting struct {
	kind     waitKind
	role     peg.Role
	from, to int    // the text, as offsets into the input
	given    string // what is delivered instead of it, or the missing marker; empty: the text itself
}

// waitKind is what to deliver of a role.
type waitKind uint8

const (
	waitOpen waitKind = iota
	waitText
	waitClose
	waitOmit // a call ends whose end is missing
)

// queue holds what is waiting, in order.
type queue []waiting

// text adds text of a role; text that continues the last entry extends it.
func (q *queue) text(role peg.Role, from, to int) {
	if n := len(*q); n > 0 {
		if last := &(*q)[n-1]; last.kind == waitText && last.role == role && last.to == from {
			last.to = to
			return
		}
	}
	*q = append(*q, waiting{kind: waitText, role: role, from: from, to: to})
}

// complete turns the newest region of a role, whose beginning is waiting, into its text up to offset to.
func (q queue) complete(role peg.Role, to int, given string) {
	i := len(q) - 1
	for q[i].kind != waitOpen || q[i].role != role {
		i--
	}
	q[i].kind, q[i].to, q[i].given = waitText, to, given
}

// cut drops the entries from index n on, and of the others what lies beyond offset at.
func (q *queue) cut(n, at int) {
	*q = (*q)[:min(n, len(*q))]
	if k := len(*q); k > 0 {
		last := &(*q)[k-1]
		last.to = min(last.to, at)
	}
}

// blank returns how many bytes of speech are waiting at the end of the queue, up to offset at and without interruption. Under a
// live frame speech waits only while it is white space.
func (q queue) blank(at int) int {
	start := at
	for i := len(q) - 1; i >= 0 && q[i].kind == waitText && q[i].role.Streams() && q[i].to == start; i-- {
		start = q[i].from
	}
	return at - start
}

// begin returns the offset of the first text or region that is waiting, at most at. The ends of regions need no bytes.
func (q queue) begin(at int) int {
	for i := range q {
		if q[i].kind != waitClose {
			return min(q[i].from, at)
		}
	}
	return at
}

// supported returns how many of the first n entries can be delivered: the end of an object or array, for which the machine
// itself writes a bracket, is sure once something follows it in the output, which is not blank up to offset solid.
func (q queue) supported(n, solid int) int {
	for n > 0 && q[n-1].kind == waitClose && q[n-1].from >= solid && q[n-1].role.Brackets() {
		n--
	}
	return n
}

// reopen undoes the ends of regions that the end of the output has brought about, where a marker is missing: those from index
// n on, and before it those of objects and arrays that nothing supports.
func (q *queue) reopen(n, solid int) {
	for i := n; i > 0 && (*q)[i-1].kind == waitClose && (*q)[i-1].from >= solid; i-- {
		if (*q)[i-1].role.Brackets() {
			n = i - 1
		}
	}
	kept := (*q)[:n]
	for _, w := range (*q)[n:] {
		switch {
		case w.kind != waitClose:
			kept = append(kept, w)
		case w.role == peg.Call:
			w.kind = waitOmit
			kept = append(kept, w)
		}
	}
	*q = kept
}
