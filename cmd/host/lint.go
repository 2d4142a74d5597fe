package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/host"
	"github.com/spf13/cobra"
)

func newLint() *cobra.Command {
	var (
		with      hostFlags
		templates string
		cases     []string
		asJSON    bool
	)
	cmd := &cobra.Command{
		Use:   "lint [flags] [WORKAROUNDS.yaml]",
		Short: "Check a workarounds file and templates",
		Long: `Report the faults of a workarounds file: unknown keys and fields, invalid predicates, rules without evidence. With
--templates, also rules that match none of the templates, and rules that no longer change anything. Each fault is a line
FILE:LINE:COLUMN: MESSAGE; the exit code is 0 if there are none.

With --templates, the templates are checked, too: what could not be learned from them, what they write that is not read
back as it was, and where they rewrite turns that an engine has already read. Each is a line FILE: note: MESSAGE, which does
not count as a fault. Plugins take no part in this.

With --cases, recorded cases are run under the file's rules and under the shipped ones: a case that passes only under the
latter is a fault, reported with the difference at the first rule that changes its template.`,
		Example: example(`
			dragoman lint workarounds.yaml
			dragoman lint workarounds.yaml --templates templates
			dragoman lint workarounds.yaml --templates templates --cases cases.jsonl
			dragoman lint --templates templates`),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && templates == "" {
				return &usageError{errors.New("expected a file of workarounds, or --templates")}
			}
			if len(cases) > 0 && (len(args) == 0 || args[0] == "-" || templates == "") {
				return &usageError{errors.New("--cases are run under a file of workarounds, on --templates: give both")}
			}
			if err := inputOnce(cases...); err != nil {
				return err
			}
			found, err := lint(cmd, args, templates)
			if err == nil && len(cases) > 0 {
				err = with.withHost(cmd, func(h *host.Host) error {
					worse, err := lintCases(cmd, h, args[0], templates, cases)
					found = append(worse, found...)
					return err
				})
			}
			if err != nil {
				return err
			}
			return reportLint(cmd, found, asJSON)
		},
	}
	with.addPlugins(cmd)
	cmd.Flags().StringSliceVar(&cases, "cases", nil, "`files` of recorded cases to run under the file's rules and the shipped ones")
	cmd.Flags().StringVar(&templates, "templates", "", "`folder` of the templates to try the rules on")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// linted is a line of the report: a fault, or a note without a line and column.
type linted struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Note    bool   `json:"note,omitempty"`
}

func (l linted) String() string {
	if l.Note {
		return l.File + ": note: " + l.Message
	}
	if l.Line == 0 {
		return l.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", l.File, l.Line, l.Column, l.Message)
}

// lint checks a workarounds file, if one is named, and the templates of a folder.
func lint(cmd *cobra.Command, files []string, templates string) (found []linted, err error) {
	sources, err := readTemplates(cmd.Context(), templates)
	if err != nil {
		return nil, err
	}
	var file string
	var data []byte
	for _, file = range files {
		if data, err = readFile(cmd, file); err != nil {
			return nil, err
		}
	}
	p := newProgress(cmd)
	defer p.clear()
	shown := func(number int) { p.show("%d of %d templates: %s", number, len(sources), sources[number].Origin) }
	faults, notes := host.Lint(cmd.Context(), sources, file, data, shown)
	for _, f := range faults {
		found = append(found, linted{File: f.File, Line: f.Line, Column: f.Column, Message: f.Message})
	}
	for _, n := range notes {
		found = append(found, linted{File: n.Template, Message: n.Message, Note: true})
	}
	return found, nil
}

// faulty reports whether anything found is a fault, not a note.
func faulty(found []linted) bool {
	return slices.ContainsFunc(found, func(l linted) bool { return !l.Note })
}

// reportLint prints what was found, and returns errFailed if there are faults.
func reportLint(cmd *cobra.Command, found []linted, asJSON bool) error {
	if asJSON {
		if err := printJSON(cmd, orEmpty(found)); err != nil {
			return err
		}
	} else {
		for _, l := range found {
			fmt.Fprintln(cmd.OutOrStdout(), l)
		}
	}
	if faulty(found) {
		return errFailed
	}
	return nil
}

// lintCases returns the cases that pass under the shipped rules and fail under those of a file.
func lintCases(cmd *cobra.Command, h *host.Host, file, templates string, cases []string) (found []linted, err error) {
	rules, sources, inputs, err := readDiff(cmd, []string{file}, templates, cases)
	if err != nil {
		return nil, err
	}
	shipped := host.RulesFile{Name: dragoman.WorkaroundsName, Data: dragoman.Workarounds}
	diff, err := h.DiffRules(cmd.Context(), shipped, rules[0], sources, inputs)
	for _, t := range diff.Templates {
		for _, c := range t.Cases {
			if c.IsRegression() {
				found = append(found, linted{File: file, Line: max(1, t.Line), Column: 1, Message: c.String()})
			}
		}
	}
	return found, err
}

// readTemplates reads all templates of a folder; none if dir is empty.
func readTemplates(ctx context.Context, dir string) (sources []host.TemplateSource, err error) {
	if dir == "" {
		return nil, nil
	}
	if err := checkFolder("--templates", dir); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jinja"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("--templates: no *.jinja files in %s", dir)
	}
	for _, file := range files {
		src, err := readTemplate(ctx, file, defaultVariant)
		if err != nil {
			return nil, err
		}
		sources = append(sources, src)
	}
	return sources, nil
}
