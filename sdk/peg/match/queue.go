package match

import "github.com/dragoman-project/dragoman/sdk/peg"

// waiting is something to tell that is not decided yet.
type waiting struct {
	kind     tellKind
	role     peg.Role
	from, to int    // the text, as offsets into the input
	given    string // what is told in place of it, or the marker that is missing; empty: the text itself
}

// tellKind says what is told of a role.
type tellKind uint8

const (
	tellOpen tellKind = iota
	tellText
	tellClose
)

// queue holds what waits, in order.
type queue []waiting

// text adds text of a role; text that continues the last entry extends it.
func (q *queue) text(role peg.Role, from, to int) {
	if n := len(*q); n > 0 {
		if last := &(*q)[n-1]; last.kind == tellText && last.role == role && last.to == from {
			last.to = to
			return
		}
	}
	*q = append(*q, waiting{kind: tellText, role: role, from: from, to: to})
}

// complete makes the text up to offset to of the newest region of a role, whose beginning waits.
func (q queue) complete(role peg.Role, to int, given string) {
	i := len(q) - 1
	for q[i].kind != tellOpen || q[i].role != role {
		i--
	}
	q[i].kind, q[i].to, q[i].given = tellText, to, given
}

// cut drops what was added since the queue had n entries, if it has, and the input had been read up to at.
func (q *queue) cut(n, at int) {
	*q = (*q)[:min(n, len(*q))]
	if k := len(*q); k > 0 {
		last := &(*q)[k-1]
		last.to = min(last.to, at)
	}
}

// blank is how many bytes of speech wait at the end of the queue, up to offset at and without interruption. Speech waits
// under a live frame only while it is white space.
func (q queue) blank(at int) int {
	start := at
	for i := len(q) - 1; i >= 0 && q[i].kind == tellText && q[i].role.Streams() && q[i].to == start; i-- {
		start = q[i].from
	}
	return at - start
}
