package facts

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/output/arrow"
)

// FuzzStore reads facts files as they may come back from a cluster: an error or facts of the bucket asked for, never a
// panic.
func FuzzStore(f *testing.F) {
	good, err := os.ReadFile(write(f, filepath.Join(f.TempDir(), "x"), someFacts(40), WriterOptions{})[0])
	check(f, err)
	f.Add(good, uint8(0))
	f.Add(good[:len(good)-1], uint8(1))
	f.Add([]byte("PAR1\x00\x00\x00\x00PAR1"), uint8(2))
	f.Add([]byte(fileMark+fileMark+fileMark), uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, bucket uint8) {
		file := filepath.Join(t.TempDir(), "x"+Extension)
		check(t, os.WriteFile(file, b, 0o600))
		store, err := Open([]string{file})
		if err != nil {
			return
		}
		const buckets = 4
		lo, hi := extsort.Bucket(int(bucket%buckets), buckets)
		list, err := bucketOf(t, store, int(bucket%buckets), buckets)
		if err != nil {
			return
		}
		for i := range list {
			if list[i].SiteHash < lo || list[i].SiteHash > hi || i > 0 && Compare(&list[i-1], &list[i]) > 0 {
				t.Fatalf("fact %d of %d is out of its bucket, or out of order", i, len(list))
			}
		}
	})
}

// FuzzIndex reads indexes with right checksums: an error, or blocks that lie in the file.
func FuzzIndex(f *testing.F) {
	x := index{createdBy: "p"}
	x.sections[Policies] = section{records: 3, blocks: []extsort.Block{{At: 8, Fields: 10, Bodies: 20, First: 5,
		Last: 7}}}
	f.Add(x.append(nil), int64(46))
	f.Fuzz(func(t *testing.T, text []byte, start int64) {
		x, err := parseIndex(text, start)
		if err != nil {
			return
		}
		for _, section := range x.sections {
			for _, b := range section.blocks {
				if b.At < int64(len(fileMark)) || b.End() < b.At || b.End() > start {
					t.Fatalf("the block %+v is not before %d", b, start)
				}
			}
		}
	})
}

// FuzzRecord reads records as a damaged disk may give them: an error, or a fact that has the same record again but for
// what no fact says.
func FuzzRecord(f *testing.F) {
	for _, fact := range someFacts(20) {
		f.Add(appendFields(nil, &fact))
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		var fact, again Fact
		hasBody, err := readFields(record, &fact)
		if err != nil {
			return
		}
		if hasBody {
			fact.Body = []byte{}
		}
		hasBodyAgain, err := readFields(appendFields(nil, &fact), &again)
		check(t, err)
		if hasBodyAgain {
			again.Body = []byte{}
		}
		again.NoACAP = fact.NoACAP // depends on the body
		if diff := cmp.Diff(fact, again); diff != "" {
			t.Fatalf("(-read +written and read):\n%s", diff)
		}
	})
}

// FuzzStream reads facts as they come through a pipe.
func FuzzStream(f *testing.F) {
	var pipe bytes.Buffer
	w, err := arrow.NewWriter[Fact](&pipe, StreamMetadata())
	check(f, err)
	check(f, w.Write(someFacts(12)))
	check(f, w.Close())
	f.Add(pipe.Bytes())
	f.Add(pipe.Bytes()[:pipe.Len()/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := arrow.NewReader[Fact](bytes.NewReader(b))
		if err != nil {
			return
		}
		if err := CheckStream(r.Metadata()); err != nil {
			return
		}
		for {
			batch, err := r.Read()
			if err != nil {
				return
			}
			for i := range batch {
				batch[i].Size() // looks at all of it
			}
		}
	})
}
