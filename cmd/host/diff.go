package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/internal/wire/adminapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

func newDiff() *cobra.Command {
	var (
		with      hostFlags
		daemon    daemonFlags
		templates string
		cases     []string
		asJSON    bool
	)
	cmd := &cobra.Command{
		Use:   "diff [flags] [OLD.yaml] NEW.yaml",
		Short: "Preview a workarounds file",
		Long: `Compare the effect of two workarounds files: for each template, the fields of its dialect that change, lint messages that
appear or disappear, and recorded cases whose results change. With --daemon, compare one file with the rules in force there.
The exit code is 0 if nothing changes, 1 if something does or a file is faulty.`,
		Example: example(`
			dragoman diff workarounds.yaml new.yaml --templates templates
			dragoman diff workarounds.yaml new.yaml --templates templates --cases cases.jsonl --json
			dragoman diff new.yaml --daemon http://127.0.0.1:8080 --cases cases.jsonl`),
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := inputOnce(slices.Concat(args, cases)...); err != nil {
				return err
			}
			diff, err := host.RulesDiff{}, error(nil)
			switch {
			case daemon.url != "" && len(args) == 1:
				diff, err = tryRules(cmd, &daemon, args[0], cases)
			case daemon.url == "" && len(args) == 2 && templates != "":
				err = with.withHost(cmd, func(h *host.Host) error {
					diff, err = diffRules(cmd, h, args, templates, cases)
					return err
				})
			default:
				return &usageError{errors.New("expected two files and --templates, or one file and --daemon")}
			}
			if err != nil {
				return err
			}
			return reportDiff(cmd, diff, asJSON)
		},
	}
	with.addPlugins(cmd)
	daemon.add(cmd, true)
	cmd.Flags().Lookup("daemon").Usage = "`URL` of a daemon with whose rules to compare, or unix:/path of its socket"
	cmd.Flags().StringVar(&templates, "templates", "", "`folder` of the templates to try the rules on")
	cmd.Flags().StringSliceVar(&cases, "cases", nil, "`files` of recorded cases to run under both files")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("daemon", "templates")
	cmd.MarkFlagsMutuallyExclusive("daemon", "plugins")
	return cmd
}

// diffRules compares two files of rules.
func diffRules(cmd *cobra.Command, h *host.Host, files []string, templates string, cases []string) (diff host.RulesDiff, err error) {
	rules, sources, inputs, err := readDiff(cmd, files, templates, cases)
	if err != nil {
		return diff, err
	}
	return h.DiffRules(cmd.Context(), rules[0], rules[1], sources, inputs)
}

// readDiff reads the inputs of a comparison: files of rules, the templates of a folder, and files of cases.
func readDiff(cmd *cobra.Command, files []string, templates string, cases []string) (rules []host.RulesFile, sources []host.TemplateSource, inputs []check.Input, err error) {
	for _, file := range files {
		data, err := readFile(cmd, file)
		if err != nil {
			return nil, nil, nil, err
		}
		rules = append(rules, host.RulesFile{Name: file, Data: data})
	}
	for _, file := range cases {
		data, err := readFile(cmd, file)
		if err != nil {
			return nil, nil, nil, err
		}
		inputs = append(inputs, check.Input{Name: file, Reader: bytes.NewReader(data)})
	}
	sources, err = readTemplates(cmd.Context(), templates)
	return rules, sources, inputs, err
}

// tryRules compares a file with the rules in force in a daemon.
func tryRules(cmd *cobra.Command, daemon *daemonFlags, file string, caseFiles []string) (diff host.RulesDiff, err error) {
	document, err := readText(cmd, file)
	if err != nil {
		return diff, err
	}
	var cases strings.Builder
	for _, path := range caseFiles {
		data, err := readText(cmd, path)
		if err != nil {
			return diff, err
		}
		cases.Write(data)
		cases.WriteByte('\n')
	}
	tried, err := ask(cmd, daemon, dragomanv1connect.NewWorkaroundServiceClient, dragomanv1connect.WorkaroundServiceClient.TryWorkarounds,
		&dragomanv1.TryWorkaroundsRequest{Document: string(document), Cases: cases.String()})
	if err != nil {
		return diff, err
	}
	return adminapi.DecodeRulesDiff(file, tried), nil
}

// readText reads a file that must be UTF-8, because it is sent to a daemon.
func readText(cmd *cobra.Command, path string) ([]byte, error) {
	data, err := readFile(cmd, path)
	if err == nil && !utf8.Valid(data) {
		err = fmt.Errorf("%s: expected text in UTF-8", called(path))
	}
	return data, err
}

func reportDiff(cmd *cobra.Command, diff host.RulesDiff, asJSON bool) error {
	if asJSON {
		if err := printJSON(cmd, diff); err != nil {
			return err
		}
	} else {
		printDiff(cmd.OutOrStdout(), diff)
	}
	if !diff.Empty() {
		return errFailed
	}
	return nil
}

func printDiff(out io.Writer, diff host.RulesDiff) {
	for _, f := range diff.Faults {
		fmt.Fprintf(out, "%s:%d:%d: %s\n", f.File, f.Line, f.Column, f.Message)
	}
	cases := 0
	for _, t := range diff.Templates {
		fmt.Fprintln(out, t.Template)
		for _, f := range t.Fields {
			fmt.Fprintf(out, "  %s: %s → %s\n", f.Field, orNothing(f.Before), orNothing(f.After))
		}
		for _, note := range t.LintNew {
			fmt.Fprintf(out, "  new: %s\n", note)
		}
		for _, note := range t.LintGone {
			fmt.Fprintf(out, "  gone: %s\n", note)
		}
		for _, c := range t.Cases {
			fmt.Fprintf(out, "  %s\n", strings.ReplaceAll(c.String(), "\n", "\n    "))
		}
		cases += len(t.Cases)
	}
	switch {
	case len(diff.Faults) > 0:
	case len(diff.Templates) == 0:
		fmt.Fprintln(out, "nothing changes")
	default:
		fmt.Fprintf(out, "templates that change: %d; cases that change: %d\n", len(diff.Templates), cases)
	}
}

// orNothing returns value, or "nothing" if it is empty.
func orNothing(value string) string {
	if value == "" {
		return "nothing"
	}
	return value
}
