package main

import (
	"os"
	"syscall"

	"github.com/acapscan/acapscan/internal/longtest"
)

// useMemory puts the temporary folders of quick tests in memory, if there is room: a scan waits for a hundred fsyncs,
// which are most of its time on a disk.
func useMemory() {
	const folder, room, noExec = "/dev/shm", 2 << 30, 8
	var fs syscall.Statfs_t
	if longtest.Enabled() || os.Getenv("TMPDIR") != "" || syscall.Statfs(folder, &fs) != nil {
		return
	}
	if fs.Flags&noExec == 0 && fs.Bavail*uint64(fs.Bsize) > room {
		_ = os.Setenv("TMPDIR", folder) // else the tests take longer
	}
}
