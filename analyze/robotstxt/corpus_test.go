package robotstxt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
)

// realFiles is the folder of third-party files with ACAP, next to the repository; it is no part of the project.
var realFiles = filepath.Join("..", "..", "..", "shared", "data", "acap")

// readReal returns a real file, or skips the test.
func readReal(t *testing.T, folder, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(realFiles, folder, name))
	if os.IsNotExist(err) {
		t.Skip("the real files are not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestRealFilesRLex3Marker(t *testing.T) {
	for _, test := range []struct {
		file    string
		want    Marker
		defects []policy.Defect
	}{
		{"anubhavp28-2019_www.independent.ie.txt", Marker{1, 2, "1.0"}, nil},
		{"isi-2019_doi.org.txt", Marker{1, 2, "1.0"}, nil},
		{"isi-2019_vulvodynia.pl.txt", Marker{1, 2, "1.0"}, nil},
		{"top1m-2017_1065-corriere.it.txt", Marker{1, 3, "1.0"}, []policy.Defect{policy.DefectMarkerExtraHash}},
		{"top1m-2017_1203-ria.ru.txt", Marker{1, 2, "1.0"}, nil},
		{"top1m-2017_127444-essexchronicle.co.uk.txt", Marker{}, nil},
		{"top1m-2017_131891-the-acap.org.txt", Marker{1, 2, "1.1"}, []policy.Defect{policy.DefectNBSP}},
		{"top1m-2017_151-wsj.com.txt", Marker{}, nil},
		{"top1m-2017_17162-ufm.dk.txt", Marker{}, nil},
		{"top1m-2017_23227-rsport.ru.txt", Marker{1, 2, "1.0"}, nil},
		{"top1m-2017_24496-pressdisplay.com.txt", Marker{1, 2, "1.0"}, nil},
		{"top1m-2017_30609-jp.dk.txt", Marker{1, 2, "1.1"}, nil},
		{"top1m-2017_313-doi.org.txt", Marker{1, 2, "1.0"}, nil},
		{"top1m-2017_36105-aok.dk.txt", Marker{1, 2, "1.0"}, nil},
		{"top1m-2017_4651-barrons.com.txt", Marker{}, nil},
		{"top1m-2017_50182-berlingske.dk.txt", Marker{}, nil},
		{"top1m-2017_56566-herald.ie.txt", Marker{1, 2, "1.0"}, nil},
		{"top1m-2017_7164-belfasttelegraph.co.uk.txt", Marker{1, 2, "1.0"}, nil},
		{"top1m-2017_8167-jyllands-posten.dk.txt", Marker{1, 2, "1.1"}, nil},
		{"top1m-2017_88643-ilsole24ore.it.txt", Marker{1, 2, "1.0"}, nil},
		{"top1m-2017_95895-biochemistry.org.txt", Marker{1, 2, "1.0"}, nil},
	} {
		t.Run(test.file, func(t *testing.T) {
			body := readReal(t, "robots", test.file)
			doc := Parse(body, Options{})
			if doc.Marker != test.want {
				t.Errorf("Marker = %+v, want %+v", doc.Marker, test.want)
			}
			if diff := cmp.Diff(test.defects, doc.Defects); diff != "" {
				t.Errorf("Defects (-want +got):\n%s", diff)
			}
			if NotRobots(body, Options{}) {
				t.Error("taken for a page")
			}
		})
	}
}

func TestRealFilesRLex4TheACAP(t *testing.T) {
	body := readReal(t, "robots", "top1m-2017_131891-the-acap.org.txt")
	type parts struct {
		Number       int
		Field, Value string
		NBSP         bool
	}
	var got []parts
	for line := range Parse(body, Options{}).Lines() {
		got = append(got, parts{line.Number, line.Field, line.Value, line.NBSP})
	}
	want := []parts{
		{2, "User-agent", "*", false}, {3, "Allow", "/", false}, {4, "User-agent", "*", false},
		{5, "Disallow", "/files/", false}, {7, "ACAP-crawler", "*", false}, {9, "ACAP-allow-crawl", "/", false},
		{11, "ACAP-crawler", "*", false}, {13, "ACAP-disallow-crawl", "/files/", true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestRealFilesRLex8Truncated(t *testing.T) {
	body := readReal(t, "robots", "top1m-2017_17162-ufm.dk.txt")
	whole, cut := Parse(body, Options{}), Parse(body, Options{Truncated: true})
	if whole.LineCount != cut.LineCount+1 {
		t.Errorf("%d lines, %d where the file is known to be cut: want one less", whole.LineCount, cut.LineCount)
	}
	last := slices.Collect(whole.Lines())
	if got := last[len(last)-1].Raw; !strings.HasSuffix(string(body), got) {
		t.Errorf("the last line is %q", got)
	}
}

func TestRealFilesRLex7Pages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(realFiles, "html", "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) == 0 {
		t.Skip("the real files are not here")
	}
	for _, page := range pages {
		if !NotRobots(readReal(t, "html", filepath.Base(page)), Options{}) {
			t.Errorf("%s: not taken for a page", filepath.Base(page))
		}
	}
}
