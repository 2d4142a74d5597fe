package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

func newHistory() *cobra.Command {
	var daemon daemonFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history [flags]",
		Short: "List the snapshots of a daemon, and what caused each",
		Long: `List the last snapshots of a daemon, newest first: when each took effect, which source changed, and which contents were
replaced, by the beginning of their SHA-256. An asterisk marks the one in force.`,
		Example: example(`
			dragoman history
			dragoman history --daemon http://127.0.0.1:9000 --json`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := ask(cmd, &daemon, dragomanv1connect.NewSnapshotServiceClient, dragomanv1connect.SnapshotServiceClient.ListSnapshots,
				&dragomanv1.ListSnapshotsRequest{})
			switch {
			case err != nil:
				return err
			case asJSON:
				return printProto(cmd, list)
			}
			printHistory(cmd.OutOrStdout(), list)
			return nil
		},
	}
	daemon.add(cmd, false)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newRollback() *cobra.Command {
	var daemon daemonFlags
	var to uint64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rollback [flags]",
		Short: "Restore an earlier snapshot of a daemon",
		Long: `Restore the configuration, rules, templates and plugins of an earlier snapshot: the previous one, or the one that --to names.
Running streams keep what they began with. Files on disk stay as they are; the rollback holds for each of them until it
changes again.`,
		Example: example(`
			dragoman rollback
			dragoman rollback --to 12 --daemon http://127.0.0.1:9000`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := ask(cmd, &daemon, dragomanv1connect.NewSnapshotServiceClient, dragomanv1connect.SnapshotServiceClient.Rollback,
				&dragomanv1.RollbackRequest{To: to})
			switch {
			case err != nil:
				return err
			case asJSON:
				return printProto(cmd, done)
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "generation %d is in force, with the contents of generation %d\n", done.Snapshot.Generation, done.Snapshot.Cause.RolledBackTo)
			printHeld(out, done.Rollback)
			return nil
		},
	}
	daemon.add(cmd, false)
	cmd.Flags().Uint64Var(&to, "to", 0, "`generation` to restore, as listed by dragoman history (default: the previous one)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printHistory(to io.Writer, list *dragomanv1.ListSnapshotsResponse) {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, s := range list.Snapshots {
		mark := " "
		if s.InForce {
			mark = "*"
		}
		fmt.Fprintf(out, "%s %d\t%s\t%s\n", mark, s.Generation, s.PutAt.AsTime().Local().Format(time.DateTime), causeText(s.Cause))
	}
	_ = out.Flush() // fails only if the writer does
	printHeld(to, list.Rollback)
}

func causeText(c *dragomanv1.Cause) string {
	text := c.Source
	if c.RolledBackTo > 0 {
		text += fmt.Sprintf(" to %d", c.RolledBackTo)
	}
	var changes []string
	for _, change := range c.Changes {
		changes = append(changes, fmt.Sprintf("%s %s → %s", change.Path, beginning(change.Before), beginning(change.After)))
	}
	if len(changes) > 0 {
		text += ": " + strings.Join(changes, ", ")
	}
	return text
}

// beginning returns enough of a hash to recognise it.
func beginning(hash string) string {
	if hash == "" {
		return "nothing"
	}
	return hash[:min(len(hash), 12)]
}

func printHeld(to io.Writer, r *dragomanv1.RollbackState) {
	if r != nil {
		fmt.Fprintf(to, "held back until they change on disk: %s\n", strings.Join(r.Held, ", "))
	}
}

// printProto prints a message in the JSON of the API.
func printProto(cmd *cobra.Command, m proto.Message) error {
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), string(text))
	return err
}
