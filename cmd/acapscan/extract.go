package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/source"
)

type extractVerbFlags struct {
	runFlags
	inputFlags
	extractFlags
	remoteFlags
	pageBodies bool
}

func newExtract() *cobra.Command {
	var f extractVerbFlags
	cmd := &cobra.Command{
		Use:   "extract [INPUT…] -o FACTS",
		Short: "Read archives into facts, stage 1 of scan",
		Long: `Read archives into facts: every robots.txt, the directives of pages as written, and counters of everything
else. It is the long stage; analyze makes tables of facts as often as you like. FACTS is a folder or s3://BUCKET/KEY for
files named *.facts, or - for one Arrow IPC stream on standard output. Inputs are those of scan.

Run the same command again to continue an interrupted run. The tasks of an array job run the same command, each with
another --shard, into one folder. When all shards are done, run resolve, and then analyze --bucket.
` + exitStatusArchives,
		Example: "  acapscan extract crawl-data/ -o facts\n" +
			"  acapscan extract a.warc.gz -o - | acapscan analyze - -o out",
		Args: f.given,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.dry {
				return f.dryRun(cmd, args, &f.extractFlags, &f.remoteFlags, f.MinComplete)
			}
			return f.reported(cmd, &f.s3Flags, func() error { return f.run(cmd, args) })
		},
	}
	f.runFlags.add(cmd.Flags(), "output `FACTS`: a folder, s3://BUCKET/KEY, or - for standard output; required")
	f.inputFlags.add(cmd.Flags())
	f.inputFlags.addShard(cmd.Flags())
	f.extractFlags.add(cmd.Flags())
	f.remoteFlags.add(cmd.Flags())
	cmd.Flags().BoolVar(&f.pageBodies, "page-bodies", false,
		"keep the bodies of pages in the place of a robots.txt, for analyze --without R-LEX-7")
	f.addGiveUp(cmd.Flags())
	return cmd
}

func (f *extractVerbFlags) run(cmd *cobra.Command, args []string) error {
	share, err := f.share()
	if err != nil {
		return err
	}
	if err := f.checkStream(cmd); err != nil {
		return err
	}
	corpus, err := f.corpus(cmd, args, &f.inputFlags, &f.remoteFlags, f.Note)
	if err != nil {
		return err
	}
	if f.pageBodies {
		corpus.Options.Extract.PageBodies, corpus.Settings["page-bodies"] = true, "true"
	}
	return f.Extract(cmd.Context(), corpus, share, cmd.OutOrStdout())
}

// extractFlags change the facts.
type extractFlags struct {
	pages         string
	crawl, subset string
}

func (f *extractFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.pages, "pages", "default",
		"pages with a row: acap (those with ACAP), `default` (also those with a restrictive directive) or all")
	flags.StringVar(&f.crawl, "crawl", "",
		"`NAME` of the crawl of all inputs; default: from their paths, or their warcinfo")
	flags.StringVar(&f.subset, "subset", "",
		"`NAME` of the kind of archive file, such as robotstxt; default: from the paths")
}

var pageSets = map[string]extract.PageSet{
	"acap": extract.PagesACAP, "default": extract.PagesDefault, "all": extract.PagesAll,
}

func (f *extractFlags) options() (opts extractrun.Options, err error) {
	pages, ok := pageSets[f.pages]
	if !ok {
		return opts, pipeline.Usagef("--pages is acap, default or all, not %q", f.pages)
	}
	if err := checkPartition("--crawl", f.crawl); err != nil {
		return opts, err
	}
	opts = extractrun.Options{Extract: extract.Options{Pages: pages}, Crawl: f.crawl, Subset: f.subset}
	return opts, checkPartition("--subset", f.subset)
}

// maxPartition bounds the name of a crawl or subset in bytes, because it names a folder.
const maxPartition = 100

func checkPartition(flag, name string) error {
	if len(name) > maxPartition || !utf8.ValidString(name) || strings.TrimSpace(name) != name ||
		strings.ContainsFunc(name, unicode.IsControl) {
		return pipeline.Usagef("%s %q is no name: at most %d bytes of text, "+
			"with neither blanks around it nor control characters", flag, name, maxPartition)
	}
	return nil
}

// corpus lists the inputs, with the options for them. notify reports servers that do not answer.
func (f *extractFlags) corpus(
	cmd *cobra.Command, args []string, in *inputFlags, far *remoteFlags, notify func(sentence string),
) (c pipeline.Corpus, err error) {
	if c.Options, err = f.options(); err != nil {
		return c, err
	}
	if c.Inputs, err = in.list(cmd, args, far, notify); err != nil {
		return c, err
	}
	c.Args, c.Listings, c.Settings = args, slices.Concat(in.paths, in.records), f.settings(c.Inputs)
	return c, nil
}

// settings are the options that change the facts, with a digest of the coordinates of single records.
func (f *extractFlags) settings(inputs []source.Input) map[string]string {
	return map[string]string{
		"pages": f.pages, "crawl": f.crawl, "subset": f.subset, "records": pipeline.DigestCoordinates(inputs),
	}
}
