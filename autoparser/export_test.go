package autoparser

// Renderings is how often a template was rendered.
func (t *Template) Renderings() int64 { return t.renderings.Load() }
