package arena

import (
	"fmt"
	"strings"
	"testing"
)

func TestCopies(t *testing.T) {
	var a Arena
	var got, want []string
	buf := make([]byte, 0, 3*longBytes)
	for i := range 400 {
		text := strings.Repeat(fmt.Sprint(i), i)
		if i%97 == 0 {
			text = strings.Repeat("x", longBytes+i)
		}
		want = append(want, text, text)
		buf = append(buf[:0], text...)
		got = append(got, a.CopyBytes(buf), a.Copy(text))
		clear(buf)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("text %d is %.40q, want %.40q", i, got[i], want[i])
		}
	}
}

// Many short strings cost few allocations, and a long one leaves the shared allocation as it is.
func TestAllocations(t *testing.T) {
	var a Arena
	long, short := strings.Repeat("x", longBytes+1), []byte("https://www.example.com")
	if n := testing.AllocsPerRun(20, func() {
		for range chunkBytes / len(short) {
			a.CopyBytes(short)
		}
	}); n > 2 {
		t.Errorf("%v allocations for one chunk of short strings", n)
	}
	a = Arena{}
	a.CopyBytes(short)
	left := a.b.Cap() - a.b.Len()
	if a.Copy(long) != long || a.b.Cap()-a.b.Len() != left {
		t.Error("a long string used the shared allocation")
	}
}
