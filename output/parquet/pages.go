package parquet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"

	"github.com/acapscan/acapscan/output/columns"
	"github.com/acapscan/acapscan/output/rowtype"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// indexBytes is how much of a text the page index has.
const indexBytes = 16

// maxPageBytes is the limit of the format on the values of a page, less what levels take.
const maxPageBytes = math.MaxInt32 - 1<<24

// A columnWriter writes the pages of a column, one row group after another.
type columnWriter struct {
	column    *column
	path      []string
	pageLimit int // bytes
	indexer   pq.ColumnIndexer
	codec     *codec
	scratch   *scratch

	dict  dictionary
	chunk chunk
	page  page
}

// A chunk is what is known of a column in a row group.
type chunk struct {
	meta    format.ColumnMetaData
	index   format.ColumnIndex
	pages   []format.PageLocation
	rows    int64
	bounds  bounds
	repHist []int64 // by page and level
	defHist []int64
}

// A page is what is known of a page in the making. Its levels and values are in the scratch memory.
type page struct {
	rows   int
	values int // without nulls
	bounds bounds
}

// Bounds are the least and the greatest of some values.
type bounds struct {
	some     bool
	min, max int64 // of numbers
	low, top []byte
}

func (b *bounds) addNumber(v int64) {
	if !b.some {
		b.some, b.min, b.max = true, v, v
		return
	}
	b.min, b.max = min(b.min, v), max(b.max, v)
}

func (b *bounds) addText(v []byte) {
	if !b.some {
		b.some, b.low, b.top = true, v, v
		return
	}
	if bytes.Compare(v, b.low) < 0 {
		b.low = v
	} else if bytes.Compare(v, b.top) > 0 {
		b.top = v
	}
}

func (b *bounds) add(more bounds) {
	if more.some && more.low == nil {
		b.addNumber(more.min)
		b.addNumber(more.max)
	} else if more.some {
		b.addText(more.low)
		b.addText(more.top)
	}
}

// A dictionary has the values of a column in a row group, in the order in which they come first.
type dictionary struct {
	open   bool    // values are added; else pages are plain
	places []int32 // of texts, by word; -1: none
	// By place: the number of the last page that has the value, to look at it once for the bounds of the page.
	inPage  []int32
	pageNo  int32
	numbers map[int64]int32 // places of numbers
	data    []byte          // plain
	n       int
	bytes   int     // of values, as the limit counts them
	lengths []int32 // of texts, by place
	text    int     // bytes of the texts of all rows since the last page that ended for them
}

func newColumnWriter(c *column, path []string, opts Options) *columnWriter {
	w := &columnWriter{
		column: c, path: path, pageLimit: int(float64(opts.PageBytes) * 0.98), codec: usualCodec,
		indexer: nodeOf(c).Type().NewColumnIndexer(indexBytes),
	}
	return w
}

func (w *columnWriter) hasDictionary() bool { return w.column.Encoding == rowtype.EncodingDict }

func (w *columnWriter) isText() bool {
	return w.column.Kind == rowtype.String || w.column.Kind == rowtype.Bytes
}

// write writes the values of the rows of these numbers.
func (w *columnWriter) write(out *fileWriter, leaf *columns.Leaf, order []uint32, checks []check) (*chunk, error) {
	w.scratch = scratches.Get().(*scratch)
	defer func() {
		w.scratch.reset()
		scratches.Put(w.scratch)
		w.scratch = nil
	}()
	w.begin(leaf)
	from := 0
	for _, c := range checks {
		w.gather(leaf, order[from:c.row])
		from = c.row
		full := w.pageBytes() >= w.pageLimit
		// A page of small indexes may stand for any amount of long values.
		if c.batch && w.hasDictionary() && w.dict.text >= dictionaryBytes {
			full, w.dict.text = true, 0
		}
		if full {
			if err := w.endPage(); err != nil {
				return nil, err
			}
		}
	}
	if err := w.endPage(); err != nil {
		return nil, err
	}
	return &w.chunk, w.end(out)
}

