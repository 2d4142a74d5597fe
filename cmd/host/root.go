package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot returns the command tree. It prints to out.
func newRoot(out io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "dragoman",
		Short: "Learn chat templates, render prompts, and turn model output into messages",
		Long: `Dragoman stands between an inference engine and its clients. It learns from a model's chat template how the model
writes reasoning, content and tool calls, renders prompts, constrains sampling, and turns the model's text, as it
streams, into messages.

The exit code is 0 on success, 1 on failure, 2 for a wrong command line, and 130 after an interrupt.`,
		Example: example(`
			dragoman serve
			dragoman explain template.jinja
			dragoman parse --template template.jinja --tools tools.json < output.txt
			dragoman check --templates templates cases.jsonl`),
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(out) // before the completion command is added, which keeps it
	root.SetVersionTemplate(versionText())
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(newServe(), newExplain(), newRender(), newTokens(), newParse(), newCheck(), newBench(), newLint(), newDiff(), newRecordings(), newReplay(), newSuggest(), newStatus(), newReload(), newHistory(), newRollback(), newConfig(), newPlugin(), newVersion())
	adoptDefaults(root)
	wrapUsageErrors(root)
	addCompletions(root)
	return root
}

// adoptDefaults adds the commands that cobra would add later, so that their usage errors are reported like those of the others.
func adoptDefaults(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 && found.HasSubCommands() {
					err = unknownCommand(found, rest[0])
				}
				return err
			}
		}
	}
}

// wrapUsageErrors turns cobra's errors about arguments and flags into usage errors, for cmd and the commands below it.
func wrapUsageErrors(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			var usage *usageError
			if err := check(cmd, args); errors.As(err, &usage) {
				return err
			} else if err != nil {
				return wrongArguments(cmd, args)
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
		wrapUsageErrors(sub)
	}
}

// wrongArguments returns the error for the wrong number of arguments, or for an unknown subcommand.
func wrongArguments(cmd *cobra.Command, args []string) error {
	if !cmd.HasSubCommands() {
		return &usageError{fmt.Errorf("expected %s, found the arguments %q", cmd.UseLine(), args)}
	}
	return unknownCommand(cmd, args[0])
}

// unknownCommand returns the error for an unknown subcommand, with suggestions.
func unknownCommand(cmd *cobra.Command, name string) error {
	cmd.SuggestionsMinimumDistance = 2
	if like := cmd.SuggestionsFor(name); len(like) > 0 && name != "" {
		return &usageError{fmt.Errorf("unknown command %q for %q; did you mean %s?", name, cmd.CommandPath(), strings.Join(like, " or "))}
	}
	return &usageError{fmt.Errorf("unknown command %q for %q", name, cmd.CommandPath())}
}

// example indents the lines of an example by two spaces.
func example(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = "  " + strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// printJSON prints v as one line of JSON.
func printJSON(cmd *cobra.Command, v any) error {
	out := json.NewEncoder(cmd.OutOrStdout())
	out.SetEscapeHTML(false)
	return out.Encode(v)
}

// orEmpty returns list, or an empty list where it is nil, so that its JSON is [] and not null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
