package evidence

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/table"
)

// A site is a site in a crawl.
type site struct{ Name, Crawl string }

// siteRow has the columns of table adoption that findSites needs.
type siteRow struct {
	Site string `parquet:"site,plain"`
	Host string `parquet:"url_host_name,plain"`
}

// A robots is a capture of the robots.txt of a site, from table robots.
type robots struct {
	Outcome table.RobotsOutcome
	Status  int // HTTP status of the capture, 0 if unknown
	Time    time.Time
	Digest  string // body_digest, "" without a body
	place          // of the capture that answered, after redirects
}

// robotsRow has the columns of table robots that findRobots needs.
type robotsRow struct {
	Site             string              `parquet:"site,plain"`
	URL              *string             `parquet:"url,optional,plain"`
	Time             *time.Time          `parquet:"fetch_time,optional,timestamp(millisecond)"`
	Status           *int16              `parquet:"fetch_status,optional"`
	Filename         *string             `parquet:"warc_filename,optional,dict"`
	Offset           *int64              `parquet:"warc_record_offset,optional"`
	Digest           *string             `parquet:"body_digest,optional,plain"`
	Type             table.RecordType    `parquet:"record_type,dict"`
	Outcome          table.RobotsOutcome `parquet:"robots_outcome,dict"`
	AnsweredURL      *string             `parquet:"answered_url,optional,plain"`
	AnsweredFilename *string             `parquet:"answered_warc_filename,optional,dict"`
	AnsweredOffset   *int64              `parquet:"answered_warc_record_offset,optional"`
}

// pageRow has the columns of table pages that findPages needs.
type pageRow struct {
	URL      *string    `parquet:"url,optional,plain"`
	Time     *time.Time `parquet:"fetch_time,optional,timestamp(millisecond)"`
	Filename *string    `parquet:"warc_filename,optional,dict"`
	Offset   *int64     `parquet:"warc_record_offset,optional"`
}

// directiveRow has the columns of table directives that findFiles needs.
type directiveRow struct {
	Site     string       `parquet:"site,plain"`
	Source   table.Source `parquet:"source,dict"`
	Time     *time.Time   `parquet:"fetch_time,optional,timestamp(millisecond)"`
	URL      *string      `parquet:"url,optional,plain"`
	Filename *string      `parquet:"warc_filename,optional,dict"`
	Offset   *int64       `parquet:"warc_record_offset,optional"`
}

// files are the captures of a site's policy files that table directives has rows of, by URLKey in order of time.
type files map[string][]file

type file struct {
	place
	from time.Time
}

// findFiles returns the captures of a site's policy files with a statement, referred files included. Equal files have
// rows for their first capture only.
func (r *Run) findFiles(ctx context.Context, of site) (files, error) {
	found := files{}
	err := each(ctx, r, table.Directives, func(crawl string, row *directiveRow) {
		fromFile := row.Source.Is(terms.SourceRobots) || row.Source.Is(terms.SourceTDMFile)
		if crawl != of.Crawl || row.Site != of.Name || !fromFile {
			return
		}
		f := file{placeOf(row.Filename, row.Offset, row.URL), deref(row.Time)}
		if key, ok := inforce.URLKey(f.URL); ok && !slices.Contains(found[key], f) { // each statement has a row
			found[key] = append(found[key], f)
		}
	})
	for _, versions := range found {
		slices.SortStableFunc(versions, func(a, b file) int { return a.from.Compare(b.from) })
	}
	return found, err
}

// at returns the capture of a URL that is in force at a moment (R-SITE-1); ok is false if there is none. The table does
// not tell that a file was gone or back by then.
func (f files) at(url string, moment time.Time, without policy.RuleSet) (at place, ok bool) {
	key, _ := inforce.URLKey(url)
	versions := f[key]
	if len(versions) == 0 {
		return at, false
	}
	i := inforce.NewCaptures(without, nil).Index(len(versions), moment.UnixMilli(),
		func(i int) int64 { return versions[i].from.UnixMilli() })
	return versions[i].place, true
}

