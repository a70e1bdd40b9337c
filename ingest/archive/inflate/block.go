package inflate

import "encoding/binary"

// load returns the eight bytes at i. The slice expression with three indices needs one bounds check only.
func load(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i : i+8 : i+8]) }

// precodeOrder is the order of the lengths of the code length code (RFC 1951, section 3.2.7).
var precodeOrder = [maxPrecode]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readBlockHeader reads the header of a block at pos and builds its tables. in must have lowWater bytes or padding
// after pos. The returned position may be after the real end of the input.
func (r *Reader) readBlockHeader(in []byte, pos int) (int, error) {
	bits, n := r.bits, r.n
	bits |= load(in, pos) << (n & 63)
	pos += int(63-n) >> 3
	n |= 56
	r.last = bits&1 != 0
	kind := bits >> 1 & 3
	bits >>= 3
	n -= 3
	r.bits, r.n = bits, n
	switch kind {
	case 0: // stored (RFC 1951, section 3.2.4)
		pos -= int(n >> 3)
		length, complement := binary.LittleEndian.Uint16(in[pos:]), binary.LittleEndian.Uint16(in[pos+2:])
		r.bits, r.n = 0, 0
		pos += 4
		if length != ^complement {
			return pos, ErrCorrupt
		}
		r.step, r.stored = stepStored, int(length)
		return pos, nil
	case 1:
		if r.fixed == nil {
			r.fixed = fixedCodes()
		}
		r.codes = r.fixed
	case 2:
		var ok bool
		if pos, ok = r.readCodes(in, pos); !ok {
			return pos, ErrCorrupt
		}
		r.codes = &r.dynamic
	default:
		return pos, ErrCorrupt
	}
	r.step = stepSymbols
	return pos, nil
}

// fixedCodes builds the tables of RFC 1951, section 3.2.6.
func fixedCodes() *codes {
	c := new(codes)
	lengths := func(list []used, from, to int, length uint8) []used {
		for i := from; i < to; i++ {
			list = append(list, used{uint16(i), length})
		}
		return list
	}
	list := lengths(nil, 0, 144, 8)
	list = lengths(list, 144, 256, 9)
	list = lengths(list, 256, 280, 7)
	list = lengths(list, 280, 288, 8)
	var b builder
	b.build(c.lit[:], litBits, list, litEntries[:])
	b.build(c.dist[:], distBits, lengths(nil, 0, 32, 5), distEntries[:])
	return c
}

// readCodes reads the codes of a dynamic block and reports whether they are valid (RFC 1951, section 3.2.7).
func (r *Reader) readCodes(in []byte, pos int) (end int, ok bool) {
	bits, n := r.bits, r.n
	lits := int(bits&31) + 257
	dists := int(bits>>5&31) + 1
	pres := int(bits>>10&15) + 4
	bits >>= 14
	n -= 14
	if lits > maxLitLen || dists > maxDistance {
		return pos, false
	}

	// The code length code. An entry holds the number of bits of the code, then the length; after each length its
	// count.
	var preLengths [maxPrecode]uint8
	for _, symbol := range precodeOrder[:pres] {
		if n < 3 {
			bits |= load(in, pos) << (n & 63)
			pos += int(63-n) >> 3
			n |= 56
		}
		preLengths[symbol] = uint8(bits & 7)
		bits >>= 3
		n -= 3
	}
	b := &r.builder
	list, size := &b.list, 0
	for symbol, length := range preLengths {
		if length > 0 {
			list[size] = used{uint16(symbol), length}
			size++
		}
	}
	if !b.build(b.precode[:], precodeBits, list[:size], preEntries[:]) {
		return pos, false
	}

	// The lengths of both alphabets, in one list. Only symbols with a code are stored.
	total, previous := lits+dists, uint8(noLength)
	size = 0
	i := 0
	for i < total {
		if n < 14 {
			bits |= load(in, pos) << (n & 63)
			pos += int(63-n) >> 3
			n |= 56
		}
		e := b.precode[bits&(precodeTable-1)]
		saved := bits
		bits >>= e & 63
		n -= uint(e & 63)
		if e&literalEntry != 0 {
			// Stored always, and overwritten if it is 0: the CPU would mispredict a branch.
			previous = uint8(e >> 16)
			list[size] = used{uint16(i), previous}
			size += int(previous+maxLength) >> 4
			i++
			continue
		}
		if e&exceptionalEntry != 0 {
			break
		}
		if e&zerosEntry != 0 {
			previous = 0
		}
		repeat := int(e>>16) + int(saved&(1<<(e&63)-1)>>(e>>8&15))
		if repeat > total-i || previous == noLength {
			break
		}
		end := i + repeat
		for ; i < end && previous > 0; i++ {
			list[size] = used{uint16(i), previous}
			size++
		}
		i = end
	}
	r.bits, r.n = bits, n
	if i < total {
		return pos, false
	}
	litSize := size
	for litSize > 0 && int(list[litSize-1].symbol) >= lits {
		litSize--
		list[litSize].symbol -= uint16(lits)
	}
	return pos, b.build(r.dynamic.lit[:], litBits, list[:litSize], litEntries[:]) &&
		b.build(r.dynamic.dist[:], distBits, list[litSize:size], distEntries[:])
}