func (w *columnWriter) begin(leaf *columns.Leaf) {
	w.indexer.Reset()
	w.chunk = chunk{meta: format.ColumnMetaData{
		Type: physicalType(w.column), Encoding: encodingsOf(w.column, w.hasDictionary()), PathInSchema: w.path,
		Codec: w.codec.CompressionCodec(),
	}}
	w.page = page{}
	d := &w.dict
	d.open, d.n, d.bytes, d.text, d.pageNo = w.hasDictionary(), 0, 0, 0, 1
	d.data, d.inPage, d.lengths = d.data[:0], d.inPage[:0], d.lengths[:0]
	clear(d.numbers)
	if w.hasDictionary() && w.isText() {
		d.places = slices.Grow(d.places[:0], leaf.Distinct())[:leaf.Distinct()]
		for i := range d.places {
			d.places[i] = -1
		}
	}
}

// pageBytes is how long a page is taken to be.
func (w *columnWriter) pageBytes() int {
	s, n := w.scratch, 0
	switch {
	case w.dict.open:
		n = 4 * w.page.values
	case w.column.Kind == rowtype.Bool:
		n = (w.page.values + 7) / 8
	default:
		n = len(s.plain)
	}
	switch {
	case w.column.Rep > 0:
		n += 8*w.page.rows + 2*len(s.defs)
	case w.column.Def > 0:
		n += 5 * len(s.defs)
	}
	return n
}

// gather adds rows to the page.
func (w *columnWriter) gather(leaf *columns.Leaf, rows []uint32) {
	s, p := w.scratch, &w.page
	p.rows += len(rows)
	if w.gatherSame(leaf, len(rows)) {
		return
	}
	entries := rows
	if leaf.IsRepeated() {
		s.entries = s.entries[:0]
		for _, row := range rows {
			from, to := leaf.Entries(row)
			for e := from; e < to; e++ {
				s.entries = append(s.entries, e)
			}
		}
		entries = s.entries
		reps := leaf.Reps()
		for _, e := range entries {
			s.reps = append(s.reps, reps[e])
		}
	}
	if defs := leaf.Defs(); defs != nil {
		s.there = s.there[:0]
		for _, e := range entries {
			def := defs[e]
			s.defs = append(s.defs, def)
			if int(def) == w.column.Def {
				s.there = append(s.there, e)
			}
		}
		entries = s.there
	}
	p.values += len(entries)
	switch {
	case w.isText() && w.dict.open:
		w.gatherWords(leaf, entries)
	case w.isText():
		w.gatherTexts(leaf, entries)
	case w.dict.open:
		w.gatherNumbers(leaf, entries)
	default:
		w.gatherPlain(leaf, entries)
	}
}

// gatherSame adds rows without their numbers, if all rows have the same: no value, or one text of a dictionary.
func (w *columnWriter) gatherSame(leaf *columns.Leaf, rows int) bool {
	def, word, same := leaf.Same()
	isNone := def < w.column.Def || w.column.Rep > 0
	if !same || !isNone && !(w.isText() && w.dict.open) {
		return false
	}
	s := w.scratch
	if w.column.Rep > 0 {
		s.reps = appendSame(s.reps, 0, rows)
	}
	if w.column.Def > 0 {
		s.defs = appendSame(s.defs, byte(def), rows)
	}
	if !isNone {
		w.page.values += rows
		place := w.place(leaf, word)
		s.indexes = appendSame(s.indexes, place, rows)
		w.dict.text += rows * int(w.dict.lengths[place])
	}
	return true
}

func appendSame[T any](to []T, value T, n int) []T {
	before := len(to)
	to = slices.Grow(to, n)[:before+n]
	for i := range to[before:] {
		to[before+i] = value
	}
	return to
}

// place returns the place of a text in the dictionary, which a row of the page has.
func (w *columnWriter) place(leaf *columns.Leaf, word uint32) int32 {
	d := &w.dict
	place := d.places[word]
	if place < 0 {
		place = int32(d.n)
		d.places[word] = place
		text := leaf.Prefixed(word)
		d.data = append(d.data, text...)
		d.inPage, d.lengths = append(d.inPage, 0), append(d.lengths, int32(len(text)-4))
		d.bytes += len(text) - 4
		d.n++
	}
	if d.inPage[place] != d.pageNo {
		d.inPage[place] = d.pageNo
		w.page.bounds.addText(leaf.Text(word))
	}
	return place
}

