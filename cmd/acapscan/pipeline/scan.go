package pipeline

import (
	"context"

	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
)

// Scan reads archives and writes the tables.
func (r *Run) Scan(ctx context.Context, corpus Corpus, tables Tables) error {
	unnamed := newUnnamedCrawls(corpus)
	corpus.Options.OnUnnamed = unnamed.add
	defer unnamed.warn(r.Report)
	m := r.newManifest(tables.Settings, corpus.Settings)
	m.Inputs = []manifest.Input{} // not nil, which would compare no inputs
	for _, in := range corpus.Inputs {
		planned := manifest.Input{Name: extractrun.Filename(in.Name)}
		if in.Size >= 0 && in.Records == nil {
			planned.Bytes = &in.Size
		}
		m.Inputs = append(m.Inputs, planned)
	}
	to, err := r.Open(ctx, r.Output)
	if err != nil {
		return err
	}
	defer to.Close()
	if err := checkTables(to, r.Overwrite); err != nil {
		return err
	}
	if done, err := r.finished(to, m, unrepeatable(corpus.Inputs)); done || err != nil {
		return err
	}
	release, err := r.lock(to, storage.Alone)
	if err != nil {
		return err
	}
	defer release()
	return describeMissing(to, r.orFinishedElsewhere(to, r.scan(ctx, to, corpus, tables, m)))
}

// scan does what the output folder lacks.
func (r *Run) scan(ctx context.Context, to storage.Store, corpus Corpus, tables Tables, m *manifest.Manifest) error {
	at := scanFacts(to)
	if planned, err := storage.Exists(at, job.PlanFile); err != nil {
		return err
	} else if !planned { // these facts are ours, and of unknown inputs
		if err := storage.RemoveAll(at, ""); err != nil {
			return err
		}
	}
	opts := job.Options{Overwrite: r.Overwrite, Continues: true, Name: to.String(), OrElse: orOverwrite(to)}
	sink, err := facts.OpenSink(at, r.planOfFacts(corpus.Inputs, m.Options), opts)
	if err != nil {
		return err
	}
	defer func() { // without a finished input there is nothing to continue
		if begun, err := sink.Begun(); err == nil && !begun {
			_ = storage.RemoveAll(at, "") // or the next run does it
		}
	}()
	read, err := r.extract(ctx, corpus.Inputs, sink, corpus.Options, r.analyzers())
	if err != nil {
		return err
	}
	set, err := facts.OpenFolder(at, true)
	if err != nil {
		return err
	}
	plan := r.planOfTables(m, set)
	plan.Options["facts"] = set.KnownDigest()
	found, err := r.makeTables(ctx, to, set, plan, m, tables)
	if err != nil {
		return err
	}
	// The tables are committed, so the facts can go. Killed before they are gone, the same command removes them.
	if err := storage.RemoveAll(at, ""); err != nil {
		return err
	}
	return r.summarize(m, found, read.Bytes-read.KeptBytes)
}
