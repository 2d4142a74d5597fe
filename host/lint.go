package host

import (
	"context"
	"errors"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
)

// LintRules returns the faults of a file of workarounds, and the rules that are useless for the given templates.
func LintRules(ctx context.Context, file string, data []byte, templates []TemplateSource) workaround.Faults {
	rules, err := workaround.Parse(file, data)
	var faults workaround.Faults
	switch {
	case errors.As(err, &faults):
		return faults
	case err != nil:
		return workaround.Faults{{File: file, Line: 1, Column: 1, Message: err.Error()}}
	}
	if len(templates) == 0 {
		return nil
	}
	var facts []workaround.Facts
	for _, src := range templates {
		learned, err := learnUnder(ctx, src, rules)
		if err != nil {
			faults = append(faults, workaround.Fault{File: src.Origin, Line: 1, Column: 1, Message: err.Error()})
			continue
		}
		facts = append(facts, learned.LintFacts())
	}
	return append(faults, rules.Lint(facts)...)
}

// Note is a remark on a template for people; it is not an error.
type Note struct {
	Template string // its file
	Message  string
}

// LintTemplates returns what is odd about templates: what could not be learned, what is not read back as the template writes it,
// and where it rewrites earlier turns. The workarounds are those in data if they are valid, otherwise the shipped ones. The notes
// are the autoparser's, whether or not a plugin claims the template. Before each template it calls progress with its number from 0,
// unless that is nil.
func LintTemplates(ctx context.Context, templates []TemplateSource, file string, data []byte, progress func(number int)) []Note {
	rules, err := workaround.Parse(file, data)
	if data == nil || err != nil {
		if rules, err = workaround.Parse(dragoman.WorkaroundsName, dragoman.Workarounds); err != nil {
			return []Note{{Template: dragoman.WorkaroundsName, Message: err.Error()}}
		}
	}
	var notes []Note
	for i, src := range templates {
		if progress != nil {
			progress(i)
		}
		learned, err := learnUnder(ctx, src, rules)
		if err != nil {
			notes = append(notes, Note{src.Origin, err.Error()})
			continue
		}
		for _, message := range learned.Lint(ctx) {
			notes = append(notes, Note{src.Origin, message})
		}
	}
	return notes
}

// learnUnder learns from a template, with rules unless they are nil.
func learnUnder(ctx context.Context, src TemplateSource, rules *workaround.Set) (*autoparser.Learned, error) {
	t, err := autoparser.Open(src.Name, src.Source, src.BOSToken, src.EOSToken, autoparser.Options{})
	if err != nil {
		return nil, err
	}
	return autoparser.Learn(ctx, t, rules)
}
