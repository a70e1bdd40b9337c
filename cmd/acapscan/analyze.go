package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/arrow"
	"github.com/acapscan/acapscan/output/dataset"
)

type analyzeFlags struct {
	runFlags
	surveyFlags
	s3Flags
	formatFlag
	bucket string
}

func newAnalyze() *cobra.Command {
	var f analyzeFlags
	cmd := &cobra.Command{
		Use:   "analyze FACTS… -o DIR",
		Short: "Make the seven tables of facts, the second stage of scan",
		Long: `Make the seven tables of facts: decide permissions, find conflicts, classify adoption. FACTS is a folder that extract
made, a facts file, or - for an Arrow IPC stream on standard input. DIR is a folder, or - for seven Arrow IPC streams on
standard output, one after another, each named in its schema metadata.

The tasks of an array job each make a --bucket of the sites, into one folder that they share, with the same command but
for the bucket; FACTS are then two folders, that of extract and that of resolve. A finished bucket is not made again.
Nothing is there to be read before complete has been run, once all buckets are finished.
` + exitStatusArchives,
		Example: "  acapscan analyze facts -o out\n  acapscan extract a.warc.gz -o - | acapscan analyze - -o - >tables.arrows",
		Args:    atLeast(1, "a folder of facts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.reported(cmd, func(r *reporter) error {
				return f.run(cmd.Context(), args, cmd.Flags(), cmd.InOrStdin(), cmd.OutOrStdout(), r)
			})
		},
	}
	f.runFlags.add(cmd.Flags(), "output folder `DIR`, or - for standard output; needed")
	f.surveyFlags.add(cmd.Flags())
	f.formatFlag.add(cmd.Flags())
	f.s3Flags.add(cmd.Flags())
	cmd.Flags().StringVar(&f.bucket, "bucket", "", "make bucket `I/N` of the sites only, from 0/N on; you choose N")
	return cmd
}

func (f *analyzeFlags) run(ctx context.Context, args []string, flags *pflag.FlagSet, stdin io.Reader, stdout io.Writer, tell *reporter) error {
	surveying, err := f.options()
	if err != nil {
		return err
	}
	format, err := f.chosen()
	if err != nil {
		return err
	}
	if f.output == source.Stdin && f.format != "" {
		return usageError{errors.New("--format is for folders; -o - writes Arrow IPC streams")}
	}
	if f.bucket != "" {
		return f.runBucket(ctx, args, flags, surveying, format, tell)
	}
	work, err := os.MkdirTemp("", "acapscan-analyze-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	asked, err := f.ask(ctx, args, stdin, filepath.Join(work, "stdin"), true)
	if err != nil {
		return err
	}
	store := asked.store
	m := newManifest(f.named(surveying))
	m.Options["format"] = string(format)
	if m.Options["facts"], err = asked.digest(ctx, f.workers); err != nil {
		return err
	}
	dir := f.output
	if dir == source.Stdin {
		dir = filepath.Join(work, "out")
	} else {
		if err := checkTables(dir); err != nil {
			return err
		}
		if err := checkArray(dir, f.overwrite); err != nil {
			return err
		}
		if done, err := finished(dir, m, "", &f.runFlags, tell); done || err != nil {
			return err
		}
		release, err := hold(dir, storage.Alone)
		if err != nil {
			return err
		}
		defer release()
		// An interrupted scan into the same folder may have left its facts.
		if err := os.RemoveAll(scanFacts(dir)); err != nil {
			return err
		}
	}
	out, err := dataset.Resume(dir, planOfTables(m, store), datasetOptions(format))
	if err != nil {
		return err
	}
	defer out.Abort()
	found, err := judgeFacts(ctx, store, filepath.Join(dir, dataset.WorkFolder, "sorted"), out, &f.runFlags, surveying, tell)
	if err != nil {
		return err
	}
	if err := commitRun(out, m, found); err != nil {
		return err
	}
	if f.output == source.Stdin {
		if err := dataset.Stream(dir, m, stdout); err != nil {
			return err
		}
	}
	return summarize(tell, m, found, 0, f.minComplete)
}

// openFacts opens folders and files of facts, and a stream on standard input, which is written to a folder first: stage 2 reads
// its facts more than once.
func openFacts(args []string, stdin io.Reader, folder string) (*facts.Store, error) {
	var paths []string
	spooled := false
	for _, arg := range args {
		if arg != source.Stdin {
			if err := checkFacts(arg); err != nil {
				return nil, err
			}
			paths = append(paths, arg)
			continue
		}
		if spooled {
			continue
		}
		spooled = true
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		if err := spool(stdin, folder); err != nil {
			return nil, err
		}
		paths = append(paths, folder)
	}
	store, err := facts.OpenStore(paths)
	if errors.Is(err, facts.ErrNoFacts) {
		return nil, fmt.Errorf("%s: %w; extract makes them", paths[0], err)
	}
	return store, err
}

// checkFacts tells of a path that is not there, and of folders whose facts an interrupted run left.
func checkFacts(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file or folder %q", path)
	}
	return facts.Check(path)
}

func spool(stdin io.Reader, folder string) error {
	in, err := arrow.NewReader[facts.Fact](stdin)
	if err == io.EOF {
		return errors.New("standard input is empty: there is no stream of facts")
	}
	if err != nil {
		return fmt.Errorf("standard input is no stream of facts: %w", err)
	}
	if err := facts.CheckStream(in.Metadata()); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	out := facts.Create(filepath.Join(folder, "stdin"), facts.WriterOptions{CreatedBy: createdBy})
	for {
		batch, err := in.Read()
		if err == io.EOF {
			return out.Close()
		}
		if err != nil {
			return fmt.Errorf("the stream of facts on standard input is damaged: %w", err)
		}
		for i := range batch {
			if err := out.Write(&batch[i]); err != nil {
				return err
			}
		}
	}
}

// digestFacts tells one set of facts from another: it is the digest of those of its files, of which several are read at a time.
func digestFacts(ctx context.Context, store *facts.Store, workers int) (string, error) {
	files := store.Files()
	sums := make([][sha256.Size]byte, len(files))
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	err := parallel.Run(ctx, workers, len(files), func(ctx context.Context) parallel.Worker {
		return parallel.Worker{Do: func(i int) error {
			sum := sha256.New()
			if err := digestFile(ctx, sum, files[i]); err != nil {
				return err
			}
			sums[i] = [sha256.Size]byte(sum.Sum(nil))
			return nil
		}}
	})
	if err != nil {
		return "", err
	}
	all := sha256.New()
	for _, sum := range sums {
		all.Write(sum[:])
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// digestFile adds a file to a sum. Files of a whole crawl take minutes: it ends when ctx does.
func digestFile(ctx context.Context, sum io.Writer, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(sum, untilDone{ctx, f})
	return err
}

// untilDone reads until its context ends.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (r untilDone) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}
