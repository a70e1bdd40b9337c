package archive

import (
	"strings"
	"testing"
)

// record returns a record whose block is so many hundred bytes long.
func record(n int) string { return warcText("http://a.example/", page(100*n)) }

// A record cut out of an archive is read as it is within it: same offset, same length, same block.
func TestBase(t *testing.T) {
	arc := arcText("http://a.example/", "text/html", "HTTP/1.1 200 OK\r\n\r\none") +
		arcText("http://b.example/", "text/html", "HTTP/1.1 200 OK\r\n\r\ntwo")
	for name, records := range map[string][]string{
		"gzip":  {member(record(1)), member(record(2)), member(record(3))},
		"zstd":  {frames(record(1)), frames(record(2)), frames(record(3))},
		"plain": {record(1), record(2), record(3)},
		"arc":   {arc[:strings.Index(arc, "http://b.example/")], arc[strings.Index(arc, "http://b.example/"):]},
	} {
		t.Run(name, func(t *testing.T) {
			whole, _ := readAll(t, strings.Join(records, ""), Options{})
			if len(whole) != len(records) {
				t.Fatalf("%d records", len(whole))
			}
			offset := int64(0)
			for i, text := range records {
				cut, stats := readOnce(t, strings.NewReader(text), Options{Base: offset}, true)
				if len(cut) != 1 || cut[0].Offset != offset || cut[0].Length != int64(len(text)) ||
					cut[0].Block != whole[i].Block || cut[0].URI != whole[i].URI {
					t.Errorf("record %d at offset %d of length %d: %+v, in the archive %+v", i, offset, len(text), cut,
						whole[i])
				}
				if end := offset + int64(len(text)); stats.BytesRead != end || len(stats.Defects) > 0 {
					t.Errorf("record %d: %+v, where the end is at %d", i, stats, end)
				}
				offset += int64(len(text))
			}
		})
	}
}

func TestBaseOfWhatIsNoRecord(t *testing.T) {
	const base = 5 << 20 // more than is searched for a first record
	for name, text := range map[string]string{
		"nothing":          "",
		"line ends":        "\r\n\r\n",
		"text":             "no record",
		"within a member":  member(record(1))[30:],
		"an empty member":  member(""),
		"a member of text": member("no record"),
	} {
		want := errOf(NewReader(strings.NewReader(text), Options{}))
		got := errOf(NewReader(strings.NewReader(text), Options{Base: base}))
		if want == nil || got == nil || got.Error() != want.Error() {
			t.Errorf("%s: %v, and at the beginning of an archive %v", name, got, want)
		}
	}
	// What is damaged says where it is in the archive.
	r, err := NewReader(strings.NewReader(member(record(1))[:60]), Options{Base: base})
	if err != nil {
		t.Fatal(err)
	}
	_, stats := readRest(t, r, true)
	if !stats.Truncated || stats.TruncatedAt != base {
		t.Errorf("%+v", stats)
	}
}

func errOf(_ *Reader, err error) error { return err }
