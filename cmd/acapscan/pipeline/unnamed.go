package pipeline

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/console"
	"github.com/acapscan/acapscan/output/table"
)

// maxGroups bounds the places in unnamedCrawls. A warning names fewer.
const maxGroups = 1000

// unnamedCrawls collects the places of inputs without a crawl name: neither the path, nor the warcinfo, nor --crawl
// gives one. The tables count all of them as one crawl. Their bytes do not show whether they are one; two places are a
// reason to ask.
type unnamedCrawls struct {
	args     []string // folders and files as given
	listings []string // of --paths and --records

	mu     sync.Mutex
	groups map[string]bool // folders, listings, standard input
}

func newUnnamedCrawls(c Corpus) *unnamedCrawls {
	return &unnamedCrawls{args: c.Args, listings: c.Listings, groups: map[string]bool{}}
}

// add adds an input without a crawl. Several workers may call it at a time.
func (u *unnamedCrawls) add(in source.Input) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if in.Listed { // any of the listings may name it
		for _, name := range u.listings {
			u.groups[name] = true
		}
		return
	}
	if len(u.groups) < maxGroups {
		u.groups[u.place(in.Name)] = true
	}
}

// place is the argument, if it is a folder with the input, or else the folder of the file or of the URL.
func (u *unnamedCrawls) place(name string) string {
	if name == source.Stdin {
		return "standard input"
	}
	place := parent(name)
	for _, arg := range u.args {
		if folder := clean(arg); inFolder(clean(name), folder) {
			place = folder
		}
	}
	return place
}

// parent is the folder of a file or of a URL.
func parent(name string) string {
	if scheme, rest, ok := strings.Cut(name, "://"); ok {
		return scheme + "://" + path.Dir(rest)
	}
	return clean(filepath.Dir(name))
}

// clean is the one spelling of a folder. URLs only lose their last slash.
func clean(name string) string {
	if strings.Contains(name, "://") {
		return strings.TrimRight(name, "/")
	}
	return filepath.ToSlash(filepath.Clean(name))
}

// inFolder reports whether a name is below a folder, at any depth.
func inFolder(name, folder string) bool {
	if folder == "." {
		return !path.IsAbs(name) && name != "." && !strings.HasPrefix(name, "../") && !strings.Contains(name, "://")
	}
	return strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/")
}

// places lists the places, sorted. One below another is part of it.
func (u *unnamedCrawls) places() (list []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for name := range u.groups {
		inside := false
		for other := range u.groups {
			inside = inside || inFolder(name, other)
		}
		if !inside {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// warn says that inputs of several places count as one crawl.
func (u *unnamedCrawls) warn(report *progress.Reporter) { warnUnnamed(report, "inputs", u.places()) }

// warnUnnamed says that inputs, or facts, of several places count as one crawl.
func warnUnnamed(report *progress.Reporter, what string, places []string) {
	if len(places) < 2 {
		return
	}
	report.Note("the %s of %s name no crawl and count as one crawl, %s; if they are several crawls, "+
		"run 'acapscan extract --crawl NAME' for each, then 'acapscan analyze' with all their facts",
		what, console.List(places), table.LocalCrawl)
}

// unnamed lists the arguments with facts of inputs without a crawl name, sorted. Folders of facts below one argument
// are one, as folders of archives are.
func (a *factsArgs) unnamed() (places []string) {
	for _, folder := range a.all.Unnamed() {
		place := clean(folder)
		for _, arg := range a.names {
			if inFolder(place, clean(arg)) {
				place = clean(arg)
			}
		}
		places = append(places, place)
	}
	slices.Sort(places)
	return slices.Compact(places)
}
