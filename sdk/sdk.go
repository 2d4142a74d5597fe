package sdk

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// Handler is what a plugin holds: handler.Handler.
type Handler = handler.Handler

// What handlers are asked and answer; see package handler.
type (
	// Description is what a handler says of itself.
	Description = handler.Description
	// Template is what a handler is told of the template.
	Template = handler.Template
	// Input is a request to plan.
	Input = handler.Input
	// Plan is the answer to a request.
	Plan = handler.Plan
	// Ending says that a prompt which ends in one text ends in another.
	Ending = handler.Ending
	// Delimiter is the text that starts a message of a role.
	Delimiter = handler.Delimiter
	// Declined is the error of a handler that cannot serve a template or a request.
	Declined = handler.Declined
	// Programs keeps the programs that a handler built last.
	Programs = handler.Programs
)

// StreamHandler is a handler that parses outputs itself: handler.StreamHandler.
type StreamHandler = handler.StreamHandler

// What stream handlers have besides; see package handler.
type (
	// StreamPlan stands in a plan instead of a program.
	StreamPlan = handler.StreamPlan
	// StreamInput says which output a stream parses.
	StreamInput = handler.StreamInput
	// Stream parses one output.
	Stream = handler.Stream
	// StreamResult is how the parse of an output ended.
	StreamResult = handler.StreamResult
)

// Options decodes the options of the manifest into v, a pointer as for json.Unmarshal, before Serve is called. Without
// options v stays as it is.
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

// Directory returns the directory that the manifest stands in, for plugins that read files of their own. The process
// itself runs from a private copy of its executable, elsewhere.
func Directory() string { return os.Getenv(wire.DirectoryKey) }
