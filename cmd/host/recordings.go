package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/internal/wire/adminapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// recordingFlags choose recordings: of a daemon, or in a folder or file.
type recordingFlags struct {
	daemonFlags
	path, keyFile string
	template      string
	marks         []string
	since         time.Duration
}

// envRecorderKey is the key that recordings are sealed with, as a daemon takes it.
const envRecorderKey = config.EnvPrefix + "RECORDER_KEY"

// addSource defines the flags that say where recordings are.
func (f *recordingFlags) addSource(cmd *cobra.Command) {
	f.add(cmd, false)
	cmd.Flags().StringVar(&f.path, "recordings", "", "`folder` or file of recordings to read, instead of asking the daemon")
	cmd.Flags().StringVar(&f.keyFile, "key-file", "", "`file` of the key that they are sealed with (default: $"+envRecorderKey+")")
	cmd.MarkFlagsMutuallyExclusive("recordings", "daemon")
}

// addFilter defines the flags that choose among them.
func (f *recordingFlags) addFilter(cmd *cobra.Command) {
	f.addSource(cmd)
	cmd.Flags().StringVar(&f.template, "only", "", "only recordings of `templates` with this name, in which * stands for any text")
	cmd.Flags().StringSliceVar(&f.marks, "mark", nil, "only recordings with one of these `marks`: "+strings.Join(config.RecordedMarks, ", "))
	cmd.Flags().DurationVar(&f.since, "since", 0, "only recordings that are at most so old, such as 12h")
}

// filter returns what the flags choose.
func (f *recordingFlags) filter() (recorder.Filter, error) {
	out := recorder.Filter{Template: f.template}
	for _, mark := range f.marks {
		if !slices.Contains(config.RecordedMarks, mark) {
			return out, &usageError{fmt.Errorf("--mark: unknown mark %q; expected one of %s", mark, strings.Join(config.RecordedMarks, ", "))}
		}
		out.Marks = append(out.Marks, recorder.Mark(mark))
	}
	if f.since > 0 {
		out.Since = time.Now().Add(-f.since)
	}
	return out, nil
}

// open returns the folder or file that --recordings names.
func (f *recordingFlags) open() (*recorder.Folder, error) {
	secret, err := config.Recorder{Key: os.Getenv(envRecorderKey), KeyFile: f.keyFile}.Secret()
	if err != nil {
		return nil, err
	}
	key, err := recorder.NewKey(secret)
	return recorder.Open(f.path, key), err
}

// list returns the recordings that a filter chooses, the newest first.
func (f *recordingFlags) list(cmd *cobra.Command, filter recorder.Filter) (recorder.Listed, error) {
	if f.path != "" {
		folder, err := f.open()
		if err != nil {
			return recorder.Listed{}, err
		}
		return folder.List(cmd.Context(), filter)
	}
	m, err := ask(cmd, &f.daemonFlags, dragomanv1connect.NewRecordingServiceClient, dragomanv1connect.RecordingServiceClient.ListRecordings, adminapi.EncodeFilter(filter))
	return adminapi.DecodeListed(m), err
}

// get returns a recording.
func (f *recordingFlags) get(cmd *cobra.Command, id string) (*recorder.Recording, error) {
	if f.path != "" {
		folder, err := f.open()
		if err != nil {
			return nil, err
		}
		return folder.Get(cmd.Context(), id)
	}
	m, err := ask(cmd, &f.daemonFlags, dragomanv1connect.NewRecordingServiceClient, dragomanv1connect.RecordingServiceClient.GetRecording, &dragomanv1.GetRecordingRequest{Id: id})
	if err != nil {
		return nil, err
	}
	return recorder.ReadDocument(m.Document)
}

