// Command corpus writes the archives of the benchmark, in the layout of Common Crawl. Each capture has a request, a
// response and a metadata record, each in its own gzip member of level 6.
//
//	corpus -pages FOLDER -o DIR    pages of unpacked documentation, and a generated corpus of robots.txt
//	corpus -series DIR             archives with one growing quantity: size of the file, of the record, …
//	corpus -member SHAPE -size N   one gzip member of N bytes of content, to standard output
//
// The same input gives the same bytes: random choices have a fixed seed. Their shares are in the tables of pages.go and
// robots.go.
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

type flags struct {
	pages, out, member, series      string
	files, robots, robotsFiles, max int
	sites                           int
	size                            int64
}

func run(args []string, stdout io.Writer) error {
	var f flags
	set := flag.NewFlagSet("corpus", flag.ContinueOnError)
	set.StringVar(&f.pages, "pages", "", "`FOLDER` of unpacked packages with HTML files")
	set.StringVar(&f.out, "o", "", "output `DIR`")
	set.IntVar(&f.files, "files", 4, "number `N` of archives of pages")
	set.IntVar(&f.max, "max-pages", 0, "take only `N` pages; 0: all")
	set.IntVar(&f.robots, "robots", 60_000, "number `N` of captures of /robots.txt")
	set.IntVar(&f.robotsFiles, "robots-files", 4, "number `N` of archives of robots.txt")
	set.IntVar(&f.sites, "sites", 0, "number `N` of sites with a robots.txt, distributed as real ones are")
	set.StringVar(&f.series, "series", "", "write the series into `DIR` instead")
	set.StringVar(&f.member, "member", "",
		"write one gzip member instead: `SHAPE` is record (one record) or records (many)")
	set.Int64Var(&f.size, "size", 10<<30, "content of that member, `N` bytes")
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
	if err := errors.Join(writePages(f), writeRobots(f)); err != nil || f.sites == 0 {
		return err
	}
	return writeRobotsFiles(f)
}

// The crawl of the corpus: a name that Common Crawl will not use.
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