// gatherWords adds texts that are in the dictionary, or will be.
func (w *columnWriter) gatherWords(leaf *columns.Leaf, entries []uint32) {
	s, d, words := w.scratch, &w.dict, leaf.Words()
	last, place := -1, int32(0)
	for _, e := range entries {
		if word := words[e]; int(word) != last {
			last, place = int(word), w.place(leaf, word)
		}
		s.indexes = append(s.indexes, place)
		d.text += int(d.lengths[place])
	}
}

// gatherTexts adds plain texts.
func (w *columnWriter) gatherTexts(leaf *columns.Leaf, entries []uint32) {
	s, words, last := w.scratch, leaf.Words(), -1
	for _, e := range entries {
		text := leaf.Prefixed(words[e])
		s.plain = append(s.plain, text...)
		w.dict.text += len(text) - 4
		if word := int(words[e]); word != last {
			last = word
			w.page.bounds.addText(text[4:])
		}
	}
}

// number returns a number of an entry.
func (w *columnWriter) number(leaf *columns.Leaf, entry uint32) int64 {
	switch w.column.Kind {
	case rowtype.Int64, rowtype.Timestamp:
		return leaf.Longs()[entry]
	}
	return int64(int32(leaf.Words()[entry]))
}

// appendNumber adds a number as it is in a plain page.
func (w *columnWriter) appendNumber(to []byte, v int64) []byte {
	switch w.column.Kind {
	case rowtype.Int64, rowtype.Timestamp:
		return binary.LittleEndian.AppendUint64(to, uint64(v))
	case rowtype.Bool:
		return append(to, byte(v))
	}
	return binary.LittleEndian.AppendUint32(to, uint32(v))
}

// gatherNumbers adds numbers that are in the dictionary, or will be.
func (w *columnWriter) gatherNumbers(leaf *columns.Leaf, entries []uint32) {
	d := &w.dict
	if d.numbers == nil {
		d.numbers = map[int64]int32{}
	}
	for _, e := range entries {
		v := w.number(leaf, e)
		place, known := d.numbers[v]
		if !known {
			place = int32(d.n)
			d.numbers[v] = place
			before := len(d.data)
			d.data = w.appendNumber(d.data, v)
			d.bytes += len(d.data) - before
			d.n++
		}
		w.scratch.indexes = append(w.scratch.indexes, place)
		w.page.bounds.addNumber(v)
	}
}

// gatherPlain adds plain numbers, and booleans as one byte each.
func (w *columnWriter) gatherPlain(leaf *columns.Leaf, entries []uint32) {
	s, b := w.scratch, w.page.bounds
	switch w.column.Kind {
	case rowtype.Int64, rowtype.Timestamp:
		longs := leaf.Longs()
		for _, e := range entries {
			b.addNumber(longs[e])
			s.plain = binary.LittleEndian.AppendUint64(s.plain, uint64(longs[e]))
		}
	case rowtype.Bool:
		words := leaf.Words()
		for _, e := range entries {
			b.addNumber(int64(words[e]))
			s.plain = append(s.plain, byte(words[e]))
		}
	default:
		words := leaf.Words()
		for _, e := range entries {
			b.addNumber(int64(int32(words[e])))
			s.plain = binary.LittleEndian.AppendUint32(s.plain, words[e])
		}
	}
	w.page.bounds = b
}

