package console

import (
	"errors"
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"häfen/Größe 1.warc.gz":          "häfen/Größe 1.warc.gz",
		"港.warc":                         "港.warc",
		"back\\slash and \"quotes\"":     "back\\slash and \"quotes\"",
		"\x1b[2J":                        `\x1b[2J`,
		"C1 \u009b2J":                    `C1 \u009b2J`,
		"no UTF-8 \x9b, \xff":            `no UTF-8 \x9b, \xff`,
		"the character \uFFFD":           "the character \uFFFD",
		"turned \u202egpj.exe":           `turned \u202egpj.exe`,
		"hidden \u200b\u00ad\U000e0041":  `hidden \u200b\u00ad\U000e0041`,
		"blank \u00a0, line\n\r\u2028 '": `blank \u00a0, line\n\r\u2028 '`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// A fault has its stack on lines of its own; no name begins a sentence.
func TestSayLines(t *testing.T) {
	var b strings.Builder
	if err := Say(&b, "a\nacapscan: all is well\n\tmain.go:1\n"); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "acapscan: a\n  acapscan: all is well\n  main.go:1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := Say(fullDisk{}, "a"); err == nil {
		t.Error("no error was reported")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }
