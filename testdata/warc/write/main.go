// Command write makes the archives of testdata/warc, and the README.md that says what each shows.
//
//	go run ./testdata/warc/write -o testdata/warc
//
// It uses the standard library only and neither clock nor chance: the content of every archive is the same on every run and
// machine. The compressed form of the good archives is compress/gzip's, which may change between versions of Go; the damaged
// ones, and coded bodies, are stored without compression, so that a flipped bit stays where it was put.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("write", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("o", "", "folder to write good/, damaged/ and README.md to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() > 0 {
		return errors.New("give the folder to write to with -o, and nothing else")
	}
	return collect().write(*out)
}

// collect makes everything.
func collect() *collection {
	c := &collection{}
	addStory(c)
	addSeries(c)
	addRobots(c)
	addSiteConflicts(c)
	addAnswers(c)
	addPages(c)
	addTransfers(c)
	addWATs(c)
	addFramings(c)
	addARC(c)
	addDamages(c)
	addHostile(c)
	slices.SortFunc(c.files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return c
}

// A collection is all archives, and what must be seen in them.
type collection struct {
	files []file
	sites []site
	pages []page

	clashes []clash
}

// A file is one archive.
type file struct {
	path    string // below the output folder, with slashes
	shows   string
	data    []byte
	records int      // that a reader must return, those that turn out damaged included
	lost    int      // of records that end in an error
	defects []string // codes of package archive that a reader must report, each once
}

// A site is a robots.txt with what a scan must say of its site.
type site struct {
	crawl   string // as the tables name it
	name    string // scheme, host, port
	outcome string // robots_outcome
	class   string // adoption_class
	shows   string
	folder  string // of its archive: good, series, hostile
}

// A page is a page capture with what a scan must say of it.
type page struct {
	crawl     string
	url       string
	conflicts []string // kinds that must be among the page's rows in conflicts
	shows     string
}

// A clash is a kind of conflict, where it occurs and where it must not.
type clash struct {
	kind, severity, winner string // as the table conflicts has them
	at                     string // a site, or the URL of a page
	nearMiss               string // likewise: no row of this kind at all
	differ                 string // what the near miss has otherwise
}

// write writes the archives and the README.
func (c *collection) write(dir string) error {
	for _, f := range c.files {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(f.path)), f.data); err != nil {
			return err
		}
	}
	return writeFile(filepath.Join(dir, "README.md"), c.readme())
}

func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}
