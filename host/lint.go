package host

import (
	"errors"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
)

// LintRules finds what is wrong with a file of workarounds, and which of its rules are of no use for the given templates.
func LintRules(file string, data []byte, templates []TemplateSource) workaround.Faults {
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
		found, err := detected(src)
		if err != nil {
			faults = append(faults, workaround.Fault{File: src.Origin, Line: 1, Column: 1, Message: err.Error()})
			continue
		}
		facts = append(facts, found)
	}
	return append(faults, rules.Lint(facts)...)
}

// detected is what is known of a template without rules.
func detected(src TemplateSource) (workaround.Facts, error) {
	t, err := autoparser.Open(src.Name, src.Source, src.BOSToken, src.EOSToken, autoparser.Options{})
	if err != nil {
		return workaround.Facts{}, err
	}
	learned, err := autoparser.Learn(t, new(workaround.Set))
	if err != nil {
		return workaround.Facts{}, err
	}
	return learned.Facts(), nil
}
