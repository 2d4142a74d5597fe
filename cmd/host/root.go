package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot is the whole command tree.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "host",
		Short: "Learn chat templates, render prompts, and turn model output into messages",
		Long: `Dragoman stands between an inference engine and its clients. It learns from a model's chat template how the model
writes reasoning, content and tool calls, renders prompts, constrains sampling, and turns the model's text, as it
streams, into messages.

The exit code is 0 if it went well, 1 if it did not, 2 if the command line was not understood, and 130 if it was interrupted.`,
		Example: example(`
			host serve
			host explain template.jinja
			host parse --template template.jinja --tools tools.json < output.txt
			host check --templates templates cases.jsonl`),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(newServe(), newExplain(), newRender(), newParse(), newCheck(), newLint(), newDiff(), newHistory(), newRollback(), newConfig(), newPlugin(), newVersion())
	understood(root)
	return root
}

// understood makes what cobra says of wrong arguments and flags a usage error, here and below.
func understood(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) != nil {
				return &usageError{unexpected(cmd, args)}
			}
			for _, fault := range []error{cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups()} {
				if fault != nil {
					return &usageError{fault}
				}
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		understood(sub)
	}
}

// unexpected says what is wrong with the arguments of a command.
func unexpected(cmd *cobra.Command, args []string) error {
	if !cmd.HasSubCommands() {
		return fmt.Errorf("expected %s, found the arguments %q", cmd.UseLine(), args)
	}
	cmd.SuggestionsMinimumDistance = 2
	if close := cmd.SuggestionsFor(args[0]); len(close) > 0 {
		return fmt.Errorf("unknown command %q for %q; did you mean %s?", args[0], cmd.CommandPath(), strings.Join(close, " or "))
	}
	return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
}

// example indents an example for help texts, two blanks a line.
func example(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = "  " + strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// printJSON writes v for a program to read, one value a line.
func printJSON(cmd *cobra.Command, v any) error {
	out := json.NewEncoder(cmd.OutOrStdout())
	out.SetEscapeHTML(false)
	return out.Encode(v)
}

// orEmpty is list, written as [] where it is nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
