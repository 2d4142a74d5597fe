package main

import (
	"fmt"
	"io"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
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
		Short: "Explain what is learned from a template",
		Long: `Print what is learned from a chat template, stage by stage: its capabilities, how messages are normalised for it, each
comparison and its difference, the dialect and what decided each field, the workarounds that apply, and what a person
should look at. The text is a txtar archive. A note on standard error names the plugin that claims the template, if any.`,
		Example: example(`
			dragoman explain template.jinja
			dragoman explain ~/models/some-model
			dragoman explain template.jinja --json | jq .dialect`),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return with.withHost(cmd, func(h *host.Host) error {
				detached, err := template.open(cmd.Context(), h, args[0], false)
				if err != nil {
					return err
				}
				learned, err := detached.Learned(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(cmd, learned.Explain(cmd.Context()))
				}
				notePlugin(cmd, detached)
				_, err = io.WriteString(cmd.OutOrStdout(), learned.Explain(cmd.Context()).String())
				return err
			})
		},
	}
	with.add(cmd)
	template.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// notePlugin prints a note if a plugin claims the template, because then the comparisons do not decide.
func notePlugin(cmd *cobra.Command, detached *host.Detached) {
	planned, err := detached.Plan(cmd.Context(), "", &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Content: chat.TextContent("Hello!")}}})
	if err == nil && planned.Handler != autoparser.HandlerName {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: the plugin %s answers for this template; below is what the autoparser learned from it\n", planned.Handler)
	}
}
