package paths

import (
	"math/bits"
	"slices"

	"github.com/acapscan/acapscan/analyze/policy"
)

// letters has all bytes of normalised paths, in the order in which paths are preferred. The '%' is last: it stands
// only before two digits of a byte that is not among these.
const letters = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ!&'()+,-./:;=?@[]_~%"

// rank has the place of each byte in letters.
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

// An encoding tells how far a path is within a percent-encoded byte, as a set of the hexadecimal digits that may
// follow, and whether it is the first of two; 0: it is not in one.
type encoding uint32

const (
	anyDigit    encoding = 1<<16 - 1
	firstDigit  encoding = 1 << 16
	hexadecimal          = "0123456789ABCDEF"
)

// An alphabet tells which bytes a normalised path encodes (policy.ReadPath).
type alphabet struct {
	first  encoding     // after the '%'
	second [16]encoding // after each first digit
}

// alphabets has the one that NormalizePath gives, and the one without R-PAT-2, where a byte reserved by RFC 3986 may
// be encoded as well.
var alphabets = func() (both [2]alphabet) {
	for i, without := range []policy.RuleSet{{}, policy.RuleSet{}.With(policy.RuleEncoding)} {
		both[i].first = firstDigit
		for octet := range 256 {
			encoded := string([]byte{'/', '%', hexadecimal[octet>>4], hexadecimal[octet&15]})
			if policy.ReadPath(encoded, without) == encoded {
				both[i].first |= 1 << (octet >> 4)
				both[i].second[octet>>4] |= 1 << (octet & 15)
			}
		}
	}
	return both
}()

// alphabetOf returns the alphabet of the paths that patterns are about.
func alphabetOf(patterns []policy.Pattern) *alphabet {
	if slices.ContainsFunc(patterns, policy.Pattern.PartsReserved) {
		return &alphabets[1]
	}
	return &alphabets[0]
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
func (a *alphabet) after(e encoding, letter byte) encoding {
	switch {
	case letter == '%':
		return a.first
	case e&firstDigit == 0:
		return 0
	case letter <= '9':
		return a.second[letter-'0']
	}
	return a.second[letter-'A'+10]
}
