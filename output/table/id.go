package table

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// StatementID names a statement by where it is written: the record of the archive, the carrier, the position in it (a
// line of a robots.txt, else a byte offset) and the part. It is 24 hexadecimal digits: among a thousand million
// statements, two are alike with a probability below one in ten thousand million.
func StatementID(warcFilename string, recordOffset int64, source Source, vocabulary Vocabulary, position int64,
	part int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %s %s %d %d", warcFilename, recordOffset, source, vocabulary, position,
		part))
	return hex.EncodeToString(sum[:12])
}
