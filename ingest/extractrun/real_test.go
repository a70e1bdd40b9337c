package extractrun

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
)

// realArchives is the collection of archives from public repositories. Its INDEX.md has the numbers that a lenient scan
// found.
const realArchives = "../../../shared/data/warc"

// Reasons why a number differs from INDEX.md.
const (
	schemes       = "INDEX.md counts records of dns:, metadata:, urn: and the like, which are no captures"
	noURLs        = "its records have no URL and so are no captures"
	versionBlocks = "INDEX.md counts the version block of an ARC as a record like others; it is no capture"
	pagesOnly     = "INDEX.md counts text/html of redirects, errors and revisits, too, and XHTML; here pages are of " +
		"2xx answers, and XML is counted apart"
	resources   = "a resource record of text/html is a page, too"
	lengthLies  = "a wrong length hides no record"
	noLineEnds  = "no line ends stand between its records, so that some URL lines do not begin a line"
	shortLine   = "the content type of the second record is missing; it is a robots.txt"
	oddLines    = "its lines end with CR CR LF"
	byContainer = "INDEX.md has it by its place in the container"
	notAnalysed = "INDEX.md does not analyse bzip2"
	noArchive   = "no archive, or none with a record, and INDEX.md has no number: LZ4, a container, an index, a list " +
		"of paths, an empty member"
)

