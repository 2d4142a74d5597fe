package autoparser

import (
	"context"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// RenderVariables renders the template with the given variables, an object, instead of a request, and as strictly as Jinja2.
// now is the time that the template sees; zero means the time of rendering. Errors are of type *jinja.Error.
func (t *Template) RenderVariables(ctx context.Context, variables value.Value, now time.Time) (string, error) {
	return t.strict.Render(ctx, variables, now)
}
