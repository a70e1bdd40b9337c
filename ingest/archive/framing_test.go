package archive

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

var (
	pageA, pageB, pageC = page(300), page(5000), page(40)

	recA = warcText("http://a/", pageA)
	recB = warcText("http://b/", pageB)
	recC = warcText("http://c/", pageC)
)

// flip returns s with one bit of byte i flipped.
func flip(s string, i int) string {
	b := []byte(s)
	b[i] ^= 0x10
	return string(b)
}

// size returns the length of s.
func size(s string) int64 { return int64(len(s)) }

// TestFraming has a case for each row of what archives look like in the wild.
func TestFraming(t *testing.T) {
	mA, mB, mC := member(recA), member(recB), member(recC)
	a := got{URI: "http://a/", Block: pageA, Length: size(mA)}
	b := got{URI: "http://b/", Block: pageB, Offset: size(mA), Length: size(mB)}
	c := got{URI: "http://c/", Block: pageC, Offset: size(mA + mB), Length: size(mC)}
	// at returns the record as it is at another offset, with those defects.
	at := func(g got, offset int64, defects ...Defect) got {
		g.Offset, g.Defects = offset, defects
		return g
	}
	plainLength := func(g got, text string) got { g.Length = size(text); return g }
	shared := func(g got, index int64) got {
		g.Offset, g.Index, g.Length = 0, index, -1
		if index > 0 {
			g.Defects = []Defect{MultiRecordMember}
		}
		return g
	}
	half := len(recB) / 2
	zA, zB := frames(recA), frames(recB)

	tests := []struct {
		name  string
		input string
		want  []got

		truncatedAt    int64 // 0: not truncated
		skippedInput   int
		skippedContent int
		also           []Defect // of the input
	}{
		{name: "a member for each record", input: mA + mB + mC, want: []got{a, b, c}},
		{name: "one member for all records", input: member(recA + recB + recC),
			want: []got{shared(a, 0), shared(b, 1), shared(c, 2)}},
		{name: "several records in one of the members", input: mA + member(recB+recC),
			want: []got{a, {URI: "http://b/", Block: pageB, Offset: size(mA), Length: -1},
				{URI: "http://c/", Block: pageC, Offset: size(mA), Index: 1, Length: -1,
					Defects: []Defect{MultiRecordMember}}}},
		{name: "record split within its block", input: mA + members(recB[:half], recB[half:]) + mC,
			want: []got{a,
				{URI: "http://b/", Block: pageB, Offset: size(mA), Length: size(members(recB[:half], recB[half:])),
					Defects: []Defect{SplitRecord}},
				at(c, size(mA+members(recB[:half], recB[half:])))}},
		{name: "record split within its header", input: members(recA[:30], recA[30:]),
			want: []got{{URI: "http://a/", Block: pageA, Length: size(members(recA[:30], recA[30:])),
				Defects: []Defect{SplitRecord}}}},
		{name: "record split after its header", input: members(strings.SplitAfterN(recA, "\r\n\r\n", 2)...),
			want: []got{{URI: "http://a/", Block: pageA, Length: size(members(strings.SplitAfterN(recA, "\r\n\r\n",
				2)...)), Defects: []Defect{SplitRecord}}}},
		{name: "record split where its block has an empty line",
			input: members(strings.SplitAfter(recA, "\r\n\r\n")[:3]...),
			want: []got{{URI: "http://a/", Block: pageA, Length: size(members(strings.SplitAfter(recA,
				"\r\n\r\n")[:3]...)), Defects: []Defect{SplitRecord}}}},
		{name: "separator in a member of its own", input: members(strings.TrimSuffix(recA, "\r\n\r\n"), "\r\n\r\n") +
			mC,
			want: []got{{URI: "http://a/", Block: pageA, Length: size(member(strings.TrimSuffix(recA, "\r\n\r\n"))),
				Defects: []Defect{BadSeparator}},
				at(c, size(members(strings.TrimSuffix(recA, "\r\n\r\n"), "\r\n\r\n")))},
			also: []Defect{EmptyMember}},
		{name: "empty member in the middle", input: mA + member("") + mC,
			want: []got{a, at(c, size(mA+member("")))}, also: []Defect{EmptyMember}},
		{name: "empty member first and last", input: member("") + mC + member(""),
			want: []got{at(c, size(member("")))}, also: []Defect{EmptyMember}},

		{name: "flipped bit in the middle of a member", input: mA + flip(mB, len(mB)/2) + mC,
			want: []got{a, {URI: "http://b/", Offset: size(mA), Length: -1, Err: BadMember,
				Defects: []Defect{BadMember}}, c},
			also: []Defect{BadMember}, skippedInput: len(mB)},
		{name: "wrong checksum", input: mA + flip(mB, len(mB)-6) + mC,
			want: []got{a, {URI: "http://b/", Block: pageB, Offset: size(mA), Length: -1, Err: BadMember,
				Defects: []Defect{BadMember}}, c},
			also: []Defect{BadMember}, skippedInput: len(mB)},
		{name: "wrong checksum of the last member", input: mA + flip(mB, len(mB)-6),
			want: []got{a, {URI: "http://b/", Block: pageB, Offset: size(mA), Length: -1, Err: BadMember,
				Defects: []Defect{BadMember}}},
			also: []Defect{BadMember}, skippedInput: len(mB)},
		{name: "flipped bit in the member's magic", input: mA + flip(mB, 1) + mC,
			want: []got{a, c}, also: []Defect{Junk}, skippedInput: len(mB)},
		{name: "flipped bit in the member's flags", input: mA + flip(mB, 3) + mC,
			want: []got{a, {Offset: size(mA), Length: -1, Err: BadMember}, c},
			also: []Defect{BadMember}, skippedInput: len(mB)},
		{name: "first member bad", input: flip(mA, 20) + mB,
			want: []got{{Length: -1, Err: BadMember}, b}, also: []Defect{BadMember}, skippedInput: len(mA)},
		{name: "flipped bit in the first magic", input: flip(mA, 1) + mB,
			want: []got{b}, also: []Defect{Junk}, skippedInput: len(mA)},
		{name: "junk before the first member", input: strings.Repeat("junk\n", 5000) + mA,
			want: []got{at(a, 25_000)}, also: []Defect{Junk}, skippedInput: 25_000},
		{name: "hole over the end of one member and the begin of the next", input: mA + mB[:100] + mB[len(mB)-50:] + mC,
			want: []got{a, {Offset: size(mA), Length: -1, Err: BadMember}, at(c, size(mA)+150)},
			also: []Defect{BadMember}, skippedInput: 150},
		{name: "hole of zeros", input: mA + strings.Repeat("\x00", 100_000) + mC,
			want: []got{a, at(c, size(mA)+100_000)}, also: []Defect{Junk}, skippedInput: 100_000},
		{name: "junk between members", input: mA + "some junk" + mC,
			want: []got{a, at(c, size(mA)+9)}, also: []Defect{Junk}, skippedInput: 9},
		{name: "junk that looks like a member", input: mA + "\x1f\x8b\x08\x00junk\x1f\x8b\x08" + mC,
			want: []got{a, {Offset: size(mA), Length: -1, Err: BadMember}, at(c, size(mA)+11)},
			also: []Defect{BadMember}, skippedInput: 11},
		{name: "member that holds no record", input: mA + member("no record") + mC,
			want: []got{a, at(c, size(mA+member("no record")))}, also: []Defect{Junk}, skippedContent: 9},
		{name: "trailing zeros", input: mA + strings.Repeat("\x00", 512),
			want: []got{a}, also: []Defect{TrailingGarbage}, skippedInput: 512},
		{name: "trailing garbage", input: mA + "GARBAGE", want: []got{a}, also: []Defect{TrailingGarbage},
			skippedInput: 7},
		{name: "truncated last member", input: mA + mB[:len(mB)/2],
			want: []got{a, {URI: "http://b/", Offset: size(mA), Length: -1, Err: Truncated,
				Defects: []Defect{Truncated}}},
			truncatedAt: size(mA), skippedInput: len(mB) / 2, also: []Defect{Truncated}},
		{name: "truncated within the magic", input: mA + mB[:2],
			want:        []got{a, {Offset: size(mA), Length: -1, Err: Truncated}},
			truncatedAt: size(mA), skippedInput: 2, also: []Defect{Truncated}},
		{name: "truncated within the checksum", input: mA + mB[:len(mB)-3],
			want: []got{a, {URI: "http://b/", Block: pageB, Offset: size(mA), Length: -1, Err: Truncated,
				Defects: []Defect{Truncated}}},
			truncatedAt: size(mA), skippedInput: len(mB) - 3, also: []Defect{Truncated}},

		{name: "plain", input: recA + recB + recC,
			want: []got{plainLength(a, recA), plainLength(at(b, size(recA)), recB),
				plainLength(at(c, size(recA+recB)), recC)}},
		{name: "plain, truncated in a block", input: recA + recB[:len(recB)-200],
			want: []got{plainLength(a, recA), {URI: "http://b/", Block: pageB[:len(pageB)-196], Offset: size(recA),
				Length: -1, Err: Truncated, Defects: []Defect{Truncated}}},
			also: []Defect{Truncated}, truncatedAt: size(recA)},
		{name: "plain, truncated in a header", input: recA + recB[:50],
			want: []got{plainLength(a, recA), {Offset: size(recA), Length: -1, Err: Truncated}},
			also: []Defect{Truncated}, truncatedAt: size(recA)},
		{name: "plain, without the last separator", input: strings.TrimRight(recA, "\r\n"),
			want: []got{{URI: "http://a/", Block: strings.TrimRight(pageA, "\r\n"),
				Length: size(strings.TrimRight(recA, "\r\n")), Defects: []Defect{BadSeparator}}}},
		{name: "plain, trailing zeros", input: recA + strings.Repeat("\x00", 300_000),
			want: []got{plainLength(a, recA+strings.Repeat("\x00", 300_000))}, also: []Defect{TrailingGarbage},
			skippedContent: 300_000},
		{name: "plain, junk between records", input: recA + strings.Repeat("junk\n", 100_000) + recC,
			want: []got{plainLength(a, recA+strings.Repeat("junk\n", 100_000)),
				plainLength(at(c, size(recA)+500_000), recC)},
			also: []Defect{Junk}, skippedContent: 500_000},
		{name: "plain, begins within a record", input: recB[len(recB)-1000:] + recC,
			want: []got{plainLength(at(c, 1000), recC)}, also: []Defect{Junk}, skippedContent: 1000},
		{name: "plain, no line end between records", input: strings.TrimRight(recC, "\r\n") + recA,
			want: []got{{URI: "http://c/", Block: strings.TrimRight(pageC, "\r\n"),
				Length: size(strings.TrimRight(recC, "\r\n")), Defects: []Defect{BadSeparator}},
				plainLength(at(a, size(strings.TrimRight(recC, "\r\n"))), recA)}},

		{name: "zstd frames", input: zA + zB,
			want: []got{{URI: "http://a/", Block: pageA, Length: size(zA)},
				{URI: "http://b/", Block: pageB, Offset: size(zA), Length: size(zB)}}},
		{name: "zstd, one frame for all records", input: frames(recA + recB), want: []got{shared(a, 0), shared(b, 1)}},
		{name: "zstd, flipped bit", input: zA + flip(zB, len(zB)-6) + frames(recC),
			want: []got{{URI: "http://a/", Block: pageA, Length: size(zA)},
				{Offset: size(zA), Length: -1, Err: BadMember},
				{URI: "http://c/", Block: pageC, Offset: size(zA + zB), Length: size(frames(recC))}},
			also: []Defect{BadMember}, skippedInput: len(zB)},
		{name: "zstd, truncated", input: zA + zB[:len(zB)-20],
			want: []got{{URI: "http://a/", Block: pageA, Length: size(zA)},
				{Offset: size(zA), Length: -1, Err: Truncated}},
			also: []Defect{Truncated}, truncatedAt: size(zA), skippedInput: len(zB) - 20},
		{name: "zstd, skippable frame between", input: zA + "\x50\x2a\x4d\x18\x04\x00\x00\x00skip" + zB,
			want: []got{{URI: "http://a/", Block: pageA, Length: size(zA)},
				{URI: "http://b/", Block: pageB, Offset: size(zA) + 12, Length: size(zB)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			records, stats := readAll(t, tt.input, Options{})
			for i := range records {
				// How much of a damaged block is given out is the decoder's.
				if i < len(tt.want) && records[i].Err == tt.want[i].Err && records[i].Err != "" &&
					tt.want[i].Block == "" {
					records[i].Block = ""
				}
			}
			if diff := cmp.Diff(tt.want, records); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if stats.Truncated != (tt.truncatedAt > 0) || stats.TruncatedAt != tt.truncatedAt {
				t.Errorf("truncated %t at %d, want at %d", stats.Truncated, stats.TruncatedAt, tt.truncatedAt)
			}
			if stats.SkippedInput != int64(tt.skippedInput) || stats.SkippedContent != int64(tt.skippedContent) {
				t.Errorf("skipped %d of the input and %d of the content, want %d and %d",
					stats.SkippedInput, stats.SkippedContent, tt.skippedInput, tt.skippedContent)
			}
			for _, d := range tt.also {
				if stats.Defects[d].Count == 0 {
					t.Errorf("no %s among the defects %v", d, stats.Defects)
				}
			}
			if len(tt.also) == 0 {
				for d := range stats.Defects {
					found := false
					for _, rec := range records {
						for _, have := range rec.Defects {
							found = found || have == d
						}
					}
					if !found {
						t.Errorf("%s is noted and no record shows it", d)
					}
				}
			}
		})
	}
}

// TestDeclaredLength: in gzip the member's end is the truth, in plain files the next record's begin.
func TestDeclaredLength(t *testing.T) {
	n := len(pageA)
	repeated := fmt.Sprintf("Content-Length: %d\r\nContent-Length: 7", n)
	tests := []struct {
		name    string
		length  string // the header line
		block   string // "" means pageA
		defects []Defect

		plainSkipped int
	}{
		{name: "right", length: fmt.Sprintf("Content-Length: %d", n)},
		{name: "too small by one", length: fmt.Sprintf("Content-Length: %d", n-1), block: pageA[:n-1],
			defects: []Defect{LengthMismatch, BadSeparator}, plainSkipped: 5},
		{name: "much too small", length: "Content-Length: 10", block: pageA[:10],
			defects: []Defect{LengthMismatch, BadSeparator}, plainSkipped: n - 10 + 4},
		{name: "zero", length: "Content-Length: 0", block: "-", defects: []Defect{LengthMismatch, BadSeparator},
			plainSkipped: n + 4},
		{name: "too large by less than the separator", length: fmt.Sprintf("Content-Length: %d", n+2), block: pageA +
			"\r\n",
			defects: []Defect{BadSeparator}},
		{name: "too large into the next record", length: fmt.Sprintf("Content-Length: %d", n+20),
			defects: []Defect{LengthMismatch}},
		{name: "much too large", length: "Content-Length: 3000", defects: []Defect{LengthMismatch}},
		{name: "larger than the input", length: "Content-Length: 1000000", defects: []Defect{LengthMismatch}},
		{name: "2^40", length: "Content-Length: 1099511627776", defects: []Defect{LengthInvalid}},
		{name: "2^63", length: "Content-Length: 9223372036854775808", defects: []Defect{LengthInvalid}},
		{name: "2^63-1", length: "Content-Length: 9223372036854775807", defects: []Defect{LengthInvalid}},
		{name: "negative", length: "Content-Length: -1", defects: []Defect{LengthInvalid}},
		{name: "not a number", length: "Content-Length: many", defects: []Defect{LengthInvalid}},
		{name: "empty", length: "Content-Length:", defects: []Defect{LengthInvalid}},
		{name: "missing", length: "Content-Length", defects: []Defect{LengthMissing}},
		{name: "twice", length: repeated, defects: []Defect{LengthRepeated}},
	}
	for _, tt := range tests {
		if tt.block == "" {
			tt.block = pageA
		}
		tt.block = strings.TrimPrefix(tt.block, "-")
		text := warcText("http://x/", pageA, tt.length)
		t.Run(tt.name+", gzip", func(t *testing.T) {
			records, stats := readAll(t, members(recC, text, recB), Options{})
			m := member(text)
			want := []got{
				{URI: "http://c/", Block: pageC, Length: size(member(recC))},
				{URI: "http://x/", Block: tt.block, Offset: size(member(recC)), Length: size(m), Defects: tt.defects},
				{URI: "http://b/", Block: pageB, Offset: size(member(recC)) + size(m), Length: size(member(recB))},
			}
			if diff := cmp.Diff(want, records); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if stats.Defects[Junk].Count > 0 || stats.Lost > 0 {
				t.Errorf("defects %v, lost %d", stats.Defects, stats.Lost)
			}
		})
		t.Run(tt.name+", plain", func(t *testing.T) {
			for _, opts := range []Options{{}, {Size: size(recC + text + recB)}} {
				records, stats := readAll(t, recC+text+recB, opts)
				defects := tt.defects
				if strings.HasSuffix(tt.length, " 1000000") && opts.Size > 0 {
					defects = []Defect{LengthInvalid} // more than the input holds
				}
				want := []got{
					{URI: "http://c/", Block: pageC, Length: size(recC)},
					{URI: "http://x/", Block: tt.block, Offset: size(recC), Length: size(text), Defects: defects},
					{URI: "http://b/", Block: pageB, Offset: size(recC + text), Length: size(recB)},
				}
				if diff := cmp.Diff(want, records); diff != "" {
					t.Errorf("records (-want +got):\n%s", diff)
				}
				if stats.SkippedContent != int64(tt.plainSkipped) {
					t.Errorf("%d bytes skipped, want %d", stats.SkippedContent, tt.plainSkipped)
				}
			}
		})
		t.Run(tt.name+", one member", func(t *testing.T) {
			records, _ := readAll(t, member(recC+text+recB), Options{})
			if len(records) != 3 || records[1].Block != tt.block || records[2].Block != pageB {
				t.Errorf("records %+v", records)
			}
		})
	}
}

// TestWindow has wrong lengths around the size of what is in sight at once.
func TestWindow(t *testing.T) {
	for _, n := range []int{
		window - startProbe - 1, window - startProbe, window - startProbe + 1,
		window - warcTail, window - 1, window, window + 1, 2 * window, 5*window + 17,
	} {
		block := page(n)
		big := warcText("http://big/", block)
		for _, tt := range []struct {
			name, text, block string
			defects           []Defect
		}{
			{"right", big, block, nil},
			{"too large", warcText("http://big/", block, fmt.Sprintf("Content-Length: %d", len(block)+2000)), block,
				[]Defect{LengthMismatch}},
			{"too small", warcText("http://big/", block, fmt.Sprintf("Content-Length: %d", len(block)-2000)),
				block[:len(block)-2000], []Defect{LengthMismatch, BadSeparator}},
			{"missing", warcText("http://big/", block, "Content-Length"), block, []Defect{LengthMissing}},
		} {
			t.Run(fmt.Sprintf("%s %d", tt.name, n), func(t *testing.T) {
				for _, input := range []string{recA + tt.text + recB, members(recA, tt.text, recB),
					member(recA + tt.text + recB)} {
					records, _ := readAll(t, input, Options{})
					if len(records) != 3 {
						t.Fatalf("%d records", len(records))
					}
					if records[1].Block != tt.block {
						t.Errorf("block of %d bytes, want %d", len(records[1].Block), len(tt.block))
					}
					defects := records[1].Defects
					if len(defects) > 0 && defects[0] == MultiRecordMember {
						defects = defects[1:]
					}
					if diff := cmp.Diff(tt.defects, defects[:len(defects):len(defects)]); diff != "" &&
						len(defects)+len(tt.defects) > 0 {
						t.Errorf("defects (-want +got):\n%s", diff)
					}
					if records[2].Block != pageB {
						t.Error("the record behind is not read")
					}
				}
			})
		}
	}
}

// TestPageTextIsNoRecord: a block of right length may hold anything.
func TestPageTextIsNoRecord(t *testing.T) {
	forged := warcText("http://victim/robots.txt", "User-agent: *\nDisallow: /\n")
	for name, block := range map[string]string{
		"a record":                 pageC + "\r\n\r\n" + forged,
		"a header without version": pageC + "\r\n\r\n" + strings.TrimPrefix(forged, "WARC/1.0\r\n"),
		"an ARC record": pageC + "\n" +
			arcText("http://victim/robots.txt", "text/plain", "User-agent: *"),
		"a record behind the window":   page(2*window) + "\r\n\r\n" + forged,
		"a record around the window":   page(window-startProbe-100) + "\r\n\r\n" + forged + page(2*window),
		"a compressed archive":         member(forged) + member(forged),
		"a record that fills the rest": forged,
	} {
		t.Run(name, func(t *testing.T) {
			text := warcText("http://x/", block)
			for _, input := range []string{recA + text + recB, members(recA, text, recB), member(recA + text + recB)} {
				records, stats := readAll(t, input, Options{})
				if len(records) != 3 || records[1].Block != block || stats.Lost > 0 {
					t.Errorf("%d records, %d lost", len(records), stats.Lost)
				}
			}
		})
	}
	t.Run("an ARC line in the junk of a WARC", func(t *testing.T) {
		records, _ := readAll(t, recA+"junk\n"+arcText("http://victim/", "text/plain", "x")+recB, Options{})
		if len(records) != 2 {
			t.Errorf("%d records", len(records))
		}
	})
	t.Run("a header without version after a length that is too small", func(t *testing.T) {
		text := warcText("http://x/", pageC+"\r\n\r\n"+strings.TrimPrefix(forged, "WARC/1.0\r\n"),
			fmt.Sprintf("Content-Length: %d", len(pageC)))
		records, _ := readAll(t, recA+text+recB, Options{})
		if len(records) != 3 {
			t.Errorf("%d records", len(records))
		}
	})
}

func TestNotAnArchive(t *testing.T) {
	tests := []struct {
		name, input string
		want        error
		message     string
	}{
		{"no bytes", "", ErrEmpty, "the input is empty"},
		{"an empty member", member(""), ErrEmpty, "the input is empty"},
		{"empty members", members("", "", ""), ErrEmpty, "the input is empty"},
		{"text", "Hello, world.\n", ErrNotArchive, "not a WARC or ARC archive"},
		{"line ends", "\r\n\r\n", ErrNotArchive, "not a WARC or ARC archive"},
		{"a long text", strings.Repeat("Hello, world.\n", 200_000), ErrNotArchive, "not a WARC or ARC archive"},
		{"a long text, compressed", member(strings.Repeat("Hello, world.\n", 200_000)), ErrNotArchive,
			"not a WARC or ARC archive"},
		{"a list of paths", member("crawl-data/CC-MAIN-2024-22/x.warc.gz\n"), ErrNotArchive,
			"not a WARC or ARC archive"},
		{"HTML that quotes a header", "<pre>WARC/1.0\nWARC-Type: response\n", ErrNotArchive,
			"not a WARC or ARC archive"},
		{"gzip in gzip", member(member(recA)), ErrNotArchive, "compressed twice"},
		{"zstd in gzip", member(frames(recA)), ErrNotArchive, "compressed twice"},
		{"LZ4", "\x04\x22\x4d\x18xxxx", ErrNotArchive, "LZ4"},
		{"XZ", "\xfd7zXZ\x00xxxx", ErrNotArchive, "XZ"},
		{"WACZ", "PK\x03\x04xxxx", ErrNotArchive, "ZIP or WACZ"},
		{"NUL bytes", strings.Repeat("\x00", 3<<20), ErrNotArchive, "not a WARC or ARC archive"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewReader(strings.NewReader(tt.input), Options{})
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.message) {
				t.Errorf("error %v, want %v with %q", err, tt.want, tt.message)
			}
		})
	}
}

