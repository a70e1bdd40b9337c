package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	ingestbatch "github.com/acapscan/acapscan/ingest/batch"
	"github.com/acapscan/acapscan/ingest/source"
)

// A bar shows on a terminal how far the first stage is. Elsewhere it shows nothing. One goroutine draws; workers only count.
type bar struct {
	progress *ingestbatch.Progress
	stderr   io.Writer
	shown    *progressbar.ProgressBar // nil: not shown
	done     chan struct{}
	drawer   sync.WaitGroup
	mu       sync.Mutex // of what is written to stderr
}

func newBar(inputs []source.Input, mode string, stderr io.Writer) *bar {
	b := &bar{progress: &ingestbatch.Progress{}, stderr: stderr, done: make(chan struct{})}
	file, ok := stderr.(*os.File)
	if mode == "none" || !ok || !term.IsTerminal(int(file.Fd())) {
		return b
	}
	total := int64(0)
	for _, in := range inputs {
		if in.Size < 0 {
			total = -1 // a spinner
			break
		}
		total += in.Size
	}
	b.shown = progressbar.NewOptions64(total, progressbar.OptionSetWriter(stderr), progressbar.OptionShowBytes(true),
		progressbar.OptionSetDescription("reading"), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	b.drawer.Add(1)
	go b.draw()
	return b
}

func (b *bar) draw() {
	defer b.drawer.Done()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-b.done:
			return
		case <-tick.C:
			b.mu.Lock()
			_ = b.shown.Set64(b.progress.Bytes.Load()) // a bar that cannot be drawn is no reason to stop
			b.mu.Unlock()
		}
	}
}

// say prints a line beside the bar.
func (b *bar) say(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shown != nil {
		_ = b.shown.Clear()
	}
	fmt.Fprintln(b.stderr, line)
}

// stop takes the bar away.
func (b *bar) stop() {
	close(b.done)
	b.drawer.Wait()
	if b.shown != nil {
		_ = b.shown.Finish()
	}
}
