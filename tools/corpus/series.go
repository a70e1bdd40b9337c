package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// A series is one or more archives, of a kind with one growing quantity.
type series struct {
	name       string // of the quantity
	value      int
	pages      int
	bytes      int // of a page, approximately
	directives int // METAs of a page
	files      int
}

// pageBytes is the size of a page in the other series.
const pageBytes = 16 << 10

// allSeries returns the series: size of a file, size of a record with the same content, directives in a page, and
// number of files with the same content.
func allSeries() []series {
	var list []series
	for _, pages := range []int{1000, 4000, 16_000} {
		list = append(list, series{"file-size", pages, pages, pageBytes, 0, 1})
	}
	for _, bytes := range []int{1 << 10, 8 << 10, 64 << 10, 512 << 10, 4 << 20} {
		list = append(list, series{"record-size", bytes, 64 << 20 / bytes, bytes, 0, 1})
	}
	for _, n := range []int{0, 1, 10, 100, 1000} {
		list = append(list, series{"directives", n, 1000, pageBytes, n, 1})
	}
	for _, n := range []int{1, 16, 256, 4096} {
		list = append(list, series{"files", n, 4096, pageBytes, 0, n})
	}
	return list
}

// writeSeries writes each into its own folder, DIR/NAME/VALUE.
func writeSeries(out string) error {
	w := newWriter()
	for _, s := range allSeries() {
		list, err := archives(filepath.Join(out, s.name, fmt.Sprintf("%07d", s.value)), "warc", s.files)
		if err != nil {
			return err
		}
		for i := range s.pages {
			w.host = fmt.Sprintf("www.%s%05d.example", w.word(), i/2)
			x := page(w.rng, fmt.Sprintf("https://%s/%s/%d", w.host, w.word(), i), w.pageOf(s.bytes, s.directives))
			if err := list[i%len(list)].capture(x); err != nil {
				return err
			}
		}
		if err := closeAll(list); err != nil {
			return err
		}
	}
	return nil
}

// pageOf returns a page of about n bytes, and that many METAs.
func (w *writer) pageOf(n, directives int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html>\n<head>\n<title>%s</title>\n", w.word())
	for range directives {
		fmt.Fprintf(&b, "<meta name=\"%sbot\" content=\"noindex, nofollow\">\n", w.word())
	}
	head := b.Len()
	b.WriteString("</head>\n<body>\n")
	for b.Len() < head+n {
		fmt.Fprintf(&b, "<div class=\"%s\"><p>", w.word())
		for range 1 + w.rng.IntN(40) {
			b.WriteString(w.word())
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "<a href=\"/%s/%s\">%s</a></p></div>\n", w.word(), w.word(), w.word())
	}
	b.WriteString("</body>\n</html>\n")
	return []byte(b.String())
}
