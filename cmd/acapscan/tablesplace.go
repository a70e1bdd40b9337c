package main

import (
	"context"
	"fmt"

	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
)

// A tablesPlace is where the tables of an array job go.
type tablesPlace interface {
	fmt.Stringer
	// isLocal tells whether it is of this machine: then it is locked while it is held, and other programs may have written its tables.
	isLocal() bool
	// manifest is that of finished tables. The error wraps manifest.ErrNotComplete where there are none.
	manifest() (*manifest.Manifest, error)
	// check tells of what a run would replace although no run made it.
	check() error
	// hold keeps others away until release, as far as that is possible.
	hold(mode storage.Mode, note func(format string, args ...any)) (release func(), err error)
	// plan is that of buckets which wait. The error wraps fs.ErrNotExist where there is none.
	plan() (*dataset.Plan, error)
	// join begins with a bucket, and tells whether it is finished. work is a folder of this machine for what is not.
	join(work string, plan dataset.Plan, bucket int, opts dataset.Options) (w *dataset.Writer, finished bool, err error)
	// open opens the buckets that wait; work is as for join.
	open(work string, opts dataset.Options) (*dataset.Writer, error)
	// drop removes what a run left whose tables are finished: killed before its end, it could not.
	drop()
}

// tables returns the place of that name.
func (f *s3Flags) tables(ctx context.Context, name string) (tablesPlace, error) {
	if !remote.IsS3(name) {
		return tablesFolder(name), nil
	}
	store, err := f.folder(ctx, name)
	if err != nil {
		return nil, err
	}
	return storedTables{store}, nil
}

// A tablesFolder is a folder of this machine, by its name. What is not finished lies in it.
type tablesFolder string

func (t tablesFolder) String() string { return string(t) }
func (t tablesFolder) isLocal() bool  { return true }

func (t tablesFolder) manifest() (*manifest.Manifest, error) { return manifest.Read(string(t)) }

func (t tablesFolder) check() error { return checkTables(string(t)) }

func (t tablesFolder) hold(mode storage.Mode, _ func(format string, args ...any)) (release func(), err error) {
	return hold(string(t), mode)
}

func (t tablesFolder) plan() (*dataset.Plan, error) { return dataset.ReadPlan(string(t)) }

func (t tablesFolder) join(_ string, plan dataset.Plan, bucket int, opts dataset.Options) (*dataset.Writer, bool, error) {
	return dataset.Join(string(t), plan, bucket, opts)
}

func (t tablesFolder) open(_ string, opts dataset.Options) (*dataset.Writer, error) {
	return dataset.OpenShared(string(t), opts)
}

func (t tablesFolder) drop() { dropFacts(string(t)) }

// storedTables are in a folder of S3, where nothing is locked.
type storedTables struct{ *remote.Folder }

func (t storedTables) isLocal() bool { return false }

func (t storedTables) manifest() (*manifest.Manifest, error) { return manifest.ReadFrom(t) }

func (t storedTables) check() error { return dataset.CheckIn(t) }

// hold holds nothing. It tells of a service where of two tasks that put the same the last wins.
func (t storedTables) hold(_ storage.Mode, note func(format string, args ...any)) (release func(), err error) {
	return func() {}, probe(t.Folder, note)
}

func (t storedTables) plan() (*dataset.Plan, error) { return dataset.ReadPlanIn(t) }

func (t storedTables) join(work string, plan dataset.Plan, bucket int, opts dataset.Options) (*dataset.Writer, bool, error) {
	return dataset.JoinTo(t, work, plan, bucket, opts)
}

func (t storedTables) open(work string, opts dataset.Options) (*dataset.Writer, error) {
	return dataset.OpenSharedIn(t, work, opts)
}

func (t storedTables) drop() {
	_ = dataset.ClearIn(t) // it is in nobody's way
}
