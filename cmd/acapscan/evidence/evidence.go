// Package evidence finds the captures that decide about a site of a finished run, and reads captures again from their
// archives.
package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// A Place is where a capture is in the archives.
type Place struct {
	Filename string // warc_filename
	Offset   int64  // warc_record_offset, in bytes
	URL      string // of the capture, because several records can share a compressed member; "": the first
}

// maxRecord limits the bytes of an archive that Read requests.
const maxRecord = 1 << 36

// Read reads the capture at a place of an archive, with its whole body. It ignores the Filename.
func Read(ctx context.Context, in source.Input, at Place) (*capture.Capture, error) {
	archived := in.Locate()
	body, err := archived.OpenRange(ctx, source.Range{Offset: at.Offset, Length: maxRecord})
	var c *capture.Capture
	if err == nil {
		c, err = readCapture(body, at.Offset, at)
	}
	var lost *archive.RecordError
	if errors.As(err, &lost) { // a zstd frame can need the dictionary at the beginning of the archive
		if body, err = archived.Open(ctx); err == nil {
			c, err = readCapture(body, 0, at)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s, offset %d: %w", in.Name, at.Offset, err)
	}
	return c, nil
}

// readCapture reads the capture at a place from bytes of an archive that begin at an offset. It closes body.
func readCapture(body io.ReadCloser, base int64, at Place) (*capture.Capture, error) {
	defer body.Close() // it was read only
	records, err := archive.NewReader(body, archive.Options{Base: base, Ignore: capture.Ignores})
	if err != nil {
		return nil, err
	}
	captures := capture.NewReader(capture.Options{})
	missing := errors.New("no record begins there")
	for {
		record, err := records.Next()
		var lost *archive.RecordError
		switch {
		case errors.As(err, &lost) && lost.Offset < at.Offset, err == nil && record.Offset < at.Offset:
			continue
		case err == io.EOF, err == nil && record.Offset > at.Offset:
			return nil, missing
		case err != nil:
			return nil, err
		}
		c, err := captures.Read(record)
		var skip capture.Skip
		switch {
		case errors.As(err, &skip):
			missing = fmt.Errorf("the record is no capture: %w", skip)
		case err != nil:
			return nil, err
		case at.URL == "" || c.URL == at.URL:
			return c, nil
		default:
			missing = fmt.Errorf("the record has the URL %q, not %q", c.URL, at.URL)
		}
	}
}

// A Site is a site in a crawl.
type Site struct{ Name, Crawl string }

// siteRow has the columns of table adoption that FindSites needs.
type siteRow struct {
	Site string `parquet:"site,plain"`
	Host string `parquet:"url_host_name,plain"`
}

// A Robots is a capture of the robots.txt of a site, from table robots.
type Robots struct {
	Outcome table.RobotsOutcome
	Status  int // HTTP status of the capture, 0 if unknown
	Time    time.Time
	Digest  string // body_digest, "" without a body
	Place          // of the capture that answered, after redirects
}

// robotsRow has the columns of table robots that FindRobots needs.
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

// pageRow has the columns of table pages that FindPages needs.
type pageRow struct {
	URL      *string    `parquet:"url,optional,plain"`
	Time     *time.Time `parquet:"fetch_time,optional,timestamp(millisecond)"`
	Filename *string    `parquet:"warc_filename,optional,dict"`
	Offset   *int64     `parquet:"warc_record_offset,optional"`
}

// A Run is a finished run.
type Run struct {
	Store    storage.Store
	Manifest *manifest.Manifest
	Crawl    string // look in this crawl only; "": in all
}

// FindSites returns the sites of a name, which is that of a site or of a host. A host can have several sites.
func (r *Run) FindSites(ctx context.Context, name string) (found []Site, err error) {
	name = strings.ToLower(strings.TrimSuffix(name, "/"))
	err = each(ctx, r, table.Adoptions, func(crawl string, row *siteRow) {
		if row.Site == name || row.Host == name {
			found = append(found, Site{row.Site, crawl})
		}
	})
	return found, err
}

// FindRobots returns the captures of the robots.txt of a site, in the order of the table.
func (r *Run) FindRobots(ctx context.Context, site Site) (found []Robots, err error) {
	err = each(ctx, r, table.RobotsTxt, func(crawl string, row *robotsRow) {
		if crawl != site.Crawl || row.Site != site.Name {
			return
		}
		place := placeOf(row.Filename, row.Offset, row.URL)
		if row.AnsweredFilename != nil {
			place = placeOf(row.AnsweredFilename, row.AnsweredOffset, row.AnsweredURL)
		}
		found = append(found, Robots{row.Outcome, int(deref(row.Status)), deref(row.Time), deref(row.Digest), place})
	})
	return found, err
}

// FindBody returns a capture of a robots.txt that has the body with a digest itself. A revisit has it in another
// record.
func (r *Run) FindBody(ctx context.Context, digest string) (at Place, ok bool, err error) {
	err = each(ctx, r, table.RobotsTxt, func(_ string, row *robotsRow) {
		if !ok && deref(row.Digest) == digest && row.AnsweredFilename == nil && !row.Type.Is(terms.RecordRevisit) {
			at, ok = placeOf(row.Filename, row.Offset, row.URL), true
		}
	})
	return at, ok, err
}

// InForce returns the capture that is in force at a moment (R-SITE-1), nil if there is none. captures are those of one
// site in one crawl.
func InForce(captures []Robots, moment time.Time, without policy.RuleSet) *Robots {
	list := slices.DeleteFunc(slices.Clone(captures), func(r Robots) bool { return !r.conclusive() })
	if len(list) == 0 || without.Has(policy.RuleInForce) {
		list = slices.Clone(captures)
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b Robots) int { return a.Time.Compare(b.Time) })
	at := inforce.NewCaptures(without, nil).Index(len(list), moment.UnixMilli(),
		func(i int) int64 { return list[i].Time.UnixMilli() })
	return &list[at]
}

