//go:build unix && !solaris && !aix

package storage

import (
	"errors"
	"os"
	"syscall"
)

func lock(file *os.File, mode Mode) error {
	how := syscall.LOCK_EX
	if mode == Shared {
		how = syscall.LOCK_SH
	}
	for {
		err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrBusy
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOTSUP):
			return errNoLocks
		}
		return err
	}
}
