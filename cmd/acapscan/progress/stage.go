package progress

import (
	"fmt"
	"time"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/source"
)

// idle is the time before, between and after the stages.
type idle string

func (i idle) line() []string { return []string{string(i)} }
func (i idle) message() stageMessage {
	return stageMessage{MessageType: messageProgress, Time: now(), Stage: "none"}
}
func (i idle) left() (time.Duration, bool) { return 0, false }

// analyzeFact is what stage 2 takes for a fact, in the time of a core: over the robots.txt of 2017 of an ordinary
// machine. It predicts the second stage of scan while the first runs.
const analyzeFact = 60 * time.Microsecond

// An extractStage is stage 1.
type extractStage struct {
	progress    *extractrun.Progress
	began       time.Time
	inputs      int
	bytes       int64 // of all inputs of known size
	sizeUnknown int   // inputs of unknown size
	analyzers   int   // workers of the second stage; 0: there is none
}

func newExtractStage(inputs []source.Input, analyzers int) *extractStage {
	s := &extractStage{
		progress: &extractrun.Progress{}, began: time.Now(), inputs: len(inputs), analyzers: analyzers,
	}
	for _, in := range inputs {
		if in.Size < 0 {
			s.sizeUnknown++
		} else {
			s.bytes += in.Size
		}
	}
	return s
}

// total is the size of all inputs, in bytes; -1 if unknown.
func (s *extractStage) total() int64 {
	if s.sizeUnknown > 0 {
		return -1
	}
	return s.bytes
}

// left is the time until the end of the run. Bytes that are never read take no time.
func (s *extractStage) left() (time.Duration, bool) {
	if s.sizeUnknown > 0 {
		return 0, false
	}
	read := s.progress.Bytes.Load()
	unread := max(0, s.bytes-read-s.progress.Passed.Load())
	left, ok := remaining(time.Since(s.began), read, read+unread)
	if ok && s.analyzers > 0 {
		facts := float64(s.progress.Facts.Load()) * float64(read+unread) / float64(max(read, 1))
		left += time.Duration(facts/float64(s.analyzers)) * analyzeFact
	}
	return left, ok
}

func (s *extractStage) line() []string {
	p, left := s.progress, timeLeft(s)
	read := p.Bytes.Load()
	size := byteCount(read)
	switch {
	case s.sizeUnknown == 0:
		size += " of " + byteCount(s.bytes)
	case s.sizeUnknown == 1:
		left += ", since an input has no known size"
	default:
		left += fmt.Sprintf(", since %d inputs have no known size", s.sizeUnknown)
	}
	return []string{
		"reading " + size, fmt.Sprintf("%.1f MB/s", perSecond(read, time.Since(s.began))/1e6), left,
		fmt.Sprintf("%d of %d inputs", p.Inputs.Load(), s.inputs), fmt.Sprintf("%d robots.txt", p.Robots.Load()),
		fmt.Sprintf("%d pages with ACAP", p.ACAPPages.Load()), fmt.Sprintf("%d unreadable", p.Unreadable.Load()),
	}
}

func (s *extractStage) message() stageMessage {
	p := s.progress
	e := &extractMessage{
		InputsDone: p.Inputs.Load(), InputsTotal: s.inputs, InputsUnreadable: p.Unreadable.Load(),
		InputsSizeUnknown: s.sizeUnknown, BytesRead: p.Bytes.Load(), BytesPassed: p.Passed.Load(),
		Records: p.Records.Load(), RobotsCaptures: p.Robots.Load(), ACAPPages: p.ACAPPages.Load(),
	}
	e.BytesPerSecond = int64(perSecond(e.BytesRead, time.Since(s.began)))
	m := newStageMessage("extract", s.began, s)
	m.extractMessage = e
	if total := s.total(); total >= 0 {
		e.BytesTotal = &total
	}
	return m
}

// An analyzeStage is stage 2.
type analyzeStage struct {
	progress *analyzerun.Progress
	began    time.Time
	expected time.Duration // what the first stage expects of it; 0 if unknown
}

func newAnalyzeStage(expected time.Duration) *analyzeStage {
	return &analyzeStage{&analyzerun.Progress{}, time.Now(), expected}
}

// left is the time until the end of the run. The time before the first bucket says nothing of how fast buckets are.
func (s *analyzeStage) left() (time.Duration, bool) {
	began := s.progress.Began.Load()
	if began > 0 {
		took := time.Since(time.Unix(0, began))
		if left, ok := remaining(took, s.progress.Done.Load(), s.progress.Size.Load()); ok {
			return left, true
		}
	}
	return max(0, s.expected-time.Since(s.began)), s.expected > 0
}

// sites returns the surveyed sites, and an estimate of all; -1 if unknown.
func (s *analyzeStage) sites() (done, total int64) {
	began := s.progress.Began.Load() // before Size, which is known then
	done = s.progress.Sites.Load()
	surveyed, size := s.progress.Done.Load(), s.progress.Size.Load()
	switch {
	case began == 0 || surveyed == 0 && size > 0:
		return done, -1
	case surveyed >= size:
		return done, done
	}
	return done, max(done, int64(float64(done)*float64(size)/float64(surveyed)))
}

func (s *analyzeStage) line() []string {
	done, total := s.sites()
	switch {
	case s.progress.Began.Load() == 0:
		return []string{"following redirects and references between sites", timeLeft(s)}
	case total < 0:
		return []string{"deciding", timeLeft(s)}
	case done == total:
		return []string{fmt.Sprintf("deciding, %d sites", done), timeLeft(s)}
	}
	return []string{fmt.Sprintf("deciding, %d of about %d sites", done, total), timeLeft(s)}
}

func (s *analyzeStage) message() stageMessage {
	done, total := s.sites()
	m := newStageMessage("analyze", s.began, s)
	m.analyzeMessage = &analyzeMessage{Sites: done}
	if total >= 0 {
		m.SitesTotal = &total
	}
	return m
}

func newStageMessage(name string, began time.Time, s stage) stageMessage {
	m := stageMessage{MessageType: messageProgress, Time: now(), Stage: name, Seconds: seconds(time.Since(began))}
	if left, ok := s.left(); ok {
		rounded := seconds(left)
		m.SecondsLeft = &rounded
	}
	return m
}

// remaining assumes the average speed so far. It is unknown before something was done, or if the total is: -1.
func remaining(elapsed time.Duration, done, total int64) (time.Duration, bool) {
	switch {
	case total < 0:
		return 0, false
	case done >= total:
		return 0, true
	case done <= 0 || elapsed <= 0:
		return 0, false
	}
	return time.Duration(float64(elapsed) / float64(done) * float64(total-done)), true
}

// timeLeft is the time until the end of the run, for people.
func timeLeft(s stage) string {
	if left, ok := s.left(); ok {
		return roughly(left) + " left"
	}
	return "time left unknown"
}

func perSecond(n int64, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return float64(n) / elapsed.Seconds()
}

// seconds rounds to milliseconds.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1e3 }

// roughly writes a duration in seconds, minutes, or hours and minutes.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// byteCount writes a number of bytes in decimal units.
func byteCount(n int64) string {
	const units = "kMGTPE"
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	value, unit := float64(n)/1e3, 0
	for value >= 999.95 && unit < len(units)-1 {
		value, unit = value/1e3, unit+1
	}
	return fmt.Sprintf("%.1f %cB", value, units[unit])
}