// TestSplitEverywhere joins a record that is split over two members at every
// place but those where the second part begins like a record.
func TestSplitEverywhere(t *testing.T) {
	block := "HTTP/1.1 200 OK\r\n\r\nbody\r\n\r\nbody\n\n"
	text := warcText("http://x/", block)
	for i := 1; i < len(text)-4; i++ {
		records, _ := readAll(t, members(recA, text[:i], text[i:], recB), Options{})
		if len(records) == 3 && records[1].Block == block && records[1].Err == "" && records[2].Block == pageB {
			continue
		}
		if i < len("WARC/1") {
			continue // its first part does not begin like a record
		}
		t.Errorf("split at %d, %q: %+v", i, text[max(0, i-5):i+5], records)
	}
}

func TestZstdDictionary(t *testing.T) {
	var samples [][]byte
	for i := range 50 {
		samples = append(samples, []byte(warcText(fmt.Sprintf("http://%d/", i), page(100+i))))
	}
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples, History: []byte(recA + recA)})
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dict))
	if err != nil {
		t.Fatal(err)
	}
	body := string(z.EncodeAll([]byte(recA), nil)) + string(z.EncodeAll([]byte(recB), nil))
	skippable := func(content string) string {
		return "\x5d\x2a\x4d\x18" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(content)))) + content
	}
	for name, head := range map[string]string{
		"plain":      skippable(string(dict)),
		"compressed": skippable(frames(string(dict))),
	} {
		t.Run(name, func(t *testing.T) {
			records, stats := readAll(t, head+body, Options{})
			if len(records) != 2 || records[0].Block != pageA || records[1].Block != pageB || stats.Lost > 0 {
				t.Errorf("records %+v", records)
			}
			if records[0].Offset != size(head) {
				t.Errorf("offset %d, want %d", records[0].Offset, len(head))
			}
		})
	}
	for name, head := range map[string]string{
		"corrupt":   skippable("\x37\xa4\x30\xec0123456789"),
		"wrong":     skippable("no dictionary at all"),
		"none":      "",
		"truncated": "\x5d\x2a\x4d\x18\xff\xff\xff\x00",
		"too large": "\x5d\x2a\x4d\x18\xff\xff\xff\xff",
	} {
		t.Run(name, func(t *testing.T) {
			r, err := NewReader(strings.NewReader(head+body), Options{})
			if err != nil {
				return
			}
			for {
				if _, err := r.Next(); err == io.EOF {
					break
				}
			}
			if s := r.Stats(); s.Total() > 0 {
				t.Errorf("%d records without the dictionary", s.Total())
			}
		})
	}
}

