package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/analyze/explain"
	"github.com/acapscan/acapscan/cmd/acapscan/evidence"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/console"
	"github.com/acapscan/acapscan/internal/terms"
)

// evidenceFlags name captures instead of files.
type evidenceFlags struct {
	s3Flags
	offset int64
	site   string
	crawl  string
	base   string
}

func (f *evidenceFlags) add(flags *pflag.FlagSet) {
	flags.Int64Var(&f.offset, "offset", -1, "explain the capture at this `OFFSET` of ARCHIVE (warc_record_offset)")
	flags.StringVar(&f.site, "site", "", "explain this `SITE` of DIR, such as https://example.com, or example.com")
	flags.StringVar(&f.crawl, "crawl", "", "explain the site as it was in the crawl `NAME` of DIR")
	flags.StringVar(&f.base, "base-url", "",
		"`BASE` of the archives that DIR names: https://data.commoncrawl.org/, s3://commoncrawl/ or a folder")
	f.s3Flags.add(flags)
	f.addGiveUp(flags)
}

// check returns an error for flags that do not fit together.
func (f *explainFlags) check(cmd *cobra.Command, args []string) error {
	files := slices.ContainsFunc([]string{"robots", "robots-status", "page", "header", "media-type",
		"robots-media-type"}, cmd.Flags().Changed)
	record := cmd.Flags().Changed("offset")
	switch {
	case len(args) == 0 && (record || f.site != "" || f.crawl != "" || f.base != ""):
		return pipeline.Usagef("--offset needs an archive, and --site, --crawl and --base-url the folder of a run: " +
			"acapscan explain ARCHIVE --offset N, or acapscan explain DIR --site SITE")
	case len(args) == 0 && f.url == "":
		return pipeline.Usagef("--url is missing")
	case record && (f.site != "" || f.crawl != ""):
		return pipeline.Usagef("--offset is for an archive, and --site and --crawl are for the folder of a run")
	case record && f.offset < 0:
		return pipeline.Usagef("--offset %d is negative", f.offset)
	case len(args) == 1 && !record && f.site == "" && f.url == "":
		return pipeline.Usagef("explain %s needs --offset N if it is an archive, and --site SITE or --url URL "+
			"if it is the folder of a run", args[0])
	case len(args) == 1 && !record && files:
		return pipeline.Usagef("--robots, --page and their flags exclude a folder: " +
			"the captures of a run come from its archives")
	}
	return nil
}

// document makes a document of a capture.
func document(name string, offset int64, c *capture.Capture) (*explain.Document, error) {
	name = fmt.Sprintf("%s, offset %d", name, offset)
	if c.Summary != nil {
		return nil, fmt.Errorf("%s: a WAT has only a summary of the page; explain its WARC", name)
	}
	mediaType := c.MimeType + "; charset=utf-8" // the body is decoded
	return &explain.Document{
		Name: name, Body: c.Body, Headers: len(c.Header), Fact: markup.Page(c.Body, mediaType, c.Header),
	}, nil
}

