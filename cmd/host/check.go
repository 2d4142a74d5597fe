package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/check"
	"github.com/spf13/cobra"
)

func newCheck() *cobra.Command {
	var (
		with      hostFlags
		templates string
		results   string
		asJSON    bool
		options   check.Options
	)
	cmd := &cobra.Command{
		Use:   "check [flags] CASES.jsonl…",
		Short: "Run recorded cases and report which of them fail",
		Long: `Run recorded cases of the kinds parse, plan and template, one JSON object per line, and print those that fail with what
differs. The last line is "N passed, N failed"; the exit code is 0 only if none fails.

Each output is parsed whole, byte by byte, and at --splits random splits, which must all give the same result. A template
that cannot be used fails its own cases and no others. docs/operating.md shows the format of a case.`,
		Example: example(`
			dragoman check --templates templates cases.jsonl
			dragoman check --templates templates --splits 10 --results results.jsonl parse.jsonl plan.jsonl
			grep weather cases.jsonl | dragoman check --templates templates -`),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.Splits < 0 || options.Workers < 1 {
				return &usageError{errors.New("expected --splits of 0 or more, and --workers of 1 or more")}
			}
			if templates != "" {
				if err := checkFolder("--templates", templates); err != nil {
					return err
				}
			}
			if err := inputOnce(args...); err != nil {
				return err
			}
			if results == "-" {
				return &usageError{errors.New("--results: expected a file, found -; the report goes to standard output")}
			}
			return with.withHost(cmd, func(h *host.Host) error {
				return runCheck(cmd, h.Subject(templates), options, asJSON, results, args)
			})
		},
	}
	with.add(cmd)
	cmd.Flags().StringVar(&templates, "templates", "", "`folder` of the templates that the cases name (default: the embedded ones)")
	cmd.Flags().IntVar(&options.Splits, "splits", 3, "random splits to parse each output at, besides whole and byte by byte")
	cmd.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of the random splits")
	cmd.Flags().StringVar(&results, "results", "", "`file` for the results, one JSON object per case")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: the result of each case on a line, as in --results, and the numbers on the last one")
	cmd.Flags().BoolVar(&options.Remarks, "remarks", false, "print differences that are no failures, too")
	cmd.Flags().IntVar(&options.Workers, "workers", 2, "cases to run at the same time")
	return cmd
}

// sameFile reports whether an open file is the one at path.
func sameFile(opened *os.File, path string) bool {
	a, errA := opened.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b) && a.Mode().IsRegular()
}

// runCheck runs the cases of files, and returns errFailed if one fails.
func runCheck(cmd *cobra.Command, subject check.Subject, options check.Options, asJSON bool, results string, files []string) (err error) {
	var inputs []check.Input
	for _, file := range files {
		in := cmd.InOrStdin()
		if file != "-" {
			opened, err := untilInterrupted(cmd.Context(), func() (*os.File, error) { return os.Open(file) })
			if err != nil {
				return err
			}
			defer opened.Close()
			if sameFile(opened, results) {
				return fmt.Errorf("--results: %s is a file of cases and would be overwritten; name another", results)
			}
			in = interruptible(cmd.Context(), opened)
		}
		inputs = append(inputs, check.Input{Name: file, Reader: in})
	}
	p := newProgress(cmd)
	options.Progress = func(t check.Tally) { p.show("%d passed, %d failed", t.Passed, t.Failed) }
	printed := clearing{p, cmd.OutOrStdout()}
	var sinks []io.Writer
	if asJSON {
		sinks = append(sinks, printed)
	} else {
		options.Report = printed
	}
	if results != "" {
		out, fault := os.Create(results)
		if fault != nil {
			return fault
		}
		defer func() { err = errors.Join(err, out.Close()) }()
		sinks = append(sinks, out)
	}
	options.Results = io.MultiWriter(sinks...)
	tally, err := check.Run(cmd.Context(), subject, inputs, options)
	if p.clear(); asJSON && err == nil {
		err = printJSON(cmd, tally)
	}
	if err == nil && tally.Failed > 0 {
		err = errFailed
	}
	if err == nil && tally.Passed == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "dragoman: no cases found in", strings.Join(files, ", "))
	}
	return err
}
