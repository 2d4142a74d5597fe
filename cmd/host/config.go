package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/spf13/cobra"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check, show and describe the configuration of the daemon",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigCheck(), newConfigShow(), newConfigReference())
	return cmd
}

func newConfigCheck() *cobra.Command {
	var environment, asJSON bool
	cmd := &cobra.Command{
		Use:   "check [flags] FILE…",
		Short: "Check configuration files",
		Long: `Report every fault of configuration files: unknown keys, values of the wrong type or out of range, settings that conflict.
Each is a line FILE:LINE:COLUMN: MESSAGE; the exit code is 0 if there are none.

A file is checked by itself. With --environment, the variables DRAGOMAN_… override it, as they do in the daemon.`,
		Example: example(`
			dragoman config check dragoman.yaml
			dragoman config check --environment dragoman.yaml`),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			var faults []linted
			for _, file := range files {
				data, err := readFile(cmd, file)
				if err != nil {
					return err
				}
				s := config.Sources{File: file, Data: data}
				if environment {
					s.Environ = settings()
				}
				if _, err := loadConfig(s); err != nil {
					faults = append(faults, placed(file, err)...)
				}
			}
			return reportLint(cmd, faults, asJSON)
		},
	}
	cmd.Flags().BoolVar(&environment, "environment", false, "let environment variables override the file")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// faultPlace matches the place at the beginning of a fault.
var faultPlace = regexp.MustCompile(`^(.+?):(\d+):(\d+): `)

// placed returns the faults of a file. Those of an environment variable have no line.
func placed(file string, err error) (faults []linted) {
	for _, line := range strings.Split(err.Error(), "\n") {
		f := linted{File: file, Message: line}
		if at := faultPlace.FindStringSubmatch(line); at != nil {
			f = linted{File: at[1], Message: line[len(at[0]):]}
			f.Line, _ = strconv.Atoi(at[2])
			f.Column, _ = strconv.Atoi(at[3])
		}
		faults = append(faults, f)
	}
	return faults
}

// loadConfig is config.Load, but refuses an empty file, as the daemon does.
func loadConfig(s config.Sources) (*config.Config, error) {
	if s.File != "" && s.Data == nil {
		data, err := os.ReadFile(s.File)
		if err != nil {
			return nil, fmt.Errorf("cannot read the configuration file: %w", err)
		}
		s.Data = data
	}
	if s.File != "" && len(bytes.TrimSpace(s.Data)) == 0 {
		return nil, fmt.Errorf("%s:1:1: the configuration file is empty; add a setting, or name no file", s.File)
	}
	return config.Load(s)
}

func newConfigShow() *cobra.Command {
	var file string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show [flags]",
		Short: "Print every setting, its value, and where that comes from",
		Long: `Print the configuration that the daemon would run with: every setting, its value, where that comes from, and whether a change
takes effect while the daemon runs (live) or after a restart (restart). It takes the flags of "dragoman serve". The values
of secrets are not shown.`,
		Example: example(`
			dragoman config show
			dragoman config show --config dragoman.yaml --listen 127.0.0.1:9000
			dragoman config show --json`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := config.CheckFlags(cmd.Flags()); err != nil {
				return &usageError{err}
			}
			c, err := loadConfig(config.Sources{File: file, Environ: settings(), Flags: cmd.Flags()})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, shown(c.Values()))
			}
			return printValues(cmd, c.Values())
		},
	}
	config.AddFlags(cmd.Flags())
	addConfigFile(cmd, &file)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// addConfigFile defines the flag that names the configuration file.
func addConfigFile(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "config", os.Getenv(config.EnvFile), "configuration `file`, YAML")
}

func printValues(cmd *cobra.Command, values []config.Value) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	_, err := fmt.Fprintln(w, "KEY\tVALUE\tORIGIN\tRELOAD")
	for _, v := range values {
		text := v.Text
		if text == "" {
			text = `""`
		}
		_, fault := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", v.Key, text, v.Origin, v.Reload)
		err = errors.Join(err, fault)
	}
	return errors.Join(err, w.Flush())
}

// shownValue is the JSON of a setting.
type shownValue struct {
	Key    string        `json:"key"`
	Value  any           `json:"value"`
	Origin string        `json:"origin"` // default, file, environment or flag
	Place  string        `json:"place,omitempty"`
	Reload config.Reload `json:"reload"`
	Env    string        `json:"env"`
	Flag   string        `json:"flag"`
}

func shown(values []config.Value) (out []shownValue) {
	for _, v := range values {
		out = append(out, shownValue{v.Key, v.Value, v.Origin.Source, v.Origin.Place, v.Reload, v.Env, v.Flag})
	}
	return out
}

func newConfigReference() *cobra.Command {
	return &cobra.Command{
		Use:   "reference",
		Short: "Describe every setting, in Markdown",
		Long: `Describe every setting, in Markdown: its default, its meaning, its variable and flag, and whether a change takes effect
while the daemon runs. docs/config.md is generated by it.`,
		Example: example(`dragoman config reference > config.md`),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), config.Reference())
			return err
		},
	}
}