// addRecord adds the capture at --offset of an archive to the question: a robots.txt, or a page.
func (f *explainFlags) addRecord(ctx context.Context, q *explain.Question, archive string) error {
	c, err := f.read(ctx, archive, evidence.Place{Offset: f.offset})
	if err != nil {
		return err
	}
	doc, err := document(archive, f.offset, c)
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

// addSite adds the captures of a finished run that decide about --url: the latest capture of the page, if table pages
// has it, and the robots.txt in force then. Without --url it is the robots.txt that decides for the site.
func (f *explainFlags) addSite(ctx context.Context, q *explain.Question, run *evidence.Run, dir string) error {
	site := f.site
	if site == "" {
		u, ok := weburl.Split(f.url)
		if !ok {
			return pipeline.Usagef("--url %q is no http or https URL", f.url)
		}
		site = u.Site()
	}
	of, err := findSite(ctx, run, site, dir)
	if err != nil {
		return err
	}
	captures, err := run.FindRobots(ctx, of)
	if err != nil {
		return err
	}
	var pages []evidence.Page
	if q.URL == "" {
		q.URL = of.Name + "/" // as in rows of permissions about a site, which leave out its front page
	} else if pages, err = run.FindPages(ctx, of, q.URL); err != nil {
		return err
	}
	moment := cmp.Or(q.At, endOfTime)
	if len(pages) > 0 {
		page := slices.MaxFunc(pages, func(a, b evidence.Page) int { return a.Time.Compare(b.Time) })
		c, err := f.readOf(ctx, run, page.Place)
		if err != nil {
			return err
		}
		if q.Page, err = document(page.Filename, page.Offset, c); err != nil {
			return err
		}
		moment = cmp.Or(q.At, page.Time, endOfTime)
		q.At = cmp.Or(q.At, page.Time)
	}
	robots := evidence.InForce(captures, moment, f.without.rules)
	if robots == nil {
		return nil
	}
	q.At = cmp.Or(q.At, robots.Time)
	return f.addRobots(ctx, q, run, robots)
}

// findSite returns the only site of a name.
func findSite(ctx context.Context, run *evidence.Run, name, dir string) (site evidence.Site, err error) {
	found, err := run.FindSites(ctx, name)
	if err != nil {
		return site, err
	}
	var sites, crawls []string
	for _, s := range found {
		sites, crawls = append(sites, s.Name), append(crawls, s.Crawl)
	}
	name = console.Printable(name)
	switch sites = sorted(sites); {
	case len(sites) == 0:
		return site, fmt.Errorf("the run in %s has no site %s", dir, name)
	case len(sites) > 1:
		return site, pipeline.Usagef("--site %s names several sites: %s", name, console.List(sites))
	case len(crawls) > 1:
		return site, pipeline.Usagef("%s is in several crawls; choose one with --crawl: %s", name, console.List(crawls))
	}
	return found[0], nil
}

// endOfTime is after all captures.
var endOfTime = time.Unix(1<<40, 0)

// sorted sorts names, and drops repeated ones.
func sorted(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// addRobots adds the answer to the request for the robots.txt.
func (f *explainFlags) addRobots(
	ctx context.Context, q *explain.Question, run *evidence.Run, robots *evidence.Robots,
) error {
	status := func(canonical int) int {
		if robots.Status/100 == canonical/100 {
			return robots.Status
		}
		return canonical // the status of the capture is that of a redirect, or there is none
	}
	switch {
	case robots.Outcome.Is(terms.OutcomeAbsent):
		q.Status = status(404)
	case robots.Outcome.Is(terms.OutcomeForbidden):
		q.Status = status(403)
	case robots.Outcome.Is(terms.OutcomeUnreachable):
		q.Status = status(503)
	case robots.Outcome.Is(terms.OutcomeRules), robots.Outcome.Is(terms.OutcomeNoRules),
		robots.Outcome.Is(terms.OutcomeNotRobots):
		c, err := f.readOf(ctx, run, robots.Place)
		if err != nil {
			return err
		}
		if c.Body == nil && robots.Digest != "" {
			at, ok, err := run.FindBody(ctx, robots.Digest)
			if err != nil || !ok {
				return cmp.Or(err, fmt.Errorf("%s, offset %d: the record has no body, and table robots names no other "+
					"record with it", robots.Filename, robots.Offset))
			}
			if c, err = f.readOf(ctx, run, at); err != nil {
				return err
			}
		}
		q.Robots, err = document(robots.Filename, robots.Offset, c)
		return err
	}
	return nil
}

// readOf reads a capture of a run. An archive that is not where the tables say is below --base-url.
func (f *explainFlags) readOf(ctx context.Context, run *evidence.Run, at evidence.Place) (*capture.Capture, error) {
	archive := run.Input(at.Filename)
	c, err := f.read(ctx, archive, at)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
	case f.base == "":
		err = fmt.Errorf("%w; --base-url says where the archives are", err)
	default:
		c, err = f.read(ctx, strings.TrimSuffix(f.base, "/")+"/"+at.Filename, at)
	}
	return c, err
}

// read reads a capture of an archive.
func (f *explainFlags) read(ctx context.Context, archive string, at evidence.Place) (*capture.Capture, error) {
	far := remoteFlags{s3Flags: f.s3Flags, rate: remote.DefaultRate}
	client, err := far.client()
	if err != nil {
		return nil, err
	}
	inputs, err := source.List(ctx, source.Request{Args: []string{archive}, Remote: client})
	if err != nil {
		return nil, err
	}
	if len(inputs) != 1 {
		return nil, pipeline.Usagef("--offset needs one archive, and %s is several", archive)
	}
	return evidence.Read(ctx, inputs[0], at)
}

// open opens the folder of a finished run. Flags that are not given have the values of the run.
func (f *explainFlags) open(cmd *cobra.Command, dir string) (*evidence.Run, error) {
	stores, err := f.stores(noteTo(cmd))
	if err != nil {
		return nil, err
	}
	store, m, err := stores.OpenRun(cmd.Context(), dir)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"strict", "refuse", "without", "body-metas", "profile", "other"} {
		if cmd.Flags().Changed(name) || m.Options[name] == "" {
			continue
		}
		values := []string{m.Options[name]}
		if name == "refuse" || name == "without" { // these flags are repeated
			values = strings.Split(values[0], ",")
		}
		for _, value := range values {
			if err := cmd.Flags().Set(name, strings.TrimSpace(value)); err != nil {
				store.Close()
				return nil, fmt.Errorf("option %s of the run in %s: %w", name, dir, err)
			}
		}
	}
	return &evidence.Run{Store: store, Manifest: m, Crawl: f.crawl}, nil
}
