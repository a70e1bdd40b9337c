package survey

import "testing"

func TestHistoryEndsAtTheRulesVersion(t *testing.T) {
	history := RulesHistory()
	for i, note := range history {
		if note.Version != i+1 || note.Change == "" {
			t.Errorf("entry %d: %+v", i, note)
		}
	}
	if len(history) != RulesVersion {
		t.Errorf("%d entries for version %d of the rules", len(history), RulesVersion)
	}
}