// realYields has the expected numbers of each file.
var realYields = []struct {
	file                            string
	records, captures, robots, html int64
	why                             string
}{
	{"CorentinB+warc/testdata/test.warc.gz", 3, 1, 0, 0, ""},
	{"N0taN3rd+node-warc/test/files/books.toscrape.warc", 60, 30, 0, 1, ""},
	{"N0taN3rd+node-warc/test/files/parseMe.warc", 30, 13, 0, 1, schemes + "; " + pagesOnly},
	{"N0taN3rd+node-warc/test/files/parseMe.warc.gz", 30, 13, 0, 1, schemes + "; " + pagesOnly},
	{"archivesunleashed+aut/src/test/resources/arc/badexample.arc.gz", 6, 4, 1, 2, lengthLies + "; " + versionBlocks +
		"; " + schemes},
	{"archivesunleashed+aut/src/test/resources/arc/example.arc.gz", 300, 261, 38, 94, versionBlocks + "; " + schemes +
		"; " + pagesOnly},
	{"archivesunleashed+aut/src/test/resources/warc/example.docs.warc.gz", 21, 9, 0, 0, ""},
	{"archivesunleashed+aut/src/test/resources/warc/example.pdf.warc.gz", 76, 37, 0, 1, pagesOnly},
	{"archivesunleashed+aut/src/test/resources/warc/example.txt.warc.gz", 6, 2, 0, 0, ""},
	{"archivesunleashed+aut/src/test/resources/warc/example.warc.gz", 822, 261, 38, 94, schemes + "; " + pagesOnly},
	{"archivesunleashed+aut/src/test/resources/warc/issue-493.warc", 32, 15, 0, 4, pagesOnly},
	{"archivesunleashed+aut/src/test/resources/warc/issue-514.warc", 8, 2, 0, 1, schemes + "; " + pagesOnly},
	{"castorini+anserini/src/test/resources/sample_docs/commoncrawl/warc/collection1/segment1.warc.gz", 2, 1, 0, 1, ""},
	{"castorini+anserini/src/test/resources/sample_docs/commoncrawl/wet/collection1/segment1.warc.wet.gz", 2, 0, 0, 0,
		""},
	{"castorini+anserini/src/test/resources/sample_docs/commoncrawlnewsen/collection1/segment1.warc.gz", 2, 1, 0, 1,
		""},
	{"castorini+anserini/src/test/resources/sample_docs/cw09/collection1/segment1.warc.gz", 2, 1, 0, 1, ""},
	{"castorini+anserini/src/test/resources/sample_docs/cw12/collection1/segment1.warc.gz", 2, 1, 0, 1, ""},
	{"chatnoir-eu+chatnoir-resiliparse/tests/data/block-sized-records.warc", 3, 0, 0, 0, ""},
	{"chatnoir-eu+chatnoir-resiliparse/tests/data/block-sized-records.warc.gz", 3, 0, 0, 0, ""},
	{"chatnoir-eu+chatnoir-resiliparse/tests/data/block-sized-records.warc.lz4", 0, 0, 0, 0, noArchive},
	{"chatnoir-eu+chatnoir-resiliparse/tests/data/clipped.warc.gz", 1, 1, 0, 1, ""},
	{"chatnoir-eu+chatnoir-resiliparse/tests/data/clueweb-quirk.warc.gz", 30, 29, 0, 29, ""},
	{"chatnoir-eu+chatnoir-resiliparse/tests/data/warcfile.warc", 50, 16, 0, 16, ""},
	{"chatnoir-eu+chatnoir-resiliparse/tests/data/warcfile.warc.gz", 50, 16, 0, 16, ""},
	{"chatnoir-eu+chatnoir-resiliparse/tests/data/warcfile.warc.lz4", 0, 0, 0, 0, noArchive},
	{"chfoo+warcat/example/at.warc", 8, 2, 0, 1, schemes + "; " + pagesOnly},
	{"chfoo+warcat/example/at.warc.gz", 8, 2, 0, 1, schemes + "; " + pagesOnly},
	{"chfoo+warcat/example/bad_http_chunked_content.warc", 1, 1, 0, 0, ""},
	{"chfoo+warcat/example/c1_warcinfo.warc", 1, 0, 0, 0, ""},
	{"chfoo+warcat/example/long_url.warc", 1, 1, 0, 0, ""},
	{"chfoo+warcat/example/not_utf8_http_header.warc", 1, 1, 0, 0, ""},
	{"commoncrawl+ia-web-commons/src/test/resources/org/archive/format/arc/" +
		"IAH-20080430204825-00000-blackbook-truncated.arc", 9, 7, 1, 2,
		noLineEnds + "; " + versionBlocks + "; " + schemes},
	{"commoncrawl+ia-web-commons/src/test/resources/org/archive/format/gzip/IAH-urls-wget.warc.gz", 36, 16, 2, 2,
		schemes + "; " + pagesOnly},
	{"commoncrawl+ia-web-commons/src/test/resources/org/archive/format/warc/IAH-urls-wget.warc", 36, 16, 2, 2, schemes +
		"; " + pagesOnly},
	{"commoncrawl+ia-web-commons/src/test/resources/org/archive/format/warc/mutliple-headers.warc", 1, 1, 0, 1, ""},
	{"commoncrawl+ia-web-commons/src/test/resources/org/archive/resource/html/html-lang-attribute.warc", 5, 5, 0, 5,
		""},
	{"commoncrawl+ia-web-commons/src/test/resources/org/archive/resource/html/link-extraction-test.warc", 10, 9, 0, 7,
		pagesOnly},
	{"commoncrawl+ia-web-commons/src/test/resources/org/archive/resource/html/meta-itemprop.warc", 1, 1, 0, 1, ""},
	{"commoncrawl+ia-web-commons/src/test/resources/org/archive/resource/html/text-extraction-test.warc", 4, 2, 0, 1,
		""},
	{"commoncrawl+ia-web-commons/src/test/resources/org/archive/resource/html/title-extraction-embedded-SVG.warc", 1, 1,
		0, 1, ""},
	{"commoncrawl+whirlwind-python/CC-MAIN-2024-22.warc.paths.gz", 0, 0, 0, 0, ""},
	{"commoncrawl+whirlwind-python/whirlwind.warc", 4, 1, 0, 1, ""},
	{"commoncrawl+whirlwind-python/whirlwind.warc.gz", 4, 1, 0, 1, ""},
	{"commoncrawl+whirlwind-python/whirlwind.warc.wat", 2, 0, 0, 0, ""},
	{"commoncrawl+whirlwind-python/whirlwind.warc.wat.gz", 2, 0, 0, 0, ""},
	{"commoncrawl+whirlwind-python/whirlwind.warc.wet", 2, 0, 0, 0, ""},
	{"commoncrawl+whirlwind-python/whirlwind.warc.wet.gz", 2, 0, 0, 0, ""},
	{"iipc+jwarc/test-resources/org/netpreserve/jwarc/cc.warc.gz", 1, 1, 0, 1, ""},
	{"iipc+jwarc/test-resources/org/netpreserve/jwarc/gzip_extra_sl.warc.gz", 1, 0, 0, 0, ""},
	{"iipc+warc-specifications/primers/web-archive-formats/hello-world.warc", 6, 1, 0, 0, schemes},
	{"iipc+warc-specifications/primers/web-archive-formats/hello-world.warc.cdx", 0, 0, 0, 0, ""},
	{"iipc+warc-specifications/primers/web-archive-formats/hello-world.warc.gz", 6, 1, 0, 0, schemes},
	{"iipc+warc-specifications/specifications/warc-deduplication/samples/20130729-heritrix-original.warc.gz", 1, 1, 0,
		1, ""},
	{"iipc+warc-specifications/specifications/warc-deduplication/samples/" +
		"20130729-heritrix-revisit-with-http-headers.warc.gz", 1, 1, 0, 0, ""},
	{"iipc+warc-specifications/specifications/warc-deduplication/samples/20141124-heritrix-server-not-modified.warc.gz",
		1, 1, 0, 0, ""},
	{"iipc+warc-specifications/specifications/warc-deduplication/samples/20141129-heritrix-original.warc.gz", 1, 1, 0,
		1, ""},
	{"iipc+warc-specifications/specifications/warc-deduplication/samples/" +
		"20141129-heritrix-revisit-with-http-headers-and-new-warc-headers.warc.gz", 1, 1, 0, 0, ""},
	{"internetarchive+gowarc/testdata/warcs/corrupted-mid-record.warc.gz.open", 12, 12, 0, 12, ""},
	{"internetarchive+gowarc/testdata/warcs/corrupted-trailing-bytes.warc.gz.open", 30, 30, 0, 30, ""},
	{"internetarchive+gowarc/testdata/warcs/empty.warc.gz.open", 0, 0, 0, 0, ""},
	{"internetarchive+gowarc/testdata/warcs/good.warc.gz.open", 50, 50, 0, 50, ""},
	{"internetarchive+gowarc/testdata/warcs/single-record.warc.gz.open", 1, 1, 0, 1, ""},
	{"internetarchive+gowarc/testdata/warcs/skip-non-open.warc.gz", 10, 10, 0, 10, ""},
	{"internetarchive+gowarc/testdata/warcs/test.warc.gz", 3, 1, 0, 0, ""},
	{"internetarchive+warc/test_data/alexa_short_header.arc.gz", 2, 1, 1, 0, shortLine + "; " + versionBlocks},
	{"internetarchive+warc/test_data/crlf_at_1k_boundary.warc.gz", 1, 1, 0, 1, ""},
	{"slyrz+warc/testdata/bench.warc.bz2", 23, 0, 0, 0, notAnalysed + "; " + noURLs},
	{"slyrz+warc/testdata/test.warc", 10, 0, 0, 0, noURLs},
	{"slyrz+warc/testdata/test.warc.bz2", 10, 0, 0, 0, notAnalysed + "; " + noURLs},
	{"slyrz+warc/testdata/test.warc.gz", 10, 0, 0, 0, noURLs},
	{"webrecorder+pywb/sample_archive/waczs/invalid_example_1.wacz", 0, 0, 0, 0, noArchive},
	{"webrecorder+pywb/sample_archive/waczs/valid_example_1.wacz", 0, 0, 0, 0, noArchive},
	{"webrecorder+pywb/sample_archive/waczs/valid_example_1.wacz.d/example-collection.warc", 4, 1, 0, 1, byContainer},
	{"webrecorder+pywb/sample_archive/warcs/bad.arc", 4, 3, 0, 2, lengthLies + "; " + versionBlocks},
	{"webrecorder+pywb/sample_archive/warcs/dupes.warc.gz", 25, 12, 0, 1, ""},
	{"webrecorder+pywb/sample_archive/warcs/example-bad.warc.gz.bad", 6, 3, 0, 1, pagesOnly},
	{"webrecorder+pywb/sample_archive/warcs/example-extra.warc", 6, 4, 0, 1, pagesOnly},
	{"webrecorder+pywb/sample_archive/warcs/example-url-agnostic-orig.warc.gz", 2, 1, 0, 1, ""},
	{"webrecorder+pywb/sample_archive/warcs/example-url-agnostic-revisit.warc.gz", 2, 1, 0, 0, ""},
	{"webrecorder+pywb/sample_archive/warcs/example-wget-1-14.warc.gz", 6, 1, 0, 1, schemes},
	{"webrecorder+pywb/sample_archive/warcs/example-wpull.warc.gz", 4, 1, 0, 1, schemes},
	{"webrecorder+pywb/sample_archive/warcs/example.arc", 2, 1, 0, 1, versionBlocks},
	{"webrecorder+pywb/sample_archive/warcs/example.arc.gz", 2, 1, 0, 1, versionBlocks},
	{"webrecorder+pywb/sample_archive/warcs/example.warc", 6, 3, 0, 1, pagesOnly},
	{"webrecorder+pywb/sample_archive/warcs/example.warc.gz", 6, 3, 0, 1, pagesOnly},
	{"webrecorder+pywb/sample_archive/warcs/example2.warc.gz", 3, 1, 0, 1, ""},
	{"webrecorder+pywb/sample_archive/warcs/httpbin-resource.warc.gz", 1, 1, 0, 0, ""},
	{"webrecorder+pywb/sample_archive/warcs/iana.warc.gz", 343, 171, 0, 16, pagesOnly},
	{"webrecorder+pywb/sample_archive/warcs/missing-status-text.warc", 1, 1, 0, 0, oddLines},
	{"webrecorder+pywb/sample_archive/warcs/post-test.warc.gz", 6, 3, 0, 0, ""},
	{"webrecorder+warcio/test/data/bad.arc", 4, 3, 0, 2, lengthLies + "; " + versionBlocks},
	{"webrecorder+warcio/test/data/example-bad-non-chunked.warc.gz", 6, 2, 0, 1, ""},
	{"webrecorder+warcio/test/data/example-bad.warc.gz.bad", 6, 3, 0, 1, pagesOnly},
	{"webrecorder+warcio/test/data/example-digest.warc", 4, 0, 0, 0, ""},
	{"webrecorder+warcio/test/data/example-iana.org-chunked.warc", 3, 1, 0, 1, ""},
	{"webrecorder+warcio/test/data/example-resource.warc.gz", 3, 1, 0, 1, resources},
	{"webrecorder+warcio/test/data/example-space-in-target-uri.warc.gz", 2, 0, 0, 0, schemes},
	{"webrecorder+warcio/test/data/example-space-in-url.arc", 2, 1, 0, 1, versionBlocks},
	{"webrecorder+warcio/test/data/example-trunc.warc", 4, 1, 0, 1, ""},
	{"webrecorder+warcio/test/data/example-wget-bad-target-uri.warc.gz", 6, 1, 0, 1, schemes},
	{"webrecorder+warcio/test/data/example-wrong-chunks.warc.gz", 2, 1, 0, 1, ""},
	{"webrecorder+warcio/test/data/example.arc", 2, 1, 0, 1, versionBlocks},
	{"webrecorder+warcio/test/data/example.arc.gz", 2, 1, 0, 1, versionBlocks},
	{"webrecorder+warcio/test/data/example.warc", 6, 2, 0, 1, ""},
	{"webrecorder+warcio/test/data/example.warc.gz", 6, 2, 0, 1, ""},
	{"webrecorder+warcio/test/data/post-test.warc.gz", 6, 3, 0, 0, ""},
	{"webrecorder+warcio.js/test/data/example-bad-length.warc", 6, 2, 0, 1, ""},
	{"webrecorder+warcio.js/test/data/example-iana.org-chunked.warc", 3, 1, 0, 1, ""},
	{"webrecorder+warcio.js/test/data/example-resource.warc.gz", 1, 1, 0, 0, ""},
	{"webrecorder+warcio.js/test/data/example-url-agnostic-revisit.warc.gz", 2, 1, 0, 0, ""},
	{"webrecorder+warcio.js/test/data/example-wget-bad-target-uri.warc.gz", 6, 1, 0, 1, schemes},
	{"webrecorder+warcio.js/test/data/example.warc", 7, 2, 0, 1, ""},
	{"webrecorder+warcio.js/test/data/example.warc.gz", 6, 2, 0, 1, ""},
	{"webrecorder+warcio.js/test/data/post-test-more.warc", 6, 3, 0, 0, ""},
	{"webrecorder+warcio.js/test/data/post-test.warc.gz", 6, 3, 0, 0, ""},
	{"webrecorder+warcio.js/test/data/redirect.warc", 2, 1, 0, 0, pagesOnly},
}