// endPage encodes the page, if it has rows.
func (w *columnWriter) endPage() (err error) {
	s, p := w.scratch, &w.page
	if p.rows == 0 {
		return nil
	}
	values := p.rows
	if w.column.Def > 0 {
		values = len(s.defs)
	}
	encoding, data := format.Plain, s.plain
	switch {
	case w.dict.open:
		encoding = format.RLEDictionary
		if s.encoded, err = new(rle.DictionaryEncoding).EncodeInt32(s.encoded[:0], s.indexes); err != nil {
			return err
		}
		data = s.encoded
	case w.column.Kind == rowtype.Bool:
		s.encoded = appendBits(s.encoded[:0], s.plain)
		data = s.encoded
	}
	unencoded := int64(0)
	if w.isText() && !w.dict.open {
		unencoded = int64(len(s.plain) - 4*p.values)
	}
	if len(data) > maxPageBytes {
		return fmt.Errorf("a page of %d bytes", len(data))
	}
	if s.repBytes, err = encodeLevels(s.repBytes, s.reps, w.column.Rep); err != nil {
		return err
	}
	if s.defBytes, err = encodeLevels(s.defBytes, s.defs, w.column.Def); err != nil {
		return err
	}
	if s.compressed, err = w.codec.Encode(s.compressed[:0], data); err != nil {
		return err
	}
	levels := len(s.repBytes) + len(s.defBytes)
	header := format.PageHeader{
		Type: format.DataPageV2, UncompressedPageSize: int32(levels + len(data)),
		CompressedPageSize: int32(levels + len(s.compressed)), CRC: checksum(s.repBytes, s.defBytes, s.compressed),
	}
	header.DataPageHeaderV2.Valid = true
	header.DataPageHeaderV2.V = format.DataPageHeaderV2{
		NumValues: int32(values), NumNulls: int32(values - p.values), NumRows: int32(p.rows), Encoding: encoding,
		DefinitionLevelsByteLength: int32(len(s.defBytes)), RepetitionLevelsByteLength: int32(len(s.repBytes)),
		IsCompressed: thrift.New(true),
	}
	start := len(s.out.Bytes())
	if err := s.writePage(&header, s.repBytes, s.defBytes, s.compressed); err != nil {
		return err
	}
	w.notePage(start, values, unencoded, &header)
	if w.dict.open && w.dict.bytes > dictionaryBytes {
		w.dict.open = false
	}
	w.dict.pageNo++
	s.endPage()
	*p = page{}
	return nil
}

// notePage adds a page to what is known of the column.
func (w *columnWriter) notePage(start, values int, unencoded int64, header *format.PageHeader) {
	c, p, s := &w.chunk, &w.page, w.scratch
	c.meta.NumValues += int64(values)
	c.meta.Statistics.NullCount += int64(values - p.values)
	least, greatest := w.values(p.bounds)
	w.indexer.IndexPage(int64(values), int64(values-p.values), least, greatest)
	c.bounds.add(p.bounds)
	length := len(s.out.Bytes()) - start
	c.pages = append(c.pages, format.PageLocation{Offset: c.meta.TotalCompressedSize, CompressedPageSize: int32(length),
		FirstRowIndex: c.rows})
	c.rows += int64(p.rows)
	size := &c.meta.SizeStatistics
	size.UnencodedByteArrayDataBytes += unencoded
	reps, defs := &size.RepetitionLevelHistogram, &size.DefinitionLevelHistogram
	c.repHist, *reps = countLevels(c.repHist, *reps, s.reps, w.column.Rep)
	c.defHist, *defs = countLevels(c.defHist, *defs, s.defs, w.column.Def)
	w.noteBytes(header, header.DataPageHeaderV2.V.Encoding, length)
}

// noteBytes adds the bytes of a page, of this length with its header.
func (w *columnWriter) noteBytes(header *format.PageHeader, encoding format.Encoding, length int) {
	m := &w.chunk.meta
	m.TotalCompressedSize += int64(length)
	m.TotalUncompressedSize += int64(length) + int64(header.UncompressedPageSize) - int64(header.CompressedPageSize)
	for i := range m.EncodingStats {
		if s := &m.EncodingStats[i]; s.PageType == header.Type && s.Encoding == encoding {
			s.Count++
			return
		}
	}
	m.EncodingStats = append(m.EncodingStats, format.PageEncodingStats{PageType: header.Type, Encoding: encoding,
		Count: 1})
}

