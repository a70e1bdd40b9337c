// Package progress reports on standard error how a run proceeds: a bar, lines or JSON messages. Workers count, and one
// goroutine reports the counts.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/console"
)

// A Mode is a form of progress.
type Mode string

const (
	Auto  Mode = "auto"  // Bar on a terminal, else Plain
	Bar   Mode = "bar"   // Plain without a terminal
	JSON  Mode = "json"  // the messages of docs/progress.md, and nothing else
	Plain Mode = "plain" // a line a minute
	None  Mode = "none"
)

// paces are the times between two reports.
var paces = map[Mode]time.Duration{Bar: 200 * time.Millisecond, JSON: 5 * time.Second, Plain: time.Minute, None: 0}

// Known reports whether there is such a mode.
func (m Mode) Known() bool {
	_, paced := paces[m]
	return paced || m == Auto
}

// A stage is a part of a run that reports how far it is.
type stage interface {
	line() []string // for people: parts, the most important first
	message() stageMessage
	left() (time.Duration, bool) // time until the end of the run; false: unknown
}

// A Reporter writes everything that a verb writes to standard error. Several goroutines may call its methods.
type Reporter struct {
	verb   string
	mode   Mode
	stderr io.Writer
	began  time.Time

	mu      sync.Mutex // of stderr, and of what follows
	stage   stage
	bar     *progressbar.ProgressBar // nil: none is drawn
	drawn   int64                    // of barParts
	outcome *Outcome                 // nil until Done
	skipped int                      // calls of InputNotRequested in this stage

	expected time.Duration // for the next stage, as the last one predicts
}

// New returns the reporter of a verb. It reports progress after Start.
func New(verb string, mode Mode, stderr io.Writer) *Reporter {
	_, terminal := Terminal(stderr)
	switch {
	case mode == Auto && terminal:
		mode = Bar
	case mode == Auto, mode == Bar && !terminal:
		mode = Plain
	}
	return &Reporter{verb: verb, mode: mode, stderr: stderr, began: time.Now(), stage: idle("preparing")}
}

// Terminal reports whether w is a terminal, and its width in columns.
func Terminal(w io.Writer) (columns int, terminal bool) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil || columns <= 0 {
		columns = 80
	}
	return columns, true
}

// Start reports at the pace of the mode, and on every SIGUSR1, until stop.
func (r *Reporter) Start() (stop func()) { return r.start(paces[r.mode]) }

func (r *Reporter) start(pace time.Duration) (stop func()) {
	asked := make(chan os.Signal, 1)
	forget := notifyStatus(asked)
	var tick <-chan time.Time // nil is never ready
	if pace > 0 {
		tick = time.Tick(pace)
	}
	ended := make(chan struct{})
	var reporting sync.WaitGroup
	reporting.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-tick:
				r.report(false)
			case <-asked:
				r.report(true)
			}
		}
	})
	return func() {
		forget()
		close(ended)
		reporting.Wait()
		r.removeBar()
	}
}

// removeBar ends the bar.
func (r *Reporter) removeBar() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bar != nil {
		_ = r.bar.Finish() // a bar that cannot be drawn is no reason to stop
		r.bar = nil
	}
}

// report writes how far the stage is, or between the stages nothing. If the user asked, every mode writes something.
func (r *Reporter) report(asked bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.stage.(idle); ok && !asked {
		return
	}
	switch {
	case r.mode == JSON:
		r.write(r.stage.message())
	case asked || r.mode == Plain:
		r.print(strings.Join(r.stage.line(), ", "))
	case r.mode == Bar:
		r.draw()
	}
}

// Extract begins stage 1, which adds to what it returns. Leave ends it. analyzers is the number of workers of the stage
// after it; 0: there is none.
func (r *Reporter) Extract(inputs []source.Input, analyzers int) *extractrun.Progress {
	s := newExtractStage(inputs, analyzers)
	r.enter(s)
	return s.progress
}

// Analyze begins stage 2, which adds to what it returns. Leave ends it.
func (r *Reporter) Analyze() *analyzerun.Progress {
	s := newAnalyzeStage(r.expected)
	r.enter(s)
	return s.progress
}

