package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/analyze/explain"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/cmd/acapscan/evidence"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/internal/console"
	"github.com/acapscan/acapscan/internal/terms"
)

type explainFlags struct {
	readingFlags
	pageFlags
	evidenceFlags
	robots     string
	robotsType string
	status     int
	referred   []string
	page       string
	tdmrep     string
	url        string
	agent      string
	purpose    string
	usage      string
	at         string
	json       bool
}

// pageFlags describe how the page in a file was served.
type pageFlags struct {
	mediaType string
	headers   []string
}

func (f *pageFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.mediaType, "media-type", "",
		"media `TYPE` of the page as served; default: XML if an XML declaration says so (R-PARSE-1)")
}

// read reads a page; the file may be "".
func (f *pageFlags) read(file string) (*explain.Document, error) {
	doc := &explain.Document{Name: file, Headers: len(f.headers)}
	var body []byte
	if file != "" {
		var err error
		if body, err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}
	var header capture.Header
	for _, field := range f.headers {
		name, value, ok := strings.Cut(field, ":")
		if !ok {
			return nil, pipeline.Usagef("--header %q is not of the form 'Name: value'", field)
		}
		header = append(header, capture.Field{Name: []byte(strings.TrimSpace(name)),
			Value: []byte(strings.TrimSpace(value))})
	}
	doc.Fact = markup.Page(body, f.mediaType, header)
	doc.Body = markup.Text(body, f.mediaType, header) // the offsets of the fact are in this text
	return doc, nil
}

// readRobots reads a robots.txt, or another policy file.
func readRobots(file, mediaType string) (*explain.Document, error) {
	body, err := os.ReadFile(file)
	return &explain.Document{Name: file, Body: markup.Text(body, mediaType, nil)}, err
}

func newExplain() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain [ARCHIVE --offset N | DIR --site SITE] [--robots FILE] [--page FILE] [--url URL]",
		Short: "Say what a crawler may do with a URL, and why",
		Long: `Say what a crawler may do with a URL, usage by usage, and why: the statements that decide and those that
lost, as written and in plain words; the rules, with the specification and section of each; decisions for single
elements of the page; other interpretations of the ACAP specifications, and purposes, that change the answer. Usages
with the same answer and the same reasons share a paragraph.

Robots.txt and page are files, or captures: ARCHIVE --offset N is one capture, of a page or of a robots.txt. DIR is the
folder of a finished run: --site or --url names a site, whose captures are read again from their archives, with the
options of the run: the page, the robots.txt in force, the files that it refers to, and tdmrep.json. The time is then
that of the capture.

Without --robots and --robots-status the robots.txt of the site counts as not captured. Without --referred the content
of a referred file is unknown (R-REF-1), and without --tdmrep the site has no tdmrep.json. Without --page only
the --header fields of the page are known. Without --at nothing expires. --json prints all statements and elements; the
text shows the first of many.
` + exitStatusText,
		Example: `  acapscan explain --robots robots.txt --url https://example.com/news/ --usage present-snippet
  acapscan explain --robots robots.txt --page page.html --header 'X-Robots-Tag: noindex' \
      --url https://example.com/news/1.html --agent SearchBot1 --at 2012-05-17 --json
  acapscan explain out --site example.com --usage crawl --agent gptbot
  acapscan explain CC-MAIN-20180819-00000.warc.gz --offset 5120`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.robots, "robots", "", "robots.txt `FILE` of the site")
	flags.IntVar(&f.status, "robots-status", 0,
		"HTTP `STATUS` of /robots.txt if there is no file, such as 404 or 503 (R-REP-3)")
	flags.StringVar(&f.robotsType, "robots-media-type", "",
		"media `TYPE` of the robots.txt as served; its charset may be UTF-16 or UTF-32 (R-LEX-1)")
	flags.StringArrayVar(&f.referred, "referred", nil,
		"file that a permissions-reference names, as `LOCATOR=FILE`; a path or a URL; repeatable")
	flags.StringVar(&f.page, "page", "", "page `FILE` as captured")
	flags.StringVar(&f.tdmrep, "tdmrep", "", "/.well-known/tdmrep.json `FILE` of the site (R-TDM-3)")
	f.pageFlags.add(flags)
	flags.StringArrayVar(&f.headers, "header", nil, "HTTP header `FIELD` of the page, as 'Name: value'; repeatable")
	flags.StringVar(&f.url, "url", "", "`URL` of the page; default: that of the capture")
	flags.StringVar(&f.agent, "agent", "*", "`NAME` of the crawler; *: any crawler")
	flags.StringVar(&f.purpose, "purpose", "", "`PURPOSE` of the crawl")
	flags.StringVar(&f.usage, "usage", "", "decide this `USAGE` only, such as index; default: all")
	flags.StringVar(&f.at, "at", "", "decide for this `TIME`: a date, or a time such as 2012-05-17T08:30:00Z")
	flags.BoolVar(&f.json, "json", false, "print a JSON object a line for each usage")
	f.addReading(flags)
	f.addPages(flags)
	f.addDeciding(flags)
	f.evidenceFlags.add(flags)
	return cmd
}

