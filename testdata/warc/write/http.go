package main

import (
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"strings"
)

// answer returns an HTTP answer with the given status line, header lines and body.
func answer(status, body string, header ...string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %s\r\n%sServer: httpd\r\n\r\n%s", status, lines(header), body)
}

func lines(header []string) string {
	var b strings.Builder
	for _, h := range header {
		b.WriteString(h + "\r\n")
	}
	return b.String()
}

// ok returns a 200 with a body of that media type.
func ok(mediaType, body string, header ...string) []byte {
	return answer("200 OK", body, append([]string{"Content-Type: " + mediaType, fmt.Sprintf("Content-Length: %d", len(body))}, header...)...)
}

// redirect returns a 301.
func redirect(to string) []byte {
	return answer("301 Moved Permanently", "", "Location: "+to, "Content-Length: 0")
}

// failure returns an answer with a small HTML body, as servers give.
func failure(status string, header ...string) []byte {
	body := "<html><head><title>" + status + "</title></head><body><h1>" + status + "</h1></body></html>\n"
	return answer(status, body, append(header, "Content-Type: text/html")...)
}

// html returns a page with the given lines in its head and body.
func html(title, head, body string) string {
	return "<!DOCTYPE html>\n<html>\n<head>\n<title>" + title + "</title>\n" + head + "\n</head>\n<body>\n<h1>" + title + "</h1>\n" + body + "\n</body>\n</html>\n"
}

// htmlPage returns the answer with such a page.
func htmlPage(title, head, body string, header ...string) []byte {
	return ok("text/html; charset=utf-8", html(title, head, body), header...)
}

func xmlPage(body string) []byte { return ok("application/xml", body) }

// chunked returns a body as chunks of a few bytes.
func chunked(body string) string {
	var b strings.Builder
	for rest := body; rest != ""; {
		n := min(len(rest), 100)
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, rest[:n])
		rest = rest[n:]
	}
	return b.String() + "0\r\n\r\n"
}

// deflated returns a body as deflate with its zlib header (RFC 1950). As all coded bodies here it is stored, so that it is the same
// whatever version of Go compresses.
func deflated(body string) string {
	b := append([]byte{0x78, 0x01}, storedBlocks([]byte(body))...)
	return string(binary.BigEndian.AppendUint32(b, adler32.Checksum([]byte(body))))
}

// brotli returns a body of at most 65,536 bytes as a brotli stream of one uncompressed meta-block (RFC 7932, section 9.2): one bit
// of window size, not the last block, four nibbles of length less one, uncompressed; then an empty last block.
func brotli(body string) string {
	head := uint32(len(body)-1)<<4 | 1<<20
	return string([]byte{byte(head), byte(head >> 8), byte(head >> 16)}) + body + "\x03"
}

// zstdFrame returns a text as a zstd frame of raw blocks (RFC 8878, section 3.1.1): a single segment with a content size of four
// bytes, no checksum.
func zstdFrame(text []byte) []byte {
	n := uint32(len(text))
	b := []byte{0x28, 0xB5, 0x2F, 0xFD, 0xA0, byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}
	for rest := text; ; {
		n := min(len(rest), 1<<17)
		h := uint32(n) << 3
		if n == len(rest) {
			h |= 1
		}
		b = append(b, byte(h), byte(h>>8), byte(h>>16))
		b = append(b, rest[:n]...)
		if rest = rest[n:]; len(rest) == 0 {
			return b
		}
	}
}