func (r *Reporter) enter(s stage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stage = s
	switch r.mode {
	case Bar:
		if r.bar == nil { // one bar goes through all stages
			// a length comes with the time left
			r.bar = progressbar.NewOptions64(-1, progressbar.OptionSetWriter(r.stderr),
				progressbar.OptionSetWidth(barWidth), progressbar.OptionClearOnFinish(),
				progressbar.OptionSetSpinnerChangeInterval(0), // without a goroutine
				progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
				progressbar.OptionShowDescriptionAtLineEnd())
		}
	case JSON:
		m := s.message()
		m.MessageType = messageStage
		r.write(m)
	}
}

// Leave ends the stage.
func (r *Reporter) Leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mode == JSON {
		r.write(r.stage.message())
	} else if r.skipped > 0 {
		r.print(console.Plural(r.skipped, "more input") +
			" not requested, for the reason above; the same command requests them again")
	}
	r.skipped = 0
	r.expected, _ = r.stage.left() // nothing is left of this stage
	r.stage = idle("between the stages, or finishing")
}

// barWidth is that of the bar alone, barMargin that of the bar, the percentage and what else stands around it.
const (
	barWidth  = 20
	barMargin = barWidth + 12
	barParts  = 1000 // the bar is full at this position
)

// draw draws the bar, and next to it as many parts of the line as fit. The bar shows the share of the time that has
// passed, and never goes back.
func (r *Reporter) draw() {
	if r.bar == nil {
		return
	}
	columns, _ := Terminal(r.stderr)
	r.bar.Describe(fit(r.stage.line(), columns-barMargin))
	passed := time.Since(r.began)
	if left, ok := r.stage.left(); ok {
		r.drawn = max(r.drawn, int64(barParts*passed.Seconds()/max(passed+left, 1).Seconds()))
		if r.bar.GetMax64() != barParts {
			_ = r.bar.Set64(0)
			r.bar.ChangeMax64(barParts)
		}
	}
	if r.bar.GetMax64() == barParts {
		_ = r.bar.Set64(min(r.drawn, barParts-1))
	} else {
		_ = r.bar.Set64(passed.Milliseconds()) // it turns
	}
}

// fit joins the first part and as many others as the width allows.
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

// print replaces the bar by a sentence.
func (r *Reporter) print(text string) {
	if r.bar != nil {
		_ = r.bar.Clear()
	}
	_ = console.Say(r.stderr, text)
}

// write writes a message for programs.
func (r *Reporter) write(m any) {
	line, err := json.Marshal(m)
	if err != nil { // a fault of ours, and no reason to end a run
		line = fmt.Appendf(nil, `{"message_type":%q}`, messageNote)
	}
	_, _ = r.stderr.Write(append(line, '\n'))
}

// InputFailed reports an input that is unreadable or cut.
func (r *Reporter) InputFailed(input string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mode == JSON {
		r.write(inputFailedMessage{messageInputFailed, now(), strings.ToValidUTF8(input, "\uFFFD"), err.Error()})
		return
	}
	r.print(err.Error())
}

// InputNotRequested is InputFailed for an input of a host that is left alone after errors that were reported. People
// get the number of such inputs at the end of the stage.
func (r *Reporter) InputNotRequested(input string, err error) {
	if r.mode == JSON {
		r.InputFailed(input, err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.skipped++
}

// Note reports what is no failure.
func (r *Reporter) Note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if r.mode == JSON {
		r.write(noteMessage{messageNote, now(), text})
		return
	}
	r.print(text)
}

// Done reports what the run did: text at once for people, and for programs the outcome with the exit status of End.
func (r *Reporter) Done(outcome Outcome, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome = &outcome
	if r.bar != nil {
		_ = r.bar.Clear()
	}
	if r.mode != JSON {
		_, _ = io.WriteString(r.stderr, text) // the output is complete with or without it
	}
}

// End writes the last message for programs. In other modes it reports false: the caller writes the sentence.
func (r *Reporter) End(status int, sentence string) (reported bool) {
	if r.mode != JSON {
		return false
	}
	end := endMessage{messageDone, now(), r.verb, status}
	if r.outcome != nil && sentence == "" {
		r.write(doneMessage{end, seconds(time.Since(r.began)), *r.outcome})
	} else {
		end.MessageType = messageFailed
		r.write(failedMessage{end, sentence})
	}
	return true
}