// each returns how many recordings the flags choose, and iterates over them, the oldest first. An error is about one that cannot be
// read; others may follow.
func (f *recordingFlags) each(cmd *cobra.Command) (int, iter.Seq2[*recorder.Recording, error], error) {
	filter, err := f.filter()
	if err != nil {
		return 0, nil, err
	}
	if f.path != "" {
		folder, err := f.open()
		if err != nil {
			return 0, nil, err
		}
		listed, err := folder.List(cmd.Context(), filter)
		return len(listed.Recordings), folder.Each(cmd.Context(), filter), err
	}
	var ids []string
	for more := true; more; {
		listed, err := f.list(cmd, filter)
		if err != nil {
			return 0, nil, err
		}
		for _, s := range listed.Recordings {
			ids = append(ids, s.ID)
			filter.Before = s.ID
		}
		more = listed.More
	}
	slices.Reverse(ids)
	return len(ids), func(yield func(*recorder.Recording, error) bool) {
		for _, id := range ids {
			if !yield(f.get(cmd, id)) || cmd.Context().Err() != nil {
				return
			}
		}
	}, nil
}

func newRecordings() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recordings",
		Short: "List, show and export what the flight recorder has kept",
		Long: `List, show and export what the flight recorder has kept: of a running daemon, or with --recordings of a folder. The setting
recorder.dir turns the recorder on.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRecordingsList(), newRecordingsShow(), newRecordingsExport())
	return cmd
}

func newRecordingsList() *cobra.Command {
	var (
		flags  recordingFlags
		limit  int
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "list [flags]",
		Short: "List recordings, the newest first",
		Long:  "List recordings, the newest first: when they began, their template, how they were read, and what is unusual about them.",
		Example: example(`
			dragoman recordings list --mark malformed --since 12h
			dragoman recordings list --recordings recordings --json`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := flags.filter()
			if err != nil {
				return err
			}
			filter.Limit = limit
			listed, err := flags.list(cmd, filter)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, listed)
			}
			return printRecordings(cmd, listed)
		},
	}
	flags.addFilter(cmd)
	cmd.Flags().IntVar(&limit, "limit", 100, "how many to list")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printRecordings(cmd *cobra.Command, listed recorder.Listed) error {
	noteAll(cmd, listed.Notes)
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, s := range listed.Recordings {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%d bytes\t%s\n", s.ID, s.At.Local().Format(time.DateTime), s.Template, s.Status, s.Bytes, marksText(s.Marks))
	}
	if listed.More {
		fmt.Fprintln(out, "There are older ones: raise --limit.")
	}
	return out.Flush()
}

// marksText returns marks for people.
func marksText(marks []recorder.Mark) string {
	var words []string
	for _, m := range marks {
		words = append(words, string(m))
	}
	return strings.Join(words, ", ")
}

// noteAll prints notes about recordings that cannot be read.
func noteAll(cmd *cobra.Command, notes []string) {
	for _, note := range notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s\n", note)
	}
}

func newRecordingsShow() *cobra.Command {
	var (
		flags  recordingFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "show [flags] ID",
		Short: "Show a recording",
		Long: `Show a recording: the request, the end of the prompt, the output with the times of its pieces, and the report. With --json,