// preEntries are the entries of the code length code. A length is a literal. A repetition has its smallest count as its
// base, like the length of a match (RFC 1951, section 3.2.7).
var preEntries = func() (list [maxPrecode]entry) {
	for i := range maxLength + 1 {
		list[i] = literalEntry | entry(i)<<16
	}
	list[16], list[17], list[18] = 3<<16|2, zerosEntry|3<<16|3, zerosEntry|11<<16|7
	return list
}()

// readSymbols reads the symbols of a block in from pos on. It stops at the end of the block, when pos is after limit,
// or when the window holds more than full bytes. It runs its loop at least once. in must have inputSlack bytes after
// both limit and pos.
//
// The loop keeps its state in local variables. At its head the bits are full and the entry of the next symbol is
// loaded. The next lookup always precedes the refill, so that neither waits for the other. An iteration reads up to
// three literals, then a match.
func (r *Reader) readSymbols(in []byte, pos, limit, full int) (int, error) {
	bits, n := r.bits, r.n
	lit, dist := &r.codes.lit, &r.codes.dist
	out := r.window[:]
	at := r.made
	var failed error

	bits |= load(in, pos) << (n & 63)
	pos += int(63-n) >> 3
	n |= 56
	e := lit[bits&litMask]
	for {
		if e&literalEntry != 0 {
			bits >>= e & 63
			n -= uint(e & 63)
			out[at] = byte(e >> 16)
			at++
			e = lit[bits&litMask]
			if e&literalEntry != 0 {
				bits >>= e & 63
				n -= uint(e & 63)
				out[at] = byte(e >> 16)
				at++
				e = lit[bits&litMask]
				if e&literalEntry != 0 {
					bits >>= e & 63
					n -= uint(e & 63)
					out[at] = byte(e >> 16)
					at++
					e = lit[bits&litMask]
				}
			}
			bits |= load(in, pos) << (n & 63)
			pos += int(63-n) >> 3
			n |= 56
			if e&literalEntry != 0 {
				if pos > limit || at > full {
					break
				}
				continue
			}
		}
		if e&exceptionalEntry != 0 {
			if e&subtableEntry == subtableEntry {
				bits >>= e & 63
				n -= uint(e & 63)
				e = lit[(uint64(e>>16)+bits&(1<<(e>>8&15)-1))&(litTable-1)]
				if e&literalEntry != 0 {
					bits >>= e & 63
					n -= uint(e & 63)
					out[at] = byte(e >> 16)
					at++
					e = lit[bits&litMask]
					bits |= load(in, pos) << (n & 63)
					pos += int(63-n) >> 3
					n |= 56
					if pos > limit || at > full {
						break
					}
					continue
				}
			}
			if e&exceptionalEntry != 0 {
				if e&endEntry != endEntry {
					failed = ErrCorrupt
					break
				}
				bits >>= e & 63
				n -= uint(e & 63)
				r.endBlock()
				break
			}
		}

		saved := bits
		bits >>= e & 63
		n -= uint(e & 63)
		length := int(e>>16) + int(saved&(1<<(e&63)-1)>>(e>>8&15))

		d := dist[bits&distMask]
		if d&exceptionalEntry != 0 {
			if d&subtableEntry == subtableEntry {
				bits >>= d & 63
				n -= uint(d & 63)
				d = dist[(uint64(d>>16)+bits&(1<<(d>>8&15)-1))&(distTable-1)]
			}
			if d&exceptionalEntry != 0 {
				failed = ErrCorrupt
				break
			}
		}
		saved = bits
		bits >>= d & 63
		n -= uint(d & 63)
		distance := int(d>>16) + int(saved&(1<<(d&63)-1)>>(d>>8&15))

		e = lit[bits&litMask]
		bits |= load(in, pos) << (n & 63)
		pos += int(63-n) >> 3
		n |= 56

		from := at - distance
		if from < 0 {
			failed = ErrCorrupt
			break
		}
		end := at + length
		switch {
		case distance >= 8:
			// Copy in steps of 32 bytes, of words that never contain unwritten bytes. Later writes replace the excess.
			for {
				s, t := out[from:from+copyStep:from+copyStep], out[at:at+copyStep:at+copyStep]
				binary.LittleEndian.PutUint64(t[0:8], binary.LittleEndian.Uint64(s[0:8]))
				binary.LittleEndian.PutUint64(t[8:16], binary.LittleEndian.Uint64(s[8:16]))
				binary.LittleEndian.PutUint64(t[16:24], binary.LittleEndian.Uint64(s[16:24]))
				binary.LittleEndian.PutUint64(t[24:32], binary.LittleEndian.Uint64(s[24:32]))
				from += copyStep
				at += copyStep
				if at >= end {
					break
				}
			}
		default:
			// Repeat a pattern shorter than a word: write as many whole patterns as fit in a word at a time.
			shift := uint(distance) * 8
			word := load(out, from) & (1<<shift - 1)
			word |= word << shift
			word |= word << (2 * shift) // 0 if the shift is 64 or more
			word |= word << (4 * shift)
			step := 8 - 8%distance
			for at < end {
				binary.LittleEndian.PutUint64(out[at:at+8:at+8], word)
				at += step
			}
		}
		at = end
		if pos > limit || at > full {
			break
		}
	}
	r.bits, r.n, r.made = bits, n, at
	return pos, failed
}
