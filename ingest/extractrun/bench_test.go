package extractrun

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/longtest"
)

// benchArchive has captures of robots.txt and of pages as a crawl has them: request, response and metadata, a member
// each.
func benchArchive(captures int, robots bool) []byte {
	var records [][]byte
	for i := range captures {
		uri, mediaType, body := fmt.Sprintf("https://www%d.example/robots.txt", i), "text/plain",
			"User-agent: *\nDisallow: /wp-admin/\n"
		if !robots {
			uri, mediaType = fmt.Sprintf("https://www%d.example/page/%d", i/2, i), "text/html"
			body = "<html><head><title>a</title><meta name=robots content=\"index, follow\"></head><body>" +
				strings.Repeat("<p>some words", i%500)
		}
		records = append(records, record("request", uri, "GET / HTTP/1.1\r\n\r\n"),
			response(uri, 200, mediaType, body, "WARC-Payload-Digest: sha1:"+strings.Repeat("A", 32)),
			record("metadata", uri, "fetchTimeMs: 9\r\n"))
	}
	return archiveOf(records...)
}

// allocationsPerRecord runs the first stage over an archive and counts objects.
func allocationsPerRecord(tb testing.TB, archive []byte) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	sum, err := Run(tb.Context(), []source.Input{bytesInput("a.warc.gz", archive)}, tb.TempDir(), Options{Workers: 1})
	if err != nil {
		tb.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(sum.Records)
}

// A record costs no more than one allocation on average.
func TestAllocationsPerRecord(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("slow, and the race detector allocates by itself")
	}
	for _, tt := range []struct {
		name   string
		robots bool
	}{{"pages", false}, {"robots.txt", true}} {
		// The fixed cost of a run, mostly for the columns of the facts file, cancels out.
		few, many := benchArchive(300, tt.robots), benchArchive(2300, tt.robots)
		got := (allocationsPerRecord(t, many)*6900 - allocationsPerRecord(t, few)*900) / 6000
		if got > 1 {
			t.Errorf("%s: %.2f allocations a record", tt.name, got)
		}
	}
}

// BenchmarkRun is the whole first stage over an archive in memory. MB/s are compressed.
func BenchmarkRun(b *testing.B) {
	for _, bb := range []struct {
		name   string
		robots bool
	}{{"pages", false}, {"robots", true}} {
		archive := benchArchive(4000, bb.robots)
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(archive)))
			var allocations float64
			for b.Loop() {
				allocations = allocationsPerRecord(b, archive)
			}
			b.ReportMetric(allocations, "allocs/record")
		})
	}
}
