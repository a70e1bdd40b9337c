// Package requests computes how many requests an array job makes to a service of S3. A test of the command line
// compares it with what a service was asked; tools/projection computes from it what a crawl asks. It makes no request.
package requests

import (
	"math"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/job"
)

// A Job is an array job over facts, answers and tables in S3.
type Job struct {
	Inputs, Shards, Buckets int
	// Facts are the bytes of facts of each class of which a bucket reads its part: counters, policies, pages.
	Facts [3]float64
	// Policies is the class that resolve reads.
	Policies int
	Answers  float64 // bytes
	Parts    int     // part files of all buckets
	Empty    int     // tables without rows, which complete gives a file
}

// Counts are requests by price: of S3, PUT, POST, COPY and LIST cost more than GET and HEAD. Deletions are free, and
// not counted.
type Counts struct{ Writes, Reads float64 }

func (c Counts) plus(d Counts) Counts { return Counts{c.Writes + d.Writes, c.Reads + d.Reads} }

// All returns how many there are.
func (c Counts) All() float64 { return c.Writes + c.Reads }

// The sizes that decide about requests: of a merged facts file, of an object that is put in parts, of one that is read
// at once, of what one request reads of a class, and of a page of a list.
const (
	mergedBytes = 1 << 30
	partBytes   = 32 << 20
	wholeBytes  = 16 << 20
	rangeBytes  = 12 << 20
	listed      = 1000
)

// Batches returns how many batches the inputs form.
func (j Job) Batches() float64 {
	plan := job.Plan{Shards: j.Shards, Count: j.Inputs, Batch: facts.BatchSize(j.Inputs, j.Shards)}
	return float64(plan.Batches())
}

func (j Job) factsBytes() (sum float64) {
	for _, n := range j.Facts {
		sum += n
	}
	return sum
}

// files returns how many files hold so many bytes in so many batches.
func files(bytes, batches float64) float64 {
	return batches * math.Ceil(max(bytes/batches/mergedBytes, 1))
}

// put returns the requests that write a file of that size.
func put(bytes float64) Counts {
	if bytes <= partBytes {
		return Counts{Writes: 1}
	}
	return Counts{Writes: 2 + math.Ceil(bytes/partBytes), Reads: 1} // begin and end; is it there?
}

// read returns the requests that read some of the classes of a file of that size, of each so many bytes.
func read(size float64, classes ...float64) (n float64) {
	if size <= wholeBytes {
		return 1
	}
	n = 1 // the index
	for _, bytes := range classes {
		n += math.Ceil(bytes / rangeBytes)
	}
	return n
}

func times(n float64, c Counts) Counts { return Counts{n * c.Writes, n * c.Reads} }

// lists returns the requests for a whole list of the facts.
func (j Job) lists() float64 {
	return math.Ceil((files(j.factsBytes(), j.Batches()) + j.Batches() + 2) / listed)
}

// Extract returns the requests of all tasks of extract, without those for archives.
func (j Job) Extract() Counts {
	n, shards := files(j.factsBytes(), j.Batches()), float64(j.Shards)
	// Each task tries the service on an object, reads the plan, and lists the folder at its beginning and end. The
	// first one writes the object and the plan. Of a batch it looks for the marker, puts facts, and puts the marker.
	c := Counts{Writes: 2 + 1 + shards*(1+2*j.lists()), Reads: 1 + shards}
	return c.plus(times(j.Batches(), Counts{1, 1})).plus(times(n, put(j.factsBytes()/n)))
}

// Resolve returns the requests of resolve, which reads all markers and the policies of all facts files.
func (j Job) Resolve() Counts {
	n, answers := files(j.factsBytes(), j.Batches()), files(j.Answers, 1)
	c := Counts{Writes: 2 + 1 + 1 + 3 + j.lists(), Reads: 7 + j.Batches()}
	c.Reads += n * read(j.factsBytes()/n, j.Facts[j.Policies]/n)
	return c.plus(times(answers, put(j.Answers/answers)))
}

// Analyze returns the requests of all tasks of analyze: each reads its part of all facts files and answers.
func (j Job) Analyze() Counts {
	n, answers, buckets := files(j.factsBytes(), j.Batches()), files(j.Answers, 1), float64(j.Buckets)
	var classes []float64
	for _, bytes := range j.Facts {
		classes = append(classes, bytes/n/buckets)
	}
	each := Counts{Writes: 1 + 1 + 4 + j.lists(), Reads: 10 + 3}
	each.Reads += n*read(j.factsBytes()/n, classes...) + answers*read(j.Answers/answers, j.Answers/answers/buckets)
	first := Counts{Writes: 1 + 1 + 1, Reads: 1}
	return first.plus(times(buckets, each)).plus(Counts{Writes: float64(j.Parts)})
}

// Complete returns the requests of complete: it reads the markers, copies the part files to their names, and writes
// fourteen objects next to them.
func (j Job) Complete() Counts {
	parts := float64(j.Parts + j.Empty)
	lists := 4 + 2*math.Ceil(float64(j.Parts+j.Buckets+2)/listed)
	return Counts{Writes: 14 + lists + float64(j.Empty) + parts, Reads: 3 + 3 + float64(j.Buckets)}
}

// All returns the requests of the whole job.
func (j Job) All() Counts {
	return j.Extract().plus(j.Resolve()).plus(j.Analyze()).plus(j.Complete())
}