func (f *explainFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.check(cmd, args); err != nil {
		return err
	}
	client, err := f.client(cmd)
	if err != nil {
		return err
	}
	var run *evidence.Run
	if len(args) == 1 && f.offset < 0 {
		if run, err = f.open(cmd, args[0], client); err != nil {
			return err
		}
		defer run.Store.Close()
	}
	q, err := f.question()
	switch {
	case err != nil:
	case run != nil:
		err = run.AddSite(cmd.Context(), q, f.site)
	case len(args) == 1:
		err = evidence.AddRecord(cmd.Context(), q, args[0], f.offset, client)
	}
	if err != nil {
		return err
	}
	e, err := explain.New(*q)
	if err != nil {
		return pipeline.Usagef("%w", err)
	}
	if e.IsPage() { // the answer says so, too: a failed write does no harm
		_ = console.Say(cmd.ErrOrStderr(),
			q.Robots.Name+" is a page and no robots.txt, so nothing in it counts (R-LEX-7)")
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	write := e.WriteText
	if f.json {
		write = e.WriteJSON
	}
	return cmp.Or(write(out), out.Flush())
}

// question reads the files that the flags name.
func (f *explainFlags) question() (*explain.Question, error) {
	q := &explain.Question{
		URL: f.url, Agent: f.agent, Purpose: f.purpose, Status: f.status, Parsing: f.reading(),
		NestingOf: markup.Nesting,
	}
	var err error
	if q.Deciding, err = f.deciding(); err != nil {
		return nil, err
	}
	switch {
	case f.robots != "" && f.status != 0:
		return nil, pipeline.Usagef("--robots and --robots-status exclude each other: " +
			"the status is for an answer without a file")
	}
	if f.at != "" {
		if q.At, err = parseTime(f.at); err != nil {
			return nil, pipeline.Usagef("%w", err)
		}
	}
	if f.usage != "" {
		usage, ok := terms.Parse[terms.Usage](policy.LowerASCII(f.usage))
		if !ok {
			all := strings.Join(terms.Names[terms.Usage](), ", ")
			return nil, pipeline.Usagef("--usage %q is none of the usages %s%s", f.usage, all,
				console.Suggestion(f.usage, terms.Names[terms.Usage]()))
		}
		q.Usages = []policy.Usage{usage}
	}
	if f.robots != "" {
		if q.Robots, err = readRobots(f.robots, f.robotsType); err != nil {
			return nil, err
		}
	}
	if f.tdmrep != "" {
		if q.TDMRep, err = readRobots(f.tdmrep, ""); err != nil {
			return nil, err
		}
	}
	for _, given := range f.referred {
		cut := strings.LastIndexByte(given, '=') // a locator may have one too
		if cut < 0 || cut == len(given)-1 {
			return nil, pipeline.Usagef("--referred %q is not of the form LOCATOR=FILE", given)
		}
		body, err := os.ReadFile(given[cut+1:])
		if err != nil {
			return nil, err
		}
		q.Referred = append(q.Referred, explain.Referred{Locator: given[:cut], Body: body})
	}
	q.Page, err = f.pageFlags.read(f.page)
	return q, err
}

func parseTime(s string) (time.Time, error) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, s, time.UTC); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("--at %q is no date such as 2012-05-17 and no time such as 2012-05-17T08:30:00Z", s)
}
