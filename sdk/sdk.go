package sdk

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// The contract, for authors who do not want to import another package; see package handler.
type (
	Handler     = handler.Handler
	Description = handler.Description
	Template    = handler.Template
	Input       = handler.Input
	Plan        = handler.Plan
	Ending      = handler.Ending
	Delimiter   = handler.Delimiter
	Declined    = handler.Declined

	StreamHandler = handler.StreamHandler
	StreamPlan    = handler.StreamPlan
	StreamInput   = handler.StreamInput
	Stream        = handler.Stream
	StreamResult  = handler.StreamResult
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
