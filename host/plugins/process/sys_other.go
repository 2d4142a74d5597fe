//go:build !linux

package process

import "syscall"

// awaitExit returns false: this system cannot wait without reaping.
func awaitExit(int) bool { return false }

// confines reports whether this system can take the network from a process.
const confines = false

// attributes returns how a process is started: in a group of its own.
func (c *Confinement) attributes() (*syscall.SysProcAttr, error) {
	credential, err := c.Credential()
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential}, err
}

// limit does nothing: this system cannot bound another process.
func (Limits) limit(int) error { return nil }
