package source

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/output/parquet"
)

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text) // into memory: no error
	z.Close()
	return b.String()
}

// put writes a file where the test runs.
func put(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const (
	firstPath  = "crawl-data/CC-MAIN-2018-34/segments/1/robotstxt/a.warc.gz"
	secondPath = "crawl-data/CC-MAIN-2018-34/segments/1/robotstxt/b.warc.gz"
)

func TestListing(t *testing.T) {
	for _, c := range []struct {
		name    string
		listing string
		more    string // another listing
		args    []string
		base    string
		want    []string
		places  []string // where the bytes are
	}{
		{"below a folder", firstPath + "\n" + secondPath + "\n", "", nil, "store", []string{firstPath, secondPath},
			[]string{"store/" + firstPath, "store/" + secondPath}},
		{"gzip", zipped(firstPath + "\n" + secondPath + "\n"), "", nil, "store", []string{firstPath, secondPath}, nil},
		{"gzip in several members", zipped(firstPath+"\n") + zipped(secondPath+"\n"), "", nil, "store",
			[]string{firstPath, secondPath}, nil},
		{"no line end at the end", firstPath + "\n" + secondPath, "", nil, "store", []string{firstPath, secondPath},
			nil},
		{"other line ends and empty lines", "\r\n" + firstPath + "\r\n\n\n" + secondPath + "\r\n", "", nil, "store/",
			[]string{firstPath, secondPath}, nil},
		{"twice in a listing", firstPath + "\n" + firstPath + "\n./" + firstPath + "\n", "", nil, "store",
			[]string{firstPath}, nil},
		{"in two listings", firstPath + "\n", zipped(secondPath + "\n" + firstPath + "\n"), nil, "store",
			[]string{firstPath, secondPath}, nil},
		{"an argument, and then a listing", firstPath + "\n" + secondPath + "\n", "", []string{"store/" + secondPath},
			"store", []string{"store/" + secondPath, firstPath}, nil},
		{"without a base", "store/" + firstPath + "\nstore/../store/" + secondPath + "\n", "", nil, "",
			[]string{"store/" + firstPath, "store/../store/" + secondPath}, nil},
		{"a URL as base", firstPath + "\n" + secondPath + "\n", "", nil, "https://data.example/",
			[]string{firstPath, secondPath},
			[]string{"https://data.example/" + firstPath, "https://data.example/" + secondPath}},
		{"a URL as base, without its slash", firstPath + "\n", "", nil, "https://data.example/x", []string{firstPath},
			[]string{"https://data.example/x/" + firstPath}},
		{"a path with characters that URLs have a use for", "a b?c#d%41.warc\n", "", nil, "https://data.example",
			[]string{"a b?c#d%41.warc"},
			[]string{"https://data.example/a%20b%3Fc%23d%2541.warc"}},
		{"a bucket as base, whose keys are as they are", "a b?c#d%41.warc\n", "", nil, "s3://bucket/",
			[]string{"a b?c#d%41.warc"}, []string{"s3://bucket/a b?c#d%41.warc"}},
		{"URLs in it are taken as they are", "https://other.example/x.warc\ns3://bucket/y.warc\n" + firstPath + "\n",
			"", nil, "store",
			[]string{"https://other.example/x.warc", "s3://bucket/y.warc", firstPath},
			[]string{"https://other.example/x.warc", "s3://bucket/y.warc", "store/" + firstPath}},
		{"a byte order mark before the first line", "\uFEFF" + firstPath + "\r\n" + secondPath + "\r\n", "", nil,
			"store", []string{firstPath, secondPath}, nil},
		{"a file of any name, even one of two dots more", "a..warc\n", "", nil, "store", []string{"a..warc"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree(t, "store/"+firstPath, "store/"+secondPath, "store/a..warc")
			put(t, "list", c.listing)
			paths := []string{"list"}
			if c.more != "" {
				put(t, "more", c.more)
				paths = append(paths, "more")
			}
			for _, stdin := range []bool{false, true} {
				req := Request{Args: c.args, Paths: paths, Base: c.base}
				if stdin {
					req.Paths, req.Stdin = append([]string{Stdin}, paths[1:]...), strings.NewReader(c.listing)
				}
				got, err := List(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, names(got)); diff != "" {
					t.Errorf("inputs (-want +got):\n%s", diff)
				}
				for i, in := range got {
					if in.Place != i || in.Fault() != nil || in.IsStream() {
						t.Errorf("%+v at %d", in, i)
					}
					if c.places != nil && placeOf(in) != c.places[i] {
						t.Errorf("%s is at %s, want %s", in.Name, placeOf(in), c.places[i])
					}
				}
			}
		})
	}
}

// placeOf is where the bytes of an input are.
func placeOf(in Input) string {
	switch o := in.Locate().opener.(type) {
	case remoteFile:
		return o.Name()
	case file:
		return string(o)
	}
	return ""
}

func TestListingLimit(t *testing.T) {
	tree(t, "store/a.warc", "store/b.warc", "store/c.warc")
	put(t, "list", "a.warc\na.warc\nb.warc\nc.warc\n")
	for limit, want := range map[int][]string{0: {"a.warc", "b.warc", "c.warc"}, 1: {"a.warc"}, 2: {"a.warc", "b.warc"},
		9: {"a.warc", "b.warc", "c.warc"}} {
		got, err := List(t.Context(), Request{Paths: []string{"list"}, Base: "store", Limit: limit})
		if err != nil || !slices.Equal(names(got), want) {
			t.Errorf("limit %d: %q, %v", limit, names(got), err)
		}
	}
}

// What is listed and not there is an input, and says so when it is opened.
func TestListedAndMissing(t *testing.T) {
	tree(t, "store/a.warc", "store/folder/x", "store/pipe")
	put(t, "list", "a.warc\ngone.warc\nfolder\na.warc/x\ngone.warc\n")
	inputs, err := List(t.Context(), Request{Paths: []string{"list"}, Base: "store"})
	if err != nil {
		t.Fatal(err)
	}
	says := []string{"", `there is no file or folder "store/gone.warc"`, `"store/folder" is a folder`,
		`"store/a.warc/x" cannot be read`}
	if len(inputs) != len(says) {
		t.Fatalf("inputs %q", names(inputs))
	}
	for i, in := range inputs {
		r, err := in.Locate().Open(t.Context())
		if err == nil {
			r.Close()
		}
		fault := in.Fault()
		if says[i] == "" {
			if err != nil || fault != nil || in.Size != int64(len("store/a.warc")) {
				t.Errorf("%s: %v, %v, %d bytes", in.Name, err, fault, in.Size)
			}
			continue
		}
		if err == nil || fault == nil || err.Error() != fault.Error() || !strings.Contains(err.Error(), says[i]) ||
			in.Size != -1 {
			t.Errorf("%s: %v, %v, %d bytes", in.Name, err, fault, in.Size)
		}
		if _, err := in.Locate().OpenRange(t.Context(), Range{0, 1}); err == nil || err.Error() != fault.Error() {
			t.Errorf("%s, at an offset: %v", in.Name, err)
		}
	}
}

func TestOddListings(t *testing.T) {
	long := strings.Repeat("x", maxPath+1)
	for _, c := range []struct {
		name, listing, base, says string
	}{
		{"parent of the base", "a.warc\n../secret.warc\n", "store",
			"list, line 2: a path with '..', which may leave the base"},
		{"parent in the middle", "x/../../secret.warc\n", "store",
			"line 1: a path with '..', which may leave the base"},
		{"parent at the end", "x/..\n", "store", "may leave the base"},
		{"parent behind another slash", "x\\..\\..\\secret.warc\n", "store", "may leave the base"},
		{"parent of a URL", "../x.warc\n", "https://data.example/a/", "may leave the base"},
		{"absolute path", "\n/etc/passwd\n", "store", "line 2: an absolute path"},
		{"a long line", "a.warc\n" + long + "\nb.warc\n", "store",
			fmt.Sprintf("line 2: a path of %d bytes", len(long))},
		{"a line without end", "a.warc\n" + strings.Repeat(long, 100), "store", "line 2: a line of more than"},
		{"a line without end, in gzip", zipped(strings.Repeat("x", 50<<20)), "store", "line 1: a line of more than"},
		{"binary", "a.warc\nb\x00.warc\n", "store", "line 2: \"b\\x00.warc\" has control characters or is not UTF-8"},
		{"not UTF-8", "\xff\xfe\n", "store", "line 1"},
		{"a page", "<!DOCTYPE html>\n<p>Not found\n", "store", "is this a web page?"},
		{"an archive", "WARC/1.0\r\nWARC-Type: warcinfo\r\n", "store", "beginning of an archive"},
		{"an archive in gzip", zipped("WARC/1.0\r\nWARC-Type: warcinfo\r\n"), "store", "beginning of an archive"},
		{"a folder", "store/\n", "", "is a folder"},
		{"another scheme", "file:///etc/passwd\n", "", "neither a path nor a supported URL"},
		{"a password in a URL", "https://me:secret@a.example/x.warc\n", "", "line 1"},
		{"nothing", "", "store", "no archive was found"},
		{"empty lines", "\n\n", "store", "no archive was found"},
		{"gzip that ends early", zipped(firstPath + "\n")[:20], "store", "list, line 1: unexpected EOF"},
		{"gzip that is none", "\x1f\x8b\x00\x00", "store", "is not whole"},
		{"a base that is not there", "a.warc\n", "nowhere", `"nowhere"`},
		{"a base that is a file", "a.warc\n", "store/a.warc", "must be a folder or a URL"},
		{"a base with a query", "a.warc\n", "https://data.example/?x=", "query"},
		{"a base that is no bucket", "a.warc\n", "s3://", "names no object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree(t, "store/a.warc", "store/b.warc", "secret.warc")
			put(t, "list", c.listing)
			got, err := List(t.Context(), Request{Paths: []string{"list"}, Base: c.base})
			if err == nil {
				t.Fatalf("no error, and inputs %q", names(got))
			}
			if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") ||
				len(err.Error()) > 1000 || strings.Contains(err.Error(), "me:secret") {
				t.Errorf("error %q, want one line with %q", err, c.says)
			}
		})
	}
	t.Run("a listing that is not there", func(t *testing.T) {
		if _, err := List(t.Context(), Request{Paths: []string{"nowhere"}}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("standard input twice", func(t *testing.T) {
		for _, req := range []Request{{Args: []string{Stdin}, Paths: []string{Stdin}}, {Paths: []string{Stdin, Stdin}},
			{Paths: []string{Stdin}, Records: []string{Stdin}}} {
			req.Stdin = strings.NewReader("a.warc\n")
			if _, err := List(t.Context(), req); err == nil || !strings.Contains(err.Error(), "standard input") {
				t.Errorf("%v: error %v", req, err)
			}
		}
	})
}

// A stranger's listing names files of this machine below a base only.
func TestListingOfAnotherMachine(t *testing.T) {
	e := newExpansion(t.Context(), Request{})
	if err := e.listed("a.warc", false, nil); err == nil || !strings.Contains(err.Error(), "base") {
		t.Errorf("error %v", err)
	}
	if err := e.listed("https://a.example/a.warc", false, nil); err != nil || len(e.inputs) != 1 {
		t.Errorf("error %v", err)
	}
}

// A crawl has about a hundred thousand files.
func BenchmarkListing(b *testing.B) {
	const n = 100_000
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "crawl-data/CC-MAIN-2018-34/segments/%d/robotstxt/"+
			"CC-MAIN-20180819012213-20180819032213-%05d.warc.gz\n", i%100, i)
	}
	listing := zipped(text.String())
	for name, base := range map[string]string{"folder": b.TempDir(), "URL": "https://data.example/"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				got, err := List(b.Context(), Request{Paths: []string{Stdin}, Stdin: strings.NewReader(listing),
					Base: base})
				if err != nil || len(got) != n {
					b.Fatalf("%d inputs, %v", len(got), err)
				}
			}
		})
	}
}

