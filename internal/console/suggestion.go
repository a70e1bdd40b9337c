package console

import (
	"fmt"
	"strings"
)

// Suggestion ends a sentence about an unknown name with the known name nearest to it, if one is near.
func Suggestion(typed string, known []string) string {
	typed = strings.TrimLeft(typed, "-")
	nearest, least := "", 1+max(1, len(typed)/3)
	for _, name := range known {
		if d := distance(typed, strings.TrimLeft(name, "-")); d < least && d < len(typed) {
			nearest, least = name, d
		}
	}
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", nearest)
}

// distance is how many characters must be inserted, deleted, replaced or swapped with the next to turn a into b.
func distance(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			next[j+1] = min(next[j], row[j+1]) + 1
			if a[i] == b[j] {
				next[j+1] = min(next[j+1], row[j])
			} else {
				next[j+1] = min(next[j+1], row[j]+1)
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
