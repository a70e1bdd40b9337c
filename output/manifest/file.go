package manifest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
)

// encode gives JSON for people and programs: indented, in a fixed order, '<' as it is.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(v)
	return b.Bytes(), err
}

// pathList gives the part files one a line, compressed, for readers over HTTPS, which has no glob.
func pathList(outputs []Output) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b) // without a time, so that equal lists are equal bytes
	for _, o := range outputs {
		fmt.Fprintln(w, o.Path)
	}
	w.Close() // a bytes.Buffer takes everything
	return b.Bytes()
}
