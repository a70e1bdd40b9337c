package columns

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"unsafe"

	"github.com/acapscan/acapscan/output/rowtype"
)

// longText is the length from which on a text is looked for among all texts of a column without a dictionary: few
// statements may decide about very many rows.
const longText = 64

// text holds the different texts of a column.
type text struct {
	bytes      bool // any bytes; else UTF-8
	dictionary bool // all texts are different, and numbered
	// Each text with its length before it, in four bytes, little-endian.
	data []byte
	ends []uint32 // with a dictionary: where each text ends
	// A hash table of words, plus 1, open addressing; 0: empty. With a dictionary of all texts, else of long ones.
	table []uint32
	count int // of words in the table
	last  string
	word  uint32 // of last
	// With a dictionary: words that came of late, plus 1, by a hash that takes less time and that anyone can make
	// collide. 0: none.
	late [lateTexts]uint32
}

const lateTexts = 128

// lateHash looks at the length and some bytes.
func lateHash(s string) uint32 {
	n := uint32(len(s))
	if n == 0 {
		return 0
	}
	h := n*31 + uint32(s[0])*7 + uint32(s[n-1])*131 + uint32(s[n/2])*1031
	return (h ^ h>>7) % lateTexts
}

// The hash decides only where a word is in a table.
var seed = maphash.MakeSeed()

// add returns the word of a text.
func (t *text) add(s string) uint32 {
	if len(t.data) > 0 && s == t.last {
		return t.word
	}
	word := t.find(s)
	t.word = word
	t.last = unsafe.String(unsafe.SliceData(t.at(word)), len(t.at(word)))
	return word
}

func (t *text) find(s string) uint32 {
	if !t.dictionary && len(s) < longText {
		return t.append(t.valid(s))
	}
	if !t.dictionary {
		return t.findInTable(s)
	}
	late := &t.late[lateHash(s)]
	if *late != 0 && string(t.at(*late-1)) == s {
		return *late - 1
	}
	word := t.findInTable(s)
	*late = word + 1
	return word
}

func (t *text) findInTable(s string) uint32 {
	word, slot := t.lookUp(s)
	if slot < 0 {
		return word
	}
	if valid := t.valid(s); len(valid) != len(s) || valid != s {
		s = valid
		if word, slot = t.lookUp(s); slot < 0 {
			return word
		}
	}
	word = t.append(s)
	t.table[slot] = word + 1
	t.count++
	return word
}

// valid returns a text as UTF-8, if the column is of text.
func (t *text) valid(s string) string {
	if t.bytes {
		return s
	}
	return rowtype.ValidUTF8(s)
}

// lookUp returns the word of a text, or else the empty slot of the table for it.
func (t *text) lookUp(s string) (word uint32, slot int) {
	if 4*(t.count+1) > 3*len(t.table) {
		t.grow()
	}
	mask := len(t.table) - 1
	for slot = int(maphash.String(seed, s)) & mask; t.table[slot] != 0; slot = (slot + 1) & mask {
		if word = t.table[slot] - 1; string(t.at(word)) == s {
			return word, -1
		}
	}
	return 0, slot
}

func (t *text) grow() {
	before := t.table
	t.table = make([]uint32, max(16, 2*len(before)))
	mask := len(t.table) - 1
	for _, entry := range before {
		if entry == 0 {
			continue
		}
		slot := int(maphash.Bytes(seed, t.at(entry-1))) & mask
		for t.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.table[slot] = entry
	}
}

func (t *text) append(s string) uint32 {
	if len(t.data)+len(s)+4 > math.MaxUint32-1 {
		panic("columns: a column of some rows has more than 4 GiB of text")
	}
	word := uint32(len(t.data))
	t.data = append(binary.LittleEndian.AppendUint32(t.data, uint32(len(s))), s...)
	if t.dictionary {
		word = uint32(len(t.ends))
		t.ends = append(t.ends, uint32(len(t.data)))
	}
	return word
}

func (t *text) prefixed(word uint32) []byte {
	if t.dictionary {
		start := uint32(0)
		if word > 0 {
			start = t.ends[word-1]
		}
		return t.data[start:t.ends[word]]
	}
	return t.data[word : word+4+binary.LittleEndian.Uint32(t.data[word:])]
}

func (t *text) at(word uint32) []byte { return t.prefixed(word)[4:] }

func (t *text) reset() {
	t.data, t.ends, t.count, t.last, t.word = t.data[:0], t.ends[:0], 0, "", 0
	clear(t.table)
	clear(t.late[:])
}
