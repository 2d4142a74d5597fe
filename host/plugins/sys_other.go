//go:build !linux

package plugins

import "os"

// beingWritten cannot be told on this system.
func beingWritten(*os.File) bool { return false }

// awaitExit cannot wait without reaping on this system.
func awaitExit(int) bool { return false }
