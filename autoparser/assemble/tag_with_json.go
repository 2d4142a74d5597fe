package assemble

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// tagWithJSON reads arguments that are one JSON object after the markup of the name:
// <function=f>{…}</function>.
type tagWithJSON struct{ *assembly }

func (f tagWithJSON) begins() []string {
	return nonempty(f.m.Tools.Arguments.Start, "{")
}

func (f tagWithJSON) args(t turn.Tool) peg.ID {
	start, end := f.m.Tools.Arguments.Start, f.m.Tools.Arguments.End
	kids := []peg.ID{}
	if start != "" {
		kids = append(kids, f.Marker(start), f.Space())
	}
	object := f.Seq(f.object(t), f.Space())
	if !strings.Contains(f.m.Tools.Function.NameSuffix+start, turn.Fence) {
		object = f.Choice(object, f.OnlyHere("fenced", f.Lit(turn.Fence), f.Optional(f.Lit("json")), f.Space(), f.lenientObject(), f.Space(), f.Optional(f.Lit(turn.Fence), f.Space())))
	}
	if ends := slices.DeleteFunc(nonempty(end, f.m.Tools.Function.Close, f.m.Tools.PerCallEnd, f.m.Tools.SectionEnd), common); len(ends) > 0 {
		object = f.Choice(f.OnlyHere("no-arguments", f.Peek(f.OneOf(respaced(ends...)...))), object)
	}
	kids = append(kids, object)
	if end != "" {
		kids = append(kids, f.Marker(end, f.Space()))
	}
	return f.Seq(kids...)
}
