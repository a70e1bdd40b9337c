package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/acapscan/acapscan/output/table"
)

// A listing and what it lists, or records of it, come from a server as from a folder, and the tables do not tell which
// it was.
func TestListedOnAServer(t *testing.T) {
	t.Parallel()
	const name = "crawl-data/CC-MAIN-2018-34/segments/7/robotstxt/a.warc.gz"
	first := member(response("http://a.example/robots.txt", "text/plain", "User-agent: *\nDisallow: /x\n"))
	second := member(response("http://a.example/", "text/html", acapPage))
	store := t.TempDir()
	put(t, filepath.Join(store, filepath.FromSlash(name)), string(first)+string(second))
	put(t, filepath.Join(store, "robotstxt.paths.gz"), string(member([]byte(name+"\n"))))
	put(t, filepath.Join(store, "query.csv"),
		fmt.Sprintf("warc_filename,warc_record_offset,warc_record_length\n%s,%d,%d\n", name, len(first), len(second)))
	var mu sync.Mutex
	var ranges []string
	files := http.FileServer(http.Dir(store))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".warc.gz") {
			mu.Lock()
			ranges = append(ranges, r.Header.Get("Range"))
			mu.Unlock()
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	for _, c := range []struct{ name, flag, list, asked string }{
		{"whole archives", "--paths", "robotstxt.paths.gz", ""},
		{"records", "--records", "query.csv", fmt.Sprintf("bytes=%d-%d", len(first), len(first)+len(second)-1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			ranges = nil
			here, there := filepath.Join(t.TempDir(), "here"), filepath.Join(t.TempDir(), "there")
			must(t, exitDone, "scan", c.flag, filepath.Join(store, c.list), "--base-url", store, "-o", here)
			must(t, exitDone, "scan", c.flag, server.URL+"/"+c.list, "--base-url", server.URL, "-o", there, "--rate",
				"1000")
			want, got := content(t, here), content(t, there)
			sameContent(t, want, got)
			if len(ranges) != 1 || ranges[0] != c.asked {
				t.Errorf("the server was asked for the ranges %q, want one, %q", ranges, c.asked)
			}
			row := only(t, there)
			if row.WARCFilename != name || (row.RecordsAsked != nil) != (c.asked != "") ||
				(row.Digest != nil) != (c.asked == "") {
				t.Errorf("%+v", row)
			}
			pages := rows[table.Page](t, there, table.Pages)
			if len(pages) != 1 || deref(pages[0].Row.RecordOffset) != int64(len(first)) {
				t.Errorf("%d pages: %+v", len(pages), pages)
			}
			dry := must(t, exitDone, "scan", c.flag, server.URL+"/"+c.list, "--base-url", server.URL, "--dry-run",
				"--rate", "1000")
			info, err := os.Stat(filepath.Join(store, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			size := info.Size()
			if c.asked != "" {
				size = int64(len(second))
			}
			if line := fmt.Sprintf("%d\tCC-MAIN-2018-34\trobotstxt\t%s\n", size, name); dry.stdout != line {
				t.Errorf("a dry run says %q, want %q", dry.stdout, line)
			}
		})
	}
}
