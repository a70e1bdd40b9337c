package extractrun

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
)

// record returns a WARC record as a gzip member. Lines of header are added to those that every record has.
func record(kind, uri, block string, header ...string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: %s\r\n", kind)
	if uri != "" {
		fmt.Fprintf(z, "WARC-Target-URI: %s\r\n", uri)
	}
	for _, line := range header {
		fmt.Fprintf(z, "%s\r\n", line)
	}
	fmt.Fprintf(z, "WARC-Date: 2012-05-17T08:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
	z.Close() // into memory: no error
	return b.Bytes()
}

// response returns a response record.
func response(uri string, status int, mediaType, body string, header ...string) []byte {
	return record("response", uri, fmt.Sprintf("HTTP/1.1 %d \r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		status, mediaType, len(body), body),
		header...)
}

// warcinfo returns a warcinfo record with these fields.
func warcinfo(fields string) []byte { return record("warcinfo", "", fields) }

func archiveOf(records ...[]byte) []byte { return bytes.Join(records, nil) }

// bytesInput returns an input in memory.
func bytesInput(name string, content []byte) source.Input {
	return source.New(name, int64(len(content)), opener(func() io.Reader { return bytes.NewReader(content) }))
}

// opener returns a new reader for each Open.
type opener func() io.Reader

func (o opener) Open(context.Context) (io.ReadCloser, error) { return io.NopCloser(o()), nil }

// read runs the stage and returns all facts, in the order of the files.
func read(t *testing.T, inputs []source.Input, opts Options) ([]facts.Fact, Summary) {
	t.Helper()
	folder := t.TempDir()
	for i := range inputs {
		inputs[i].Place = i
	}
	sum, err := Run(t.Context(), inputs, folder, opts)
	if err != nil {
		t.Fatal(err)
	}
	return allFacts(t, folder), sum
}

func allFacts(t *testing.T, folder string) []facts.Fact {
	t.Helper()
	store, err := facts.Open([]string{folder})
	if err != nil {
		t.Fatal(err)
	}
	var list []facts.Fact
	if err := store.Scan(func(f *facts.Fact) error { list = append(list, *f); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// ofKind returns the facts of a kind.
func ofKind(list []facts.Fact, kind facts.Kind) []facts.Fact {
	return slices.DeleteFunc(slices.Clone(list), func(f facts.Fact) bool { return f.Kind != kind })
}

// onlyInput returns the one input fact.
func onlyInput(t *testing.T, list []facts.Fact) facts.Fact {
	t.Helper()
	inputs := ofKind(list, facts.KindInput)
	if len(inputs) != 1 {
		t.Fatalf("%d input facts, want 1", len(inputs))
	}
	return inputs[0]
}

func countsOf(f facts.Fact) map[string]int64 {
	counts := map[string]int64{}
	for _, c := range f.Counts {
		counts[c.Name] += c.Value
	}
	return counts
}

// files returns the content of every file in a folder, by name.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		content[e.Name()] = string(b)
	}
	return content
}

func names(content map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(content)), " ")
}
