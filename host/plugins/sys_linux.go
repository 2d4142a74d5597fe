package plugins

import (
	"errors"
	"os"

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
