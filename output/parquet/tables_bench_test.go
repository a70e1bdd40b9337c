//go:build unix

package parquet_test

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/columns"
	"github.com/acapscan/acapscan/output/parquet"
	"github.com/acapscan/acapscan/output/table"
)

// BenchmarkTables writes and reads rows such as the program has most of, and one table with maps.
func BenchmarkTables(b *testing.B) {
	const n = 100_000
	at := func(i int) (site string, key table.Key) {
		site = fmt.Sprintf("https://www%d.example", i/100)
		table.FillURL(&key, fmt.Sprintf("%s/section/%d/article-%d.html", site, i%7, i))
		key.FetchTime = table.Of(time.UnixMilli(1_500_000_000_000 + int64(i)*1000).UTC())
		name := fmt.Sprintf("crawl-data/CC-MAIN-2018-34/segments/1534221215284.54/warc/%05d.warc.gz", i/20_000)
		key.WARCFilename = &name
		key.RecordOffset, key.RecordLength = table.Of(int64(i)*900), table.Of(int64(900))
		return site, key
	}
	bench(b, "permissions", n, func(i int) (row table.Permission) {
		row.Site, row.Key = at(i / 16)
		row.Scope, row.Agent, row.Usage = "page", "*", table.Usage(fmt.Sprint("usage-", i%16))
		row.Decision, row.Basis, row.DecidedBy = "allowed", "acap-robots", []string{"R-DEC-2", "R-DEC-5"}[:1+i%2]
		row.DecidingIDs = []string{fmt.Sprintf("%024x", i/16)}
		row.DecidingRaw = table.Of("ACAP-allow-present-snippet: / max-length=200-chars")
		if i%5 == 0 {
			row.Qualifiers = []table.Qualifier{{Name: "max-length", Value: "200-chars"}}
		}
		return row
	})
	bench(b, "directives", n, func(i int) (row table.Directive) {
		row.Site, row.Key = at(i / 8)
		row.StatementID, row.Field = fmt.Sprintf("%024x", i), "acap-disallow-index"
		row.Line, row.Agents, row.Resource = table.Of(int32(i%500)), []string{"*",
			"googlebot"}[:1+i%2], table.Of(fmt.Sprint("/archive/", i%100))
		row.Raw = table.Of(fmt.Sprint("ACAP-disallow-index: /archive/", i%100))
		return row
	})
	bench(b, "adoption", n, func(i int) (row table.Adoption) {
		row.Site = fmt.Sprintf("https://www%d.example", i)
		table.FillHost(&row.Host, row.Site)
		row.Features, row.Pages = []string{"crawler-record", "version-marker"}, int64(i%1000)
		row.ConventionalByText = table.CountsOf(map[string]int64{"index,follow": int64(i), "noindex": 1})
		row.Conflicts = table.CountsOf(map[string]int64{"acap-rep": 1, "named-any": 4})
		return row
	})
	bench(b, "facts", n, func(i int) (f facts.Fact) {
		f.Site = fmt.Sprintf("https://www%d.example", i/20)
		f.SiteHash, f.Kind, f.URL = facts.HashSite(f.Site), facts.KindPage, fmt.Sprintf("%s/article-%d.html", f.Site, i)
		f.FetchTime, f.FetchStatus, f.ContentDigest = 1_500_000_000_000+int64(i)*1000, 200, fmt.Sprintf("%032X", i)
		f.MimeType, f.RecordOffset, f.RecordLength = "text/html", int64(i)*900, 900
		if i%20 == 0 {
			f.Kind, f.Body = facts.KindRobots, []byte(strings.Repeat("User-agent: *\nDisallow: /private/\n", 10))
			return f
		}
		f.Directives = []facts.Directive{{Carrier: facts.CarrierMeta, Offset: 500, Name: "robots", Value: "noindex",
			Raw: `<meta name="robots" content="noindex">`}}
		return f
	})
}

func bench[T any](b *testing.B, name string, n int, row func(i int) T) {
	rows := make([]T, n)
	for i := range rows {
		rows[i] = row(i)
	}
	file := filepath.Join(b.TempDir(), "rows.parquet")
	b.Run(name+"/write", func(b *testing.B) {
		var size int64
		held, err := columns.New[T]()
		if err != nil {
			b.Fatal(err)
		}
		order := make([]uint32, n)
		write := func() {
			w, err := parquet.Create[T](file, parquet.Options{})
			if err != nil {
				b.Fatal(err)
			}
			held.Reset()
			for i := range rows {
				held.Append(&rows[i])
				order[i] = uint32(i)
			}
			if err := w.WriteColumns(held, order); err != nil {
				b.Fatal(err)
			}
			info, err := w.Commit()
			if err != nil {
				b.Fatal(err)
			}
			size = info.Bytes
		}
		write() // what is allocated at the first file is no cost of rows
		b.ReportAllocs()
		before := processorTime()
		for b.Loop() {
			write()
		}
		b.ReportMetric(float64(processorTime()-before)/float64(b.N)/float64(n), "cpu-ns/row")
		b.ReportMetric(float64(size), "bytes")
	})
	b.Run(name+"/read", func(b *testing.B) {
		before := processorTime()
		buffer := make([]T, 1024)
		for b.Loop() {
			r, err := parquet.Open[T](file)
			if err != nil {
				b.Fatal(err)
			}
			for err == nil {
				_, err = r.Read(buffer)
			}
			if err != io.EOF {
				b.Fatal(err)
			}
			r.Close()
		}
		b.ReportMetric(float64(processorTime()-before)/float64(b.N)/float64(n), "cpu-ns/row")
	})
}

// processorTime is that of this process, of user and system.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
