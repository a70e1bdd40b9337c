//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
)

// measureInside is the part of this program that runs as a process of its own:
//
//	inflate WHAT FILE      decompresses the members of FILE, or its content as one huge member; prints an inflating
//	found FOLDER           prints the counts of the Python surveys, from facts
//	profile OUTPUT FILE…   writes a processor profile of extract to OUTPUT
//	tables OUTPUT FILE…    writes that of making the tables of what extract found
//	allocations FILE…      prints objects allocated and records read
func measureInside(ctx context.Context, what string, args []string, stdout io.Writer) error {
	runtime.GOMAXPROCS(1)
	switch what {
	case "inflate":
		x, err := measureInflating(args[0], args[1])
		if err != nil {
			return err
		}
		return json.NewEncoder(stdout).Encode(x)
	case "found":
		found, err := countFolder(args[0])
		if err != nil {
			return err
		}
		return json.NewEncoder(stdout).Encode(found)
	case "profile":
		return writeProfile(args[0], func() error {
			_, err := extract(ctx, args[1:])
			return err
		})
	case "tables":
		return profileTables(ctx, args[0], args[1:])
	case "allocations":
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read, err := extract(ctx, args)
		if err != nil {
			return err
		}
		runtime.ReadMemStats(&after)
		_, err = fmt.Fprintf(stdout, `{"objects": %d, "bytes": %d, "records": %d}`, after.Mallocs-before.Mallocs,
			after.TotalAlloc-before.TotalAlloc, read.Records)
		return err
	}
	return fmt.Errorf("unknown measurement %q", what)
}

// writeProfile writes the processor profile of a function to a file.
func writeProfile(path string, do func() error) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		return err
	}
	err = do()
	pprof.StopCPUProfile()
	return errors.Join(err, out.Close())
}

// profileTables runs stage 1, and writes the profile of stage 2.
func profileTables(ctx context.Context, path string, files []string) error {
	folder, err := os.MkdirTemp("", "acapscan-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	found := filepath.Join(folder, "facts")
	if _, err := extractTo(ctx, files, found); err != nil {
		return err
	}
	set, err := facts.Open([]string{found})
	if err != nil {
		return err
	}
	out, err := dataset.Create(storage.NewFolder(filepath.Join(folder, "tables")), dataset.Options{})
	if err != nil {
		return err
	}
	defer out.Abort()
	return writeProfile(path, func() error {
		_, err := analyzerun.Run(ctx, set, filepath.Join(folder, "sorted"), out, analyzerun.Options{Workers: 1})
		return err
	})
}

// extract runs stage 1 into a temporary folder.
func extract(ctx context.Context, files []string) (extractrun.Summary, error) {
	folder, err := os.MkdirTemp("", "acapscan-bench-")
	if err != nil {
		return extractrun.Summary{}, err
	}
	defer os.RemoveAll(folder)
	return extractTo(ctx, files, folder)
}

func extractTo(ctx context.Context, files []string, folder string) (extractrun.Summary, error) {
	inputs, err := source.Expand(ctx, files, nil)
	if err != nil {
		return extractrun.Summary{}, err
	}
	return extractrun.Run(ctx, inputs, folder, extractrun.Options{Workers: 1})
}
