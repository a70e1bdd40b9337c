package inflate

import "math/bits"

// Sizes of RFC 1951, section 3.2.
const (
	maxLitLen    = 286 // symbols of literals and lengths; the fixed code has two more, which are invalid
	maxDistance  = 30
	maxSymbols   = 288 + 32
	maxPrecode   = 19
	maxLength    = 15 // of a code, in bits
	precodeBits  = 7
	endOfBlock   = 256
	firstLength  = 257
	litBits      = 11 // of the main tables
	distBits     = 8
	litTable     = 1 << 12 // at least the main table and all subtables of a complete code: 2342
	distTable    = 1 << 9  // 402
	litMask      = 1<<litBits - 1
	distMask     = 1<<distBits - 1
	precodeTable = 1 << precodeBits
	noLength     = 0xff // marks an invalid code length
)

// A table entry has the meaning of a code with its base and number of extra bits, so that a symbol needs one lookup.
//
//	bits 0-5    number of bits of the code, extra bits included
//	bits 8-11   of a length or distance: number of bits without the extra bits
//	bit 12      in the code length code: the length that is repeated is 0
//	bit 15      exceptional: none of those below
//	bit 31      a literal, in bits 16-23
//	bits 16-30  base of a length or distance
//
// An exceptional entry is one of:
//
//	bit 14      a subtable: bits 16-30 are its index, bits 8-11 the number of bits to look up
//	bit 13      the end of the block
//	neither     invalid
type entry = uint32

const (
	literalEntry     entry = 1 << 31
	exceptionalEntry entry = 1 << 15
	subtableEntry    entry = 1<<14 | exceptionalEntry
	endEntry         entry = 1<<13 | exceptionalEntry
	zerosEntry       entry = 1 << 12
)

// codes are the tables of a block.
type codes struct {
	lit  [litTable]entry
	dist [distTable]entry
}

// litEntries and distEntries are the entries of all symbols, without the lengths of their codes.
var (
	litEntries  = makeLitEntries()
	distEntries = makeDistEntries()
)

// makeLitEntries implements the table of RFC 1951, section 3.2.5.
func makeLitEntries() (list [288]entry) {
	for i := range endOfBlock {
		list[i] = literalEntry | entry(i)<<16
	}
	list[endOfBlock] = endEntry
	base := entry(3)
	for i := firstLength; i < maxLitLen-1; i++ {
		extra := entry(max(0, (i-firstLength)/4-1))
		list[i] = base<<16 | extra
		base += 1 << extra
	}
	list[maxLitLen-1] = maxMatch << 16
	list[maxLitLen], list[maxLitLen+1] = exceptionalEntry, exceptionalEntry
	return list
}

func makeDistEntries() (list [32]entry) {
	base := entry(1)
	for i := range maxDistance {
		extra := entry(max(0, i/2-1))
		list[i] = base<<16 | extra
		base += 1 << extra
	}
	list[maxDistance], list[maxDistance+1] = exceptionalEntry, exceptionalEntry
	return list
}

// A used symbol has a code.
type used struct {
	symbol uint16
	length uint8 // of the code, in bits
}

// A builder builds the codes of a block. It reuses its memory, which matters for small members.
type builder struct {
	precode [precodeTable]entry
	list    [maxSymbols]used  // the used symbols, in their order
	sorted  [maxSymbols]entry // the entries of one alphabet, in the order of their codes
}

// build fills a table for a canonical code (RFC 1951, section 3.2.2). Its time depends on the used symbols and the
// table only, because small members spend half their time here. It reports whether compress/flate and zlib would accept
// the code: it is complete, empty, or has one code of one bit.
func (b *builder) build(table []entry, mainBits int, list []used, entries []entry) bool {
	var count [maxLength + 1]uint16
	for _, u := range list {
		count[u.length&maxLength]++
	}
	// The unused codes of maxLength bits.
	free := 1 << maxLength
	first, longest := 0, 0
	var offset [maxLength + 1]uint16
	for length, at := 1, uint16(0); length <= maxLength; length++ {
		offset[length] = at
		at += count[length]
		if n := int(count[length]); n > 0 {
			free -= n << (maxLength - length)
			longest = length
			if first == 0 {
				first = length
			}
		}
	}
	main := table[:1<<mainBits]
	if free != 0 {
		if len(list) > 0 && !(len(list) == 1 && longest == 1) {
			return false
		}
		fill(main, exceptionalEntry)
		if len(list) == 1 {
			e := entries[list[0].symbol] + 1<<8 + 1
			for i := 0; i < len(main); i += 2 {
				main[i] = e
			}
		}
		return true
	}
	sorted := &b.sorted
	for _, u := range list {
		sorted[offset[u.length]] = entries[u.symbol]
		offset[u.length]++
	}

	// The codes in order, with bits reversed, as in the input. A table for one more bit is twice the previous one.
	code, next := 0, 0
	end := 1 << first
	length := first
	for ; length <= mainBits; length++ {
		own := entry(length)<<8 + entry(length)
		for range count[length] {
			main[code] = sorted[next] + own
			next++
			code = after(code, end)
		}
		if length < mainBits {
			copy(main[end:2*end], main[:end])
			end *= 2
		}
	}
	if longest <= mainBits {
		return true
	}

	// Longer codes: a subtable for every prefix of mainBits bits, as large as its codes need.
	start, size, prefix := 0, 0, -1
	for length = mainBits + 1; length <= longest; length++ {
		own := entry(length-mainBits)<<8 + entry(length-mainBits)
		left := int(count[length])
		for ; left > 0; left-- {
			if code&(1<<mainBits-1) != prefix {
				prefix = code & (1<<mainBits - 1)
				start += size
				if size == 0 {
					start = 1 << mainBits
				}
				subBits := length - mainBits
				for room := 1<<subBits - left; room > 0 && mainBits+subBits < longest; {
					subBits++
					room = room<<1 - int(count[mainBits+subBits])
				}
				size = 1 << subBits
				main[prefix] = entry(start)<<16 | subtableEntry | entry(subBits)<<8 | entry(mainBits)
			}
			e := sorted[next] + own
			next++
			for i := code >> mainBits; i < size; i += 1 << (length - mainBits) {
				table[start+i] = e
			}
			code = after(code, 1<<length)
		}
	}
	return true
}

// after returns the next code, with both codes bit-reversed. end is 1 << its length. There is none after the last code.
func after(code, end int) int {
	rest := code ^ (end - 1) // inverted
	if rest == 0 {
		return 0
	}
	bit := 1 << (bits.Len(uint(rest)) - 1)
	return code&(bit-1) | bit
}

func fill(table []entry, e entry) {
	for i := range table {
		table[i] = e
	}
}
