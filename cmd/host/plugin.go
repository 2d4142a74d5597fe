package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/spf13/cobra"
)

func newPlugin() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Write, examine and list plugins",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPluginNew(), newPluginVerify(), newPluginList())
	return cmd
}

func newPluginList() *cobra.Command {
	var with hostFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the plugins, and which templates they claim",
		Example: example(`
			host plugin list
			host plugin list --plugins bin/plugins --json`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return with.withHost(cmd, func(h *host.Host) error {
				list := h.Plugins()
				if asJSON {
					return printJSON(cmd, orEmpty(list))
				}
				return printPlugins(cmd, list)
			})
		},
	}
	with.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printPlugins(cmd *cobra.Command, list []plugins.State) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(cmd.ErrOrStderr(), "There are no plugins here; --plugins names another folder.")
		return err
	}
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "PLUGIN\tVERSION\tCONDITION\tHANDLER\tPRIORITY\tCLAIMS")
	for _, p := range list {
		if len(p.Handlers) == 0 {
			fmt.Fprintf(out, "%s\t%s\t%s\t\t\t%s\n", p.Manifest, p.Version, p.Condition, p.Fault)
		}
		for _, handler := range p.Handlers {
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%d\t%s\n", p.Name, p.Version, p.Condition, handler.Name, handler.Priority, handler.Match)
		}
	}
	return out.Flush()
}
