package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/check"
)

func newSuggest() *cobra.Command {
	var (
		with   hostFlags
		flags  recordingFlags
		cases  []string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "suggest [flags]",
		Short: "Suggest workarounds for recorded outputs that are read badly",
		Long: `Suggest workarounds for templates whose recorded outputs are read badly: they break the format, lack its markers, or have in
their content what looks like calls of the request's tools, or like reasoning. For each template, print the markers that the
outputs have and those of the template, the rule in YAML, and what it changes over all recordings and cases.

A rule is printed only if all recordings of its template were read again under it, some better and none worse, and no case
fails that passed. Nothing is saved. The exit code is 0 if there is a suggestion, 1 if there is none.`,
		Example: example(`
			dragoman suggest
			dragoman suggest --recordings recordings --workarounds workarounds.yaml --cases cases.jsonl
			dragoman suggest --json`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return with.withHost(cmd, func(h *host.Host) error { return runSuggest(cmd, h.Replayer(nil), &flags, cases, asJSON) })
		},
	}
	with.add(cmd)
	flags.addFilter(cmd)
	cmd.Flags().StringSliceVar(&cases, "cases", nil, "`files` of recorded cases that a rule must not break")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func runSuggest(cmd *cobra.Command, r *host.Replayer, flags *recordingFlags, cases []string, asJSON bool) error {
	var files []check.Input
	for _, path := range cases {
		data, err := readFile(cmd, path)
		if err != nil {
			return err
		}
		files = append(files, check.Input{Name: path, Reader: bytes.NewReader(data)})
	}
	_, all, err := flags.each(cmd)
	if err != nil {
		return err
	}
	p := newProgress(cmd)
	found, notes, err := r.Suggest(cmd.Context(), all, files, func(template string, tried int) { p.show("%s: %d rules tried", template, tried) })
	p.clear()
	if err != nil {
		return err
	}
	noteAll(cmd, notes)
	if asJSON {
		err = printJSON(cmd, orEmpty(found))
	} else {
		printSuggestions(cmd, found)
	}
	if err == nil && len(found) == 0 {
		return errFailed
	}
	return err
}

func printSuggestions(cmd *cobra.Command, found []host.Suggestion) {
	out := cmd.OutOrStdout()
	for i, s := range found {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "-- %s: %d of %d bad outputs are read better, of %d; none worse --\n", s.Template, s.Better, s.Bad, s.Outputs)
		for _, m := range s.Markers {
			fmt.Fprintf(out, "%s: %q, seen: %q\n", m.Field, m.Before, m.After)
		}
		fmt.Fprintf(out, "\n%s\n", s.Rule)
		printDiff(out, s.Diff)
	}
	if len(found) == 0 {
		fmt.Fprintln(out, "no rule helps: nothing is read badly, or nothing that was tried reads it better")
	}
}
