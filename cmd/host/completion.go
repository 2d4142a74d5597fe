package main

import (
	"io/fs"
	"strings"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// addCompletions lets shells complete the values that are known: names of templates, notations, and the choices of settings.
func addCompletions(cmd *cobra.Command) {
	complete := map[string]cobra.CompletionFunc{"template": completeTemplate, "target": cobra.FixedCompletions(targets(), cobra.ShellCompDirectiveNoFileComp)}
	for _, f := range config.Fields() {
		if choices := f.Choices(); len(choices) > 0 {
			complete[f.Flag] = cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp)
		}
	}
	if strings.Contains(cmd.Use, " TEMPLATE") && cmd.Flags().Lookup("template") == nil {
		cmd.ValidArgsFunction = completeTemplate
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if values, ok := complete[f.Name]; ok {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, values) // fails for unknown flags, and for a second function, only
		}
	})
	for _, sub := range cmd.Commands() {
		addCompletions(sub)
	}
}

// completeTemplate returns the embedded templates. Shells add files.
func completeTemplate(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	files, err := fs.Glob(dragoman.Templates, "templates/*.jinja")
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(file, "templates/"), ".jinja"))
	}
	return names, cobra.ShellCompDirectiveDefault
}
