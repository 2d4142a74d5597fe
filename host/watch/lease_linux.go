package watch

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lease takes a read lease on f. A process that opens the file for writing waits until release is called.
func lease(f *os.File) (w writers, release func()) {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	switch {
	case err == nil:
		return none, func() { _, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) }
	case errors.Is(err, unix.EAGAIN):
		return some, func() {}
	default:
		return unknown, func() {}
	}
}