// findSites returns the sites of a name, which is that of a site or of a host. A host can have several sites.
func (r *Run) findSites(ctx context.Context, name string) (found []site, err error) {
	name = strings.ToLower(strings.TrimSuffix(name, "/"))
	err = each(ctx, r, table.Adoptions, func(crawl string, row *siteRow) {
		if row.Site == name || row.Host == name {
			found = append(found, site{row.Site, crawl})
		}
	})
	return found, err
}

// findRobots returns the captures of the robots.txt of a site, in the order of the table.
func (r *Run) findRobots(ctx context.Context, of site) (found []robots, err error) {
	err = each(ctx, r, table.RobotsTxt, func(crawl string, row *robotsRow) {
		if crawl != of.Crawl || row.Site != of.Name {
			return
		}
		place := placeOf(row.Filename, row.Offset, row.URL)
		if row.AnsweredFilename != nil {
			place = placeOf(row.AnsweredFilename, row.AnsweredOffset, row.AnsweredURL)
		}
		found = append(found, robots{row.Outcome, int(deref(row.Status)), deref(row.Time), deref(row.Digest), place})
	})
	return found, err
}

// findBody returns a capture of a robots.txt that has the body with a digest itself. A revisit has it in another
// record.
func (r *Run) findBody(ctx context.Context, digest string) (at place, ok bool, err error) {
	err = each(ctx, r, table.RobotsTxt, func(_ string, row *robotsRow) {
		if !ok && deref(row.Digest) == digest && row.AnsweredFilename == nil && !row.Type.Is(terms.RecordRevisit) {
			at, ok = placeOf(row.Filename, row.Offset, row.URL), true
		}
	})
	return at, ok, err
}

// inForce returns the capture that is in force at a moment (R-SITE-1), nil if there is none. captures are those of one
// site in one crawl.
func inForce(captures []robots, moment time.Time, without policy.RuleSet) *robots {
	list := slices.DeleteFunc(slices.Clone(captures), func(r robots) bool { return !r.conclusive() })
	if len(list) == 0 || without.Has(policy.RuleInForce) {
		list = slices.Clone(captures)
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b robots) int { return a.Time.Compare(b.Time) })
	at := inforce.NewCaptures(without, nil).Index(len(list), moment.UnixMilli(),
		func(i int) int64 { return list[i].Time.UnixMilli() })
	return &list[at]
}

// conclusive reports whether the server answered the request for a robots.txt (R-SITE-1).
func (r *robots) conclusive() bool {
	outcome, _ := terms.Parse[terms.RobotsOutcome](string(r.Outcome))
	return outcome.IsConclusive()
}

// A page is a capture of a page, from table pages.
type page struct {
	Time time.Time
	place
}

// findPages returns the captures of a page that have a row in table pages, in the order of the table.
func (r *Run) findPages(ctx context.Context, of site, url string) (found []page, err error) {
	err = each(ctx, r, table.Pages, func(crawl string, row *pageRow) {
		if crawl == of.Crawl && deref(row.URL) == url {
			found = append(found, page{deref(row.Time), placeOf(row.Filename, row.Offset, row.URL)})
		}
	})
	return found, err
}

// input returns the name of the input with a Filename, as the run was given it.
func (r *Run) input(filename string) string {
	for _, in := range r.Manifest.Inputs {
		if extractrun.Filename(in.Name) == filename {
			return in.Name
		}
	}
	return filename
}

// each reads the rows of a table.
func each[T any](ctx context.Context, r *Run, name table.Name, add func(crawl string, row *T)) error {
	for _, file := range r.Manifest.Outputs {
		of, ok := file.Table()
		if crawl, _ := table.PartitionOf(file.Path); ok && of == name && (r.Crawl == "" || r.Crawl == crawl) {
			if _, err := dataset.EachRow(ctx, r.Store, file, func(row *T) { add(crawl, row) }); err != nil {
				return fmt.Errorf("table %s cannot be read: %w", name, err)
			}
		}
	}
	return nil
}

func placeOf(filename *string, offset *int64, url *string) place {
	return place{Filename: deref(filename), Offset: deref(offset), URL: deref(url)}
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
