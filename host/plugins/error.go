package plugins

import (
	"fmt"

	"github.com/dragoman-project/dragoman/host/plugins/manifest"
)

// Unavailable is the error of a plugin that does not answer. Trying again later can help.
type Unavailable struct {
	Plugin string
	Reason string
	// Fallback is what happens to the request, according to the plugin's manifest.
	Fallback manifest.Fallback
}

func (e *Unavailable) Error() string {
	return fmt.Sprintf("plugin %s does not answer: %s", e.Plugin, e.Reason)
}

// Fault is the error of a plugin whose answer breaks the contract. Trying again does not help; a better version does.
type Fault struct {
	Plugin string
	Err    error
}

func (e *Fault) Error() string { return fmt.Sprintf("plugin %s: %v", e.Plugin, e.Err) }

// Unwrap returns the cause.
func (e *Fault) Unwrap() error { return e.Err }
