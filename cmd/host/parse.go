package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/spf13/cobra"
)

func newParse() *cobra.Command {
	var (
		with     hostFlags
		template templateFlags
		request  requestFlags
		path     string
		asJSON   bool
		stream   bool
		cut      bool
	)
	cmd := &cobra.Command{
		Use:   "parse [flags] --template TEMPLATE < OUTPUT",
		Short: "Turn a model's output into a message",
		Long: `Parse a model's raw output from standard input and print the message. The output continues the prompt of a request, so give
the request that it answers: at least its tools.

With --stream, print each delta as soon as it is decided, as a line of JSON.`,
		Example: example(`
			dragoman parse --template template.jinja --tools tools.json < output.txt
			dragoman parse --template template.jinja --request request.json --json < output.txt
			engine | dragoman parse --template template.jinja --tools tools.json --stream`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if request.request == "-" || request.tools == "-" {
				return &usageError{errors.New("standard input is the model's output; give --request and --tools as files")}
			}
			return with.withHost(cmd, func(h *host.Host) error {
				req, err := request.read(cmd)
				if err != nil {
					return err
				}
				detached, err := template.open(cmd.Context(), h, path, len(req.Tools) > 0)
				if err != nil {
					return err
				}
				planned, err := detached.Plan(cmd.Context(), "", req)
				if err != nil {
					return err
				}
				emit := func(chat.Delta) error { return nil }
				if stream {
					emit = func(d chat.Delta) error { return printJSON(cmd, d) }
				}
				result, err := parse(planned.Session(cmd.Context(), session.Options{}), cmd.InOrStdin(), cut, emit)
				switch {
				case err != nil || stream:
					return err
				case asJSON:
					return printJSON(cmd, parsed{result.Message, result.FinishReason, result.Report})
				}
				return printResult(cmd.OutOrStdout(), result)
			})
		},
	}
	with.add(cmd)
	template.add(cmd)
	request.add(cmd)
	cmd.Flags().Lookup("request").Usage = "`file` of the chat request that the output answers, in OpenAI's JSON (default: a greeting)"
	cmd.Flags().StringVar(&path, "template", "", "chat `template`: a .jinja file, a model's folder, tokenizer_config.json or .gguf file, the ORG/NAME of a model in Hugging Face's cache, or the name of an embedded one")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the message, the finish reason and the report as JSON")
	cmd.Flags().BoolVar(&stream, "stream", false, "print deltas as they are decided, one per line")
	cmd.Flags().BoolVar(&cut, "truncated", false, "the engine stopped at its length limit")
	cmd.MarkFlagsMutuallyExclusive("json", "stream")
	if err := cmd.MarkFlagRequired("template"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

// parsed is the JSON of a result.
type parsed struct {
	Message      chat.Message      `json:"message"`
	FinishReason chat.FinishReason `json:"finish_reason"`
	Report       *chat.Report      `json:"report"`
}

// parse feeds a session from in as data arrives, and passes on its deltas.
func parse(session *host.Session, in io.Reader, truncated bool, emit func(chat.Delta) error) (*session.Result, error) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := in.Read(buffer)
		deltas, fault := session.Feed(buffer[:n])
		for _, d := range deltas {
			fault = errors.Join(fault, emit(d))
		}
		switch {
		case fault != nil:
			return nil, fault
		case errors.Is(err, io.EOF):
			result, fault := session.Finish(truncated)
			for _, d := range result.Deltas {
				fault = errors.Join(fault, emit(d))
			}
			return &result, fault
		case err != nil:
			return nil, err
		}
	}
}

// printResult prints a result for people.
func printResult(out io.Writer, r *session.Result) error {
	if r.Message.ReasoningContent != "" {
		fmt.Fprintf(out, "reasoning: %s\n", r.Message.ReasoningContent)
	}
	if text := r.Message.Content.Text; text != nil && *text != "" {
		fmt.Fprintf(out, "content: %s\n", *text)
	}
	for _, call := range r.Message.ToolCalls {
		fmt.Fprintf(out, "call %s: %s %s\n", call.ID, call.Name, call.Arguments)
	}
	for _, fault := range r.Report.Faults {
		fmt.Fprintf(out, "fault at byte %d: %s\n", fault.At, fault.Message)
	}
	for _, note := range r.Report.Notes {
		fmt.Fprintf(out, "note: %s\n", note)
	}
	_, err := fmt.Fprintf(out, "finished: %s, output %s\n", r.FinishReason, r.Report.Status)
	return err
}
