package facts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/storage/storagetest"
)

// However many inputs share facts, there are about 512 batches, or one for each shard; and of a few inputs each is
// alone, so that a kill costs least.
func TestBatchSize(t *testing.T) {
	for _, inputs := range []int{0, 1, 100, 512, 513, 1100, 90_000, 180_000, 10_000_000} {
		for _, shards := range []int{0, 1, 3, 64, 100, 128, 150, 200, 512, 600} {
			p := job.Plan{Shards: shards, Count: inputs, Batch: BatchSize(inputs, shards)}
			if n := p.Batches(); n > max(usualBatches*4/3, shards) || n > inputs {
				t.Errorf("%d inputs of %d shards have %d batches", inputs, shards, n)
			}
			if inputs <= usualBatches/2 && p.Batch != 1 {
				t.Errorf("of %d inputs of %d shards, %d are done together", inputs, shards, p.Batch)
			}
		}
	}
	if n := BatchSize(180_000, 100); n != 360 {
		t.Errorf("a batch of a crawl has %d inputs", n)
	}
}

// batched writes inputs into a store, in batches of three, and returns its files.
func batched(t *testing.T, opts WriterOptions, inputs [][]Fact) map[string]string {
	t.Helper()
	at := storagetest.Stores(t)["memory"]()()
	defer at.Close()
	p := plan()
	for i := range inputs {
		p.Items = append(p.Items, job.Item{Name: fmt.Sprint(i)})
	}
	p.Batch = 3
	sink, err := OpenSink(at, p, job.Options{})
	check(t, err)
	for batch := range sink.Plan.Batches() {
		var writers []*Writer
		for _, input := range sink.Plan.ItemsOf(batch) {
			w := sink.Create(input, opts)
			for _, f := range inputs[input] {
				check(t, w.Write(&f))
			}
			check(t, w.Close())
			writers = append(writers, w)
		}
		check(t, sink.Finish(t.Context(), batch, job.DoneMarker{Summary: json.RawMessage("{}")}, writers...))
	}
	if left, err := filepath.Glob(filepath.Join(sink.stage, "*0*"+Extension+"*")); err != nil || len(left) > 0 {
		t.Errorf("on the stage are %v, %v", left, err)
	}
	return storagetest.Contents(t, at)
}

// The inputs of a batch share one file, which is the one that a Writer of all their facts would write, however often
// their Writers wrote; or as few files as the limit allows.
func TestMergedFacts(t *testing.T) {
	all := someFacts(2400)
	inputs := [][]Fact{all[:700], nil, all[700:900], all[900:]}
	once := batched(t, WriterOptions{}, inputs)
	if _, ok := once["000000-000.facts"]; !ok || len(once) != 1+2*2 { // the plan; a file and a marker of each batch
		t.Errorf("there are %d files", len(once))
	}
	for _, run := range []int{1, 20_000, 300_000} { // of one fact each: more than are merged at once
		if diff := cmp.Diff(once, batched(t, WriterOptions{RunBytes: run}, inputs)); diff != "" {
			t.Errorf("runs of %d bytes: the files differ", run)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "w"), append(all[:700:700], all[700:900]...), WriterOptions{})
	content, err := os.ReadFile(filepath.Join(dir, "w-000"+Extension))
	check(t, err)
	if string(content) != once["000000-000.facts"] {
		t.Error("the file is not that of one Writer")
	}
	limit := int64(40_000)
	limited := batched(t, WriterOptions{RunBytes: 20_000, MergedBytes: limit}, inputs)
	files := 0
	for name, text := range limited {
		if filepath.Ext(name) == Extension {
			files++
			if int64(len(text)) > limit {
				t.Errorf("%s has %d bytes", name, len(text))
			}
		}
	}
	if whole := len(once["000000-000.facts"]) + len(once["000001-000.facts"]); files < 3 || files > 4*whole/int(limit) {
		t.Errorf("%d bytes are in %d files", whole, files)
	}
}

// A merge ends with the context, and leaves no file that looks finished.
func TestMergeEnds(t *testing.T) {
	at := storage.NewFolder(t.TempDir())
	defer at.Close()
	sink, err := OpenAnswers(at, job.Plan{Program: "acapscan 1", Schema: SchemaVersion, Count: 1})
	check(t, err)
	w := sink.Create(0, WriterOptions{RunBytes: 10_000})
	for _, f := range someFacts(300) {
		check(t, w.Write(&f))
	}
	check(t, w.Close())
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := errors.New("it is enough")
	cancel(ended)
	if err := sink.Finish(ctx, 0, job.DoneMarker{}, w); !errors.Is(err, ended) {
		t.Errorf("the error is %v", err)
	}
	if missing, err := sink.Missing(); err != nil || len(missing) != 1 {
		t.Errorf("missing are %v, %v", missing, err)
	}
}

// A far store counts the reads of its files, each of which is a request.
type far struct {
	storage.Store
	reads *int
}

func (far) Local() bool { return false }

func (f far) OpenAt(name string, size int64) (storage.ReaderAt, error) {
	at, err := f.Store.OpenAt(name, size)
	return countedReads{at, f.reads}, err
}

type countedReads struct {
	storage.ReaderAt
	reads *int
}

func (c countedReads) ReadAt(p []byte, off int64) (int, error) {
	*c.reads++
	return c.ReaderAt.ReadAt(p, off)
}

// A bucket reads the index of a merged file and its part of each class, each with one request.
func TestBucketReadsAClassAtOnce(t *testing.T) {
	const buckets = 4
	dir := t.TempDir()
	list := someFacts(1000)
	noise := rand.NewChaCha8([32]byte{})
	for i := range list {
		f := &list[i]
		f.SiteHash = int64(noise.Uint64() >> 1)
		if f.Body != nil {
			f.Body = make([]byte, 40_000) // which do not shrink
			noise.Read(f.Body)
		}
	}
	name := write(t, filepath.Join(dir, "x"), list, WriterOptions{RunBytes: 1 << 30})[0]
	info, err := os.Stat(name)
	check(t, err)
	if info.Size() <= wholeBytes {
		t.Fatalf("the file has %d bytes, and is read at once", info.Size())
	}
	reads, classes := 0, map[Class]bool{}
	for _, f := range list {
		classes[classOf(f.Kind)] = true
	}
	set := &Set{files: []setFile{{far{storage.NewFolder(dir), &reads}, job.File{Name: filepath.Base(name),
		Bytes: info.Size()}}}}
	found := 0
	for bucket := range buckets {
		reads = 0
		check(t, set.Range(extsort.Bucket(bucket, buckets)).Scan(func(*Fact) error { found++; return nil }))
		if want := 1 + len(classes); reads != want {
			t.Errorf("bucket %d: %d reads of %d classes, want %d", bucket, reads, len(classes), want)
		}
	}
	if found != len(list) {
		t.Errorf("%d facts, want %d", found, len(list))
	}
}