// conclusive reports whether the server answered the request for a robots.txt (R-SITE-1).
func (r *Robots) conclusive() bool {
	return slices.ContainsFunc([]terms.RobotsOutcome{
		terms.OutcomeRules, terms.OutcomeNoRules, terms.OutcomeAbsent, terms.OutcomeForbidden,
	}, r.Outcome.Is)
}

// A Page is a capture of a page, from table pages.
type Page struct {
	Time time.Time
	Place
}

// FindPages returns the captures of a page that have a row in table pages, in the order of the table.
func (r *Run) FindPages(ctx context.Context, site Site, url string) (found []Page, err error) {
	err = each(ctx, r, table.Pages, func(crawl string, row *pageRow) {
		if crawl == site.Crawl && deref(row.URL) == url {
			found = append(found, Page{deref(row.Time), placeOf(row.Filename, row.Offset, row.URL)})
		}
	})
	return found, err
}

// Input returns the name of the input with a Filename, as the run was given it.
func (r *Run) Input(filename string) string {
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
		if crawl := crawlOf(file); ok && of == name && (r.Crawl == "" || r.Crawl == crawl) {
			if err := eachRow(ctx, r.Store, file, func(row *T) { add(crawl, row) }); err != nil {
				return fmt.Errorf("table %s cannot be read: %w", name, err)
			}
		}
	}
	return nil
}

func eachRow[T any](ctx context.Context, store storage.Store, file manifest.Output, add func(*T)) error {
	part, err := dataset.OpenPart[T](store, file)
	if err != nil {
		return err
	}
	defer part.Close() // it was read only
	rows := make([]T, 1024)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := part.Read(rows)
		for i := range rows[:n] {
			add(&rows[i])
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// crawlOf reads the crawl of a part file from its path.
func crawlOf(file manifest.Output) string {
	for _, folder := range strings.Split(file.Path, "/") {
		if value, ok := strings.CutPrefix(folder, "crawl="); ok {
			if name, err := url.PathUnescape(value); err == nil {
				return name
			}
		}
	}
	return ""
}

func placeOf(filename *string, offset *int64, url *string) Place {
	return Place{Filename: deref(filename), Offset: deref(offset), URL: deref(url)}
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
