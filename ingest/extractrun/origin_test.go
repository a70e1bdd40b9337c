package extractrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/source"
)

func TestOriginOfPath(t *testing.T) {
	const name = "crawl-data/CC-MAIN-2018-34/segments/1534221208676.20/robotstxt/CC-MAIN-00000.warc.gz"
	whole := origin{filename: name, crawl: "CC-MAIN-2018-34", segment: "1534221208676.20", subset: "robotstxt"}
	for _, c := range []struct {
		name, path string
		want       origin
	}{
		{"as in Common Crawl's listings", name, whole},
		{"below another folder", "/mnt/store/" + name, whole},
		{"relative, with dots", "../../" + name, whole},
		{"crawldiagnostics", "crawl-data/CC-MAIN-2020-05/segments/1/crawldiagnostics/a.warc.gz",
			origin{"crawl-data/CC-MAIN-2020-05/segments/1/crawldiagnostics/a.warc.gz", "CC-MAIN-2020-05", "1",
				"crawldiagnostics"}},
		{"a segment without a subset", "crawl-data/C/segments/7/a.warc",
			origin{"crawl-data/C/segments/7/a.warc", "C", "7", "warc"}},
		{"a crawl without segments", "crawl-data/CC-NEWS/2020/01/a.warc.gz",
			origin{"crawl-data/CC-NEWS/2020/01/a.warc.gz", "CC-NEWS", "", "warc"}},
		{"a file right below crawl-data", "crawl-data/a.warc.gz", origin{"crawl-data/a.warc.gz", "", "", "warc"}},
		{"no crawl-data", "archives/a.warc.gz", origin{"archives/a.warc.gz", "", "", "warc"}},
		{"a word that begins like it", "crawl-data-2012/C/segments/1/warc/a.warc.gz",
			origin{"crawl-data-2012/C/segments/1/warc/a.warc.gz", "", "", "warc"}},
		{"standard input", "-", origin{"-", "", "", "warc"}},
		{"nothing", "", origin{"", "", "", "warc"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, originOf(c.path), cmp.AllowUnexported(origin{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.path, diff)
			}
		})
	}
}

func TestCrawlOutOfWarcinfo(t *testing.T) {
	for _, c := range []struct{ name, path, info, want string }{
		{"named", "a.warc.gz", "software: x\r\nisPartOf: CC-MAIN-2018-34\r\n", "CC-MAIN-2018-34"},
		{"in another case, LF only", "a.warc.gz", "ISPARTOF:CC-MAIN-2018-34\nformat: WARC", "CC-MAIN-2018-34"},
		{"the path counts more", "crawl-data/CC-MAIN-2012-21/segments/1/warc/a.warc.gz", "isPartOf: other",
			"CC-MAIN-2012-21"},
		{"not named", "a.warc.gz", "software: x\r\n", ""},
		{"empty", "a.warc.gz", "isPartOf:  \r\n", ""},
		{"too long to be a name", "a.warc.gz", "isPartOf: " + strings.Repeat("x", 101), ""},
		{"percent-encoded, decoded once", "a.warc.gz", "isPartOf: Temporary%20Collection%2520",
			"Temporary Collection%20"},
		{"percent-encoded, not UTF-8", "a.warc.gz", "isPartOf: caf%e9", "caf\uFFFD"},
		{"a percent sign", "a.warc.gz", "isPartOf: 100% of it", "100% of it"},
		{"percent-encoded blanks", "a.warc.gz", "isPartOf: %20", ""},
		{"not UTF-8", "a.warc.gz", "isPartOf: caf\xe9", "caf\uFFFD"},
		{"beyond what is looked at", "a.warc.gz", strings.Repeat("x", maxWarcinfo) + "\r\nisPartOf: C\r\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := bytesInput(c.path, archiveOf(warcinfo(c.info),
				response("http://a.example/robots.txt", 200, "text/plain", "User-agent: *\n")))
			list, _ := read(t, []source.Input{in}, Options{})
			for _, f := range list {
				if f.Crawl != c.want {
					t.Errorf("fact of kind %s is of crawl %q, want %q", f.Kind, f.Crawl, c.want)
				}
			}
		})
	}
}
