package manual

import "testing"

// A line of text that begins like a command of roff is text.
func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		".so /etc/passwd": `\&.so /etc/passwd`,
		"a\n'b":           "a\n\\&'b",
		`--x \n`:          `\-\-x \en`,
	} {
		if got := roff(text); got != want {
			t.Errorf("roff(%q) is %q, want %q", text, got, want)
		}
	}
}
