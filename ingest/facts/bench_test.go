package facts

import (
	"path/filepath"
	"testing"
)

// BenchmarkWriter holds, sorts and writes the facts of a file of robots.txt.
func BenchmarkWriter(b *testing.B) {
	list := someFacts(50_000)
	b.ReportAllocs()
	for b.Loop() {
		w := Create(filepath.Join(b.TempDir(), "f"), WriterOptions{})
		for i := range list {
			check(b, w.Write(&list[i]))
		}
		check(b, w.Close())
	}
}
