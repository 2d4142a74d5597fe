package client_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dragoman-project/dragoman/client"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

func Example() {
	address, stop, err := daemon(unchanged)
	if err != nil {
		log.Fatal(err)
	}
	err = askForTheWeather(context.Background(), address)
	if stop(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// prompt ends with "<|im_start|>assistant\n", sampling is free until "<tool_call>"
	// "Let me look.", then weather({"town": "Graz"})
}

// askForTheWeather plans a request, and parses the output of an engine while it arrives.
func askForTheWeather(ctx context.Context, address string) error {
	c := client.New(address, client.Options{})
	defer c.Close()
	request, err := chat.ParseRequest([]byte(`{"messages": [{"role": "user", "content": "Weather in Graz?"}],
		"tools": [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {"town": {"type": "string"}}}}}]}`))
	if err != nil {
		return err
	}
	plan, err := c.Plan(ctx, "chatml-json", request)
	if err != nil {
		return err
	}
	fmt.Printf("prompt ends with %q, sampling is free until %q\n", plan.GenerationPrompt, plan.Constraint.Triggers[0].Value)

	engine := []string{"Let me lo", "ok.\n<tool_", "call>\n{\"name\": \"weather\", \"argu", "ments\": {\"town\": \"Gr", "az\"}}\n</tool_call>"}
	stream, err := c.ParseStream(ctx, "chatml-json", request)
	if err != nil {
		return err
	}
	go func() {
		for _, piece := range engine {
			if stream.Send(piece) != nil {
				return // Chunks ends with the reason
			}
		}
		_ = stream.CloseSend()
	}()
	for chunk, err := range stream.Chunks() {
		if err != nil {
			return err
		}
		_ = chunk // a chat.completion.chunk: hand it on
	}
	message := stream.Result().Message
	fmt.Printf("%q, then %s(%s)\n", *message.Content.Text, message.ToolCalls[0].Name, message.ToolCalls[0].Arguments)
	return nil
}
