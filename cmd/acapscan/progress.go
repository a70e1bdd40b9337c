package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// A progressMode is a way to tell how a run goes on.
type progressMode string

const (
	progressAuto  progressMode = "auto"  // bar on a terminal, else plain
	progressBar   progressMode = "bar"   // plain where there is no terminal
	progressJSON  progressMode = "json"  // messages of docs/progress.md, and nothing else, on stderr
	progressPlain progressMode = "plain" // a line now and then
	progressNone  progressMode = "none"
)

// paces are how often each mode tells. A bar is for eyes, messages are for programs, and lines are for logs of a
// weekend.
var paces = map[progressMode]time.Duration{
	progressBar: 200 * time.Millisecond, progressJSON: 5 * time.Second, progressPlain: time.Minute, progressNone: 0,
}

func (m progressMode) known() bool {
	_, paced := paces[m]
	return paced || m == progressAuto
}

// A stage is what a run is at. It counts; whoever tells reads it.
type stage interface {
	// line is for people: parts, the most important first.
	line() []string
	// message is for programs.
	message() progressMessage
	// position is how much of how much is done, for a bar. A total of -1 is not known.
	position() (done, total int64)
}

// A reporter tells how a run goes on: all that a verb has to say on stderr goes through it. One goroutine of its own
// tells; workers only count. Its methods may be called by several at a time.
type reporter struct {
	verb   string
	mode   progressMode
	stderr io.Writer
	began  time.Time
	stop   chan struct{}
	teller sync.WaitGroup

	mu      sync.Mutex // of stderr, and of what follows
	stage   stage
	shown   *progressbar.ProgressBar // nil: not shown
	outcome *doneMessage             // what the run came to, once it is known
}

// reported runs a verb that tells how it goes on.
func (f *runFlags) reported(cmd *cobra.Command, run func(*reporter) error) error {
	if err := f.check(); err != nil {
		return err
	}
	defer f.memory.enforce()()
	r := newReporter(cmd.Name(), f.progress, cmd.ErrOrStderr())
	stop := r.start(paces[r.mode])
	err := run(r)
	stop()
	return r.end(cmd.Context(), err)
}

func newReporter(verb string, mode progressMode, stderr io.Writer) *reporter {
	terminal := false
	if file, ok := stderr.(*os.File); ok {
		terminal = term.IsTerminal(int(file.Fd()))
	}
	switch {
	case mode == progressAuto && terminal:
		mode = progressBar
	case mode == progressAuto, mode == progressBar && !terminal:
		mode = progressPlain
	}
	return &reporter{verb: verb, mode: mode, stderr: stderr, began: time.Now(), stop: make(chan struct{}), stage: idle("preparing")}
}

// start begins to tell at a pace, and whenever the user sends SIGUSR1. A pace of 0 tells then only.
func (r *reporter) start(pace time.Duration) (stop func()) {
	asked := make(chan os.Signal, 1)
	forget := notifyStatus(asked)
	var tick <-chan time.Time
	ticker := &time.Ticker{}
	if pace > 0 {
		ticker = time.NewTicker(pace)
		tick = ticker.C
	}
	r.teller.Add(1)
	go func() {
		defer r.teller.Done()
		for {
			select {
			case <-r.stop:
				return
			case <-tick:
				r.tell()
			case <-asked:
				r.answer()
			}
		}
	}()
	return func() {
		forget()
		close(r.stop)
		r.teller.Wait()
		if pace > 0 {
			ticker.Stop()
		}
	}
}

// tell tells how far the stage is, in the way of the mode. Between the stages there is nothing to tell.
func (r *reporter) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.stage.(idle); ok {
		return
	}
	switch r.mode {
	case progressBar:
		r.draw()
	case progressJSON:
		r.write(r.stage.message())
	case progressPlain:
		r.print(r.statusLine())
	}
}

