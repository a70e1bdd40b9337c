package main

import (
	"context"

	"github.com/acapscan/acapscan/ingest/remote"
	placing "github.com/acapscan/acapscan/output/commit"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
)

// A tablesFolder is where the tables of an array job go: a folder of this machine, or of S3, where nothing is locked.
type tablesFolder struct {
	name  string
	store *remote.Folder // nil: of this machine
}

// tables returns the folder of that name.
func (f *s3Flags) tables(ctx context.Context, name string) (*tablesFolder, error) {
	if !remote.IsS3(name) {
		return &tablesFolder{name: name}, nil
	}
	store, err := f.folder(ctx, name)
	if err != nil {
		return nil, err
	}
	return &tablesFolder{name: store.String(), store: store}, nil
}

func (t *tablesFolder) String() string { return t.name }

// manifest is manifest.Read.
func (t *tablesFolder) manifest() (*manifest.Manifest, error) {
	if t.store != nil {
		return manifest.ReadFrom(t.store)
	}
	return manifest.Read(t.name)
}

// check is checkTables.
func (t *tablesFolder) check() error {
	if t.store != nil {
		return dataset.CheckIn(t.store)
	}
	return checkTables(t.name)
}

// hold is hold. In S3 it holds nothing, and a service that needs it is told of.
func (t *tablesFolder) hold(mode placing.Mode, note func(format string, args ...any)) (release func(), err error) {
	if t.store != nil {
		return func() {}, probe(t.store, note)
	}
	return hold(t.name, mode)
}

// plan is dataset.ReadPlan.
func (t *tablesFolder) plan() (*dataset.Plan, error) {
	if t.store != nil {
		return dataset.ReadPlanIn(t.store)
	}
	return dataset.ReadPlan(t.name)
}

// join is dataset.Join. What is not finished of tables in S3 lies below work.
func (t *tablesFolder) join(work string, plan dataset.Plan, bucket int, opts dataset.Options) (*dataset.Writer, bool, error) {
	if t.store != nil {
		return dataset.JoinTo(t.store, work, plan, bucket, opts)
	}
	return dataset.Join(t.name, plan, bucket, opts)
}

// open is dataset.OpenShared; work is as for join.
func (t *tablesFolder) open(work string, opts dataset.Options) (*dataset.Writer, error) {
	if t.store != nil {
		return dataset.OpenSharedIn(t.store, work, opts)
	}
	return dataset.OpenShared(t.name, opts)
}

// drop removes what a run left whose tables are finished: killed before its end, it could not.
func (t *tablesFolder) drop() {
	if t.store == nil {
		dropFacts(t.name)
		return
	}
	_ = dataset.ClearIn(t.store) // it is in nobody's way
}
