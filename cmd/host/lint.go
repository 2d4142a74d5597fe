package main

import (
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
		Use:   "lint [flags] WORKAROUNDS.yaml",
		Short: "Find mistakes in a file of workarounds, and rules of no use",
		Long: `Find what is wrong with a file of workarounds: unknown keys and fields, predicates that do not read, rules without
evidence. With --templates, find rules that hold for none of the templates, and rules that no longer change anything.
Each fault is a line FILE:LINE:COLUMN: MESSAGE; the exit code is 0 if there is none.`,
		Example: example(`
			host lint workarounds.yaml
			host lint workarounds.yaml --templates templates`),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			sources, err := readTemplates(templates)
			if err != nil {
				return err
			}
			faults := host.LintRules(args[0], data, sources)
			if asJSON {
				err = printJSON(cmd, orEmpty(faults))
			} else {
				for _, fault := range faults {
					fmt.Fprintln(cmd.OutOrStdout(), fault.Error())
				}
			}
			if err == nil && len(faults) > 0 {
				err = errFailed
			}
			return err
		},
	}
	cmd.Flags().StringVar(&templates, "templates", "", "folder of the templates to try the rules on")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
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
