package facts

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
)

// FactsJob is the job of the first stage: inputs to facts. Input 12 gives 000012-000.facts, 000012-001.facts and so on,
// and then 000012.done.
func FactsJob() job.Kind {
	return job.Kind{
		Makes: "facts", Item: "input", Again: "run the same extract again first", Tasks: "run again the shards",
		Owns:   func(input, i int, name string) bool { return name == runName(baseName(input), i) },
		Prefix: func(input int) string { return baseName(input) + "-" },
		ItemOf: func(name string) (int, bool) {
			base, _, _ := strings.Cut(name, "-")
			input, err := strconv.Atoi(base)
			return input, err == nil
		},
		IsFile: isFacts,
	}
}

// AnswersJob is the job between the stages: hosts to answers. It has one item, so far.
func AnswersJob() job.Kind {
	k := FactsJob()
	k.Makes, k.Item, k.Again, k.Tasks = "answers", "part", "run the same resolve again first", ""
	return k
}

// baseName is the name of an input's files without number and extension.
func baseName(input int) string { return fmt.Sprintf("%06d", input) }

// isFacts reports whether a name in a folder of facts is that of a facts file.
func isFacts(name string) bool {
	return filepath.Ext(name) == Extension && !strings.Contains(name, "/")
}

// A Sink takes the facts of one input after another, in a store. They are written on the stage of this process, and get
// their names when all of an input's are whole. It is safe for concurrent use.
type Sink struct {
	*job.Job
	stage string
}

// OpenSink begins with the facts of a plan, or goes on with them, see job.Begin. The store stays the caller's to close.
func OpenSink(at storage.Store, plan job.Plan, opts job.Options) (*Sink, error) {
	plan.Schema = SchemaVersion
	j, err := job.Begin(at, FactsJob(), plan, opts)
	if err != nil {
		return nil, err
	}
	return newSink(at, j)
}

// OpenAnswers is OpenSink for answers.
func OpenAnswers(at storage.Store, plan job.Plan) (*Sink, error) {
	j, err := job.Begin(at, AnswersJob(), plan, job.Options{})
	if err != nil {
		return nil, err
	}
	return newSink(at, j)
}

// NewSink is a Sink for facts without a plan: the caller knows that those which are there are of the same inputs.
func NewSink(at storage.Store) (*Sink, error) { return newSink(at, job.At(at, FactsJob())) }

func newSink(at storage.Store, j *job.Job) (*Sink, error) {
	stage, err := at.Stage()
	return &Sink{j, stage}, err
}

// Create starts the facts of an input. What has been written is thrown away unless Finish is called.
func (s *Sink) Create(input int, opts WriterOptions) *Writer {
	return Create(filepath.Join(s.stage, baseName(input)), opts)
}

// Finish gives the files of an input, which w has written and closed, their names, and then writes its done marker.
func (s *Sink) Finish(input int, w *Writer, m job.DoneMarker) error {
	m.Files = w.Files()
	if err := s.Job.Finish(input, m, func(f job.File) string { return filepath.Join(s.stage, f.Name) }); err != nil {
		return err
	}
	return w.Discard()
}

// StreamMetadata is the schema metadata of a stream of facts.
func StreamMetadata() map[string]string {
	return map[string]string{metaSchema: strconv.Itoa(SchemaVersion)}
}

// CheckStream returns what is wrong with a stream of facts by its schema metadata.
func CheckStream(metadata map[string]string) error {
	if v := metadata[metaSchema]; v != strconv.Itoa(SchemaVersion) {
		return fmt.Errorf("the stream holds facts of version %q, this program reads version %d", v, SchemaVersion)
	}
	return nil
}
