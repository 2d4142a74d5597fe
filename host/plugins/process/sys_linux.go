package process

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the process has ended, and reports whether it could wait. The id of the process stays taken until
// it is reaped, so that signals to its group cannot reach other processes.
func awaitExit(pid int) bool {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// confines reports whether this system can take the network from a process.
const confines = true

// attributes returns how a process is started: in a group of its own, confined, and terminated when the thread that started
// it exits.
func (c *Confinement) attributes() (*syscall.SysProcAttr, error) {
	credential, err := c.Credential()
	if err != nil {
		return nil, err
	}
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM, Credential: credential}
	if c.Network == NetworkHost {
		return a, nil
	}
	a.Cloneflags = syscall.CLONE_NEWNET
	if os.Geteuid() != 0 { // an ordinary user may create a network within a user namespace
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	}
	return a, nil
}

// limit bounds what a process that has just started may use. It may not leave a core file behind.
func (l Limits) limit(pid int) error {
	for _, bound := range []struct {
		resource int
		value    int64
	}{{unix.RLIMIT_DATA, l.MemoryBytes}, {unix.RLIMIT_NOFILE, l.OpenFiles}, {unix.RLIMIT_CORE, 0}} {
		both := &unix.Rlimit{Cur: uint64(bound.value), Max: uint64(bound.value)}
		if err := unix.Prlimit(pid, bound.resource, both, nil); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}
