package rundir

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// beingWritten reports whether f is open for writing anywhere: then no read lease is granted.
func beingWritten(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return errors.Is(err, unix.EAGAIN)
}
