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

func (i idle) line() []string                { return []string{string(i)} }
func (i idle) position() (done, total int64) { return 0, -1 }
func (i idle) message() stageMessage {
	return stageMessage{MessageType: messageProgress, Time: now(), Stage: "none"}
}

// An extractStage is stage 1.
type extractStage struct {
	progress    *extractrun.Progress
	began       time.Time
	inputs      int
	bytes       int64 // of all inputs of known size
	sizeUnknown int   // inputs of unknown size
}

func newExtractStage(inputs []source.Input) *extractStage {
	s := &extractStage{progress: &extractrun.Progress{}, began: time.Now(), inputs: len(inputs)}
	for _, in := range inputs {
		if in.Size < 0 {
			s.sizeUnknown++
		} else {
			s.bytes += in.Size
		}
	}
	return s
}

// position counts bytes that are never read as done.
func (s *extractStage) position() (done, total int64) {
	read := s.progress.Bytes.Load()
	if s.sizeUnknown > 0 {
		return read, -1
	}
	return min(read+s.progress.Passed.Load(), s.bytes), s.bytes
}

func (s *extractStage) line() []string {
	p, elapsed := s.progress, time.Since(s.began)
	read := p.Bytes.Load()
	done, total := s.position()
	size, left := byteCount(read), "time left unknown"
	switch {
	case total >= 0:
		size += " of " + byteCount(total)
		left = timeLeft(elapsed, read, read+total-done) // bytes that are never read take no time
	case s.sizeUnknown == 1:
		left += ", since an input has no known size"
	default:
		left += fmt.Sprintf(", since %d inputs have no known size", s.sizeUnknown)
	}
	return []string{
		"reading " + size, fmt.Sprintf("%.1f MB/s", perSecond(read, elapsed)/1e6), left,
		fmt.Sprintf("%d of %d inputs", p.Inputs.Load(), s.inputs), fmt.Sprintf("%d robots.txt", p.Robots.Load()),
		fmt.Sprintf("%d pages with ACAP", p.ACAPPages.Load()), fmt.Sprintf("%d unreadable", p.Unreadable.Load()),
	}
}

func (s *extractStage) message() stageMessage {
	p, elapsed := s.progress, time.Since(s.began)
	done, total := s.position()
	e := &extractMessage{
		InputsDone: p.Inputs.Load(), InputsTotal: s.inputs, InputsUnreadable: p.Unreadable.Load(),
		InputsSizeUnknown: s.sizeUnknown, BytesRead: p.Bytes.Load(), BytesPassed: p.Passed.Load(),
		Records: p.Records.Load(), RobotsCaptures: p.Robots.Load(), ACAPPages: p.ACAPPages.Load(),
	}
	e.BytesPerSecond = int64(perSecond(e.BytesRead, elapsed))
	m := newStageMessage("extract", s.began)
	m.extractMessage = e
	if total >= 0 {
		e.BytesTotal = &total
		m.estimate(elapsed, e.BytesRead, e.BytesRead+total-done) // bytes that are never read take no time
	}
	return m
}

// An analyzeStage is stage 2.
type analyzeStage struct {
	progress *analyzerun.Progress
	began    time.Time
}

func newAnalyzeStage() *analyzeStage { return &analyzeStage{&analyzerun.Progress{}, time.Now()} }

func (s *analyzeStage) position() (done, total int64) {
	if total = s.progress.Total.Load(); total == 0 {
		return 0, -1
	}
	return s.progress.Buckets.Load(), total
}

// atBuckets is the time since the first bucket began. The time before says nothing of how fast buckets are.
func (s *analyzeStage) atBuckets() time.Duration {
	if began := s.progress.Began.Load(); began > 0 {
		return time.Since(time.Unix(0, began))
	}
	return 0
}

func (s *analyzeStage) line() []string {
	done, total := s.position()
	if total < 0 {
		return []string{"following redirects and references between sites", "time left unknown"}
	}
	return []string{
		fmt.Sprintf("deciding, %d of %d buckets", done, total),
		timeLeft(s.atBuckets(), s.progress.Done.Load(), s.progress.Size.Load()),
		fmt.Sprintf("%d sites", s.progress.Sites.Load()),
	}
}

func (s *analyzeStage) message() stageMessage {
	done, total := s.position()
	m := newStageMessage("analyze", s.began)
	m.analyzeMessage = &analyzeMessage{BucketsDone: done, Sites: s.progress.Sites.Load()}
	if total >= 0 {
		m.BucketsTotal = &total
		m.estimate(s.atBuckets(), s.progress.Done.Load(), s.progress.Size.Load())
	}
	return m
}

func newStageMessage(stage string, began time.Time) stageMessage {
	return stageMessage{MessageType: messageProgress, Time: now(), Stage: stage, Seconds: seconds(time.Since(began))}
}

// estimate sets the seconds that are left, if they are known.
func (m *stageMessage) estimate(elapsed time.Duration, done, total int64) {
	if left, ok := remaining(elapsed, done, total); ok {
		s := seconds(left)
		m.SecondsLeft = &s
	}
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

// timeLeft is remaining for people.
func timeLeft(elapsed time.Duration, done, total int64) string {
	if left, ok := remaining(elapsed, done, total); ok {
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
