package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// programName begins what the program says of its own.
const programName = "acapscan: "

// say writes a sentence for people, which may hold names that anybody chose. Its further lines (a fault comes with its
// stack) are set in, lest a name that has lines begin a sentence of its own.
func say(w io.Writer, sentence string) error {
	lines := strings.Split(strings.TrimRight(sentence, "\n"), "\n")
	for i, line := range lines {
		lines[i] = printable(strings.TrimLeft(line, "\t"))
	}
	_, err := fmt.Fprintln(w, programName+strings.Join(lines, "\n  "))
	return err
}

// printable makes third-party text fit for a terminal: what is not to be seen there, or makes it do things, is written
// as Go writes it in a string, \u009b for one. So are octets that are no UTF-8.
func printable(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		s = s[n:]
	}
	return b.String()
}
