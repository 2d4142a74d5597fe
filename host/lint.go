package host

import (
	"context"
	"errors"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
)

// Note is a remark on a template for people; it is not an error.
type Note struct {
	Template string // its file
	Message  string
}

// Lint returns the faults of a file of workarounds, with the rules that are useless for the given templates, and what is odd about
// the templates under these rules: what could not be learned, what is not read back as the template writes it, and where it rewrites
// earlier turns. The shipped rules take the place of nil data, and of data with faults. The notes are the autoparser's, whether or not
// a plugin claims the template. Before each template it calls progress with its number from 0, unless that is nil.
func Lint(ctx context.Context, templates []TemplateSource, file string, data []byte, progress func(number int)) (faults workaround.Faults, notes []Note) {
	rules, faults := parseRules(file, data)
	checked := rules != nil && len(templates) > 0
	if rules == nil {
		var own workaround.Faults
		if rules, own = parseRules(dragoman.WorkaroundsName, dragoman.Workarounds); rules == nil {
			return append(faults, own...), nil
		}
	}
	var facts []workaround.Facts
	for i, src := range templates {
		if progress != nil {
			progress(i)
		}
		learned, err := learnUnder(ctx, src, rules)
		switch {
		case err != nil && checked:
			faults = append(faults, workaround.Fault{File: src.Origin, Line: 1, Column: 1, Message: err.Error()})
			continue
		case err != nil:
			notes = append(notes, Note{src.Origin, err.Error()})
			continue
		}
		facts = append(facts, learned.LintFacts())
		for _, message := range learned.Lint(ctx) {
			notes = append(notes, Note{src.Origin, message})
		}
	}
	if checked {
		faults = append(faults, rules.Lint(facts)...)
	}
	return faults, notes
}

// parseRules returns the rules of a file, or its faults. Both are nil without data.
func parseRules(file string, data []byte) (*workaround.Set, workaround.Faults) {
	if data == nil {
		return nil, nil
	}
	rules, err := workaround.Parse(file, data)
	var faults workaround.Faults
	switch {
	case errors.As(err, &faults):
		return nil, faults
	case err != nil:
		return nil, workaround.Faults{{File: file, Line: 1, Column: 1, Message: err.Error()}}
	}
	return rules, nil
}

// learnUnder learns from a template, with rules unless they are nil.
func learnUnder(ctx context.Context, src TemplateSource, rules *workaround.Set) (*autoparser.Learned, error) {
	t, err := autoparser.Open(src.Name, src.Source, src.BOSToken, src.EOSToken, autoparser.Options{})
	if err != nil {
		return nil, err
	}
	return autoparser.Learn(ctx, t, rules)
}
