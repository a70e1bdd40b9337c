package manifest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// writeFile makes a file appear whole under its name: written beside it under TempSuffix, synced, renamed. A killed run leaves at
// most that one temporary file, which the next run writes over.
func writeFile(name string, content []byte) (err error) {
	temp := name + TempSuffix
	file, err := os.Create(temp)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(name))
}

// syncFolder makes the names in a folder durable. File systems that cannot do that (some network ones) are let be.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

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