// answer tells how far the run is because somebody asked.
func (r *reporter) answer() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mode == progressJSON {
		r.write(r.stage.message())
		return
	}
	r.print(r.statusLine())
}

func (r *reporter) statusLine() string { return strings.Join(r.stage.line(), ", ") }

// enter begins a stage, and leave ends it: how it ended is told to programs.
func (r *reporter) enter(s stage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stage = s
	switch r.mode {
	case progressBar:
		_, total := s.position()
		r.shown = progressbar.NewOptions64(total, progressbar.OptionSetWriter(r.stderr), progressbar.OptionSetWidth(barWidth),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetSpinnerChangeInterval(0), // which has no goroutine
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionShowDescriptionAtLineEnd())
	case progressJSON:
		m := s.message()
		m.MessageType = messageStage
		r.write(m)
	}
}

func (r *reporter) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shown != nil {
		_ = r.shown.Finish() // a bar that cannot be drawn is no reason to stop, here and below
		r.shown = nil
	}
	if r.mode == progressJSON {
		r.write(r.stage.message())
	}
	r.stage = idle("between the stages, or finishing")
}

// barWidth is that of the bar alone, barMargin that of the percentage and what else stands around it.
const (
	barWidth  = 20
	barMargin = barWidth + 12
)

// draw draws the bar, with as much beside it as the terminal is wide.
func (r *reporter) draw() {
	if r.shown == nil {
		return
	}
	width := 80
	if file, ok := r.stderr.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			width = columns
		}
	}
	done, total := r.stage.position()
	if total > 0 && r.shown.GetMax64() != total {
		r.shown.ChangeMax64(total)
	}
	r.shown.Describe(fit(r.stage.line(), width-barMargin))
	_ = r.shown.Set64(done)
}

// fit joins as many parts as there is room for, the first at least.
func fit(parts []string, width int) string {
	line := parts[0]
	for _, part := range parts[1:] {
		if len(line)+len(", ")+len(part) > width {
			break
		}
		line += ", " + part
	}
	return line
}

// print writes a sentence beside the bar.
func (r *reporter) print(text string) {
	if r.shown != nil {
		_ = r.shown.Clear()
	}
	_ = say(r.stderr, text)
}

// write writes a message for programs.
func (r *reporter) write(m any) {
	line, err := json.Marshal(m)
	if err != nil { // a message of ours that cannot be written is a fault, and no reason to end a run
		line = fmt.Appendf(nil, `{"message_type":%q}`, messageNote)
	}
	_, _ = r.stderr.Write(append(line, '\n'))
}

// failed tells of an input that cannot be read, or not whole.
func (r *reporter) failed(input string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mode == progressJSON {
		r.write(inputFailedMessage{messageInputFailed, now(), strings.ToValidUTF8(input, "\uFFFD"), err.Error()})
		return
	}
	r.print(err.Error())
}

// note tells a sentence that is no failure.
func (r *reporter) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if r.mode == progressJSON {
		r.write(noteMessage{messageNote, now(), text})
		return
	}
	r.print(text)
}

// done takes what the run came to: counts for programs, text for people. The exit status is not known yet.
func (r *reporter) done(outcome doneMessage, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome = &outcome
	if r.mode != progressJSON {
		_, _ = io.WriteString(r.stderr, text) // the output is there, whether or not anybody is told
	}
}

// end tells programs how the run ended. The error that it returns says no more than has been said.
func (r *reporter) end(ctx context.Context, err error) error {
	if r.mode != progressJSON {
		return err
	}
	status, sentence := ending(ctx, err)
	if r.outcome != nil && sentence == "" {
		m := *r.outcome
		m.MessageType, m.Time, m.Verb, m.ExitStatus, m.Seconds = messageDone, now(), r.verb, status, seconds(time.Since(r.began))
		r.write(m)
	} else {
		r.write(failedMessage{messageFailed, now(), r.verb, status, sentence})
	}
	if status == exitDone {
		return nil
	}
	return saidError{status}
}
