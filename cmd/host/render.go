package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/grammar/target"
	"github.com/spf13/cobra"
)

func newRender() *cobra.Command {
	var (
		with      hostFlags
		template  templateFlags
		request   requestFlags
		variables string
		asJSON    bool
		notation  string
	)
	cmd := &cobra.Command{
		Use:   "render [flags] TEMPLATE",
		Short: "Render the prompt of a request",
		Long: `Render the prompt of a request exactly as the model gets it. With --json, print everything an engine needs: prompt,
generation prompt, constraint, preserved tokens, stops, thinking tags. --target chooses the notation of the constraint.`,
		Example: example(`
			dragoman render template.jinja --request request.json
			dragoman render template.jinja --request request.json --json | jq -r .constraint.grammar
			dragoman render template.jinja --request request.json --json --target lark | jq -r .constraint.content
			dragoman render template.jinja --variables variables.json`),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("target") && !asJSON {
				return &usageError{errors.New("--target needs --json")}
			}
			to, err := host.ParseTarget(notation)
			if err != nil {
				return &usageError{err}
			}
			return with.withHost(cmd, func(h *host.Host) error {
				if variables != "" {
					return renderVariables(cmd, h, &template, args[0], variables)
				}
				req, err := request.read(cmd)
				if err != nil {
					return err
				}
				detached, err := template.open(cmd.Context(), h, args[0], len(req.Tools) > 0)
				if err != nil {
					return err
				}
				return renderRequest(cmd, detached, req, asJSON, to)
			})
		},
	}
	with.add(cmd)
	template.add(cmd)
	request.add(cmd)
	cmd.Flags().StringVar(&variables, "variables", "", "`file` of the template's variables as a JSON object, in place of a request; - for standard input")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the whole plan as JSON")
	cmd.Flags().StringVar(&notation, "target", "gbnf", "`notation` of the constraint: "+strings.Join(targets(), ", "))
	cmd.MarkFlagsMutuallyExclusive("variables", "request")
	cmd.MarkFlagsMutuallyExclusive("variables", "tools")
	cmd.MarkFlagsMutuallyExclusive("variables", "no-thinking")
	cmd.MarkFlagsMutuallyExclusive("variables", "json")
	return cmd
}

// targets lists the notations of constraints.
func targets() (names []string) {
	for _, t := range target.All() {
		names = append(names, string(t.Target))
	}
	return names
}

func renderVariables(cmd *cobra.Command, h *host.Host, template *templateFlags, model, path string) error {
	data, err := readJSON(cmd, path)
	if err != nil {
		return err
	}
	detached, err := template.open(cmd.Context(), h, model, false)
	if err != nil {
		return err
	}
	prompt, err := detached.RenderVariables(cmd.Context(), data, time.Now())
	if err != nil {
		return fmt.Errorf("%s: %w", called(path), err)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), prompt)
	return err
}

func renderRequest(cmd *cobra.Command, detached *host.Detached, req *chat.Request, asJSON bool, notation grammar.Target) error {
	if asJSON {
		planned, err := detached.Plan(cmd.Context(), "", req)
		if err != nil {
			return err
		}
		if planned, err = planned.In(cmd.Context(), notation); err != nil {
			return err
		}
		return printJSON(cmd, planned.Plan)
	}
	rendered, err := detached.Render(cmd.Context(), req)
	if err != nil {
		return err
	}
	_, err = io.WriteString(cmd.OutOrStdout(), rendered.Prompt)
	return err
}
