package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-project/dragoman/host"
)

func newReplay() *cobra.Command {
	var (
		with     hostFlags
		flags    recordingFlags
		template string
		asJSON   bool
	)
	cmd := &cobra.Command{
		Use:   "replay [flags]",
		Short: "Read recorded outputs again, and print what changes",
		Long: `Read recorded outputs again, each piece as it came, under other workarounds, other plugins, another template, or simply
this version of Dragoman, and print what changes against how they were read, as dragoman diff does.
The exit code is 0 if nothing changes, 1 if something does.`,
		Example: example(`
			dragoman replay --workarounds workarounds.yaml
			dragoman replay --recordings recordings --mark malformed,truncated --template template.jinja
			dragoman replay --recordings recordings --plugins plugins --json`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return with.withHost(cmd, func(h *host.Host) error {
				other, err := otherTemplate(cmd, template)
				if err != nil {
					return err
				}
				return runReplay(cmd, h.Replayer(other), &flags, asJSON)
			})
		},
	}
	with.add(cmd)
	flags.addFilter(cmd)
	cmd.Flags().StringVar(&template, "template", "", "`template` to read with in place of those that were recorded: a .jinja file, or a model")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// otherTemplate reads the template that takes the place of those that were recorded; nil for an empty path.
func otherTemplate(cmd *cobra.Command, path string) (*host.TemplateSource, error) {
	if path == "" {
		return nil, nil
	}
	src, err := readTemplate(cmd.Context(), path, defaultVariant)
	return &src, err
}

// runReplay replays what the flags choose, and prints what changes.
func runReplay(cmd *cobra.Command, r *host.Replayer, flags *recordingFlags, asJSON bool) error {
	total, all, err := flags.each(cmd)
	if err != nil {
		return err
	}
	p := newProgress(cmd)
	done, err := r.Run(cmd.Context(), all, func(so *host.Replayed) {
		p.show("%s %d of %d recordings, %d change", bar(so.Recordings, total), so.Recordings, total, so.Changed)
	})
	p.clear()
	if err != nil {
		return err
	}
	noteAll(cmd, done.Notes)
	if done.Recordings == 0 {
		return errNoRecordings
	}
	if asJSON {
		return reportDiff(cmd, done.Diff, true)
	}
	err = reportDiff(cmd, done.Diff, false)
	fmt.Fprintf(cmd.OutOrStdout(), "recordings: %d, of which %d change\n", done.Recordings, done.Changed)
	return err
}

// bar returns a bar of fixed width that shows how much of a whole is done.
func bar(done, whole int) string {
	const width = 20
	filled := 0
	if whole > 0 {
		filled = min(width, width*done/whole)
	}
	return "[" + strings.Repeat("#", filled) + strings.Repeat(".", width-filled) + "]"
}
