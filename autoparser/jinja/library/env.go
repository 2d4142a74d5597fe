package library

import (
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Env is the part of a rendering that builtins may use.
type Env struct {
	value.Heap
	Lib   *Library
	Now   time.Time
	Plain bool   // safe marks nothing: see PlainText of a template
	JSON  []byte // buffer of tojson
}
