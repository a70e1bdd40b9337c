package texts

import (
	"fmt"
	"strings"
	"testing"
)

func TestCopies(t *testing.T) {
	var r Room
	var got, want []string
	buf := make([]byte, 0, 3*longBytes)
	for i := range 400 {
		text := strings.Repeat(fmt.Sprint(i), i)
		if i%97 == 0 {
			text = strings.Repeat("x", longBytes+i)
		}
		want = append(want, text, text)
		buf = append(buf[:0], text...)
		got = append(got, r.CopyBytes(buf), r.Copy(text))
		clear(buf)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("text %d is %.40q, want %.40q", i, got[i], want[i])
		}
	}
}

// Many short texts cost few allocations, and a long one takes no room that is left for others.
func TestAllocations(t *testing.T) {
	var r Room
	long, short := strings.Repeat("x", longBytes+1), []byte("https://www.example.com")
	if n := testing.AllocsPerRun(20, func() {
		for range roomBytes / len(short) {
			r.CopyBytes(short)
		}
	}); n > 2 {
		t.Errorf("%v allocations for a room of short texts", n)
	}
	r = Room{}
	r.CopyBytes(short)
	left := r.b.Cap() - r.b.Len()
	if r.Copy(long) != long || r.b.Cap()-r.b.Len() != left {
		t.Error("a long text took the room of short ones")
	}
}
