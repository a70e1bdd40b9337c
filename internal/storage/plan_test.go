package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPlanIsReadAsItWasWritten(t *testing.T) {
	type plan struct {
		Options map[string]string `json:"options"`
	}
	name := filepath.Join(t.TempDir(), "plan.json")
	if _, err := ReadPlan[plan](name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no plan is said: %v", err)
	}
	text, err := EncodePlan(plan{map[string]string{"a": "1"}})
	check(t, err)
	check(t, os.WriteFile(name, text, 0o644))
	got, err := ReadPlan[plan](name)
	check(t, err)
	if got.Options["a"] != "1" {
		t.Errorf("read %v", got)
	}
	check(t, os.WriteFile(name, text[:len(text)/2], 0o644))
	if _, err := ReadPlan[plan](name); err == nil || !strings.Contains(err.Error(), name+" cannot be read") {
		t.Errorf("of half a plan is said: %v", err)
	}
}

// An option that one run lacks is one they do not share, be it empty in the other.
func TestChangedOptions(t *testing.T) {
	have := map[string]string{"same": "1", "other": "1", "gone": ""}
	want := map[string]string{"same": "1", "other": "2", "new": ""}
	if got := ChangedOptions(have, want); !slices.Equal(got, []string{"gone", "new", "other"}) {
		t.Errorf("got %v", got)
	}
}

func TestNameShares(t *testing.T) {
	for _, tt := range []struct {
		shares []int
		want   string
	}{
		{nil, ""}, {[]int{3}, "3/30"}, {[]int{0, 3}, "0/30, 3/30"},
	} {
		if got := NameShares(tt.shares, 30); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.shares, got, tt.want)
		}
	}
	many := make([]int, 23)
	if got := NameShares(many, 30); strings.Count(got, "/30") != 20 || !strings.HasSuffix(got, " and 3 more") {
		t.Errorf("of 23 shares: %q", got)
	}
}
