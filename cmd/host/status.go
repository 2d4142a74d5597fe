package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"
)

func newStatus() *cobra.Command {
	var daemon daemonFlags
	var asJSON, watch bool
	var every time.Duration
	cmd := &cobra.Command{
		Use:   "status [flags]",
		Short: "Show what is in force in a daemon, and what is not",
		Long: `Show what is in force in a daemon: the files and folders that it reads, its templates and plugins, and the trial of the last
change. What is refused, held back, unproven or out of order is listed with the reason. The daemon learns every template that was not
used yet, which can take some time on the first call.

With --watch, show it again whenever it changes, until interrupted.`,
		Example: example(`
			dragoman status
			dragoman status --json
			dragoman status --watch --every 5s --daemon http://127.0.0.1:9000`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every <= 0 {
				return &usageError{fmt.Errorf("expected --every of more than 0, found %s", every)}
			}
			show := func(s *dragomanv1.GetStatusResponse) error {
				if asJSON {
					return printProto(cmd, s)
				}
				printStatus(cmd.OutOrStdout(), s)
				return nil
			}
			status, err := askStatus(cmd, &daemon)
			if err != nil {
				return err
			}
			if err := show(status); err != nil || !watch {
				return err
			}
			return watchStatus(cmd, &daemon, every, status, show)
		},
	}
	daemon.add(cmd, false)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, a line each time")
	cmd.Flags().BoolVar(&watch, "watch", false, "show it again whenever it changes")
	cmd.Flags().DurationVar(&every, "every", 2*time.Second, "`time` between two looks with --watch")
	return cmd
}

func newReload() *cobra.Command {
	var daemon daemonFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "reload [flags]",
		Short: "Let a daemon read all files again at once",
		Long: `Let a daemon read all its files again, and wait until they are in force. Files with faults are not put in force and are listed;
the exit code is 1 then. A daemon notices changes by itself; this is for file systems that do not report them, and for
scripts that want to know the outcome.`,
		Example: example(`
			dragoman reload
			dragoman reload --daemon http://127.0.0.1:9000 --json`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := ask(cmd, &daemon, dragomanv1connect.NewAdminServiceClient, dragomanv1connect.AdminServiceClient.Reload, &dragomanv1.ReloadRequest{})
			switch {
			case err != nil:
				return err
			case asJSON:
				return printProto(cmd, done)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "generation %d is in force\n", done.Generation)
			return err
		},
	}
	daemon.add(cmd, false)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func askStatus(cmd *cobra.Command, daemon *daemonFlags) (*dragomanv1.GetStatusResponse, error) {
	return ask(cmd, daemon, dragomanv1connect.NewAdminServiceClient, dragomanv1connect.AdminServiceClient.GetStatus, &dragomanv1.GetStatusRequest{})
}

// watchStatus shows the status whenever it differs from the last one, until the command is interrupted. A daemon that does not
// answer is reported once, and asked again.
func watchStatus(cmd *cobra.Command, daemon *daemonFlags, every time.Duration, last *dragomanv1.GetStatusResponse, show func(*dragomanv1.GetStatusResponse) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for trouble := ""; ; {
		select {
		case <-cmd.Context().Done():
			return context.Cause(cmd.Context())
		case <-tick.C:
		}
		status, err := askStatus(cmd, daemon)
		switch {
		case err != nil && cmd.Context().Err() == nil:
			if err.Error() != trouble {
				fmt.Fprintln(cmd.ErrOrStderr(), "dragoman:", err)
			}
			trouble = err.Error()
		case err == nil && (trouble != "" || !sameStatus(last, status)):
			if err := show(status); err != nil {
				return err
			}
			trouble, last = "", status
		}
	}
}

// sameStatus compares statuses without what changes with every request.
func sameStatus(a, b *dragomanv1.GetStatusResponse) bool {
	return proto.Equal(atRest(a), atRest(b))
}

