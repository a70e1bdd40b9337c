//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/source"
)

// measureInside is the part of this program that runs as a process of its own:
//
//	inflate WHAT FILE      decompresses the members of FILE, or its content as one huge member; prints an inflating
//	found FOLDER           prints the counts of the Python surveys, from facts
//	profile OUTPUT FILE…   writes a processor profile to OUTPUT
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
		out, err := os.Create(args[0])
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(out); err != nil {
			return err
		}
		_, err = extract(ctx, args[1:])
		pprof.StopCPUProfile()
		if err != nil {
			return err
		}
		return out.Close()
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

// extract runs stage 1 into a temporary folder.
func extract(ctx context.Context, files []string) (extractrun.Summary, error) {
	inputs, err := source.Expand(ctx, files, nil)
	if err != nil {
		return extractrun.Summary{}, err
	}
	folder, err := os.MkdirTemp("", "acapscan-bench-")
	if err != nil {
		return extractrun.Summary{}, err
	}
	defer os.RemoveAll(folder)
	return extractrun.Run(ctx, inputs, folder, extractrun.Options{Workers: 1})
}
