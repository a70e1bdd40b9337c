// Command corpus writes the archives that the benchmark reads, in the layout of Common Crawl: for each capture a request, a response
// and a metadata record, each a gzip member of its own at level 6.
//
//	corpus -pages FOLDER -o DIR    pages of unpacked documentation, and a corpus of robots.txt made here
//	corpus -series DIR             archives of which one measure grows: size of the file, of the record, …
//	corpus -member SHAPE -size N   one gzip member of N bytes of content, to standard output
//
// The same input gives the same bytes. What a page or a robots.txt says is drawn with a fixed seed; the shares stand in the
// tables of pages.go and robots.go. It must not know how acapscan reads: what it writes is checked by the programs that are compared.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

// flags are those of the command.
type flags struct {
	pages, out, member, series      string
	files, robots, robotsFiles, max int
	size                            int64
}

func run(args []string, stdout io.Writer) error {
	var f flags
	set := flag.NewFlagSet("corpus", flag.ContinueOnError)
	set.StringVar(&f.pages, "pages", "", "`FOLDER` of unpacked packages, of which all HTML files are taken")
	set.StringVar(&f.out, "o", "", "output `DIR`")
	set.IntVar(&f.files, "files", 4, "archives of pages, `N`; all pages are spread over them evenly")
	set.IntVar(&f.max, "max-pages", 0, "take only `N` pages; 0: all")
	set.IntVar(&f.robots, "robots", 60_000, "captures of /robots.txt, `N`")
	set.IntVar(&f.robotsFiles, "robots-files", 4, "archives of robots.txt, `N`")
	set.StringVar(&f.series, "series", "", "write the series into `DIR` instead")
	set.StringVar(&f.member, "member", "", "write one gzip member instead: `SHAPE` is record (one record) or records (many)")
	set.Int64Var(&f.size, "size", 10<<30, "bytes of content of that member, `N`")
	if err := set.Parse(args); err != nil {
		return err
	}
	if f.member != "" {
		w := bufio.NewWriterSize(stdout, 1<<20)
		if err := writeMember(w, f.member, f.size); err != nil {
			return err
		}
		return w.Flush()
	}
	if f.series != "" {
		return writeSeries(f.series)
	}
	if f.pages == "" || f.out == "" || f.files < 1 || f.robotsFiles < 1 {
		return errors.New("usage: corpus -pages FOLDER -o DIR, corpus -series DIR, or corpus -member SHAPE")
	}
	if err := writePages(f); err != nil {
		return err
	}
	return writeRobots(f)
}

// The crawl that the corpus says it is of: a name that Common Crawl will not give.
const (
	crawl   = "BENCH-MAIN-2023-14"
	segment = "1679296943471.24"
)

// archives creates the archives of a subset: warc or robotstxt.
func archives(out, subset string, n int) ([]*archive, error) {
	list := make([]*archive, n)
	for i := range list {
		name := fmt.Sprintf("%s-20230320083513-20230320113513-%05d.warc.gz", crawl, i)
		path := filepath.Join(out, "crawl-data", crawl, "segments", segment, subset, name)
		a, err := newArchive(path, subset+name)
		if err != nil {
			return nil, err
		}
		list[i] = a
	}
	return list, nil
}

// closeAll finishes the archives and returns the first error.
func closeAll(list []*archive) error {
	var failed []error
	for _, a := range list {
		failed = append(failed, a.close())
	}
	return errors.Join(failed...)
}