// atRest returns a status without what changes with every request.
func atRest(s *dragomanv1.GetStatusResponse) *dragomanv1.GetStatusResponse {
	s = proto.CloneOf(s)
	s.Sessions = 0
	for _, p := range s.Plugins {
		p.Sessions, p.Draining = 0, nil
	}
	return s
}

// printStatus prints a status for people: a line on the daemon, tables of its sources, templates and plugins, and below them
// everything that needs attention.
func printStatus(to io.Writer, s *dragomanv1.GetStatusResponse) {
	up := time.Since(s.StartedAt.AsTime()).Truncate(time.Second)
	fmt.Fprintf(to, "dragoman %s, up %s, generation %d, rules %s, outputs under way: %d\n\n", s.Version, up, s.Generation, beginning(s.RulesHash), s.Sessions)
	printSources(to, s.Sources)
	printTemplates(to, s.Templates)
	if len(s.Plugins) > 0 {
		fmt.Fprintln(to)
		_ = printPlugins(to, pluginsOf(s)) // fails only if the writer does
	}
	fmt.Fprintln(to)
	printTrial(to, s.Trial)
	printHeld(to, s.Rollback)
	for _, conflict := range s.Conflicts {
		fmt.Fprintln(to, "conflict:", conflict)
	}
	for _, warning := range s.Warnings {
		fmt.Fprintln(to, "warning:", warning)
	}
}

func printSources(to io.Writer, sources []*dragomanv1.Source) {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "SOURCE\tPATH\tCONTENT\tSTATE")
	for _, s := range sources {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", s.Name, s.Path, orDash(s.Sha256[:min(len(s.Sha256), 12)]), sourceState(s))
	}
	_ = out.Flush() // fails only if the writer does
	for _, s := range sources {
		if len(s.Faults) == 0 && s.LastError != "" {
			fmt.Fprintf(to, "%s: refused: %s\n", s.Path, s.LastError)
		}
		for _, f := range s.Faults {
			fmt.Fprintf(to, "%s: refused: %s\n", f.Path, f.Error)
		}
	}
}

// sourceState returns what is in force of a source.
func sourceState(s *dragomanv1.Source) string {
	switch {
	case s.Held:
		return "held back: " + beginning(s.OnDisk) + " is on disk"
	case s.LastError != "":
		return "refused"
	}
	return "in force"
}

// printTemplates prints how many templates each handler has, and the templates that cannot be used, or not completely.
func printTemplates(to io.Writer, templates []*dragomanv1.Template) {
	var names []string
	count := map[string]int{}
	for _, t := range templates {
		handler := cmp.Or(t.Handler, "unusable")
		if count[handler]++; count[handler] == 1 {
			names = append(names, handler)
		}
	}
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%d %s", count[name], name))
	}
	fmt.Fprintf(to, "\n%d templates: %s\n", len(templates), strings.Join(parts, ", "))
	for _, t := range templates {
		if t.Error != "" {
			fmt.Fprintf(to, "%s (%s): refused: %s\n", t.Name, t.Origin, t.Error)
		}
		for _, p := range t.Parts {
			if !p.Served {
				fmt.Fprintf(to, "%s (%s): %s read as content, since they are not proven: %s\n", t.Name, t.Origin, p.Part, p.Because)
			}
		}
	}
}

// printTrial prints the outcome of trying the last change.
func printTrial(to io.Writer, t *dragomanv1.Trial) {
	if t == nil {
		return
	}
	outcome := "went live"
	if t.Refused {
		outcome = "was refused"
	}
	fmt.Fprintf(to, "the last change that was tried, %s %s, %s: %d cases and %d outputs tried, %d not; %d regressions, %d changes\n",
		t.Source, t.Path, outcome, t.Cases, t.Outputs, t.Untried, len(t.Regressions), len(t.Changes))
	for _, r := range t.Regressions {
		fmt.Fprintf(to, "  %s, %s: %s\n", r.Template, r.Case, r.After)
	}
	if t.Error != "" {
		fmt.Fprintln(to, " ", t.Error)
	}
}
