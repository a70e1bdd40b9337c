// Package console writes sentences for people. They may quote text that anybody chose, and a terminal obeys none of it.
package console

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// prefix begins every sentence of the program.
const prefix = "acapscan: "

// Say writes a sentence. Its further lines, such as a stack, are indented: a name that has lines cannot begin a
// sentence of its own.
func Say(w io.Writer, sentence string) error {
	lines := strings.Split(strings.TrimRight(sentence, "\n"), "\n")
	for i, line := range lines {
		lines[i] = Printable(strings.TrimLeft(line, "\t"))
	}
	_, err := fmt.Fprintln(w, prefix+strings.Join(lines, "\n  "))
	return err
}

// Printable escapes what a terminal would not show or would obey, as Go does in a string: \u009b for one. So are bytes
// that are not UTF-8.
func Printable(s string) string {
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

// Plural counts things: "1 defect", "2 defects".
func Plural[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// maxListed is how many names List writes before it only counts the others.
const maxListed = 5

// List writes names as "a, b and c", at most maxListed of them.
func List[T ~string](names []T) string {
	words := make([]string, 0, maxListed)
	for _, n := range names[:min(len(names), maxListed)] {
		words = append(words, Printable(string(n)))
	}
	if more := len(names) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// Join is strings.Join for any type of string.
func Join[T ~string](names []T, by string) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = string(n)
	}
	return strings.Join(words, by)
}
