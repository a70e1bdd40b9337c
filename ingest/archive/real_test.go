package archive

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// realArchives is the collection of archives from public repositories, with
// INDEX.md that says what a lenient scan found in them.
const realArchives = "../../../shared/data/warc"

// indexed is a row of INDEX.md.
type indexed struct {
	members int64 // -1: plain
	records int64
}

// readIndex returns the rows of INDEX.md by the path of the file.
func readIndex(t *testing.T) map[string]indexed {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(realArchives, "INDEX.md"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the shared archives are not here")
	} else if err != nil {
		t.Fatal(err)
	}
	count := regexp.MustCompile(`^\d+`)
	rows := make(map[string]indexed)
	folder := ""
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			folder = strings.ReplaceAll(strings.TrimSpace(name), "/", "+")
		}
		f := strings.Split(line, "|")
		if len(f) < 7 {
			continue
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		records := count.FindString(f[5])
		if records == "" {
			continue
		}
		row := indexed{members: -1}
		row.records, _ = strconv.ParseInt(records, 10, 64)
		if f[4] != "-" {
			row.members, _ = strconv.ParseInt(f[4], 10, 64)
		}
		rows[filepath.Join(folder, f[1])] = row
	}
	if len(rows) < 50 {
		t.Fatalf("read only %d rows of INDEX.md", len(rows))
	}
	return rows
}

// realDifferences are the files whose outcome is not what INDEX.md has, and why.
var realDifferences = map[string]struct {
	records int64
	members int64 // where INDEX.md has another number
	lost    int64
	err     error
	bomb    bool // it inflates to a quarter of a gigabyte: read once, blocks unread
	why     string
}{
	"archivesunleashed+aut/src/test/resources/arc/badexample.arc.gz": {records: 6,
		why: "the version block counts, and no record is swallowed by the wrong length of the one before"},
	"chatnoir-eu+chatnoir-resiliparse/tests/data/block-sized-records.warc.lz4": {err: ErrNotArchive, why: "LZ4"},
	"chatnoir-eu+chatnoir-resiliparse/tests/data/warcfile.warc.lz4":            {err: ErrNotArchive, why: "LZ4"},
	"chatnoir-eu+chatnoir-resiliparse/tests/data/clipped.warc.gz": {records: 1, lost: 1,
		why: "its only member is cut off"},
	"commoncrawl+ia-web-commons/src/test/resources/org/archive/format/arc/" +
		"IAH-20080430204825-00000-blackbook-truncated.arc": {records: 9,
		why: "no line ends stand between its records, so that some URL lines do not begin a line"},
	"commoncrawl+whirlwind-python/CC-MAIN-2024-22.warc.paths.gz": {err: ErrNotArchive,
		why: "a list of paths"},
	"iipc+warc-specifications/primers/web-archive-formats/hello-world.warc.cdx": {err: ErrNotArchive,
		why: "an index"},
	"internetarchive+gowarc/testdata/warcs/empty.warc.gz.open": {err: ErrEmpty,
		why: "one empty member"},
	"internetarchive+warc/test_data/alexa_short_header.arc.gz": {records: 2,
		why: "the content type of the second is missing"},
	"slyrz+warc/testdata/bench.warc.bz2": {records: 23, members: 1,
		bomb: true, why: "INDEX.md does not analyse bzip2"},
	"slyrz+warc/testdata/test.warc.bz2": {records: 10, members: 1,
		why: "INDEX.md does not analyse bzip2"},
	"webrecorder+pywb/sample_archive/waczs/invalid_example_1.wacz": {err: ErrNotArchive,
		why: "a container"},
	"webrecorder+pywb/sample_archive/waczs/valid_example_1.wacz": {err: ErrNotArchive,
		why: "a container"},
	"webrecorder+pywb/sample_archive/waczs/valid_example_1.wacz.d/example-collection.warc": {records: 4, members: 4,
		why: "INDEX.md has it by its place in the container"},
	"webrecorder+pywb/sample_archive/warcs/bad.arc": {records: 4,
		why: "lengths of -1 and abc do not hide the record"},
	"webrecorder+warcio/test/data/bad.arc": {records: 4,
		why: "lengths of -1 and abc do not hide the record"},
	"webrecorder+pywb/sample_archive/warcs/missing-status-text.warc": {records: 1,
		why: "its lines end with CR CR LF"},
	"webrecorder+warcio/test/data/example-space-in-url.arc": {records: 2, lost: 1,
		why: "its line ends were changed, so that the file ends before the declared length"},
}

