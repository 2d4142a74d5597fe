package autoparser

import (
	"context"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// RenderVariables renders the template with exactly these variables, an object, in place of a request, and as strictly as
// Jinja2 does. now is the time that
// the template is told; zero means the time of rendering. The error is a *jinja.Error.
func (t *Template) RenderVariables(ctx context.Context, variables value.Value, now time.Time) (string, error) {
	return t.strict.Render(ctx, variables, now)
}
