// Program go uses the clients of OpenAI and Anthropic for Go as their documentation does. It is a module of its own, which
// keeps them out of go.mod. It prints a line of JSON for each test: its name, and its error if it fails.
//
//	go run . BASE_URL API_KEY
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

const model = "replay"

var tests = []struct {
	name string
	run  func(context.Context, openai.Client) error
}{
	{"chat", chat}, {"streamed chat", streamedChat}, {"response", response}, {"streamed response", streamedResponse}, {"tool loop", toolLoop}, {"errors", failures},
	{"message", without(message)}, {"streamed messages in a tool loop", without(messageLoop)}, {"errors of messages", without(messageFailures)},
}

// without returns a test that has a client of its own.
func without(test func(context.Context) error) func(context.Context, openai.Client) error {
	return func(ctx context.Context, _ openai.Client) error { return test(ctx) }
}

func main() {
	client := openai.NewClient(option.WithBaseURL(os.Args[1]), option.WithAPIKey(os.Args[2]), option.WithMaxRetries(0))
	for _, test := range tests {
		var result struct {
			Name  string `json:"name"`
			Error string `json:"error"`
		}
		result.Name = test.name
		if err := test.run(context.Background(), client); err != nil {
			result.Error = err.Error()
		}
		line, err := json.Marshal(result)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
	}
}

// counted returns an error unless a text is what the model counts.
func counted(text string) error {
	if !strings.HasPrefix(text, "one, two, ") || !strings.HasSuffix(text, "ten.") {
		return fmt.Errorf("expected it to count, found %q", text)
	}
	return nil
}

var question = []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Please count.")}

func chat(ctx context.Context, c openai.Client) error {
	r, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: model, Messages: question})
	if err != nil {
		return err
	}
	return counted(r.Choices[0].Message.Content)
}

func streamedChat(ctx context.Context, c openai.Client) error {
	s := c.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: model, Messages: question})
	var all openai.ChatCompletionAccumulator
	for s.Next() {
		if !all.AddChunk(s.Current()) {
			return errors.New("a chunk does not fit the ones before")
		}
	}
	if s.Err() != nil {
		return s.Err()
	}
	return counted(all.Choices[0].Message.Content)
}

func input(text string) responses.ResponseNewParamsInputUnion {
	return responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}
}

func response(ctx context.Context, c openai.Client) error {
	r, err := c.Responses.New(ctx, responses.ResponseNewParams{Model: model, Input: input("Please count."), Reasoning: shared.ReasoningParam{Effort: shared.ReasoningEffortLow}})
	if err != nil {
		return err
	}
	if r.Status != responses.ResponseStatusCompleted || r.Usage.TotalTokens == 0 {
		return fmt.Errorf("unexpected %s", r.RawJSON())
	}
	return counted(r.OutputText())
}

func streamedResponse(ctx context.Context, c openai.Client) error {
	s := c.Responses.NewStreaming(ctx, responses.ResponseNewParams{Model: model, Input: input("Please count.")})
	text, whole, number := "", "", int64(0)
	for ; s.Next(); number++ {
		e := s.Current()
		if e.SequenceNumber != number {
			return fmt.Errorf("event %d: %s", number, e.RawJSON())
		}
		switch e := e.AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			text += e.Delta
		case responses.ResponseCompletedEvent:
			whole = e.Response.OutputText()
		}
	}
	if s.Err() != nil {
		return s.Err()
	}
	if whole != text {
		return fmt.Errorf("%q in the events, %q in the response", text, whole)
	}
	return counted(text)
}

func toolLoop(ctx context.Context, c openai.Client) error {
	parameters := map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"}, "additionalProperties": false}
	p := responses.ResponseNewParams{Model: model, Input: input("Weather in Oslo?"), Tools: []responses.ToolUnionParam{responses.ToolParamOfFunction("get_weather", parameters, true)}}
	first, err := c.Responses.New(ctx, p)
	if err != nil {
		return err
	}
	call := first.Output[len(first.Output)-1].AsFunctionCall()
	p.PreviousResponseID = openai.String(first.ID)
	answer := responses.ResponseInputItemParamOfFunctionCallOutput(call.Arguments)
	answer.OfFunctionCallOutput.CallID = openai.String(call.CallID)
	p.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{answer}}
	second, err := c.Responses.New(ctx, p)
	if err != nil {
		return err
	}
	if text := second.OutputText(); text != `The answer is: {"city": "Oslo"}` {
		return fmt.Errorf("unexpected %q", text)
	}
	return nil
}

func failures(ctx context.Context, c openai.Client) error {
	_, err := c.Responses.New(ctx, responses.ResponseNewParams{Model: "nothing", Input: input("Hi")})
	var known *openai.Error
	if !errors.As(err, &known) || known.StatusCode != 404 || known.Code != "model_not_found" || known.Param != "model" {
		return fmt.Errorf("unexpected %v", err)
	}
	return nil
}
