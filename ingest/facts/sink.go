package facts

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
)

// FactsJob is the job of the first stage: inputs to facts. Input 12, or batch 12 of a long list, gives
// 000012-000.facts, 000012-001.facts and so on, and then 000012.done.
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

// AnswersJob is the job between the stages: hosts to answers. It has one item, or in an array job one for each bucket
// of hosts. The steps of such a job have the same kind, each in a folder of its own.
func AnswersJob() job.Kind {
	k := FactsJob()
	k.Makes, k.Item, k.Again, k.Tasks = "answers", "part", "run the same resolve again first",
		"run again resolve --bucket"
	return k
}

// baseName is the name of an input's files without number and extension.
func baseName(input int) string { return fmt.Sprintf("%06d", input) }

// isFacts reports whether a name in a folder of facts is that of a facts file.
func isFacts(name string) bool {
	return filepath.Ext(name) == Extension && !strings.Contains(name, "/")
}

// usualBatches is about how many batches many inputs form, unless they have more shards. Each facts file and marker
// costs requests, a facts file costs several for each bucket of analyze; a killed process loses the batches at work.
const usualBatches = 512

// BatchSize returns how many inputs a batch has, where so many are shared by so many shards; 0: by one process.
func BatchSize(inputs, shards int) int {
	shards = max(shards, 1)
	inShard := (inputs + shards - 1) / shards
	batches := max((usualBatches+shards/2)/shards, 1)
	return max((inShard+batches-1)/batches, 1)
}

// A Sink takes the facts of one input after another, in a store. They are written on the stage of this process, and get
// their names when all of a batch are whole. It is safe for concurrent use.
type Sink struct {
	*job.Job
	stage   string
	answers bool
}

// OpenSink begins with the facts of a plan, or goes on with them, see job.Begin. The store stays the caller's to close.
func OpenSink(at storage.Store, plan job.Plan, opts job.Options) (*Sink, error) {
	plan.Schema = SchemaVersion
	if size := BatchSize(len(plan.Items), plan.Shards); size > 1 && plan.Batch == 0 {
		plan.Batch = size
	}
	j, err := job.Begin(at, FactsJob(), plan, opts)
	if err != nil {
		return nil, err
	}
	return newSink(at, j, false)
}

// OpenAnswers is OpenSink for answers.
func OpenAnswers(at storage.Store, plan job.Plan) (*Sink, error) {
	j, err := job.Begin(at, AnswersJob(), plan, job.Options{})
	if err != nil {
		return nil, err
	}
	return newSink(at, j, true)
}

// NewSink is a Sink for facts without a plan: the caller knows that those which are there are of the same inputs.
func NewSink(at storage.Store) (*Sink, error) { return newSink(at, job.At(at, FactsJob()), false) }

func newSink(at storage.Store, j *job.Job, answers bool) (*Sink, error) {
	stage, err := at.Stage()
	return &Sink{j, stage, answers}, err
}

// Create starts the facts of an input. What has been written is thrown away unless Finish is called.
func (s *Sink) Create(input int, opts WriterOptions) *Writer {
	base := baseName(input)
	if s.merges() {
		base = "input-" + base // the merged files have the names that this would have
	}
	return Create(filepath.Join(s.stage, base), opts)
}

// merges reports whether Finish merges files. Answers go into few files, as batches do.
func (s *Sink) merges() bool { return s.Plan.Batch > 1 || s.answers }

// Finish gives the files of a batch their names, and then writes its done marker. Each of the Writers has written the
// facts of an input, in the order of the inputs, and is closed.
func (s *Sink) Finish(ctx context.Context, batch int, m job.DoneMarker, inputs ...*Writer) error {
	out := inputs[0]
	if s.merges() {
		out = Create(filepath.Join(s.stage, baseName(batch)), inputs[0].opts)
		if err := out.merge(ctx, inputs); err != nil {
			return err
		}
	}
	m.Files = out.Files()
	if err := s.Job.Finish(batch, m, func(f job.File) string { return filepath.Join(s.stage, f.Name) }); err != nil {
		return err
	}
	return out.Discard()
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
