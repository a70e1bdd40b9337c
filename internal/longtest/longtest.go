// Package longtest is what tests that may take minutes share: whether they may, and how much memory they take. Only
// tests import it. `go test ./...` is what a developer runs while working: there, tests that read all real files, kill
// the program at many moments or draw thousands of cases take a sample, or are left out. `make long` sets
// ACAPSCAN_LONG, and `make test` calls it.
package longtest

import (
	"os"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"
)

// Enabled reports whether the environment asks for long tests.
func Enabled() bool { return os.Getenv("ACAPSCAN_LONG") != "" }

// WatchMemory returns the most bytes that the process has held at once since the call. It looks each 10 ms, until the
// test ends. What the runtime gave back to the system does not count.
func WatchMemory(t testing.TB) *atomic.Uint64 {
	peak, done := new(atomic.Uint64), make(chan struct{})
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	go func() {
		for {
			metrics.Read(sample)
			peak.Store(max(peak.Load(), sample[0].Value.Uint64()-sample[1].Value.Uint64()))
			select {
			case <-done:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { close(done) })
	return peak
}
