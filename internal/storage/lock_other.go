//go:build !unix || solaris || aix

package storage

import "os"

func lock(*os.File, Mode) error { return errNoLocks }
