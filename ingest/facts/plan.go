package facts

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acapscan/acapscan/internal/storage"
)

// PlanFile stands in a folder of facts and says what they are made of. Finished is set once all of them are there.
const PlanFile = "_facts.json"

// A Plan is what a folder of facts is made of.
type Plan struct {
	Program string            `json:"program"`
	Schema  int               `json:"facts_schema"`
	Options map[string]string `json:"options"`
	Inputs  []PlannedInput    `json:"inputs"` // all of them, those of other shards too
	// Shards is how many processes share the inputs, each with a share of its own; 0: one has them all. It does not show in the facts.
	Shards int `json:"shards,omitempty"`
	// Afresh tells that the run was told to overwrite what was there: then the same command goes on with what it has begun.
	Afresh     bool `json:"afresh,omitempty"`
	Finished   bool `json:"finished"`
	Unreadable int  `json:"unreadable"` // inputs, of a finished plan
}

// A PlannedInput is an input as it was listed; Bytes is -1 where its size is not known before reading.
type PlannedInput struct {
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`
	Records string `json:"records,omitempty"` // a digest of which records are to be read; "": all
}

// Begin prepares a folder for facts. Where it holds the finished facts of just this plan it returns that plan, and there is nothing to
// do, unless an input was not readable that may be another time, or files are gone: then the facts are unfinished once more. What an
// interrupted run of the same plan finished stays, and what it did not finish is removed. A folder with other facts is an error unless it
// may be overwritten. No other process may be at work in the folder.
func Begin(folder string, plan Plan, overwrite bool) (finishedBefore *Plan, err error) {
	if err := plan.checkLength(); err != nil {
		return nil, err
	}
	plan.Schema, plan.Finished, plan.Unreadable, plan.Afresh = SchemaVersion, false, 0, overwrite
	have, err := readPlanLike(folder, plan.Inputs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !overwrite {
		return nil, err
	}
	var done *finished
	if err == nil {
		if done, err = finishedIn(folder); err != nil {
			return nil, err
		}
	}
	why := ""
	if have != nil {
		if why = have.difference(plan); why == "" && have.Shards > 0 && !have.Finished {
			why = "they are of shards"
		}
	}
	switch {
	case overwrite && have != nil && have.Afresh && !have.Finished && why == "":
		return nil, tidy(folder, done)
	case overwrite:
	case have == nil && holdsFacts(folder):
		return nil, fmt.Errorf("%s holds facts files but no %s; choose another folder, or --overwrite it", folder, PlanFile)
	case have == nil:
	case why == "" && have.Finished && (done.again || len(done.files) < len(have.Inputs)):
		return nil, writePlan(folder, plan)
	case why == "" && have.Finished:
		return have, nil
	case why == "":
		return nil, tidy(folder, done)
	case have.Finished || len(done.files) > 0:
		return nil, have.refuse(folder, why)
	}
	if err := clearFacts(folder); err != nil {
		return nil, err
	}
	return nil, writePlan(folder, plan)
}

// BeginShared is Begin for one of several processes that share the inputs of the plan, with its share of their places. Nothing is
// removed.
func BeginShared(folder string, plan Plan, share []int) (done *Plan, err error) {
	if err := plan.checkLength(); err != nil {
		return nil, err
	}
	plan.Schema, plan.Finished, plan.Unreadable, plan.Afresh = SchemaVersion, false, 0, false
	have, err := readPlanLike(folder, plan.Inputs)
	if errors.Is(err, fs.ErrNotExist) {
		if holdsFacts(folder) {
			return nil, fmt.Errorf("%s holds facts files but no %s; choose another folder", folder, PlanFile)
		}
		if err := beginPlan(folder, plan); err != nil {
			return nil, err
		}
		have, err = readPlanLike(folder, plan.Inputs) // another process may have been first
	}
	if err != nil {
		return nil, err
	}
	if err := have.checkShare(folder, plan); err != nil || !have.Finished {
		return nil, err
	}
	finished := 0
	if err := marksAt(folder, share, func(_ int, mark *Mark) {
		if !mark.Again {
			finished++
		}
	}); err != nil {
		return nil, err
	}
	if finished == len(share) {
		return have, nil
	}
	return nil, writePlan(folder, plan) // an input is asked for again: the facts are unfinished until EndShared finds them all
}

// End says that all facts of the plan are in the folder.
func End(folder string, plan Plan) error {
	plan.Schema, plan.Finished, plan.Afresh = SchemaVersion, true, false
	return writePlan(folder, plan)
}

// EndShared is End for one of several processes: whoever finds the shares of all finished says so. It tells whether that was this one. The
// plan is that of BeginShared: its names are not held a second time.
func EndShared(folder string, of Plan) (finished bool, err error) {
	plan, err := readPlanLike(folder, of.Inputs)
	if err != nil {
		return false, err
	}
	if missing, err := unmarked(folder, plan); err != nil || len(missing) > 0 {
		return false, err
	}
	// Also where another one has said so: this one may have read an input again since.
	there, unreadable := make([]bool, len(plan.Inputs)), 0
	err = eachMark(folder, func(place int, mark *Mark) error {
		if place < len(there) && !there[place] {
			there[place] = true
			if mark.Unreadable {
				unreadable++
			}
		}
		return nil
	})
	if err != nil || len(without(there)) > 0 {
		return false, err
	}
	if plan.Finished && plan.Unreadable == unreadable {
		return true, nil
	}
	plan.Unreadable = unreadable
	return true, End(folder, *plan)
}

// Check tells of folders of facts that a path leads to and that are not finished: what is there would pass for all. The error wraps
// fs.ErrNotExist where the path leads nowhere.
func Check(path string) error {
	return walk(path, func(name string, entry fs.DirEntry, _ bool) error {
		if entry.IsDir() || entry.Name() != PlanFile {
			return nil
		}
		return CheckFinished(filepath.Dir(name))
	})
}

// CheckFinished tells what is missing in a folder of facts; nil where it is finished.
func CheckFinished(folder string) error {
	plan, err := ReadPlan(folder)
	if err != nil {
		return err
	}
	if plan.Finished && plan.Shards == 0 {
		return checkThere(folder, plan)
	}
	if plan.Finished { // a shard that reads an input again takes its mark away first
		if missing, err := unmarked(folder, plan); err != nil || len(missing) == 0 {
			return err
		}
	}
	done, err := finishedIn(folder)
	if err != nil {
		return err
	}
	var missing []int
	for place := range plan.Inputs {
		if done.files[place] == 0 {
			missing = append(missing, place)
		}
	}
	switch {
	case plan.Shards > 0:
		return plan.lacks(folder, missing) // nil for facts that were made in several places and put together: nobody was the last
	case len(missing) > 0:
		return fmt.Errorf("%s holds the facts of a run that was interrupted: %d of %d inputs are missing; run the same extract again first",
			folder, len(missing), len(plan.Inputs))
	}
	return fmt.Errorf("%s holds the facts of a run that was interrupted; run the same extract again first", folder)
}

// lacks tells of inputs that are missing among the facts, and of their shards, if there are any.
func (p *Plan) lacks(folder string, missing []int) error {
	switch {
	case len(missing) == 0:
		return nil
	case p.Shards == 0:
		return fmt.Errorf("%s lacks %d of %d inputs, the first: %s", folder, len(missing), len(p.Inputs), p.Inputs[missing[0]].Name)
	}
	shards := map[int]bool{}
	for _, place := range missing {
		shards[place%p.Shards] = true
	}
	return fmt.Errorf("%s lacks %d of %d inputs, the first: %s; run again the shards %s",
		folder, len(missing), len(p.Inputs), p.Inputs[missing[0]].Name, storage.NameShares(slices.Sorted(maps.Keys(shards)), p.Shards))
}

// checkThere tells of finished facts that are not there any more. Facts without marks were put there by somebody, who knows why.
func checkThere(folder string, plan *Plan) error {
	done, err := finishedIn(folder)
	if err != nil {
		return err
	}
	without, err := unmarked(folder, plan)
	if err != nil {
		return err
	}
	if gone := len(plan.Inputs) - len(without) - len(done.files); gone > 0 {
		return fmt.Errorf("%s has lost facts of %d of %d inputs since it was finished; run the same extract again first", folder, gone, len(plan.Inputs))
	}
	return nil
}

// checkShare refuses a share of another plan.
func (p *Plan) checkShare(folder string, q Plan) error {
	why := p.difference(q)
	if why == "" && p.Shards != q.Shards {
		why = fmt.Sprintf("they are of %d shards, and this is one of %d", p.Shards, q.Shards)
	}
	if why == "" {
		return nil
	}
	return p.refuseShare(folder, why)
}

func (p *Plan) refuse(folder, why string) error {
	return fmt.Errorf("%w, or --overwrite it", p.refuseShare(folder, why))
}

// refuseShare is refuse for who must not overwrite.
func (p *Plan) refuseShare(folder, why string) error {
	what := "facts"
	if !p.Finished {
		what = "unfinished facts"
	}
	return fmt.Errorf("%s holds %s that another command makes: %s; choose another folder", folder, what, why)
}

// difference tells why two plans do not give the same facts; "" where they do.
func (p *Plan) difference(q Plan) string {
	switch {
	case p.Program != q.Program:
		return fmt.Sprintf("they are by %s, this is %s", p.Program, q.Program)
	case p.Schema != q.Schema:
		return fmt.Sprintf("they have version %d, this program writes version %d", p.Schema, q.Schema)
	}
	if options := storage.ChangedOptions(p.Options, q.Options); len(options) > 0 {
		return "other options, " + strings.Join(options, ", ")
	}
	for i, have := range p.Inputs {
		switch {
		case i >= len(q.Inputs):
			return fmt.Sprintf("they are of %d inputs, these are %d", len(p.Inputs), len(q.Inputs))
		case have.Name != q.Inputs[i].Name:
			return fmt.Sprintf("other inputs, %s where this has %s", have.Name, q.Inputs[i].Name)
		case have.Bytes != q.Inputs[i].Bytes:
			return fmt.Sprintf("the input %s has changed: it had %s and has %s", have.Name, bytesOf(have.Bytes), bytesOf(q.Inputs[i].Bytes))
		case have.Records != q.Inputs[i].Records:
			return fmt.Sprintf("other records of %s", have.Name)
		}
	}
	if len(p.Inputs) < len(q.Inputs) {
		return fmt.Sprintf("they are of %d inputs, these are %d", len(p.Inputs), len(q.Inputs))
	}
	return ""
}

func bytesOf(n int64) string {
	if n < 0 {
		return "no known size"
	}
	return fmt.Sprintf("%d bytes", n)
}

func writePlan(folder string, p Plan) error {
	return onStage(folder, p, (*storage.Stage).Put)
}

// beginPlan writes the plan unless there is one.
func beginPlan(folder string, p Plan) error {
	err := onStage(folder, p, (*storage.Stage).PutNew)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// onStage writes a plan to a stage, from where put gives it its name.
func onStage(folder string, p Plan, put func(stage *storage.Stage, name, final string) error) error {
	stage, err := storage.NewStage(folder)
	if err != nil {
		return err
	}
	name, err := stagePlan(stage, p)
	if err == nil {
		err = put(stage, name, filepath.Join(folder, PlanFile))
	}
	return errors.Join(err, stage.Close())
}

func holdsFacts(folder string) bool {
	found, err := filepath.Glob(filepath.Join(folder, "*"+Extension))
	return err == nil && len(found) > 0
}

// StreamMetadata is the schema metadata of a stream of facts.
func StreamMetadata() map[string]string {
	return map[string]string{metaSchema: strconv.Itoa(SchemaVersion)}
}

// CheckStream tells what is wrong with a stream of facts by its schema metadata.
func CheckStream(metadata map[string]string) error {
	if v := metadata[metaSchema]; v != strconv.Itoa(SchemaVersion) {
		return fmt.Errorf("the stream holds facts of version %q, this program reads version %d", v, SchemaVersion)
	}
	return nil
}
