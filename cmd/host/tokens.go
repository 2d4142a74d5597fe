package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/model"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
	"github.com/spf13/cobra"
)

func newTokens() *cobra.Command {
	var (
		with     hostFlags
		template templateFlags
		request  requestFlags
		path     string
		output   string
		asJSON   bool
	)
	cmd := &cobra.Command{
		Use:   "tokens [flags] TEMPLATE",
		Short: "Print the tokens of a request's prompt",
		Long: `Print the token ids of a request's prompt with their texts, one a line. Special tokens are marked, as are others that the tokenizer
looks for in a text before it splits it. The tokenizer is the tokenizer.json beside the template, or the vocabulary of the GGUF file.

With --output, which names a file with the ids that the model wrote to the prompt, as a JSON array, print instead whether they come back
when the conversation with that answer is rendered, as training on it does: the first token that does not, and why not.`,
		Example: example(`
			dragoman tokens models/some-model --request request.json
			dragoman tokens models/some-model --request request.json --json | jq .count
			dragoman tokens models/some-model --request request.json --output ids.json
			dragoman tokens template.jinja --tokenizer models/some-model --request request.json`),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return with.withHost(cmd, func(h *host.Host) error {
				if err := inputOnce(request.request, request.tools, output); err != nil {
					return err
				}
				req, err := request.read(cmd)
				if err != nil {
					return err
				}
				detached, err := template.open(cmd.Context(), h, args[0], len(req.Tools) > 0)
				if err != nil {
					return err
				}
				if path == "" {
					if path, err = tokenizerOf(args[0]); err != nil {
						return err
					}
				}
				tokens, err := untilInterrupted(cmd.Context(), func() (*tokenizer.Tokenizer, error) { return tokenizer.Open(path) })
				if err != nil {
					return err
				}
				if output != "" {
					return printRetokenized(cmd, detached, req, tokens, output, asJSON)
				}
				rendered, err := detached.Render(cmd.Context(), req)
				if err != nil {
					return err
				}
				return printTokens(cmd, tokens, rendered.Prompt, asJSON)
			})
		},
	}
	with.add(cmd)
	template.add(cmd)
	request.add(cmd)
	cmd.Flags().StringVar(&path, "tokenizer", "", "`path` of the tokenizer: a tokenizer.json, a folder with one, or a .gguf file (default: the one beside the template)")
	cmd.Flags().StringVar(&output, "output", "", "`file` with the ids of an output, a JSON array; - is standard input")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// tokenizerOf returns the path of the tokenizer beside a model's template.
func tokenizerOf(path string) (string, error) {
	m, err := model.Load(path)
	if err == nil && m.Tokenizer != "" {
		return m.Tokenizer, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return "", fmt.Errorf("%s: no tokenizer.json beside the template; name one with --tokenizer", path)
}

// printRetokenized prints whether the tokens of an output come back, or the first that does not.
func printRetokenized(cmd *cobra.Command, template *host.Detached, req *chat.Request, t *tokenizer.Tokenizer, path string, asJSON bool) error {
	data, err := readJSON(cmd, path)
	if err != nil {
		return err
	}
	var ids []tokenizer.ID
	if err := json.Unmarshal(data, &ids); err != nil {
		return fmt.Errorf("%s: expected a JSON array of token ids: %w", called(path), err)
	}
	if err := t.Check(called(path), ids); err != nil {
		return err
	}
	planned, err := template.Plan(cmd.Context(), "", req)
	if err != nil {
		return err
	}
	at, err := planned.Retokenized(cmd.Context(), t, ids, false)
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(cmd, map[string]any{"retokenized": at})
	case at == nil:
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "all %d tokens come back\n", len(ids))
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "token %d: the model wrote %s, rendered is %s: %s\n", at.Index, tokenText(at.Wrote), tokenText(at.Rendered), at.Why)
	return err
}

// tokenText returns a token as people read it.
func tokenText(t *session.RenderedToken) string {
	if t == nil {
		return "nothing"
	}
	return fmt.Sprintf("%d %q", t.ID, t.Text)
}

// printedToken is a token of a prompt, as --json prints it.
type printedToken struct {
	ID      tokenizer.ID `json:"id"`
	Text    string       `json:"text"`
	From    int          `json:"from"` // the bytes of the prompt that it stands for
	To      int          `json:"to"`
	Added   bool         `json:"added"`
	Special bool         `json:"special"`
}

func printTokens(cmd *cobra.Command, t *tokenizer.Tokenizer, prompt string, asJSON bool) error {
	tokens, err := t.TokensWithin(cmd.Context(), prompt, tokenizer.Options{})
	if err != nil {
		return err
	}
	all := []printedToken{}
	for _, token := range tokens {
		info, _ := t.Token(token.ID)
		all = append(all, printedToken{token.ID, string(info.Text), token.From, token.To, info.Added, info.Special})
	}
	if asJSON {
		return printJSON(cmd, map[string]any{"count": len(all), "tokens": all})
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	for _, token := range all {
		mark := ""
		switch {
		case token.Special:
			mark = "special"
		case token.Added:
			mark = "added"
		}
		fmt.Fprintf(out, "%8d  %-7s  %q\n", token.ID, mark, token.Text)
	}
	fmt.Fprintf(out, "%8d  tokens\n", len(all))
	return out.Flush()
}
