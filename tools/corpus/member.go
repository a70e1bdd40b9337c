package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
)

// writeMember writes one gzip member with about size bytes of content: one page of that size (shape record), or many
// pages (records). It repeats one compressed piece, so it is faster than any reader.
func writeMember(w io.Writer, shape string, size int64) error {
	const url = "https://www.big.example/page"
	text := newMemberText()
	var start, piece []byte
	switch shape {
	case "record":
		piece = text
		if size < int64(len(piece)) {
			return fmt.Errorf("a member of one record has at least %d bytes", len(piece))
		}
		size = size / int64(len(piece)) * int64(len(piece))
		head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
		start = fmt.Appendf(nil,
			"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2023-03-20T08:35:13Z\r\nWARC-Target-URI: %s\r\n"+
				"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s", url,
			size+int64(len(head)), head)
	case "records":
		for i := range 16 {
			part := text[i*len(text)/16 : (i+1)*len(text)/16]
			block := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n%s", part)
			piece = fmt.Appendf(piece,
				"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2023-03-20T08:35:13Z\r\nWARC-Target-URI: %s%d\r\n"+
					"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", url, i,
				len(block), block)
		}
	default:
		return fmt.Errorf("unknown shape %q", shape)
	}
	m := member{w: w}
	if _, err := w.Write([]byte{0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF}); err != nil {
		return err
	}
	if err := m.repeat(start, 1); err != nil {
		return err
	}
	if err := m.repeat(piece, max(1, size/int64(len(piece)))); err != nil {
		return err
	}
	if shape == "record" {
		if err := m.repeat([]byte("\r\n\r\n"), 1); err != nil {
			return err
		}
	}
	return m.end()
}

// newMemberText returns about a megabyte of markup that compresses like pages.
func newMemberText() []byte {
	w := newWriter()
	w.rng = rand.New(rand.NewPCG(3, 2023))
	w.host = "www.big.example"
	var text []byte
	for len(text) < 1<<20 {
		text = append(text, w.html()...)
	}
	return text
}

// A member is a gzip member under construction, from pieces that do not refer to each other.
type member struct {
	w    io.Writer
	sum  uint32
	size uint32
}

// repeat writes the text n times.
func (m *member) repeat(text []byte, n int64) error {
	if len(text) == 0 {
		return nil
	}
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, level)
	if err != nil {
		return err
	}
	if _, err := z.Write(text); err != nil {
		return err
	}
	if err := z.Flush(); err != nil { // ends at a byte boundary, without a last block
		return err
	}
	for range n {
		if _, err := m.w.Write(b.Bytes()); err != nil {
			return err
		}
		m.sum = crc32.Update(m.sum, crc32.IEEETable, text)
		m.size += uint32(len(text))
	}
	return nil
}

// end writes an empty last block, the checksum and the length (RFC 1952, section 2.3.1).
func (m *member) end() error {
	b := []byte{1, 0, 0, 0xFF, 0xFF}
	b = binary.LittleEndian.AppendUint32(b, m.sum)
	_, err := m.w.Write(binary.LittleEndian.AppendUint32(b, m.size))
	return err
}
