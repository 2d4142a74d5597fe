package detect

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// idBetween takes an id out of what stands between a name and its arguments (T7), and returns what ends the name. The last
// marker before the id belongs to the id.
func (d *detective) idBetween(text string) string {
	before, after, ok := strings.Cut(text, probe.ID)
	if !ok {
		return text
	}
	start, _ := diff.LastMarker(before)
	if start == len(before) {
		start = 0
	}
	d.identified(dialect.CallIDBetweenNameAndArgs, before[start:], after)
	return before[:start]
}

// identified concludes where the id of a call stands.
func (d *detective) identified(at dialect.CallIDPosition, prefix, suffix string) {
	id := &d.Dialect.Tools.CallID
	id.Position = at
	seen := prefix + probe.ID + suffix
	d.found("tools.call_id.position", string(at), "T7", seen)
	d.set(&id.Prefix, "tools.call_id.prefix", prefix, "T7", seen)
	d.set(&id.Suffix, "tools.call_id.suffix", suffix, "T7", seen)
}
