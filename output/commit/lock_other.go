//go:build !unix || solaris || aix

package commit

import "os"

func lock(*os.File, Mode) error { return errNoLocks }
