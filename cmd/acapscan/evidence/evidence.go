// Package evidence finds the captures that decide about a site of a finished run, and reads captures again from their
// archives, for questions of package explain.
package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/acapscan/acapscan/analyze/explain"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/console"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/manifest"
)

// A Run is a finished run.
type Run struct {
	Dir      string // its name for people
	Store    storage.Store
	Manifest *manifest.Manifest
	Crawl    string         // look in this crawl only; "": in all
	Base     string         // folder or URL of archives that are not where the tables say; "": none
	Remote   *remote.Client // reads archives of other machines
}

// AddRecord adds the capture at an offset of an archive to the question: a robots.txt, or a page.
func AddRecord(
	ctx context.Context, q *explain.Question, archive string, offset int64, client *remote.Client,
) error {
	c, err := read(ctx, client, archive, place{Offset: offset})
	if err != nil {
		return err
	}
	doc, err := document(archive, offset, c)
	if err != nil {
		return err
	}
	if q.At.IsZero() {
		q.At = c.Time
	}
	if !c.IsRobots() {
		if q.Page.Name != "" || q.Page.Headers > 0 {
			return pipeline.Usagef("the record at --offset is a page, so --page and --header do not fit")
		}
		q.Page, q.URL = doc, cmp.Or(q.URL, c.URL)
		return nil
	}
	if q.Robots != nil || q.Status != 0 {
		return pipeline.Usagef("the record at --offset is a robots.txt, so --robots and --robots-status do not fit")
	}
	q.URL = cmp.Or(q.URL, c.Site+"/")
	if c.Status/100 == 2 || c.Status == 0 {
		q.Robots = doc
	} else if c.Status >= 400 {
		q.Status = c.Status
	}
	return nil
}

// AddSite adds the captures that decide about the URL of the question: the latest capture of the page, if table pages
// has it, and the robots.txt in force then. Without a URL it is the robots.txt that decides for the site. name is that
// of a site or a host; "": the site of the URL.
func (r *Run) AddSite(ctx context.Context, q *explain.Question, name string) error {
	if name == "" {
		u, ok := weburl.Split(q.URL)
		if !ok {
			return pipeline.Usagef("%w", explain.NotAURL(q.URL))
		}
		name = u.Site()
	}
	of, err := r.findSite(ctx, name)
	if err != nil {
		return err
	}
	captures, err := r.findRobots(ctx, of)
	if err != nil {
		return err
	}
	var pages []page
	if q.URL == "" {
		q.URL = of.Name + "/" // as in rows of permissions about a site, which leave out its front page
	} else if pages, err = r.findPages(ctx, of, q.URL); err != nil {
		return err
	}
	moment := cmp.Or(q.At, endOfTime)
	if len(pages) > 0 {
		latest := slices.MaxFunc(pages, func(a, b page) int { return a.Time.Compare(b.Time) })
		c, err := r.read(ctx, latest.place)
		if err != nil {
			return err
		}
		if q.Page, err = document(latest.Filename, latest.Offset, c); err != nil {
			return err
		}
		moment = cmp.Or(q.At, latest.Time, endOfTime)
		q.At = cmp.Or(q.At, latest.Time)
	}
	all, err := r.findFiles(ctx, of)
	if err != nil {
		return err
	}
	if err := r.addReservations(ctx, q, of, all, moment); err != nil {
		return err
	}
	answer := inForce(captures, moment, q.Parsing.Without)
	if answer == nil {
		return nil
	}
	q.At = cmp.Or(q.At, answer.Time)
	if err := r.addRobots(ctx, q, answer); err != nil {
		return err
	}
	return r.addReferred(ctx, q, answer, all)
}

// addReservations adds the tdmrep.json of the site that is in force at a moment: the one that decides (R-TDM-3).
func (r *Run) addReservations(ctx context.Context, q *explain.Question, of site, all files, moment time.Time) error {
	at, ok := all.at(of.Name+parse.ReservationPath, moment, q.Parsing.Without)
	if !ok {
		return nil
	}
	c, err := r.read(ctx, at)
	if err == nil {
		q.TDMRep, err = document(at.Filename, at.Offset, c)
	}
	return err
}

