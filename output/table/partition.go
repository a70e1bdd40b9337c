package table

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// LocalCrawl and LocalSubset are the partition of what names none, neither in its path nor in a warcinfo record.
const (
	LocalCrawl  = "local"
	LocalSubset = "warc"
)

// maxPartition bounds a partition value, in bytes as escaped: file systems allow 255 for a name.
const maxPartition = 180

// Folder returns the folder of a partition of the table, relative to the output folder, with slashes:
// "robots/crawl=CC-MAIN-2018-34/subset=robotstxt". A table without subset ignores it. Names may come out of an archive:
// whatever they hold, the folder lies in the table's. Bytes outside of A-Z a-z 0-9 . _ - are escaped as readers of Hive
// partitions undo it.
func (d Definition) Folder(crawl, subset string) string {
	folder := path.Join(string(d.Name), "crawl="+partitionValue(crawl, LocalCrawl))
	if d.PerSubset {
		folder = path.Join(folder, "subset="+partitionValue(subset, LocalSubset))
	}
	return folder
}

// PartitionOf undoes Folder: it reads the partition from the names of the folders of a part file. subset is nil for a
// table without it.
func PartitionOf(file string) (crawl string, subset *string) {
	for _, folder := range strings.Split(file, "/") {
		column, value, _ := strings.Cut(folder, "=")
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		switch column {
		case "crawl":
			crawl = value
		case "subset":
			subset = &value
		}
	}
	return crawl, subset
}

func partitionValue(name, none string) string {
	if name == "" {
		return none
	}
	var b strings.Builder
	for i := 0; i < len(name) && b.Len() <= maxPartition; i++ {
		if c := name[i]; isPlain(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() <= maxPartition {
		return b.String()
	}
	// Names that begin alike must stay apart. The cut must not go through an escape.
	sum := sha256.Sum256([]byte(name))
	head := b.String()[:maxPartition-17]
	if i := strings.LastIndexByte(head, '%'); i > len(head)-3 {
		head = head[:i]
	}
	return head + "-" + hex.EncodeToString(sum[:8])
}

func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
}
