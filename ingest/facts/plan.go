package facts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// PlanFile stands in a folder of facts and says what they are made of. Finished is set once all of them are there.
const PlanFile = "_facts.json"

// A Plan is what a folder of facts is made of.
type Plan struct {
	Program    string            `json:"program"`
	Schema     int               `json:"facts_schema"`
	Options    map[string]string `json:"options"`
	Inputs     []PlannedInput    `json:"inputs"`
	Finished   bool              `json:"finished"`
	Unreadable int               `json:"unreadable"` // inputs, of a finished plan
}

// A PlannedInput is an input as it was listed; Bytes is -1 where its size is not known before reading.
type PlannedInput struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Begin prepares a folder for facts. Where it holds the finished facts of just this plan it returns that plan, and there is nothing
// to do; what an interrupted run of the same plan left is removed. A folder with other facts is an error unless it may be
// overwritten.
func Begin(folder string, plan Plan, overwrite bool) (done *Plan, err error) {
	plan.Schema, plan.Finished, plan.Unreadable = SchemaVersion, false, 0
	have, err := readPlan(folder)
	switch {
	case overwrite:
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err == nil && !have.same(plan):
		return nil, fmt.Errorf("%s holds facts of other inputs, options or another version; choose another folder, or --overwrite it", folder)
	case err == nil && have.Finished:
		return have, nil
	case err != nil && holdsFacts(folder):
		return nil, fmt.Errorf("%s holds facts files but no %s; choose another folder, or --overwrite it", folder, PlanFile)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	if err := removeFacts(folder); err != nil {
		return nil, err
	}
	return nil, writePlan(folder, plan)
}

// End says that all facts of the plan are in the folder.
func End(folder string, plan Plan) error {
	plan.Schema, plan.Finished = SchemaVersion, true
	return writePlan(folder, plan)
}

// same tells whether two plans give the same facts.
func (p Plan) same(q Plan) bool {
	return p.Program == q.Program && p.Schema == q.Schema && reflect.DeepEqual(p.Options, q.Options) && reflect.DeepEqual(p.Inputs, q.Inputs)
}

func readPlan(folder string) (*Plan, error) {
	text, err := os.ReadFile(filepath.Join(folder, PlanFile))
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", filepath.Join(folder, PlanFile), err)
	}
	return p, nil
}

func writePlan(folder string, p Plan) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	name := filepath.Join(folder, PlanFile)
	if err := os.WriteFile(name+".tmp", append(text, '\n'), 0o644); err != nil {
		os.Remove(name + ".tmp")
		return err
	}
	return os.Rename(name+".tmp", name)
}

func holdsFacts(folder string) bool {
	found, err := filepath.Glob(filepath.Join(folder, "*"+Extension))
	return err == nil && len(found) > 0
}

// removeFacts removes facts files of the folder, unfinished ones included, and nothing else.
func removeFacts(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".tmp")
		if !e.IsDir() && filepath.Ext(name) == Extension {
			if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
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
