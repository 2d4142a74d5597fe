package sdk

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// Handler serves one format: handler.Handler.
type Handler = handler.Handler

// The input and output of handlers; see package handler.
type (
	// Description describes a handler.
	Description = handler.Description
	// Template is the template that a request is for.
	Template = handler.Template
	// Input is a request to plan.
	Input = handler.Input
	// Plan is the answer to a request.
	Plan = handler.Plan
	// Ending replaces the end of a prompt.
	Ending = handler.Ending
	// Delimiter is the text that starts a message of a role.
	Delimiter = handler.Delimiter
	// Declined is the error of a handler that cannot serve a template or a request.
	Declined = handler.Declined
	// Programs caches the programs that a handler builds.
	Programs = handler.Programs
)

// StreamHandler is a handler that parses outputs itself: handler.StreamHandler.
type StreamHandler = handler.StreamHandler

// The types of stream handlers; see package handler.
type (
	// StreamPlan takes the place of a program in a plan.
	StreamPlan = handler.StreamPlan
	// StreamInput identifies the output that a stream parses.
	StreamInput = handler.StreamInput
	// Stream parses one output.
	Stream = handler.Stream
	// TruncatedStream is a Stream that parses the end of truncated outputs differently.
	TruncatedStream = handler.TruncatedStream
	// StreamResult is the outcome of parsing an output.
	StreamResult = handler.StreamResult
)

// Options decodes the options of the manifest into v, a pointer as for json.Unmarshal. It leaves v alone if there are no options.
// Call it before Serve.
func Options(v any) error {
	text := os.Getenv(wire.OptionsKey)
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return fmt.Errorf("options of the manifest: %w", err)
	}
	return nil
}

// Directory returns the directory of the manifest, for plugins that read files of their own. The process itself runs from a
// private copy of its executable, elsewhere.
func Directory() string { return os.Getenv(wire.DirectoryKey) }
