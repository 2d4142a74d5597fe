package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/plugins"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
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
	var from daemon
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the plugins: what they claim, and with --daemon what becomes of them",
		Long: `List the plugins of a folder and which templates they claim. With --daemon, ask a running daemon: then the list says what
each plugin is doing, how often it was started, and the calls and streams under way.`,
		Example: example(`
			host plugin list
			host plugin list --plugins bin/plugins --json
			host plugin list --daemon http://127.0.0.1:8080`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			print := func(list []plugins.State) error {
				if asJSON {
					return printJSON(cmd, orEmpty(list))
				}
				return printPlugins(cmd, list)
			}
			if from.url == "" {
				return with.withHost(cmd, func(h *host.Host) error { return print(h.Plugins()) })
			}
			list, err := from.plugins(cmd.Context())
			if err != nil {
				return fmt.Errorf("%s: %w", from.url, err)
			}
			return print(list)
		},
	}
	with.add(cmd)
	cmd.Flags().StringVar(&from.url, "daemon", "", "URL of a running daemon to ask")
	cmd.Flags().StringVar(&from.tokenFile, "token-file", "", "file of the bearer token for the daemon")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// daemon is a running daemon to ask.
type daemon struct{ url, tokenFile string }

// plugins asks for the state of the plugins.
func (d daemon) plugins(ctx context.Context) ([]plugins.State, error) {
	client := &http.Client{}
	if d.tokenFile != "" {
		token, err := os.ReadFile(d.tokenFile)
		if err != nil {
			return nil, err
		}
		client.Transport = bearer(strings.TrimSpace(string(token)))
	}
	status, err := dragomanv1connect.NewAdminServiceClient(client, d.url).GetStatus(ctx, &dragomanv1.GetStatusRequest{})
	if err != nil {
		return nil, err
	}
	var all []plugins.State
	for _, p := range status.GetPlugins() {
		state := plugins.State{
			Name: p.GetName(), Version: p.GetVersion(), Manifest: p.GetManifest(), SHA256: p.GetSha256(),
			Condition: plugins.Condition(p.GetCondition()), PID: int(p.GetPid()), Starts: int(p.GetStarts()),
			Sessions: int(p.GetSessions()), LastError: p.GetLastError(), Fault: p.GetFault(),
		}
		for _, name := range p.GetHandlers() {
			state.Handlers = append(state.Handlers, plugins.HandlerState{Name: name})
		}
		all = append(all, state)
	}
	return all, nil
}

// bearer is a token that goes with every request.
type bearer string

// RoundTrip sends the request with the token.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func printPlugins(cmd *cobra.Command, list []plugins.State) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(cmd.ErrOrStderr(), "There are no plugins here; --plugins names another folder.")
		return err
	}
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "PLUGIN\tVERSION\tCONDITION\tPID\tSTARTS\tSESSIONS\tHANDLER\tCLAIMS")
	for _, p := range list {
		printPlugin(out, p)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, p := range list {
		if why := p.Fault; why != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "refused: %s\n", why)
		}
		if why := p.LastError; why != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "%s, its last process: %s\n", p.Name, why)
		}
	}
	return nil
}

// printPlugin prints a line for each handler, or one if there is none.
func printPlugin(out io.Writer, p plugins.State) {
	name, pid := p.Name, "-"
	if name == "" {
		name = p.Manifest
	}
	if p.PID > 0 {
		pid = fmt.Sprint(p.PID)
	}
	handlers := p.Handlers
	if len(handlers) == 0 {
		handlers = []plugins.HandlerState{{}}
	}
	for _, h := range handlers {
		claims := h.Match
		if h.Match != "" {
			claims = fmt.Sprintf("%s (priority %d)", h.Match, h.Priority)
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", name, p.Version, p.Condition, pid, p.Starts, p.Sessions, h.Name, claims)
	}
}
