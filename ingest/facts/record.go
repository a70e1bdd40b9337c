package facts

import (
	"encoding/binary"
	"strings"

	"github.com/acapscan/acapscan/ingest/bodytext"
	"github.com/acapscan/acapscan/internal/extsort"
)

// This file encodes facts for sorting. The order of the encoded bytes is that of Compare, so that sorting and merging
// need not decode facts.

const signBit = 1 << 63

// bodyLength is the last part of a record, behind the body.
func bodyLength(f *Fact) []byte { return binary.BigEndian.AppendUint32(nil, uint32(len(f.Body))) }

// appendFields appends the record of a fact up to its body: first the fields of Compare, encoded in its order, then all
// others.
func appendFields(b []byte, f *Fact) []byte {
	order, page := f.Kind.order(), byte(0)
	time := uint64(f.FetchTime) ^ signBit
	if f.Kind == KindPage {
		page = 1
	} else {
		time = ^time
	}
	b = binary.BigEndian.AppendUint64(b, uint64(f.SiteHash)^signBit)
	b = append(appendOrdered(b, f.CrawlName()), page)
	b = append(appendOrdered(b, f.Site), byte(order))
	b = binary.BigEndian.AppendUint64(b, time)
	b = appendOrdered(appendOrdered(b, f.URL), f.Filename)
	b = binary.BigEndian.AppendUint64(b, uint64(f.RecordOffset)^signBit)
	b = binary.BigEndian.AppendUint64(b, uint64(f.RecordIndex)^signBit)

	for _, s := range []string{
		string(f.Kind), f.Crawl, f.Subset, f.FetchRedirect, f.ContentDigest, f.MimeType, f.MimeDetected, f.Languages,
		f.Truncated, f.Segment, f.RecordType, string(f.ParsedAs), f.Charset, f.InputDigest, f.PageDigest, f.Error,
	} {
		b = appendText(b, s)
	}
	for _, n := range []int64{int64(f.FetchStatus), f.RecordLength, f.BodyBytes, f.InputBytes} {
		b = binary.AppendVarint(b, n)
	}
	b = append(b, flags(
		f.Partial, f.BodyTruncated, f.Body != nil, f.Directives != nil, f.Defects != nil, f.Counts != nil,
		f.Body != nil && f.Kind != KindAnswer && bodytext.LacksACAP(f.Body),
	))
	b = binary.AppendUvarint(b, uint64(len(f.Directives)))
	for i := range f.Directives {
		d := &f.Directives[i]
		b = append(binary.AppendVarint(b, d.Offset), flags(d.SmartQuotes, d.Late, d.InBody))
		for _, s := range []string{string(d.Carrier), d.Name, d.Value, d.ElementID, d.Raw} {
			b = appendText(b, s)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(f.Defects)))
	for _, s := range f.Defects {
		b = appendText(b, s)
	}
	b = binary.AppendUvarint(b, uint64(len(f.Counts)))
	for _, c := range f.Counts {
		b = binary.AppendVarint(appendText(b, c.Name), c.Value)
	}
	return b
}

// AppendOrder appends bytes that order captures by time, then by record.
func AppendOrder(b []byte, f *Fact) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(f.FetchTime)^signBit)
	b = appendOrdered(b, f.Filename)
	b = binary.BigEndian.AppendUint64(b, uint64(f.RecordOffset)^signBit)
	b = binary.BigEndian.AppendUint64(b, uint64(f.RecordIndex)^signBit)
	return appendOrdered(b, f.URL)
}