// TestRealArchives reads every file of the collection to its end.
func TestRealArchives(t *testing.T) {
	index := readIndex(t)
	files := 0
	err := filepath.WalkDir(realArchives, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "INDEX.md" {
			return err
		}
		name, err := filepath.Rel(realArchives, path)
		if err != nil {
			return err
		}
		files++
		t.Run(name, func(t *testing.T) {
			want := realDifferences[name]
			if want.why == "" {
				row, ok := index[name]
				if !ok {
					t.Fatal("INDEX.md does not have it")
				}
				want.records, want.members = row.records, row.members
			} else if want.members == 0 {
				want.members = index[name].members
			}
			input, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if want.err != nil {
				if _, err := NewReader(bytes.NewReader(input), Options{}); !errors.Is(err, want.err) {
					t.Errorf("error %v, want %v (%s)", err, want.err, want.why)
				}
				return
			}
			var records []got
			var stats Stats
			if want.bomb {
				records, stats = readOnce(t, bytes.NewReader(input), Options{}, false)
			} else { // every way of reading gives the same, or readAll fails
				records, stats = readAll(t, string(input), Options{})
			}
			if int64(len(records)) != want.records || stats.Total() != want.records || stats.Lost != want.lost {
				t.Errorf("%d records and %d lost, want %d and %d (%s)", stats.Total(), stats.Lost, want.records,
					want.lost, want.why)
			}
			if stats.Members != max(0, want.members) {
				t.Errorf("%d members, want %d", stats.Members, want.members)
			}
			if stats.Truncated != (want.lost > 0) {
				t.Errorf("truncated %t", stats.Truncated)
			}
			if want.bomb {
				return
			}
			if sized, _ := readOnce(t, bytes.NewReader(input), Options{Size: int64(len(input))},
				false); len(sized) != len(records) {
				t.Errorf("where the size is known there are %d records, not %d", len(sized), len(records))
			}
			checkAddresses(t, input, records)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("only %d files", files)
	}
}

// checkAddresses reads each record on its own by its offset and length, as the
// columnar index of Common Crawl would have it read.
func checkAddresses(t *testing.T, input []byte, records []got) {
	t.Helper()
	for i, rec := range records {
		if rec.Length < 0 || i > 0 && rec.URI == "" {
			continue
		}
		part := input[rec.Offset : rec.Offset+rec.Length]
		r, err := NewReader(bytes.NewReader(part), Options{})
		if err != nil {
			t.Fatalf("record %d at %d: %v", i, rec.Offset, err)
		}
		alone, err := r.Next()
		if err != nil {
			t.Fatalf("record %d at %d: %v", i, rec.Offset, err)
		}
		block, _ := io.ReadAll(alone.Block)
		if alone.URI != rec.URI || string(block) != rec.Block {
			t.Errorf("record %d at %d: on its own it is another", i, rec.Offset)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("record %d at %d: more than one, %v", i, rec.Offset, err)
		}
	}
}

// TestRealPairs reads archives that the collection has both plain and compressed. (parseMe.warc and at.warc are not
// what parseMe.warc.gz and at.warc.gz hold.)
func TestRealPairs(t *testing.T) {
	readIndex(t)
	for _, tt := range []struct{ plain, compressed string }{
		{"chatnoir-eu+chatnoir-resiliparse/tests/data/block-sized-records.warc", ".gz"},
		{"chatnoir-eu+chatnoir-resiliparse/tests/data/warcfile.warc", ".gz"},
		{"commoncrawl+whirlwind-python/whirlwind.warc", ".gz"},
		{"commoncrawl+whirlwind-python/whirlwind.warc.wat", ".gz"},
		{"commoncrawl+whirlwind-python/whirlwind.warc.wet", ".gz"},
		{"iipc+warc-specifications/primers/web-archive-formats/hello-world.warc", ".gz"},
		{"slyrz+warc/testdata/test.warc", ".gz"},
		{"slyrz+warc/testdata/test.warc", ".bz2"},
		{"webrecorder+pywb/sample_archive/warcs/example.arc", ".gz"},
	} {
		t.Run(tt.plain+tt.compressed, func(t *testing.T) {
			var pair [2][]got
			for i, name := range []string{tt.plain, tt.plain + tt.compressed} {
				input, err := os.ReadFile(filepath.Join(realArchives, name))
				if err != nil {
					t.Fatal(err)
				}
				records, _ := readOnce(t, bytes.NewReader(input), Options{}, true)
				for _, rec := range records {
					pair[i] = append(pair[i], got{URI: rec.URI, Block: rec.Block, Err: rec.Err})
				}
			}
			if len(pair[0]) == 0 {
				t.Error("there is no record")
			}
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("records (-plain +compressed):\n%.2000s", diff)
			}
		})
	}
}
