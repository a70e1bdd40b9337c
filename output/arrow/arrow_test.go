package arrow

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/acapscan/acapscan/output/rowtype/rowtest"
	"github.com/google/go-cmp/cmp"
)

type key struct {
	Host string `parquet:"host,dict"`
}

func appendStream[T any](t testing.TB, w io.Writer, rows []T, metadata map[string]string) {
	t.Helper()
	out, err := NewWriter[T](w, metadata)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func stream[T any](t testing.TB, rows []T) []byte {
	t.Helper()
	var b bytes.Buffer
	appendStream(t, &b, rows, nil)
	return b.Bytes()
}

func readStream[T any](in io.Reader) ([]T, error) {
	r, err := NewReader[T](in)
	if err != nil {
		return nil, err
	}
	var all []T
	for {
		rows, err := r.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		if len(rows) == 0 {
			return all, errors.New("Read gave no rows and no error")
		}
		all = append(all, rows...)
	}
}

func TestRoundTrip(t *testing.T) {
	tests := map[string][]rowtest.Every{
		"no rows":                    nil,
		"everything set":             {rowtest.Full()},
		"everything null or zero":    {rowtest.Empty()},
		"everything there but empty": {rowtest.Bare()},
		"all three": {rowtest.Empty(), rowtest.Full(), rowtest.Bare(), rowtest.Full(),
			rowtest.Empty()},
		"several batches": rowtest.Many(2*batchRows + 1),
	}
	for name, rows := range tests {
		t.Run(name, func(t *testing.T) {
			b := stream(t, rows)
			readers := map[string]io.Reader{
				"whole":        bytes.NewReader(b),
				"half at once": iotest.HalfReader(bytes.NewReader(b)),
				"with the end": iotest.DataErrReader(bytes.NewReader(b)),
			}
			for name, in := range readers {
				got, err := readStream[rowtest.Every](in)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if diff := rowtest.Diff(rows, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestWriteTidies(t *testing.T) {
	row, want := rowtest.Untidy()
	got, err := readStream[rowtest.Every](bytes.NewReader(stream(t, []rowtest.Every{row})))
	if err != nil {
		t.Fatal(err)
	}
	if diff := rowtest.Diff([]rowtest.Every{want}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again, _ := rowtest.Untidy(); rowtest.Diff([]rowtest.Every{again}, []rowtest.Every{row}) != "" {
		t.Error("the writer changed the caller's row")
	}
}

func TestStreamsFollowOneAnother(t *testing.T) {
	var pipe bytes.Buffer
	first, second := rowtest.Many(batchRows+1), []key{{"a"}, {"b"}}
	appendStream(t, &pipe, first, map[string]string{"table": "first"})
	appendStream(t, &pipe, second, map[string]string{"table": "second"})
	appendStream[key](t, &pipe, nil, nil)
	appendStream(t, &pipe, second, nil)

	in := iotest.HalfReader(&pipe)
	got1, err := readStream[rowtest.Every](in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := rowtest.Diff(first, got1); diff != "" {
		t.Errorf("first stream (-want +got):\n%s", diff)
	}
	for i, want := range [][]key{second, nil, second} {
		got, err := readStream[key](in)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stream %d (-want +got):\n%s", i+2, diff)
		}
	}
	if _, err := NewReader[key](in); err != io.EOF {
		t.Errorf("after the last stream: %v, want EOF itself", err)
	}
}

func TestReadStopsAtTheEndMarker(t *testing.T) {
	const rest = "what follows"
	in := strings.NewReader(string(stream(t, []key{{"a"}})) + rest)
	if _, err := readStream[key](in); err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(in); string(got) != rest {
		t.Errorf("left on the reader: %q, want %q", got, rest)
	}
}

func TestMetadata(t *testing.T) {
	want := map[string]string{"schema_version": "3", "empty": ""}
	var b bytes.Buffer
	appendStream(t, &b, []key{{"a"}}, want)
	r, err := NewReader[key](&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.Metadata()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// BenchmarkWrite writes a million simple rows a round.
func BenchmarkWrite(b *testing.B) {
	rows := rowtest.SimpleRows(1_000_000)
	b.ReportAllocs()
	for b.Loop() {
		w, err := NewWriter[rowtest.Simple](io.Discard, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(w.Write(rows), w.Close()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkRead reads them back.
func BenchmarkRead(b *testing.B) {
	const n = 1_000_000
	in := stream(b, rowtest.SimpleRows(n))
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewReader[rowtest.Simple](bytes.NewReader(in))
		for err == nil {
			_, err = r.Read()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "rows/s")
}
