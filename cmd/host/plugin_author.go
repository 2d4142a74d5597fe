package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	buildinfo "runtime/debug"
	"strings"

	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/plugins/scaffold"
	"github.com/dragoman-project/dragoman/sdk/conformance"
	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"
)

func newPluginNew() *cobra.Command {
	var o scaffold.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "new [flags] NAME",
		Short: "Create a plugin: a Go module that builds and conforms",
		Long: `Create a Go module with a plugin for a small format: its handler in one file, its manifest, golden cases, a test and a
Makefile. It builds and conforms as it is; change it step by step into the format you need. See docs/plugins.md.`,
		Example: example(`
			dragoman plugin new brackets
			dragoman plugin new brackets --dir plugins/brackets --sdk ~/dragoman`),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if build, ok := buildinfo.ReadBuildInfo(); ok && semver.IsValid(build.Main.Version) {
				o.Version = build.Main.Version
			}
			written, err := scaffold.Write(o)
			if err != nil {
				return err
			}
			note := buildNote(o)
			if asJSON {
				return printJSON(cmd, struct {
					Files []string `json:"files"`
					Note  string   `json:"note,omitempty"`
				}{written, note})
			}
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(written, "\n")); err != nil || note == "" {
				return err
			}
			_, err = fmt.Fprintln(cmd.ErrOrStderr(), "note:", note)
			return err
		},
	}
	cmd.Flags().StringVar(&o.Dir, "dir", "", "`folder` to create (default: one with the plugin's name)")
	cmd.Flags().StringVar(&o.Module, "module", "", "`path` of the Go module (default: example.com/ and the name)")
	cmd.Flags().StringVar(&o.SDK, "sdk", "", "`checkout` of Dragoman to build against, in place of the published module")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// buildNote returns what must be done before the new plugin builds; empty: nothing.
func buildNote(o scaffold.Options) string {
	switch {
	case o.SDK != "":
		return ""
	case o.Version == "":
		return "this is not a released version: build the plugin against a checkout, with --sdk"
	}
	return "run `go mod tidy` there first: it completes go.mod and go.sum"
}

func newPluginVerify() *cobra.Command {
	var asJSON bool
	var junit string
	cmd := &cobra.Command{
		Use:   "verify [flags] EXECUTABLE",
		Short: "Verify that a plugin loads and conforms",
		Long: `Start a plugin from the manifest beside it and run the conformance suite: golden cases at every split of the output, equal
plans for equal requests, valid programs and constraints, garbage, a thousand concurrent requests, and a process killed in
the middle of an output. The exit code is 0 if everything passes.`,
		Example: example(`
			dragoman plugin verify ./brackets
			dragoman plugin verify --junit report.xml ./brackets`),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			p := newProgress(cmd)
			reports := plugins.Verify(cmd.Context(), path, func(handler, demand string) { p.show("%s: %s", handler, demand) })
			p.clear()
			if err := writeReports(cmd.OutOrStdout(), reports, asJSON, junit); err != nil {
				return err
			}
			if !conformance.OK(reports) {
				return errFailed
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&junit, "junit", "", "`file` for a report in JUnit's format, too")
	return cmd
}

// writeReports prints reports, and writes them to the file junit unless that is empty.
func writeReports(out io.Writer, reports []conformance.Report, asJSON bool, junit string) error {
	write := conformance.WriteText
	if asJSON {
		write = func(out io.Writer, reports []conformance.Report) error { return json.NewEncoder(out).Encode(reports) }
	}
	if err := write(out, reports); err != nil || junit == "" {
		return err
	}
	var text bytes.Buffer
	if err := conformance.WriteJUnit(&text, reports); err != nil {
		return err
	}
	return os.WriteFile(junit, text.Bytes(), 0o644)
}
