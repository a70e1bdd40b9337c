package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/pem"
	"io"
	"io/fs"
	"strings"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// A file goes into an archive. The name of a folder ends in a slash.
type file struct {
	name    string
	content []byte
	mode    int64
}

// writeTar writes files in this order, all with one time and without owners, so that equal files give equal bytes.
func writeTar(to io.Writer, files []file, at time.Time) error {
	w := tar.NewWriter(to)
	for _, f := range files {
		head := &tar.Header{
			Name: f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: at, Format: tar.FormatUSTAR,
		}
		if strings.HasSuffix(f.name, "/") {
			head.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(head); err != nil {
			return err
		}
		if _, err := w.Write(f.content); err != nil {
			return err
		}
	}
	return w.Close()
}

func writeTarGz(to io.Writer, files []file, at time.Time) error {
	w, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(w, files, at); err != nil {
		return err
	}
	return w.Close()
}

// writeZip is writeTar for zip files, whose times have two seconds and no zone.
func writeZip(to io.Writer, files []file, at time.Time) error {
	w := zip.NewWriter(to)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	for _, f := range files {
		head := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		head.SetMode(fs.FileMode(f.mode))
		entry, err := w.CreateHeader(head)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.content); err != nil {
			return err
		}
	}
	return w.Close()
}

// rootCertificates are those of Mozilla, in PEM: an image without an operating system has none. Roots that are trusted
// under conditions are left out, since PEM cannot state them.
func rootCertificates() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a bytes.Buffer has no errors
		}
	}
	return b.Bytes()
}
