//go:build !linux

package plugins

import (
	"os"
	"syscall"
)

// beingWritten cannot be told on this system.
func beingWritten(*os.File) bool { return false }

// awaitExit cannot wait without reaping on this system.
func awaitExit(int) bool { return false }

// confines says that this system cannot keep a process from the network.
const confines = false

// attributes say how a process is started: in a group of its own.
func (c *Confinement) attributes() (*syscall.SysProcAttr, error) {
	credential, err := c.credential()
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential}, err
}

// limit cannot bound another process on this system.
func (Limits) limit(int) error { return nil }
