package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// messages is Anthropic's client, whose base URL is without /v1.
func messages() anthropic.MessageService {
	return anthropic.NewClient(option.WithBaseURL(strings.TrimSuffix(os.Args[1], "/v1")), option.WithAPIKey(os.Args[2]), option.WithMaxRetries(0)).Messages
}

func asking(text string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{Model: model, MaxTokens: 2000, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(text))}}
}

func message(ctx context.Context) error {
	service := messages()
	m, err := service.New(ctx, asking("Please count."))
	if err != nil {
		return err
	}
	if m.StopReason != anthropic.StopReasonEndTurn || m.Usage.InputTokens == 0 {
		return fmt.Errorf("unexpected %s", m.RawJSON())
	}
	return counted(m.Content[0].Text)
}

// messageLoop streams an answer with thinking and a call, and sends both back with the result.
func messageLoop(ctx context.Context) error {
	service := messages()
	p := asking("Weather in Oslo?")
	p.Thinking = anthropic.ThinkingConfigParamOfEnabled(1024)
	schema := anthropic.ToolInputSchemaParam{Properties: map[string]any{"city": map[string]any{"type": "string"}}, Required: []string{"city"}}
	p.Tools = []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(schema, "get_weather")}
	s := service.NewStreaming(ctx, p)
	var m anthropic.Message
	for s.Next() {
		if err := m.Accumulate(s.Current()); err != nil {
			return err
		}
	}
	if s.Err() != nil {
		return s.Err()
	}
	if len(m.Content) != 3 || m.Content[0].Signature == "" || m.StopReason != anthropic.StopReasonToolUse {
		return fmt.Errorf("unexpected %+v", m)
	}
	p.Messages = append(p.Messages, m.ToParam(), anthropic.NewUserMessage(anthropic.NewToolResultBlock(m.Content[2].ID, string(m.Content[2].Input), false)))
	last, err := service.New(ctx, p)
	if err != nil {
		return err
	}
	if text := last.Content[len(last.Content)-1].Text; text != `The answer is: {"city": "Oslo"}` {
		return fmt.Errorf("unexpected %q", text)
	}
	return nil
}

func messageFailures(ctx context.Context) error {
	service := messages()
	p := asking("Hi")
	p.Model = "nothing"
	_, err := service.New(ctx, p)
	var known *anthropic.Error
	if !errors.As(err, &known) || known.StatusCode != 404 || known.RequestID == "" {
		return fmt.Errorf("unexpected %v", err)
	}
	return nil
}
