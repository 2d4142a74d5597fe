package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/spf13/cobra"
)

func newExplain() *cobra.Command {
	var (
		with     hostFlags
		template templateFlags
		flags    recordingFlags
		id       string
		asJSON   bool
	)
	cmd := &cobra.Command{
		Use:   "explain [flags] TEMPLATE",
		Short: "Explain what is learned from a template",
		Long: `Print what is learned from a chat template, stage by stage: its capabilities, how messages are normalised for it, each
comparison and its difference, the dialect and what decided each field, the workarounds that apply, and what a person
should look at. The text is a txtar archive. A note on standard error names the plugin that claims the template, if any.

With --recording, explain a recorded output instead: each run of bytes with its region, and the rule of the program that read
it.`,
		Example: example(`
			dragoman explain template.jinja
			dragoman explain ~/models/some-model
			dragoman explain template.jinja --json | jq .dialect
			dragoman explain --recording 660e732d1875e3d-7928`),
		Args: func(cmd *cobra.Command, args []string) error {
			if id != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if id != "" {
				return explainRecording(cmd, &flags, id, asJSON)
			}
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
	flags.addSource(cmd)
	cmd.Flags().StringVar(&id, "recording", "", "`id` of a recorded output to explain, in place of a template")
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

// explainRecording prints who read what of a recorded output.
func explainRecording(cmd *cobra.Command, flags *recordingFlags, id string, asJSON bool) error {
	r, err := flags.get(cmd, id)
	if err != nil {
		return err
	}
	plan, err := recorder.NewPlayer().Plan(cmd.Context(), r)
	if err != nil {
		return err
	}
	e, err := recorder.Explain(cmd.Context(), r, plan)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(cmd, e)
	}
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "bytes\tregion\trule\tread by\ttext")
	for _, c := range e.Claims {
		fmt.Fprintf(out, "%d–%d\t%s\t%s\t%s\t%q\n", c.Start, c.End, c.Region, c.Rule, c.Node, c.Text)
	}
	for _, f := range e.Report.Faults {
		fmt.Fprintf(out, "fault at byte %d: %s\n", f.At, f.Message)
	}
	return out.Flush()
}
