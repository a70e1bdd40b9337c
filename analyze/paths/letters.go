package paths

import "math/bits"

// letters has all octets of normalised paths, in the order in which paths are preferred. The '%' is last: it stands only before
// two digits of an octet that is not among these.
const letters = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ!&'()+,-./:;=?@[]_~%"

// rank has the place of each octet in letters.
var rank = func() (r [256]uint8) {
	for i := range len(letters) {
		r[letters[i]] = uint8(i)
	}
	return r
}()

// A letterSet is a set of letters by rank.
type letterSet [2]uint64

func (s *letterSet) add(r uint8)     { s[r/64] |= 1 << (r % 64) }
func (s letterSet) has(r uint8) bool { return s[r/64]&(1<<(r%64)) != 0 }

// first returns the rank of the first letter, or false for the empty set.
func (s letterSet) first() (r uint8, ok bool) {
	switch {
	case s[0] != 0:
		return uint8(bits.TrailingZeros64(s[0])), true
	case s[1] != 0:
		return uint8(64 + bits.TrailingZeros64(s[1])), true
	}
	return 0, false
}

func (s letterSet) without(t letterSet) letterSet { return letterSet{s[0] &^ t[0], s[1] &^ t[1]} }

// An encoding tells how far a path is within a percent-encoded octet, as a set of the hexadecimal digits that may follow; 0: it is not
// in one.
type encoding uint32

const (
	anyDigit    encoding = 1<<16 - 1
	firstDigit           = anyDigit&^(1<<4) | 1<<16 // after the '%'; @ and A to O are never encoded
	hexadecimal          = "0123456789ABCDEF"
)

// secondDigits has, for each first digit, the digits that make an octet which a normalised path encodes: all but those that
// stand for themselves.
var secondDigits = [16]encoding{
	0x2: 1<<0 | 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<0xA, // blank " # $ % *
	0x3: 1<<0xC | 1<<0xE,                           // < >
	0x5: 1<<0xC | 1<<0xE,                           // \ ^
	0x6: 1 << 0,                                    // `
	0x7: 0xF800 &^ (1 << 0xE),                      // { | } DEL
	0x0: anyDigit, 0x1: anyDigit, 0x8: anyDigit, 0x9: anyDigit, 0xA: anyDigit, 0xB: anyDigit,
	0xC: anyDigit, 0xD: anyDigit, 0xE: anyDigit, 0xF: anyDigit,
}

// letters returns the letters that may follow.
func (e encoding) letters() letterSet {
	if e == 0 {
		return letterSet{1<<64 - 1, 1<<(len(letters)-64) - 1}
	}
	var s letterSet
	for d := range hexadecimal {
		if e&(1<<d) != 0 {
			s.add(rank[hexadecimal[d]])
		}
	}
	return s
}

// after returns the encoding after one more letter, which e allows.
func (e encoding) after(letter byte) encoding {
	switch {
	case letter == '%':
		return firstDigit
	case e != firstDigit:
		return 0
	case letter <= '9':
		return secondDigits[letter-'0']
	}
	return secondDigits[letter-'A'+10]
}
