package extractrun

import (
	"cmp"
	"path/filepath"
	"strings"
)

// An origin is where an input comes from: what its path tells of the crawl it belongs to.
type origin struct {
	filename string // as in Common Crawl's index: from crawl-data/ on, else the input as given
	crawl    string // "" if the path names none
	segment  string
	subset   string
}

// originOf reads the path of an input: crawl-data/CC-MAIN-2018-34/segments/1534221208676.20/robotstxt/NAME.warc.gz.
// Subset is "warc" where the path names none.
func originOf(name string) origin {
	parts := strings.Split(filepath.ToSlash(name), "/")
	o := origin{filename: filepath.ToSlash(name), subset: "warc"}
	for i, part := range parts {
		if part != "crawl-data" || i+1 >= len(parts)-1 {
			continue
		}
		o.filename = strings.Join(parts[i:], "/")
		o.crawl = parts[i+1]
		rest := parts[i+2 : len(parts)-1]
		for j, folder := range rest {
			if folder == "segments" && j+1 < len(rest) {
				o.segment = rest[j+1]
				if j+2 < len(rest) {
					o.subset = rest[j+2]
				}
			}
		}
		break
	}
	return o
}

// origin is that of an input under the options.
func (o Options) origin(name string) origin {
	from := originOf(name)
	from.crawl, from.subset = cmp.Or(o.Crawl, from.crawl), cmp.Or(o.Subset, from.subset)
	return from
}

// OriginOf returns the crawl and the subset that an input has under the options as far as its name tells; crawl is ""
// where only a warcinfo may.
func (o Options) OriginOf(name string) (crawl, subset string) {
	from := o.origin(name)
	return from.crawl, from.subset
}

// Filename is the name of an input in facts and tables: as in Common Crawl's index, from crawl-data/ on, where the path
// has it.
func Filename(name string) string { return originOf(name).filename }
