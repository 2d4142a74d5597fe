package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dragoman-project/dragoman/host"
	"github.com/spf13/cobra"
)

func newLint() *cobra.Command {
	var templates string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "lint [flags] [WORKAROUNDS.yaml]",
		Short: "Find mistakes in a file of workarounds, rules of no use, and what is odd about templates",
		Long: `Find what is wrong with a file of workarounds: unknown keys and fields, predicates that do not read, rules without
evidence. With --templates, find rules that hold for none of the templates, and rules that no longer change anything.
Each fault is a line FILE:LINE:COLUMN: MESSAGE; the exit code is 0 if there is none.

With --templates, the templates are looked at, too: what could not be learned of them, what they write that is not read
back as it was, and where they rewrite turns that an engine has already read. Each is a line FILE: note: MESSAGE, and does
not count as a fault. Plugins have no part in this.`,
		Example: example(`
			host lint workarounds.yaml
			host lint workarounds.yaml --templates templates
			host lint --templates templates`),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && templates == "" {
				return &usageError{errors.New("expected a file of workarounds, or --templates")}
			}
			found, err := lint(args, templates)
			if err != nil {
				return err
			}
			failed := false
			for _, l := range found {
				failed = failed || !l.Note
				if !asJSON {
					fmt.Fprintln(cmd.OutOrStdout(), l)
				}
			}
			if asJSON {
				err = printJSON(cmd, orEmpty(found))
			}
			if err == nil && failed {
				err = errFailed
			}
			return err
		},
	}
	cmd.Flags().StringVar(&templates, "templates", "", "folder of the templates to try the rules on")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// linted is a line of what lint finds: a fault, or a note without a place.
type linted struct {
	File    string
	Line    int `json:",omitempty"`
	Column  int `json:",omitempty"`
	Message string
	Note    bool `json:",omitempty"`
}

func (l linted) String() string {
	if l.Note {
		return l.File + ": note: " + l.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", l.File, l.Line, l.Column, l.Message)
}

// lint looks at a file of workarounds, if one is named, and at the templates of a folder.
func lint(files []string, templates string) (found []linted, err error) {
	sources, err := readTemplates(templates)
	if err != nil {
		return nil, err
	}
	var file string
	var data []byte
	for _, file = range files {
		if data, err = os.ReadFile(file); err != nil {
			return nil, err
		}
		for _, f := range host.LintRules(file, data, sources) {
			found = append(found, linted{File: f.File, Line: f.Line, Column: f.Column, Message: f.Message})
		}
	}
	for _, n := range host.LintTemplates(sources, file, data) {
		found = append(found, linted{File: n.Template, Message: n.Message, Note: true})
	}
	return found, nil
}

// readTemplates reads all templates of a folder; an empty name is no folder.
func readTemplates(dir string) (sources []host.TemplateSource, err error) {
	if dir == "" {
		return nil, nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jinja"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: there are no *.jinja files in this folder", dir)
	}
	for _, file := range files {
		src, err := readTemplate(file, "")
		if err != nil {
			return nil, err
		}
		sources = append(sources, src)
	}
	return sources, nil
}
