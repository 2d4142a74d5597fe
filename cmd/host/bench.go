package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/internal/bench"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/spf13/cobra"
)

// sampleTools is the number of tools in the request that bench plans by default.
const sampleTools = 20

func newBench() *cobra.Command {
	var (
		with                  hostFlags
		template              templateFlags
		path, output, request string
		chunk                 int
		asJSON                bool
	)
	cmd := &cobra.Command{
		Use:   "bench [flags] --template TEMPLATE --output FILE",
		Short: "Measure what a template and an output cost",
		Long: `Measure what it costs to learn a template, to plan a request, and to turn an output into messages, in chunks as from an engine
and at once. Times are the least of many rounds on this machine. Those of the output stand beside a yardstick, a search for a byte
in the same chunks (memchr), so that figures of different machines can be compared.

The output is what the model writes, without the prompt. Give the request that it answers where its tools matter; by default
it is one with ` + fmt.Sprint(sampleTools) + ` tools.`,
		Example: example(`
			dragoman bench --template template.jinja --output output.txt
			dragoman bench --template template.jinja --output output.txt --request request.json --chunk 16 --json`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if chunk < 1 {
				return &usageError{fmt.Errorf("--chunk: expected at least 1 byte, found %d", chunk)}
			}
			if err := inputOnce(output, request); err != nil {
				return err
			}
			text, err := readFile(cmd, output)
			if err != nil {
				return err
			}
			if len(text) == 0 {
				return fmt.Errorf("%s: the output is empty; give one as the model writes it, without the prompt", called(output))
			}
			s := bench.Subject{Output: text, Chunk: chunk, Request: bench.SampleRequest(sampleTools)}
			if request != "" {
				if s.Request, err = readJSON(cmd, request); err != nil {
					return err
				}
			}
			req, err := chat.ParseRequest(s.Request)
			if err != nil {
				return fmt.Errorf("%s: %w", called(request), err)
			}
			return with.withHost(cmd, func(h *host.Host) error {
				open := func(ctx context.Context, h *host.Host) (*host.Detached, error) {
					return template.open(ctx, h, path, len(req.Tools) > 0)
				}
				s.Learn = func(ctx context.Context) error {
					t, err := open(ctx, h)
					if err != nil {
						return err
					}
					_, err = t.Learned(ctx)
					return err
				}
				s.Open = func(ctx context.Context) (bench.Planner, error) {
					fresh, err := with.openQuietly(cmd) // its caches are empty
					if err != nil {
						return nil, err
					}
					t, err := open(ctx, fresh)
					if err == nil {
						_, err = t.Learned(ctx)
					}
					if err != nil {
						return nil, errors.Join(err, fresh.Close(ctx))
					}
					return &planner{host: fresh, template: t}, nil
				}
				r, err := bench.Run(cmd.Context(), s)
				switch {
				case err != nil:
					return err
				case asJSON:
					return printJSON(cmd, r)
				}
				return r.Print(cmd.OutOrStdout())
			})
		},
	}
	with.add(cmd)
	template.add(cmd)
	cmd.Flags().StringVar(&path, "template", "", "chat `template`: a .jinja file, a model's folder, tokenizer_config.json or .gguf file, the ORG/NAME of a model in Hugging Face's cache, or the name of an embedded one")
	cmd.Flags().StringVar(&output, "output", "", "`file` of a model's output, - for standard input")
	cmd.Flags().StringVar(&request, "request", "", "`file` of the chat request that the output answers, in OpenAI's JSON (default: one with tools)")
	cmd.Flags().IntVar(&chunk, "chunk", 4, "size of a chunk in `bytes`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	for _, name := range []string{"template", "output"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is defined above
		}
	}
	return cmd
}

// planner plans requests for a template of a host of its own.
type planner struct {
	host     *host.Host
	template *host.Detached
	tools    chat.ToolCache
}

// PlanJSON answers a request.
func (p *planner) PlanJSON(ctx context.Context, request []byte) (*session.Plan, error) {
	req, err := p.tools.ParseRequest(request, chat.Policies{})
	if err != nil {
		return nil, err
	}
	planned, err := p.template.Plan(ctx, "", req)
	if err != nil {
		return nil, err
	}
	return planned.Plan, nil
}

// Close closes the host.
func (p *planner) Close() error { return p.host.Close(context.Background()) }
