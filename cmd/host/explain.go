package main

import (
	"io"

	"github.com/dragoman-project/dragoman/host"
	"github.com/spf13/cobra"
)

func newExplain() *cobra.Command {
	var (
		with     hostFlags
		template templateFlags
		asJSON   bool
	)
	cmd := &cobra.Command{
		Use:   "explain [flags] TEMPLATE",
		Short: "Print what is learned of a template, and what taught it",
		Long: `Print what is learned of a chat template, stage by stage: what it can do, how conversations are fitted to it, each
comparison and its difference, the dialect and what decided each field, the workarounds that hold, and what a person
should look at. The text is a txtar archive.`,
		Example: example(`
			host explain template.jinja
			host explain ~/models/some-model
			host explain template.jinja --json | jq .dialect`),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return with.withHost(cmd, func(h *host.Host) error {
				loose, err := template.open(h, args[0], false)
				if err != nil {
					return err
				}
				learned, err := loose.Learned()
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(cmd, learned.Explain())
				}
				_, err = io.WriteString(cmd.OutOrStdout(), learned.Explain().String())
				return err
			})
		},
	}
	with.add(cmd)
	template.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
