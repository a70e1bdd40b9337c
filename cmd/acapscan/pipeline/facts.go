package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/arrow"
)

// factsArgs are the facts that the arguments of a verb name.
type factsArgs struct {
	all     *facts.Set // with answers
	facts   *facts.Set // without
	answers *answers   // nil: there are none
	names   []string   // of the stores and paths
	args    []string   // the same, as the user gave them
}

// answers describe a folder of answers.
type answers struct {
	plan job.Plan
	// Facts is the digest of the facts that resolve read.
	Facts string `json:"facts"`
}

// planOfAnswers is the plan of the answers for some facts, in buckets if an array job makes them. It has no digest of
// the facts: a task that makes a bucket knows only their names and sizes.
func (r *Run) planOfAnswers(of *facts.Set, parsing map[string]string, buckets source.Shard) job.Plan {
	options := maps.Clone(parsing)
	options["facts"] = of.Listing()
	return job.Plan{
		Program: r.createdBy(), Schema: facts.SchemaVersion, Count: max(buckets.Of, 1), Shards: buckets.Of,
		Options: options,
	}
}

// difference says why answers are not those of a plan; "" if they are.
func (a *answers) difference(plan job.Plan) string {
	changed := job.ChangedOptions(a.plan.Options, plan.Options)
	switch {
	case a.plan.Program != plan.Program || a.plan.Schema != plan.Schema:
		return fmt.Sprintf("they are by %s, this is %s", a.plan.Program, plan.Program)
	case slices.Equal(changed, []string{"facts"}):
		return "they are of other facts"
	case len(changed) > 0:
		return "they were made with another --strict, --refuse or --without"
	}
	return ""
}

// readAnswers reads the description of finished answers; nil if there are none.
func readAnswers(at storage.Store) (*answers, error) {
	if planned, err := job.IsPlanned(at, facts.AnswersJob().Makes); err != nil || !planned {
		return nil, err
	}
	j, err := job.Open(at, facts.AnswersJob(), job.Options{})
	if err != nil {
		return nil, err
	}
	a := &answers{plan: j.Plan}
	var summary error
	err = j.Done(j.All(), func(_ int, m *job.DoneMarker) bool {
		summary = json.Unmarshal(m.Summary, a)
		return true
	})
	return a, errors.Join(err, summary)
}

var (
	errNoAnswers = errors.New("a bucket of sites needs answers of all facts; " +
		"run 'acapscan resolve FACTS -o ANSWERS' first, and give ANSWERS together with FACTS")
	errTwoAnswers = Usagef("there are two folders of answers among the arguments")
)

// openFacts opens facts in files and stores. A stream on standard input goes to a folder first, because stage 2 reads
// its facts more than once. checked opens facts with their digests.
func (r *Run) openFacts(
	ctx context.Context, args []string, stdin io.Reader, spooled string, checked bool,
) (*factsArgs, error) {
	found := &factsArgs{args: args}
	var all, asked []*facts.Set
	var paths []string
	for _, arg := range args {
		var at storage.Store = storage.NewFolder(arg)
		switch {
		case arg == source.Stdin:
			if slices.Contains(paths, spooled) {
				continue
			}
			if err := r.spool(stdin, spooled); err != nil {
				return nil, err
			}
			paths = append(paths, spooled)
			continue
		case remote.IsS3(arg):
			folder, err := r.openS3(ctx, arg)
			if err != nil {
				return nil, err
			}
			at = folder
		default:
			if _, err := os.Stat(arg); err != nil {
				return nil, fmt.Errorf("there is no file or folder %q", arg)
			}
		}
		if slices.Contains(found.names, at.String()) {
			continue // facts that are read twice would count twice
		}
		found.names = append(found.names, at.String())
		a, err := readAnswers(at)
		switch {
		case err != nil:
			return nil, err
		case a != nil && found.answers != nil:
			return nil, errTwoAnswers
		case a == nil && at.Local():
			paths = append(paths, arg)
			continue
		}
		set, err := facts.OpenFolder(at, checked)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s holds no facts of extract: %w", at, err)
		}
		if err != nil {
			return nil, err
		}
		if all = append(all, set); a != nil {
			found.answers = a
		} else {
			asked = append(asked, set)
		}
	}
	if len(paths) > 0 {
		open := facts.Open
		if !checked {
			open = facts.OpenUnchecked
		}
		set, err := open(paths)
		if errors.Is(err, facts.ErrNoFacts) {
			return nil, fmt.Errorf("%s: %w; extract makes them", paths[0], err)
		}
		if err != nil {
			return nil, err
		}
		all, asked = append(all, set), append(asked, set)
	}
	var err error
	if found.all, err = facts.Join(all...); err != nil {
		return nil, fmt.Errorf("%s: %w; extract makes them", args[0], err)
	}
	if found.facts, err = facts.Join(asked...); err != nil {
		found.facts = &facts.Set{} // answers alone
	}
	return found, nil
}

// spool writes a stream of facts to a folder.
func (r *Run) spool(stdin io.Reader, folder string) error {
	in, err := arrow.NewReader[facts.Fact](stdin)
	if err == io.EOF {
		return errors.New("standard input is empty: a stream of facts is missing")
	}
	if err != nil {
		return fmt.Errorf("standard input is no stream of facts: %w", err)
	}
	if err := facts.CheckStream(in.Metadata()); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	out := facts.Create(filepath.Join(folder, "stdin"), facts.WriterOptions{CreatedBy: r.createdBy()})
	for {
		batch, err := in.Read()
		if err == io.EOF {
			return out.Close()
		}
		if err != nil {
			return fmt.Errorf("the stream of facts on standard input is damaged: %w", err)
		}
		for i := range batch {
			if err := out.Write(&batch[i]); err != nil {
				return err
			}
		}
	}
}