const csvHeader = "url,warc_filename,warc_record_offset,warc_record_length\n"

// coordinate is a row of an index; numbers are of either width and may be null.
type (
	narrow struct {
		URL      string `parquet:"url,plain"`
		Filename string `parquet:"warc_filename,dict"`
		Offset   int32  `parquet:"warc_record_offset"`
		Length   int32  `parquet:"warc_record_length"`
	}
	wide struct {
		Filename *string `parquet:"warc_filename,optional,plain"`
		Offset   *int64  `parquet:"warc_record_offset,optional"`
		Length   *int64  `parquet:"warc_record_length,optional"`
	}
	mixed struct {
		Length   *int32 `parquet:"warc_record_length,optional"`
		Filename []byte `parquet:"warc_filename,plain"`
		Offset   int64  `parquet:"warc_record_offset"`
	}
	others struct {
		Filename string `parquet:"warc_filename,plain"`
		Offset   string `parquet:"warc_record_offset,plain"`
		Length   int32  `parquet:"warc_record_length"`
	}
)

// putParquet writes rows into a file.
func putParquet[T any](t *testing.T, name string, rows []T) {
	t.Helper()
	w, err := parquet.Create[T](name, parquet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Write(rows)
	if err == nil {
		_, err = w.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestCoordinates(t *testing.T) {
	of := func(v int64) *int64 { return &v }
	of32 := func(v int32) *int32 { return &v }
	const a, b = "crawl-data/C/a.warc.gz", "crawl-data/C/b.warc.gz"
	want := []Input{
		{Name: a, Listed: true, Size: 60, Records: []Range{{10, 20}, {30, 30}, {5_000_000, 10}}},
		{Name: b, Listed: true, Size: 7, Records: []Range{{0, 7}}},
	}
	sorted := func(list []narrow) (l []wide) {
		for _, c := range list {
			l = append(l, wide{&c.Filename, of(int64(c.Offset)), of(int64(c.Length))})
		}
		return l
	}
	asRead := []narrow{{"x", b, 0, 7}, {"x", a, 30, 30}, {"x", a, 5_000_000, 10}, {"x", a, 10, 20}, {"x", a, 30, 30},
		{"x", a, 30, 3}}
	text := csvHeader + fmt.Sprintf("http://x/,%s,0,7\nhttp://x/,%s,30,30\n\"http://x/,y\"\"\",%s,5000000,10\n"+
		"http://x/,%s,10,20\nhttp://x/,%s,30,30\nhttp://x/,%s,30,3\n", b, a, a, a, a, a)
	for name, write := range map[string]func(t *testing.T) []string{
		"csv":       func(t *testing.T) []string { put(t, "records", text); return []string{"records"} },
		"csv, gzip": func(t *testing.T) []string { put(t, "records", zipped(text)); return []string{"records"} },
		"csv, CRLF and BOM": func(t *testing.T) []string {
			put(t, "records", "\uFEFF"+strings.ReplaceAll(text, "\n", "\r\n"))
			return []string{"records"}
		},
		"csv, quoted, in another order": func(t *testing.T) []string {
			put(t, "records", fmt.Sprintf("\"warc_record_length\", WARC_FILENAME,\"warc_record_offset\"\n7,\"%s\",0\n"+
				"30,%s, 30\n10,%s,5000000\n20,%s,\"10\"\n", b, a, a, a))
			return []string{"records"}
		},
		"parquet, int32, dictionary": func(t *testing.T) []string {
			putParquet(t, "records",
				asRead)
			return []string{"records"}
		},
		"parquet, int64, nullable": func(t *testing.T) []string {
			putParquet(t, "records",
				sorted(asRead))
			return []string{"records"}
		},
		"parquet, each another": func(t *testing.T) []string {
			putParquet(t, "records", []mixed{{of32(7), []byte(b), 0}, {of32(30), []byte(a), 30},
				{of32(20), []byte(a), 10}, {of32(10), []byte(a), 5_000_000}})
			return []string{"records"}
		},
		"several files": func(t *testing.T) []string {
			putParquet(t, "records", asRead[:3])
			put(t, "more", csvHeader+fmt.Sprintf("x,%s,10,20\nx,%s,30,30\n", a, a))
			return []string{"records", "more"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			tree(t)
			files := write(t)
			got, err := List(t.Context(), Request{Records: files, Base: "https://data.example/"})
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if place := placeOf(got[i]); place != "https://data.example/"+got[i].Name ||
					got[i].Place != i {
					t.Errorf("%s is at %s, place %d", got[i].Name, place, got[i].Place)
				}
				got[i].root, got[i].Place = nil, 0
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(Input{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOddCoordinates(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"no header", "a.warc,1,2\n", "has no column warc_filename"},
		{"nothing", "", "is empty"},
		{"a column is missing", "warc_filename,warc_record_offset\na.warc,1\n", "has no column warc_record_length"},
		{"no rows", csvHeader, "no archive was found"},
		{"no number", csvHeader + "x,a.warc,1,2\nx,a.warc,one,2\n",
			`records, line 3: warc_record_offset "one" is not a number`},
		{"an empty number", csvHeader + "x,a.warc,1,\n", `line 2: warc_record_length "" is not a number`},
		{"a fraction", csvHeader + "x,a.warc,1.5,2\n", "is not a number"},
		{"a number beyond numbers", csvHeader + "x,a.warc,99999999999999999999,2\n", "is not a number"},
		{"a negative offset", csvHeader + "x,a.warc,-1,2\n", "line 2: warc_record_offset -1 is not an offset"},
		{"an offset beyond all files", csvHeader + "x,a.warc,9223372036854775807,2\n", "is not an offset"},
		{"a length beyond all files", csvHeader + "x,a.warc,2,9223372036854775807\n", "is not a length"},
		{"no length", csvHeader + "x,a.warc,1,0\n", "line 2: warc_record_length 0 is not a length"},
		{"no name", csvHeader + "x,,1,2\n", "line 2: an empty path"},
		{"a name that leaves the base", csvHeader + "x,../a.warc,1,2\n",
			"coordinates in ../a.warc: a path with '..', which may leave the base"},
		{"too few columns", csvHeader + "x,a.warc,1,2\nx,a.warc\n", "line 3: wrong number of fields"},
		{"a quote without end", csvHeader + "\"x,a.warc,1,2\n" + strings.Repeat("x,a.warc,1,2\n", 200_000),
			"more than"},
		{"a row without end", csvHeader + strings.Repeat("x", 3<<20), "more than"},
		{"a row without end, in gzip", zipped(csvHeader + strings.Repeat("x", 30<<20)), "more than"},
		{"a Parquet file that ends early", "PAR1xxxxxxxxxxxxx", "Parquet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree(t, "store/a.warc")
			put(t, "records", c.text)
			got, err := List(t.Context(), Request{Records: []string{"records"}, Base: "store"})
			if err == nil {
				t.Fatalf("no error, and inputs %v", got)
			}
			if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") ||
				len(err.Error()) > 1000 {
				t.Errorf("error %q, want one line with %q", err, c.says)
			}
		})
	}
	t.Run("null in Parquet", func(t *testing.T) {
		tree(t, "store/a.warc")
		name := "a.warc"
		putParquet(t, "records", []wide{{&name, new(int64), nil}})
		if _, err := List(t.Context(), Request{Records: []string{"records"}, Base: "store"}); err == nil ||
			!strings.Contains(err.Error(), "records, row 1: a coordinate is null") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("another type in Parquet", func(t *testing.T) {
		tree(t, "store/a.warc")
		putParquet(t, "records", []others{{"a.warc", "1", 2}})
		if _, err := List(t.Context(), Request{Records: []string{"records"}, Base: "store"}); err == nil ||
			!strings.Contains(err.Error(), "warc_record_offset") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("Parquet on standard input", func(t *testing.T) {
		if _, err := List(t.Context(), Request{Records: []string{Stdin},
			Stdin: strings.NewReader("PAR1")}); !errors.Is(err, errNotLocal) {
			t.Errorf("error %v", err)
		}
	})
}

func TestCoordinatesOfFiles(t *testing.T) {
	tree(t, "store/a.warc", "store/b.warc")
	put(t, "records", csvHeader+"x,b.warc,2,4\nx,a.warc,1,2\nx,gone.warc,1,2\n")
	inputs, err := List(t.Context(), Request{Args: []string{"store/a.warc"}, Records: []string{"records"},
		Base: "store"})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(inputs); !slices.Equal(got, []string{"store/a.warc", "b.warc", "gone.warc"}) {
		t.Fatalf("inputs %q, where an archive that is read as a whole is not read in parts", got)
	}
	if inputs[0].Records != nil || inputs[2].Fault() == nil {
		t.Errorf("%+v", inputs)
	}
	body, err := inputs[1].Locate().OpenRange(t.Context(), inputs[1].Records[0])
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if got, err := io.ReadAll(body); err != nil || string(got) != "store/b.warc"[2:6] {
		t.Errorf("read %q, %v", got, err)
	}
	if _, err := inputs[2].Locate().OpenRange(t.Context(), Range{1, 2}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// Whatever is listed, no input is outside of the base, and nothing that was refused is taken.
func FuzzListing(f *testing.F) {
	for _, text := range []string{firstPath + "\n" + secondPath + "\n", "../x\n", "a/../../x", "/etc/passwd",
		"a\\..\\x", "https://a.example/x\ns3://b/c\n",
		zipped("a.warc\nb.warc\n"), "\r\n\r\n", "a//b/./c.warc", "..\n", "a\x00b", "<html>", "..a/b..",
		strings.Repeat("x", maxPath+1)} {
		f.Add([]byte(text))
	}
	store := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, base := range []string{store, "https://data.example/x/", "s3://bucket/x"} {
			inputs, err := List(t.Context(), Request{Paths: []string{Stdin}, Stdin: bytes.NewReader(text), Base: base})
			if (err == nil) != (len(inputs) > 0) {
				t.Fatalf("%d inputs, %v", len(inputs), err)
			}
			seen := map[string]bool{}
			for _, in := range inputs {
				if in.Name == "" || len(in.Name) > maxPath || strings.ContainsAny(in.Name, "\n\x00") || seen[in.Name] {
					t.Errorf("an input %q", in.Name)
				}
				seen[in.Name] = true
				place := placeOf(in)
				if fault := in.Fault(); place == "" && (fault == nil || strings.Contains(fault.Error(), "\n")) {
					t.Errorf("%q is nowhere: %v", in.Name, fault)
				}
				if place == "" || place == in.Name { // not there, or a URL of its own
					continue
				}
				if base == store {
					if relative, err := filepath.Rel(store, place); err != nil || strings.HasPrefix(relative, "..") {
						t.Errorf("%q leads to %s", in.Name, place)
					}
				} else if !strings.HasPrefix(place, strings.TrimSuffix(base, "/")+"/") ||
					strings.Contains(place, "/../") {
					t.Errorf("%q leads to %s", in.Name, place)
				}
			}
		}
	})
}

// Whatever the coordinates are, records are in order, no two at one offset, and have a length.
func FuzzCoordinates(f *testing.F) {
	for _, text := range []string{csvHeader + "x,a.warc,1,2\n", csvHeader +
		"x,a.warc,5,2\n\"y\nz\",a.warc,1,2\nx,b.warc,0,1\n", csvHeader + "\"\"\"",
		"warc_filename;warc_record_offset;warc_record_length\na;1;2\n",
		"\uFEFFwarc_record_length,warc_record_offset,warc_filename\n1,1,a\n2,1,a\n",
		zipped(csvHeader + "x,a.warc,1,2\n"), csvHeader + "x,a.warc,-1,99999999999999999999\n", "PAR1"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		inputs, err := List(t.Context(), Request{Records: []string{Stdin}, Stdin: bytes.NewReader(text),
			Base: "https://data.example/"})
		if (err == nil) != (len(inputs) > 0) {
			t.Fatalf("%d inputs, %v", len(inputs), err)
		}
		for _, in := range inputs {
			sum, behind := int64(0), int64(-1)
			for _, r := range in.Records {
				if r.Offset <= behind || r.Length <= 0 || r.End() <= r.Offset {
					t.Errorf("%s: %v", in.Name, in.Records)
				}
				behind = r.Offset
				sum += r.Length
			}
			if sum != in.Size || sum == 0 {
				t.Errorf("%s: %d bytes in %v", in.Name, in.Size, in.Records)
			}
		}
	})
}

// A listing may have millions of lines, and no limit of memory knows of them: little more than the names is held of
// each.
func TestListingIsHeldInLittleMemory(t *testing.T) {
	const lines = 50_000
	var list strings.Builder
	for i := range lines {
		fmt.Fprintf(&list, "crawl-data/CC-MAIN-2024-51/segments/1733066035857.%d/robotstxt/"+
			"CC-MAIN-20241201162023-20241201192023-%05d.robotstxt.warc.gz\n", i/1000, i)
	}
	tree(t)
	put(t, "list", list.String())
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, base := range []string{"https://data.example/", "s3://bucket/", "."} {
		before := heap()
		inputs, err := List(t.Context(), Request{Paths: []string{"list"}, Base: base})
		if err != nil || len(inputs) != lines {
			t.Fatalf("%d inputs, %v", len(inputs), err)
		}
		names := int64(list.Len() - lines)
		if beside := (heap() - before - names) / lines; beside > 120 {
			t.Errorf("below %s an input takes %d bytes next to its name", base, beside)
		}
		runtime.KeepAlive(inputs)
	}
}