// appendOrdered appends a string so that different strings compare as such, whatever follows. It escapes NUL with a
// second byte and ends the string with two others.
func appendOrdered(b []byte, s string) []byte {
	for {
		before, after, found := strings.Cut(s, "\x00")
		if b = append(b, before...); !found {
			return append(b, 0, 1)
		}
		b, s = append(b, 0, 0xFF), after
	}
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func flags(list ...bool) byte {
	var b byte
	for i, set := range list {
		if set {
			b |= 1 << i
		}
	}
	return b
}

// A recordReader decodes the fields of a record before its body. Their texts are parts of one string, so that a fact
// costs few allocations. After the first fault it returns zero values.
type recordReader struct {
	text   string
	at     int
	failed bool
}

// splitBody returns the parts of a record: what comparisons look at, and the body. A record with a reference to its
// body has no other part.
func splitBody(record []byte) (fields, body []byte) {
	end := len(record) - 4
	size := binary.BigEndian.Uint32(record[end:])
	if size == refMark {
		return record, nil
	}
	at := end - int(size)
	return record[:at], record[at:end]
}

// readFields decodes the fields before the body, and returns whether there is a body.
func readFields(fields []byte, f *Fact) (hasBody bool, err error) {
	r := &recordReader{text: string(fields)}
	f.SiteHash = int64(r.fixed() ^ signBit)
	r.ordered() // the name of the crawl
	page := r.byte()
	f.Site = r.ordered()
	r.byte() // the order of the kind
	time := r.fixed()
	if page == 0 {
		time = ^time
	}
	f.FetchTime = int64(time ^ signBit)
	f.URL, f.Filename = r.ordered(), r.ordered()
	f.RecordOffset, f.RecordIndex = int64(r.fixed()^signBit), int64(r.fixed()^signBit)

	var kind, parsedAs string
	for _, to := range []*string{
		&kind, &f.Crawl, &f.Subset, &f.FetchRedirect, &f.ContentDigest, &f.MimeType, &f.MimeDetected, &f.Languages,
		&f.Truncated, &f.Segment, &f.RecordType, &parsedAs, &f.Charset, &f.InputDigest, &f.PageDigest, &f.Error,
	} {
		*to = r.string()
	}
	f.Kind, f.ParsedAs = Kind(kind), Parser(parsedAs)
	f.FetchStatus = int32(r.number())
	f.RecordLength, f.BodyBytes, f.InputBytes = r.number(), r.number(), r.number()
	set := r.byte()
	f.Partial, f.BodyTruncated, f.NoACAP = set&1 != 0, set&2 != 0, set&64 != 0
	if n := r.count(); n > 0 || set&8 != 0 {
		f.Directives = make([]Directive, n)
		for i := range f.Directives {
			d := &f.Directives[i]
			d.Offset = r.number()
			bits := r.byte()
			d.SmartQuotes, d.Late, d.InBody = bits&1 != 0, bits&2 != 0, bits&4 != 0
			d.Carrier, d.Name, d.Value = Carrier(r.string()), r.string(), r.string()
			d.ElementID, d.Raw = r.string(), r.string()
		}
	}
	if n := r.count(); n > 0 || set&16 != 0 {
		f.Defects = make([]string, n)
		for i := range f.Defects {
			f.Defects[i] = r.string()
		}
	}
	counts := f.Counts // memory of an earlier fact, or nil
	f.Counts = nil
	if n := r.count(); n > 0 || set&32 != 0 {
		if cap(counts) < n || counts == nil {
			counts = make([]Count, n)
		}
		f.Counts = counts[:n]
		for i := range f.Counts {
			f.Counts[i] = Count{Name: r.string(), Value: r.number()}
		}
	}
	if r.failed || r.at != len(r.text) {
		return false, extsort.ErrRecord
	}
	return set&4 != 0, nil
}

// take returns the next n bytes.
func (r *recordReader) take(n uint64) string {
	if n > uint64(len(r.text)-r.at) {
		r.at, r.failed = len(r.text), true
		return ""
	}
	s := r.text[r.at : r.at+int(n)]
	r.at += int(n)
	return s
}

func (r *recordReader) byte() byte {
	if s := r.take(1); s != "" {
		return s[0]
	}
	return 0
}

func (r *recordReader) fixed() uint64 {
	var n uint64
	s := r.take(8)
	for i := range len(s) {
		n = n<<8 | uint64(s[i])
	}
	return n
}

func (r *recordReader) uvarint() uint64 {
	if r.at < len(r.text) && r.text[r.at] < 0x80 { // nearly all
		r.at++
		return uint64(r.text[r.at-1])
	}
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7F) << shift
		if b < 0x80 {
			return n
		}
	}
	r.failed = true
	return 0
}

func (r *recordReader) number() int64 {
	n := r.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *recordReader) string() string { return r.take(r.uvarint()) }

// count reads the length of a list. Every entry takes at least one byte, which bounds the length.
func (r *recordReader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.text)-r.at) {
		r.failed = true
		return 0
	}
	return int(n)
}

// ordered reads what appendOrdered wrote.
func (r *recordReader) ordered() string {
	rest := r.text[r.at:]
	var escaped []byte
	for {
		end := strings.IndexByte(rest, 0)
		if end < 0 || end+1 >= len(rest) {
			r.at, r.failed = len(r.text), true
			return ""
		}
		last := rest[end+1] != 0xFF
		if last && escaped == nil {
			r.at = len(r.text) - len(rest) + end + 2
			return rest[:end]
		}
		escaped = append(escaped, rest[:end]...)
		rest = rest[end+2:]
		if last {
			r.at = len(r.text) - len(rest)
			return string(escaped)
		}
		escaped = append(escaped, 0)
	}
}