print all that is kept of it, besides the program. dragoman explain --recording shows which rule read what.`,
		Example: example(`
			dragoman recordings show 660e732d1875e3d-7928
			dragoman recordings show 660e732d1875e3d-7928 --json | jq .request`),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := flags.get(cmd, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, r)
			}
			return printRecording(cmd.OutOrStdout(), r)
		},
	}
	flags.addSource(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printRecording(out io.Writer, r *recorder.Recording) error {
	fmt.Fprintf(out, "%s: %s, %s by %s%s, snapshot %d\n", r.ID, r.At.Local().Format(time.DateTime), r.Summary.Template, r.Handler, prefixed(" ", r.HandlerVersion), r.Generation)
	fmt.Fprintf(out, "%s in %d pieces within %v%s\n", r.Status, r.Summary.Pieces, r.Took.Round(time.Millisecond), prefixed("; ", marksText(r.Marks)))
	fmt.Fprintf(out, "\n-- request --\n%s\n", r.Request)
	fmt.Fprintf(out, "-- prompt's end --\n%s%s\n-- output --\n", r.PromptTail, r.GenerationPrompt)
	for p, text := range r.Each() {
		fmt.Fprintf(out, "%8.3f %q\n", p.At.Seconds(), text)
	}
	fmt.Fprintln(out, "-- report --")
	for _, f := range r.Report.Faults {
		fmt.Fprintf(out, "fault at byte %d: %s\n", f.At, f.Message)
	}
	for _, m := range r.Report.MissingMarkers {
		fmt.Fprintf(out, "missing %d times: %s\n", m.Count, m.Marker)
	}
	for _, name := range r.Report.UnknownTools {
		fmt.Fprintf(out, "unknown tool: %s\n", name)
	}
	_, err := fmt.Fprintf(out, "output %s\n", r.Report.Status)
	return err
}

// prefixed returns text behind a prefix, or nothing.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func newRecordingsExport() *cobra.Command {
	var (
		flags     recordingFlags
		templates string
	)
	cmd := &cobra.Command{
		Use:   "export [flags] > CASES.jsonl",
		Short: "Print recordings as recorded cases",
		Long: `Print recordings as recorded cases, one JSON object per line, as dragoman check runs them, and the daemon's canary. Each case
expects the message that its output became, so that outputs which were read badly are left out, unless --mark asks for them:
correct what they expect. With --templates, write the templates that the cases name into a folder, too.`,
		Example: example(`
			dragoman recordings export --templates templates > recorded.jsonl
			dragoman check --templates templates recorded.jsonl
			dragoman recordings export --mark malformed --recordings recordings > broken.jsonl`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return exportRecordings(cmd, &flags, templates) },
	}
	flags.addFilter(cmd)
	cmd.Flags().StringVar(&templates, "templates", "", "`folder` to write the templates to")
	return cmd
}

// exportRecordings prints recordings as cases, and writes their templates to a folder, unless that is empty.
func exportRecordings(cmd *cobra.Command, flags *recordingFlags, templates string) error {
	_, all, err := flags.each(cmd)
	if err != nil {
		return err
	}
	player, written := recorder.NewPlayer(), map[string]string{}
	for r, err := range all {
		if err == nil && len(flags.marks) == 0 && slices.Contains(r.Marks, recorder.Malformed) {
			continue
		}
		var line []byte
		if err == nil {
			line, err = caseOf(cmd.Context(), player, r)
		}
		if err == nil && templates != "" {
			err = writeTemplate(templates, &r.Source, written)
		}
		if err != nil {
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			noteAll(cmd, []string{"left out: " + err.Error()})
			continue
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n", line)
	}
	return nil
}

// caseOf returns a recording as a case.
func caseOf(ctx context.Context, player *recorder.Player, r *recorder.Recording) (line []byte, err error) {
	plan, err := player.Plan(ctx, r)
	if err == nil {
		var result session.Result
		_, result, err = recorder.Play(ctx, r, plan, session.Options{NoIDs: true})
		if err == nil {
			line, err = r.Case(result.Message)
		}
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", r.ID, err)
	}
	return line, err
}

// writeTemplate writes a template to a folder, once. written has the hashes of what was written, by name.
func writeTemplate(dir string, t *recorder.Template, written map[string]string) error {
	switch was := written[t.Name]; {
	case was == t.Hash:
		return nil
	case was != "":
		return fmt.Errorf("%s has changed since the first recording; export them separately, with --since", t.Name)
	case !filepath.IsLocal(t.Name):
		return fmt.Errorf("template %q: expected a name of a file", t.Name)
	}
	written[t.Name] = t.Hash
	path := filepath.Join(dir, t.Name+".jinja")
	return cmp.Or(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(t.Source), 0o644))
}

// errNoRecordings fails commands that have nothing to work on.
var errNoRecordings = errors.New("there are no such recordings")
