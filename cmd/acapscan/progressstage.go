package main

import (
	"fmt"
	"time"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/source"
)

// idle is what a run is at between its stages.
type idle string

func (i idle) line() []string                { return []string{string(i)} }
func (i idle) position() (done, total int64) { return 0, -1 }
func (i idle) message() progressMessage {
	return progressMessage{MessageType: messageProgress, Time: now(), Stage: "none"}
}

// A readingStage is the first stage.
type readingStage struct {
	progress *extractrun.Progress
	began    time.Time
	inputs   int
	known    int64 // bytes of all inputs whose size is known
	sizeless int   // inputs whose size is not
}

func newReadingStage(inputs []source.Input) *readingStage {
	s := &readingStage{progress: &extractrun.Progress{}, began: time.Now(), inputs: len(inputs)}
	for _, in := range inputs {
		if in.Size < 0 {
			s.sizeless++
		} else {
			s.known += in.Size
		}
	}
	return s
}

// position counts what will not be read as done.
func (s *readingStage) position() (done, total int64) {
	read := s.progress.Bytes.Load()
	if s.sizeless > 0 {
		return read, -1
	}
	return min(read+s.progress.Passed.Load(), s.known), s.known
}

func (s *readingStage) line() []string {
	p, elapsed := s.progress, time.Since(s.began)
	read := p.Bytes.Load()
	done, total := s.position()
	size, left := byteCount(read), "time left unknown"
	if total >= 0 {
		size += " of " + byteCount(total)
		if t, ok := remaining(elapsed, read, read+total-done); ok { // what is passed over takes no time
			left = roughly(t) + " left"
		}
	} else if s.sizeless == 1 {
		left = "time left unknown, since an input has no known size"
	} else {
		left = fmt.Sprintf("time left unknown, since %d inputs have no known size", s.sizeless)
	}
	return []string{
		"reading " + size, fmt.Sprintf("%.1f MB/s", perSecond(read, elapsed)/1e6), left, fmt.Sprintf("%d of %d inputs", p.Inputs.Load(), s.inputs),
		fmt.Sprintf("%d robots.txt", p.Robots.Load()), fmt.Sprintf("%d pages with ACAP", p.ACAPPages.Load()), fmt.Sprintf("%d unreadable", p.Unreadable.Load()),
	}
}

func (s *readingStage) message() progressMessage {
	p, elapsed := s.progress, time.Since(s.began)
	done, total := s.position()
	r := &readingMessage{
		InputsDone: p.Inputs.Load(), InputsTotal: s.inputs, InputsUnreadable: p.Unreadable.Load(), InputsSizeUnknown: s.sizeless,
		BytesRead: p.Bytes.Load(), BytesPassed: p.Passed.Load(), Records: p.Records.Load(),
		RobotsCaptures: p.Robots.Load(), ACAPPages: p.ACAPPages.Load(),
	}
	r.BytesPerSecond = int64(perSecond(r.BytesRead, elapsed))
	if total >= 0 {
		r.BytesTotal = &total
	}
	return stageMessage("extract", elapsed, r.BytesRead, r.BytesRead+total-done, r, nil) // what is passed over takes no time
}

// A judgingStage is the second stage.
type judgingStage struct {
	progress *analyzerun.Progress
	began    time.Time
}

func newJudgingStage() *judgingStage { return &judgingStage{&analyzerun.Progress{}, time.Now()} }

func (s *judgingStage) position() (done, total int64) {
	if total = s.progress.Total.Load(); total == 0 {
		return 0, -1
	}
	return s.progress.Buckets.Load(), total
}

// atBuckets is how long buckets have been worked on: what was before that says nothing of how fast they are.
func (s *judgingStage) atBuckets() time.Duration {
	if began := s.progress.Began.Load(); began > 0 {
		return time.Since(time.Unix(0, began))
	}
	return 0
}

func (s *judgingStage) line() []string {
	done, total := s.position()
	if total < 0 {
		return []string{"following redirects and references between sites", "time left unknown"}
	}
	left := "time left unknown"
	if t, ok := remaining(s.atBuckets(), s.progress.Done.Load(), s.progress.Size.Load()); ok {
		left = roughly(t) + " left"
	}
	return []string{fmt.Sprintf("deciding, %d of %d buckets", done, total), left, fmt.Sprintf("%d sites", s.progress.Sites.Load())}
}

func (s *judgingStage) message() progressMessage {
	done, total := s.position()
	j := &judgingMessage{BucketsDone: done, Sites: s.progress.Sites.Load()}
	size := int64(-1) // as long as it is not known
	if total >= 0 {
		j.BucketsTotal, size = &total, s.progress.Size.Load()
	}
	m := stageMessage("analyze", s.atBuckets(), s.progress.Done.Load(), size, nil, j)
	m.Seconds = seconds(time.Since(s.began))
	return m
}

func stageMessage(name string, elapsed time.Duration, done, total int64, r *readingMessage, j *judgingMessage) progressMessage {
	m := progressMessage{
		MessageType: messageProgress, Time: now(), Stage: name, Seconds: seconds(elapsed), readingMessage: r, judgingMessage: j,
	}
	if t, ok := remaining(elapsed, done, total); ok {
		left := seconds(t)
		m.SecondsLeft = &left
	}
	return m
}

// remaining is how long the rest takes if it goes on as it did on average. It is not known before anything was done,
// nor where the total is not known.
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

func perSecond(n int64, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return float64(n) / elapsed.Seconds()
}

// seconds rounds to milliseconds: nobody wants more.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1e3 }

// roughly writes a duration as people say it.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
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
