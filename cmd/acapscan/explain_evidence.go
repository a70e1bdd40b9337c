package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/cmd/acapscan/evidence"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/remote"
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
	files := slices.ContainsFunc([]string{"robots", "robots-status", "page", "tdmrep", "header", "media-type",
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
		return pipeline.Usagef("--robots, --page, --tdmrep and their flags exclude a folder: " +
			"the captures of a run come from its archives")
	}
	return nil
}

// client reads archives on other machines.
func (f *evidenceFlags) client(cmd *cobra.Command) (*remote.Client, error) {
	far := remoteFlags{s3Flags: f.s3Flags, rate: remote.DefaultRate}
	return far.client(noteTo(cmd))
}

// open opens the folder of a finished run. Flags that are not given have the values of the run.
func (f *evidenceFlags) open(cmd *cobra.Command, dir string, client *remote.Client) (*evidence.Run, error) {
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
	return &evidence.Run{
		Dir: dir, Store: store, Manifest: m, Crawl: f.crawl, Base: f.base, Remote: client,
	}, nil
}
