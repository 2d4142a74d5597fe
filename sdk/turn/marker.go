package turn

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Marker matches a marker of the format and what follows it. A model may leave both out; grammars
// require them. The Format decides whether the report counts a missing marker, and which other
// spellings are accepted. Where the output ends without the marker, what it would have ended stays
// open.
func (t *Turn) Marker(text string, behind ...peg.ID) peg.ID {
	return t.Choice(t.Seq(append([]peg.ID{t.Spelled(text)}, behind...)...), t.Omitted(text))
}

// Closer matches a marker that may be missing, and the white space after it.
func (t *Turn) Closer(text string) peg.ID { return t.Marker(text, t.Space()) }

// Start matches a marker that begins calls, and the white space after it. Models begin some twice.
func (t *Turn) Start(marker string) peg.ID {
	again := t.OncePer("~start-again", marker, func() peg.ID { return t.Seq(t.Spelled(marker), t.Space()) })
	return t.Seq(t.Spelled(marker), t.Space(), t.Optional(again))
}

// Omitted matches nothing, for the parser alone, in place of marker. If the Format asks for it, the
// report counts the marker as missing, unless it ends the turn: engines stop there.
func (t *Turn) Omitted(marker string) peg.ID {
	if !t.ReportMissing || marker == "" || slices.Contains(t.Ends, marker) {
		return t.Once("~missing", t.Empty)
	}
	return t.OncePer("~missing", marker, func() peg.ID { return t.Missing(marker) })
}

// Lacking matches kid and has the report count marker as missing before it; an empty marker is not
// counted. Whether grammars include it depends on kid.
func (t *Turn) Lacking(marker string, kid peg.ID) peg.ID {
	if marker == "" {
		return kid
	}
	return t.Seq(t.Missing(marker), kid)
}

// Spelled matches a marker or, for the parser alone, another spelling of it.
func (t *Turn) Spelled(marker string) peg.ID {
	others := t.spellings(marker)
	if len(others) == 0 {
		return t.Lit(marker)
	}
	return t.Choice(t.Lit(marker), t.OncePer("~respelled", marker, func() peg.ID { return t.OneOf(others...) }))
}

// spellings returns the other accepted spellings of a marker.
func (t *Turn) spellings(marker string) []string {
	if t.Spellings == nil {
		return nil
	}
	return t.Spellings(marker)
}