// end writes the dictionary and the pages to the file.
func (w *columnWriter) end(out *fileWriter) error {
	c, s := &w.chunk, w.scratch
	if w.hasDictionary() {
		c.meta.DictionaryPageOffset = out.offset
		var err error
		if s.compressed, err = w.codec.Encode(s.compressed[:0], w.dict.data); err != nil {
			return err
		}
		header := format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: int32(len(w.dict.data)),
			CompressedPageSize: int32(len(s.compressed)), CRC: checksum(s.compressed)}
		header.DictionaryPageHeader.Valid = true
		header.DictionaryPageHeader.V = format.DictionaryPageHeader{NumValues: int32(w.dict.n), Encoding: format.Plain}
		s.dictionary.Reset()
		if err := s.encode(&s.dictionary, &header); err != nil {
			return err
		}
		s.dictionary.Write(s.compressed)
		w.noteBytes(&header, format.Plain, s.dictionary.Len())
		if _, err := out.Write(s.dictionary.Bytes()); err != nil {
			return err
		}
	}
	c.meta.DataPageOffset = out.offset
	for i := range c.pages {
		c.pages[i].Offset += out.offset
	}
	if c.bounds.some {
		c.meta.Statistics.MinValue, c.meta.Statistics.MaxValue = w.statistics(c.bounds)
	}
	slices.SortFunc(c.meta.EncodingStats, func(a, b format.PageEncodingStats) int {
		return cmp.Or(cmp.Compare(a.PageType, b.PageType), cmp.Compare(a.Encoding, b.Encoding))
	})
	c.index = w.indexer.ColumnIndex()
	c.index.RepetitionLevelHistogram, c.index.DefinitionLevelHistogram = c.repHist, c.defHist
	_, err := out.Write(s.out.Bytes())
	return err
}

// values are bounds in the form of the library.
func (w *columnWriter) values(b bounds) (least, greatest pq.Value) {
	switch {
	case !b.some:
		return pq.Value{}, pq.Value{}
	case w.isText():
		return pq.ByteArrayValue(b.low), pq.ByteArrayValue(b.top)
	case w.column.Kind == rowtype.Bool:
		return pq.BooleanValue(b.min != 0), pq.BooleanValue(b.max != 0)
	case w.column.Kind == rowtype.Int16 || w.column.Kind == rowtype.Int32:
		return pq.Int32Value(int32(b.min)), pq.Int32Value(int32(b.max))
	}
	return pq.Int64Value(b.min), pq.Int64Value(b.max)
}

// statistics are bounds in the form of the footer.
func (w *columnWriter) statistics(b bounds) (least, greatest []byte) {
	if w.isText() {
		return append([]byte{}, b.low...), append([]byte{}, b.top...)
	}
	return w.appendNumber(nil, b.min), w.appendNumber(nil, b.max)
}

// countLevels adds a histogram for a page to those of all pages, and to that of the column.
func countLevels(byPage, all []int64, levels []byte, greatest int) (_, _ []int64) {
	if greatest == 0 {
		return byPage, all
	}
	if all == nil {
		all = make([]int64, greatest+1)
	}
	counts, rest := len(byPage), int64(len(levels))
	byPage = append(byPage, make([]int64, greatest+1)...)
	for level := greatest; level >= 0; level-- {
		n := rest // of level 0, which needs no look
		if level > 0 {
			n = int64(bytes.Count(levels, []byte{byte(level)}))
		}
		rest -= n
		byPage[counts+level] = n
		all[level] += n
	}
	return byPage, all
}

func encodeLevels(dst, levels []byte, greatest int) ([]byte, error) {
	if greatest == 0 {
		return dst[:0], nil
	}
	return (&rle.Encoding{BitWidth: bits.Len(uint(greatest))}).EncodeLevels(dst[:0], levels)
}

// appendBits packs booleans of one byte each.
func appendBits(dst, bools []byte) []byte {
	for len(bools) > 0 {
		var packed byte
		n := min(8, len(bools))
		for i, b := range bools[:n] {
			packed |= b << i
		}
		dst, bools = append(dst, packed), bools[n:]
	}
	return dst
}

func checksum(parts ...[]byte) int32 {
	var sum uint32
	for _, part := range parts {
		sum = crc32.Update(sum, crc32.IEEETable, part)
	}
	return int32(sum)
}

func physicalType(c *column) format.Type { return format.Type(nodeOf(c).Type().Kind()) }
