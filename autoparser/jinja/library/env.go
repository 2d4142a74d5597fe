package library

import (
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Env is what a filter, a test, a method or a function sees of the rendering that calls it.
type Env struct {
	value.Heap
	Lib   *Library
	Now   time.Time
	Plain bool   // no text is markup
	JSON  []byte // the buffer of tojson
}
