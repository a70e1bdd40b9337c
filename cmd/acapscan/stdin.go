package main

import (
	"context"
	"io"
	"os"
)

// stdinChunk is the size of a read from standard input in bytes.
const stdinChunk = 64 << 10

// interruptible reads from a stream that may block for ever, such as a silent pipe, until the program is interrupted.
// It is not safe for concurrent use.
type interruptible struct {
	ctx    context.Context
	r      io.Reader
	buffer []byte // of the reading goroutine, which must not write to the caller's bytes after Read has returned
}

func newInterruptible(ctx context.Context, r io.Reader) *interruptible {
	return &interruptible{ctx: ctx, r: r, buffer: make([]byte, stdinChunk)}
}

// Size returns how many bytes are left of a regular file, -1 for any other stream.
func (in *interruptible) Size() int64 {
	file, ok := in.r.(*os.File)
	if !ok {
		return -1
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return -1
	}
	return max(info.Size()-at, -1)
}

// Read ends with the error of the context. The bytes of a read under way are lost.
func (in *interruptible) Read(p []byte) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	into := in.buffer[:min(len(p), len(in.buffer))]
	go func() {
		n, err := in.r.Read(into)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(p, into[:got.n]), got.err
	case <-in.ctx.Done():
		return 0, in.ctx.Err()
	}
}
