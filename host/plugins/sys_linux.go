package plugins

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// beingWritten says whether somebody has f open for writing: then no read lease is granted.
func beingWritten(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return errors.Is(err, unix.EAGAIN)
}

// awaitExit returns when the process has ended, and says whether it could wait. The id of the process stays taken until it
// is reaped, so that signals to its group cannot reach anybody else.
func awaitExit(pid int) bool {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// confines says that this system can keep a process from the network.
const confines = true

// attributes say how a process is started: in a group of its own, confined, and told to end when the thread that
// started it is gone.
func (c *Confinement) attributes() (*syscall.SysProcAttr, error) {
	credential, err := c.credential()
	if err != nil {
		return nil, err
	}
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM, Credential: credential}
	if c.Network == NetworkHost {
		return a, nil
	}
	a.Cloneflags = syscall.CLONE_NEWNET
	if os.Geteuid() != 0 { // a user may make a network within a namespace of users
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	}
	return a, nil
}

// limit bounds what a process that has just started may use; a core file it may not leave behind.
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
