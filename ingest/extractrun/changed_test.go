package extractrun

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/ingest/source"
)

// A file that changes on its server while it is read is read again. No fact of the first reading remains.
func TestChangedInputIsReadAgain(t *testing.T) {
	var records [][]byte
	for i := range 300 {
		records = append(records, response(fmt.Sprintf("http://www%d.example.org/robots.txt", i), 200, "text/plain",
			fmt.Sprintf("User-agent: *\nDisallow: /%d\n", i)))
	}
	before, now := archiveOf(records...), archiveOf(records[280:]...)
	const name = "https://example.org/a.warc.gz"
	opts := Options{Facts: facts.WriterOptions{RunBytes: 64 << 10}} // several files

	run := func(t *testing.T, open opener) (map[string]string, Summary) {
		folder := t.TempDir()
		sum, err := Run(t.Context(), []source.Input{source.New(name, -1, open)}, folder, opts)
		if err != nil {
			t.Fatal(err)
		}
		return files(t, folder), sum
	}
	changing := func(times int, opened *int) opener {
		return func() io.Reader {
			*opened++
			if *opened > times {
				return bytes.NewReader(now)
			}
			return io.MultiReader(bytes.NewReader(before[:len(before)-100]), iotest.ErrReader(fmt.Errorf("%s: %w", name,
				remote.ErrChanged)))
		}
	}
	old, _ := run(t, func() io.Reader { return bytes.NewReader(before) })
	want, undisturbed := run(t, func() io.Reader { return bytes.NewReader(now) })
	if len(old) <= len(want) {
		t.Fatalf("what is to be thrown away has no file of its own: %s, then %s", names(old), names(want))
	}
	for _, times := range []int{1, maxRereads} {
		t.Run(fmt.Sprintf("%d times", times), func(t *testing.T) {
			opened := 0
			got, sum := run(t, changing(times, &opened))
			if diff := cmp.Diff(names(want), names(got)); diff != "" {
				t.Fatalf("files (-undisturbed +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error("the facts are not those of a run that nothing disturbed")
			}
			if sum != undisturbed || opened != times+1 {
				t.Errorf("read %+v in %d times, want %+v", sum, opened, undisturbed)
			}
		})
	}
	t.Run("for ever", func(t *testing.T) {
		opened := 0
		_, sum := run(t, changing(1000, &opened))
		if opened != maxRereads+1 || sum.Unreadable != 1 {
			t.Errorf("read %d times, %d unreadable", opened, sum.Unreadable)
		}
		list, _ := read(t, []source.Input{source.New(name, -1, changing(1000, &opened))}, opts)
		if got := onlyInput(t, list).Error; !strings.Contains(got, "was changed on the server while it was read") {
			t.Errorf("the input says %q", got)
		}
	})
}
