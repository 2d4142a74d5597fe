package grammar

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/pattern"
	"github.com/dragoman-project/dragoman/sdk/grammar/target"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// SchemaError is an error in a JSON Schema, with its place.
type SchemaError = schema.Error

// FromSchema returns the constraint for one JSON value that follows a schema.
func FromSchema(source jsonschema.Schema) (*Constraint, error) {
	return FromSchemaWithin(NewMeter(context.Background()), source)
}

// FromSchemaWithin is FromSchema within a meter.
func FromSchemaWithin(m *work.Meter, source jsonschema.Schema) (*Constraint, error) {
	var p peg.Builder
	c, err := BuildWithin(m, p.Build(p.Schema(source, p.Value(peg.AnyJSON))), Options{Mode: Strict})
	if errors.Is(err, errNoText) {
		err = schema.Contradiction("#", "no value follows it")
	}
	return c, err
}

// FromPattern returns a grammar in GBNF for the texts that match a regular expression as a whole.
// An error names what a grammar cannot express, such as lookarounds.
func FromPattern(source string) (string, error) {
	ways, err := pattern.Parse(source)
	if err != nil {
		return "", err
	}
	engine, err := target.GBNF.Limits()
	if err != nil {
		return "", err
	}
	b := rules.New(engine.Engine, engine.Repetitions)
	for i := range ways {
		ways[i].Begins, ways[i].Ends = true, true
	}
	e := pattern.Writer{Rules: b}.Anywhere(ways)
	root := &cfg.Rule{Name: "root", Body: e}
	if !cfg.Prune(root) {
		return "", fmt.Errorf("no text matches this regular expression")
	}
	cfg.Merge(nil, root)
	if len(b.Notes.Texts) > 0 {
		return "", fmt.Errorf("%s", strings.Join(b.Notes.Texts, "; "))
	}
	return cfg.Print(nil, root), nil
}

// FromChoice returns a grammar in GBNF for exactly one of texts.
func FromChoice(texts []string) string {
	kids := make([]*cfg.Expr, len(texts))
	for i, t := range texts {
		kids[i] = cfg.Text(strings.ToValidUTF8(t, "\uFFFD"))
	}
	return cfg.Print(nil, &cfg.Rule{Name: "root", Body: cfg.Alt(kids...)})
}