// bzip2Records is bzip2 of the two records WARC/1.0 resource http://a/ "hello"
// and http://b/ "world": there is no encoder in Go.
const bzip2Records = "425a68393141592653598166d2310000505f8000124003f6502c2416903ec5dea03000b80c3234d34c8c264609a03" +
	"061" +
	"91a69a646132304d0180aaaa7e2a7a189ea9ed49b286621913100e7db7bf95b25adc505147dbc2041c18e5b552d7148b" +
	"d7932a7344c1690454757245aac54e83318268a0c4744d27c5436aeb99a3ddae8e4a38e89363541dd24ff5f3f96c0d11" +
	"c5e7fd5bd3d2c68aec4d04917d3728d8bb07b1772453850908166d2310"

func TestBzip2(t *testing.T) {
	b, err := hex.DecodeString(bzip2Records)
	if err != nil {
		t.Fatal(err)
	}
	records, _ := readAll(t, string(b), Options{})
	want := []got{
		{URI: "http://a/", Block: "hello", Length: -1},
		{URI: "http://b/", Block: "world", Length: -1, Index: 1, Defects: []Defect{MultiRecordMember}},
	}
	if diff := cmp.Diff(want, records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	records, stats := readAll(t, string(b[:len(b)-8]), Options{})
	if !stats.Truncated || records[len(records)-1].Err != Truncated {
		t.Errorf("truncated %t, records %+v", stats.Truncated, records)
	}
}

func TestGzipExtraFields(t *testing.T) {
	m := member(recA)
	// FEXTRA, FNAME, FCOMMENT, as some writers set them.
	m = m[:3] + "\x1c" + m[4:10] + "\x06\x00sl\x02\x00ab" + "name\x00" + "comment\x00" + m[10:]
	records, _ := readAll(t, m+member(recB), Options{})
	if len(records) != 2 || records[0].Length != size(m) || records[1].Offset != size(m) {
		t.Errorf("records %+v", records)
	}
}

// Each defect is counted once. Three of them cost the record.
func TestEachDefect(t *testing.T) {
	odd := func(header ...string) string { return members(recA, warcText("http://x/", "block", header...), recB) }
	arc := func(third string) string {
		return members(arcVersionBlock, arcText("http://a/", "text/html", pageA), third,
			arcText("http://b/", "text/html", pageB))
	}
	text := warcText("http://x/", pageC)
	inputs := map[Defect]string{
		MultiRecordMember: members(recA, recB+text), SplitRecord: members(recA, text[:300], text[300:], recB),
		EmptyMember: members(recA, "", recB),
		BadMember:   members(recA) + flip(member(text), 40) + members(recB), Junk: mustJunk(),
		TrailingGarbage: members(recA, recB) + "xyz",
		Truncated:       recA + recB + text[:len(text)-30], LengthMismatch: odd("Content-Length: 500"),
		LengthMissing: odd("Content-Length"),
		LengthInvalid: odd("Content-Length: -1"), LengthRepeated: members(recA,
			strings.Replace(text, "\r\nContent-Length", "\r\nContent-Length: 3\r\nContent-Length", 1), recB),
		BadSeparator: members(recA, text+"\r\n", recB), HeaderTooLarge: odd("X: " + strings.Repeat("long ", 60_000)),
		HeaderUnterminated: members(recA, text[:strings.Index(text, "\r\n\r\n")+2], recB),
		HeaderFolded:       odd("X: a\r\n b"), HeaderNoColon: odd("no colon"),
		HeaderSpaceBeforeColon: odd("X : y"), HeaderRepeated: odd("WARC-Date: 2014-08-01T12:00:00Z",
			"X: y\r\nWARC-Date: 2015-08-01T12:00:00Z"),
		HeaderLineEnd: members(recA, strings.Replace(text, "\r\n", "\n", 1), recB), HeaderNotUTF8: odd("X: \xe9"),
		VersionUnknown: odd("WARC/2.0"),
		TypeUnknown:    odd("WARC-Type: odd"), URIBrackets: members(recA, warcText("<http://x/>", "block"), recB),
		URISpaces:  members(recA, warcText("http://x/y z", "block"), recB),
		URIMissing: odd("WARC-Target-URI"), DateInvalid: odd("WARC-Date: yesterday"),
		ColumnMissing: arc("http://x/ 20080430204825 text/html 5\nblock\n"),
	}
	for _, d := range Defects() {
		t.Run(string(d), func(t *testing.T) {
			records, stats := readAll(t, inputs[d], Options{})
			if stats.Defects[d].Count != 1 {
				t.Errorf("%+v", stats.Defects)
			}
			lost := int64(0)
			for _, rec := range records {
				if rec.Err != "" {
					lost++
				}
			}
			losing := map[Defect]bool{BadMember: true, Truncated: true, HeaderTooLarge: true}
			if lost != stats.Lost || losing[d] != (lost > 0) {
				t.Errorf("%d records lost, and %d in the stats", lost, stats.Lost)
			}
		})
	}
}

func mustJunk() string { return member(recA) + "junk" + member(recB) }

// TestInputError: an error of the input is final, and no record is made up.
func TestInputError(t *testing.T) {
	broken := errors.New("broken line")
	for name, input := range map[string]string{"gzip": members(recA, recB), "plain": recA + recB,
		"zstd": frames(recA, recB)} {
		for cut := 0; cut < len(input); cut += 7 {
			r, err := NewReader(io.MultiReader(strings.NewReader(input[:cut]), iotest.ErrReader(broken)), Options{})
			whole := 0
			for err == nil {
				var rec *Record
				rec, err = r.Next()
				if err != nil {
					break
				}
				_, err = io.Copy(io.Discard, rec.Block)
				if err == nil {
					_, err = r.Finish()
				}
				if err == nil {
					whole++
				}
			}
			if !errors.Is(err, broken) {
				t.Fatalf("%s, broken after %d: %v", name, cut, err)
			}
			if whole > 1 && cut < len(input)-4 {
				t.Fatalf("%s, broken after %d: %d whole records", name, cut, whole)
			}
			if r != nil {
				if _, err := r.Next(); !errors.Is(err, broken) {
					t.Fatalf("%s, broken after %d: Next again: %v", name, cut, err)
				}
			}
		}
	}
}

// TestDamageAnywhere flips bits all over an archive: it costs the record that is hit, and no other.
func TestDamageAnywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var texts, blocks []string
	for i := range 40 {
		block := page(rng.IntN(3000))
		blocks = append(blocks, block)
		texts = append(texts, warcText(fmt.Sprintf("http://%d/", i), block))
	}
	var ends []int
	input := ""
	for _, text := range texts {
		input += member(text)
		ends = append(ends, len(input))
	}
	for range 400 {
		i := rng.IntN(len(input))
		hit := 0
		for ends[hit] <= i {
			hit++
		}
		r, err := NewReader(strings.NewReader(flip(input, i)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		whole := make(map[string]string)
		for {
			rec, err := r.Next()
			if err == io.EOF {
				break
			} else if err != nil {
				continue
			}
			var b bytes.Buffer
			b.ReadFrom(rec.Block)
			uri := rec.URI
			if _, err := r.Finish(); err == nil {
				whole[uri] = b.String()
			}
		}
		for n, block := range blocks {
			if got, ok := whole[fmt.Sprintf("http://%d/", n)]; n != hit && (!ok || got != block) {
				t.Fatalf("bit flipped at %d, %d in record %d: record %d is lost or wrong: %+v", i,
					i-append([]int{0}, ends...)[hit], hit, n, r.Stats())
			}
		}
	}
}

// The last record of a plain input claims more than the input has, whether its length is known before or not.
func TestLastRecordBeyondTheInput(t *testing.T) {
	for _, block := range []string{pageA, page(5*window + 17)} {
		text := recC + warcText("http://x/", block, fmt.Sprintf("Content-Length: %d", 100*window))
		for _, opts := range []Options{{}, {Size: size(text)}} {
			r, err := NewReader(strings.NewReader(text), opts)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
			record, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			got, _ := io.ReadAll(record.Block)
			if rest, ok := strings.CutPrefix(string(got), block); !ok || strings.Trim(rest, "\r\n") != "" {
				t.Errorf("size %d: the block has %d bytes, want %d", opts.Size, len(got), len(block))
			}
			if _, err := r.Finish(); err == nil || !strings.Contains(err.Error(), "the input ends") {
				t.Errorf("size %d: the error is %v", opts.Size, err)
			}
			if diff := cmp.Diff([]Defect{LengthInvalid, Truncated}, record.Defects); diff != "" {
				t.Errorf("size %d: defects (-want +got):\n%s", opts.Size, diff)
			}
			stats := r.Stats()
			if !stats.Truncated || stats.TruncatedAt != size(recC) || stats.Lost != 1 {
				t.Errorf("size %d: %+v", opts.Size, stats)
			}
		}
	}
}
