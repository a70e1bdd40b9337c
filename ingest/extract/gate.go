package extract

import "bytes"

var utf8BOM = []byte("\xEF\xBB\xBF")

// The gates tell in a fraction of the time of a scan that a body holds none of what a scan would look for. They look for the
// rare byte of what they look for, which runs at the speed of memory.

// mayHoldClassToken tells whether "acap:" stands anywhere, in any case. A colon written as a character reference counts, letters
// written so do not: nobody writes them so, and the search would have to look at every reference.
func mayHoldClassToken(src []byte) bool {
	return follows(src, ':', "acap") || follows(src, '&', "acap")
}

// mayHoldPI tells whether "<?robots" stands anywhere, in any case.
func mayHoldPI(src []byte) bool {
	for i := 0; ; i++ {
		n := bytes.IndexByte(src[i:], '?')
		if n < 0 {
			return false
		}
		i += n
		if i > 0 && src[i-1] == '<' && foldPrefix(src[i+1:], "robots") {
			return true
		}
	}
}

// follows tells whether c stands anywhere behind word, which is in lower case, in any case.
func follows(src []byte, c byte, word string) bool {
	for i := 0; ; i++ {
		n := bytes.IndexByte(src[i:], c)
		if n < 0 {
			return false
		}
		i += n
		if i >= len(word) && foldEqual(src[i-len(word):i], word) {
			return true
		}
	}
}
