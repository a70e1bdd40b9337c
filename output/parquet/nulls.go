package parquet

import (
	"fmt"
	"math/bits"
	"reflect"

	"github.com/acapscan/acapscan/output/rowtype"
)

// This file works around a fault of the library (parquet-go v0.32.0, writeRowsFuncOfOptional; TestLibraryLosesNulls
// shows it and says when this file is no longer needed). The library finds nulls among []byte and maps of the rows of a
// call in words of 64 bits, a bit a row. Where a run of values begins n rows behind the start of a word, is n rows long
// and has only nulls behind it in the word, it writes these nulls as empty values. Pointers and lists are not affected.
// So a call must not hold such a run; if the run begins the call, n is 0.

const wordRows = 64

// findNilable lists the columns of rows that the fault is about. It refuses them within other columns, where calls
// cannot be chosen.
func (t *tree) findNilable() error {
	var inner func(c *column) error
	inner = func(c *column) error {
		if c.isNilable() {
			return fmt.Errorf("parquet: column %s: %v can only be optional in the row itself", c.Path, c.Type)
		}
		for _, child := range c.children {
			if err := inner(child); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range t.root.children {
		if c.isNilable() {
			t.nilable = append(t.nilable, c)
		} else if err := inner(c); err != nil {
			return err
		}
	}
	return nil
}

func (c *column) isNilable() bool {
	return c.Optional && (c.Kind == rowtype.Bytes || c.Kind == rowtype.Map)
}

// writable returns how many of the rows, a slice that is not empty, one call of the library may hold: at least one.
func (t *tree) writable(rows reflect.Value) int {
	n := rows.Len()
	for i := 0; i < len(t.nilable); i++ {
		isNull := func(row int) bool { return rows.Index(row).FieldByIndex(t.nilable[i].Index).IsNil() }
		if end := writableBefore(n, isNull); end < n {
			n, i = end, -1 // a shorter call may end behind another run: look again
		}
	}
	return n
}

// writableBefore returns where the first of the runs begins that a call of n rows must not hold, or n.
func writableBefore(n int, isNull func(row int) bool) int {
	for start := 0; start < n; start += wordRows {
		rows := min(wordRows, n-start)
		var values uint64
		for i := range rows {
			if !isNull(start + i) {
				values |= 1 << i
			}
		}
		end := bits.Len64(values) // of the last run
		run := bits.LeadingZeros64(^(values << (wordRows - end)))
		if begin := end - run; end < rows && begin > 0 && run == begin {
			return start + begin
		}
	}
	return n
}