// addReferred adds the files that the robots.txt of the question refers to (R-REF-1), if the tables have a statement of
// them.
func (r *Run) addReferred(ctx context.Context, q *explain.Question, answer *robots, all files) error {
	if q.Robots == nil {
		return nil
	}
	var known []string
	for _, ref := range parse.ReadRobots(q.Robots.Body, false, q.Parsing).References {
		url, ok := weburl.Resolve(answer.URL, ref.Locator)
		if !ok || slices.Contains(known, ref.Locator) {
			continue
		}
		known = append(known, ref.Locator)
		at, ok := all.at(url, answer.Time, q.Parsing.Without)
		if !ok {
			continue
		}
		c, err := r.read(ctx, at)
		if err != nil {
			return err
		}
		q.Referred = append(q.Referred, explain.Referred{Locator: ref.Locator, Body: c.Body})
	}
	return nil
}

// findSite returns the only site of a name.
func (r *Run) findSite(ctx context.Context, name string) (only site, err error) {
	found, err := r.findSites(ctx, name)
	if err != nil {
		return only, err
	}
	var sites, crawls []string
	for _, s := range found {
		sites, crawls = append(sites, s.Name), append(crawls, s.Crawl)
	}
	name = console.Printable(name)
	switch sites = sorted(sites); {
	case len(sites) == 0:
		return only, fmt.Errorf("the run in %s has no site %s", r.Dir, name)
	case len(sites) > 1:
		return only, pipeline.Usagef("--site %s names several sites: %s", name, console.List(sites))
	case len(crawls) > 1:
		return only, pipeline.Usagef("%s is in several crawls; choose one with --crawl: %s", name, console.List(crawls))
	}
	return found[0], nil
}

// endOfTime is after all captures.
var endOfTime = time.Unix(1<<40, 0)

// sorted sorts names, and drops repeated ones.
func sorted(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// addRobots adds the answer to the request for the robots.txt.
func (r *Run) addRobots(ctx context.Context, q *explain.Question, answer *robots) error {
	status := func(canonical int) int {
		if answer.Status/100 == canonical/100 {
			return answer.Status
		}
		return canonical // the status of the capture is that of a redirect, or there is none
	}
	switch {
	case answer.Outcome.Is(terms.OutcomeAbsent):
		q.Status = status(404)
	case answer.Outcome.Is(terms.OutcomeForbidden):
		q.Status = status(403)
	case answer.Outcome.Is(terms.OutcomeUnreachable):
		q.Status = status(503)
	case answer.Outcome.Is(terms.OutcomeRules), answer.Outcome.Is(terms.OutcomeNoRules),
		answer.Outcome.Is(terms.OutcomeNotRobots):
		c, err := r.read(ctx, answer.place)
		if err != nil {
			return err
		}
		if c.Body == nil && answer.Digest != "" {
			at, ok, err := r.findBody(ctx, answer.Digest)
			if err != nil || !ok {
				return cmp.Or(err, fmt.Errorf("%s, offset %d: the record has no body, and table robots names no other "+
					"record with it", answer.Filename, answer.Offset))
			}
			if c, err = r.read(ctx, at); err != nil {
				return err
			}
		}
		q.Robots, err = document(answer.Filename, answer.Offset, c)
		return err
	}
	return nil
}

// read reads a capture of a run. An archive that is not where the tables say is below --base-url.
func (r *Run) read(ctx context.Context, at place) (*capture.Capture, error) {
	archive := r.input(at.Filename)
	c, err := read(ctx, r.Remote, archive, at)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
	case r.Base == "":
		err = fmt.Errorf("%w; --base-url says where the archives are", err)
	default:
		c, err = read(ctx, r.Remote, strings.TrimSuffix(r.Base, "/")+"/"+at.Filename, at)
	}
	return c, err
}
