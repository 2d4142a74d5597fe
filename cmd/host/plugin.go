package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/internal/wire/adminapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

func newPlugin() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Create, verify and list plugins",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPluginNew(), newPluginVerify(), newPluginList())
	return cmd
}

func newPluginList() *cobra.Command {
	var dir string
	var daemon daemonFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List plugins and the templates they claim",
		Long: `List the plugins of a folder and the templates that they claim. With --daemon, ask a running daemon, and list also each
plugin's state, process, starts, restarts after failures, and running calls and streams. Below the table are refused
manifests and the reasons why processes failed.`,
		Example: example(`
			dragoman plugin list
			dragoman plugin list --plugins plugins --json
			dragoman plugin list --daemon http://127.0.0.1:8080`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := listPlugins(cmd, dir, &daemon)
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(cmd, orEmpty(list))
			}
			if len(list) == 0 {
				_, err := fmt.Fprintln(cmd.ErrOrStderr(), "No plugins found; name another folder with --plugins.")
				return err
			}
			return printPlugins(cmd.OutOrStdout(), list)
		},
	}
	cmd.Flags().StringVar(&dir, "plugins", "", "`folder` of plugins (default: the folder plugins beside this binary)")
	daemon.add(cmd, true)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("plugins", "daemon")
	return cmd
}

// listPlugins returns the state of a daemon's plugins, if one is named, otherwise of a folder's.
func listPlugins(cmd *cobra.Command, dir string, daemon *daemonFlags) ([]plugins.State, error) {
	if daemon.url == "" {
		dir, err := pluginsFolder(dir)
		if err != nil {
			return nil, err
		}
		return plugins.List(cmd.Context(), dir)
	}
	status, err := askStatus(cmd, daemon)
	return pluginsOf(status), err
}

// pluginsOf returns the plugins of a status.
func pluginsOf(status *dragomanv1.GetStatusResponse) (all []plugins.State) {
	for _, p := range status.GetPlugins() {
		all = append(all, adminapi.DecodePlugin(p))
	}
	return all
}

// printPlugins prints a table of plugins, and below it why plugins were refused or failed.
func printPlugins(to io.Writer, list []plugins.State) error {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "PLUGIN\tVERSION\tPROTOCOL\tSTATE\tPID\tGENERATION\tSTARTS\tRESTARTS\tSESSIONS\tHANDLER\tPRIORITY\tMATCH")
	for _, p := range list {
		printPlugin(out, p)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, p := range list {
		printTroubles(to, p)
	}
	return nil
}

// printPlugin prints a line for the plugin with its first handler, one for each other handler, and one for each draining
// process of an earlier version.
func printPlugin(out io.Writer, p plugins.State) {
	handlers := p.Handlers
	if len(handlers) == 0 {
		handlers = []plugins.HandlerState{{}}
	}
	for i, h := range handlers {
		priority := ""
		if h.Name != "" {
			priority = fmt.Sprint(h.Priority)
		}
		claims := strings.Join([]string{h.Name, priority, strings.Join(strings.Fields(h.Match), " ")}, "\t")
		if i > 0 {
			fmt.Fprintf(out, "%s%s\n", strings.Repeat("\t", 9), claims)
			continue
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\n", pluginName(p), orDash(p.Version), number(p.Protocol), p.Condition,
			number(p.PID), number(p.Generation), p.Starts, p.Restarts, p.Sessions, claims)
	}
	for _, d := range p.Draining {
		fmt.Fprintf(out, "%s\t%s\t\tdraining\t%s\t%s\t\t\t%d\t\t\t\n", pluginName(p), d.Version, number(d.PID), number(d.Generation), d.Sessions)
	}
}

// printTroubles prints why a plugin was refused, and why its last process failed.
func printTroubles(out io.Writer, p plugins.State) {
	if p.Fault != "" {
		fmt.Fprintf(out, "%s: refused: %s\n", pluginName(p), p.Fault)
	}
	if p.LastError != "" {
		fmt.Fprintf(out, "%s: its last process: %s\n", pluginName(p), p.LastError)
	}
}

// pluginName returns the plugin's name, or its manifest's where that cannot be read.
func pluginName(p plugins.State) string { return cmp.Or(p.Name, filepath.Base(p.Manifest)) }

func orDash(text string) string { return cmp.Or(text, "-") }

// number formats n; 0 is a dash.
func number(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}