// indexed has the numbers of INDEX.md for a file, -1 if missing.
type indexed struct{ records, captures, robots, html int64 }

func readIndex(t *testing.T) map[string]indexed {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(realArchives, "INDEX.md"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the shared archives are not here")
	} else if err != nil {
		t.Fatal(err)
	}
	number := func(cell string) int64 {
		n, err := strconv.ParseInt(cell, 10, 64)
		if err != nil {
			return -1
		}
		return n
	}
	byType := regexp.MustCompile(`(response|resource|revisit|arc) (\d+)`)
	rows, folder := map[string]indexed{}, ""
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			folder = strings.ReplaceAll(strings.TrimSpace(name), "/", "+")
		}
		cells := strings.Split(line, "|")
		if len(cells) < 9 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		records, _, _ := strings.Cut(cells[5], " ")
		row := indexed{records: number(records), robots: number(cells[7]), html: number(cells[8])}
		for _, m := range byType.FindAllStringSubmatch(cells[5], -1) {
			row.captures += number(m[2])
		}
		if row.records < 0 {
			row.captures = -1
		}
		rows[folder+"/"+cells[1]] = row
	}
	return rows
}

// Every file gives the numbers of the table. Each difference from INDEX.md has a reason.
func TestRealYields(t *testing.T) {
	index := readIndex(t)
	listed := map[string]bool{}
	for _, want := range realYields {
		listed[want.file] = true
		t.Run(want.file, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(realArchives, filepath.FromSlash(want.file)))
			if err != nil {
				t.Fatal(err)
			}
			list, _ := read(t, []source.Input{bytesInput(want.file, content)}, Options{Workers: 1})
			counts := countsOf(onlyInput(t, list))
			for _, c := range []struct {
				of   string
				want int64
			}{
				{facts.CountRecords, want.records}, {facts.CountCaptures, want.captures},
				{facts.CountRobots, want.robots},
				{facts.CountHTML, want.html},
			} {
				if counts[c.of] != c.want {
					t.Errorf("%s: %d, want %d", c.of, counts[c.of], c.want)
				}
			}
			row, ok := index[want.file]
			same := ok && row == indexed{want.records, want.captures, want.robots, want.html}
			if same != (want.why == "") {
				t.Errorf("INDEX.md has %+v, and the reason for another number is %q", row, want.why)
			}
		})
	}
	err := filepath.WalkDir(realArchives, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "INDEX.md" {
			return err
		}
		name, err := filepath.Rel(realArchives, path)
		if err == nil && !listed[filepath.ToSlash(name)] {
			t.Errorf("%s is not in the table", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
