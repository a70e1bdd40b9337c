package storage

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// What a run is made of stands in a file of its output folder, so that the same command goes on with it and another is refused. The
// functions below are what such plans share, whatever they are of.

// ReadPlan reads a plan. The error wraps fs.ErrNotExist where there is none.
func ReadPlan[P any](name string) (*P, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return decodePlan[P](name, text)
}

// ReadPlanOf is ReadPlan for a plan in a store.
func ReadPlanOf[P any](store Store, name string) (*P, error) {
	text, err := store.Read(name)
	if err != nil {
		return nil, err
	}
	return decodePlan[P](store.String()+"/"+name, text)
}

func decodePlan[P any](name string, text []byte) (*P, error) {
	plan := new(P)
	if err := json.Unmarshal(text, plan); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return plan, nil
}

// EncodePlan gives a plan as ReadPlan reads it.
func EncodePlan(plan any) ([]byte, error) {
	text, err := json.MarshalIndent(plan, "", "  ")
	return append(text, '\n'), err
}

// ChangedOptions lists the names of options that two runs do not have in common, sorted.
func ChangedOptions(have, want map[string]string) []string {
	var changed []string
	for name, value := range have {
		if other, ok := want[name]; !ok || other != value {
			changed = append(changed, name)
		}
	}
	for name := range want {
		if _, ok := have[name]; !ok {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// maxShares bounds how many shares a sentence names.
const maxShares = 20

// NameShares lists shares of a job's work as its tasks are told them: 0/8, 3/8.
func NameShares(shares []int, of int) string {
	names := make([]string, 0, maxShares)
	for _, i := range shares[:min(len(shares), maxShares)] {
		names = append(names, fmt.Sprintf("%d/%d", i, of))
	}
	list := strings.Join(names, ", ")
	if more := len(shares) - len(names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
