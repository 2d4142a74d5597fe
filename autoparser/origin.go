package autoparser

import (
	"context"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Origin is the place in a template that a piece of a prompt comes from.
type Origin = jinja.Origin

// Origins renders the prompt of a request, and returns the place in the template that each piece of it comes from. What follows
// the pieces is of a message to be continued. It costs as much as compiling the template.
func (l *Learned) Origins(ctx context.Context, r *chat.Request) (Rendered, []Origin, error) {
	var trace jinja.Trace
	traced := *l.Template
	traced.program, traced.prompts = traced.program.Traced(&trace), nil
	out, err := traced.render(ctx, r, l.Style(), nil)
	if err != nil {
		return out, nil, err
	}
	origins, rest := trace.Origins(), out.Prompt
	for i, o := range origins {
		var same bool
		if rest, same = strings.CutPrefix(rest, o.Text); !same {
			return out, origins[:i], nil
		}
	}
	return out, origins, nil
}
