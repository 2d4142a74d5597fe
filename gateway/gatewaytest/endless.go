package gatewaytest

import (
	"context"

	"github.com/dragoman-project/dragoman/gateway/engine"
)

// Endless is an output that goes on until its context ends.
type Endless struct {
	Context context.Context
	Ended   chan struct{} // is closed with the output
}

// Next returns the next piece.
func (e *Endless) Next() (engine.Piece, error) {
	if e.Context.Err() != nil {
		return engine.Piece{}, context.Cause(e.Context)
	}
	return engine.Piece{Text: []byte("on and ")}, nil
}

// Close ends the output.
func (e *Endless) Close() error {
	close(e.Ended)
	return nil
}
