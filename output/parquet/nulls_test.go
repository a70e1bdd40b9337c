package parquet

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

type nilable struct {
	A []byte           `parquet:"a,optional,plain"`
	M map[string]int64 `parquet:"m,optional"`
	N int64            `parquet:"n"`
}

// nilableRows returns rows that have a value where a function says so, empty or not.
func nilableRows(n int, has func(i int) (a, m bool)) []nilable {
	rows := make([]nilable, n)
	for i := range rows {
		rows[i].N = int64(i)
		a, m := has(i)
		if a {
			rows[i].A = []byte("value")[:i%3]
		}
		if m {
			rows[i].M = map[string]int64{}
			if i%3 > 0 {
				rows[i].M["key"] = int64(i)
			}
		}
	}
	return rows
}

func checkNilable(t *testing.T, rows []nilable) {
	t.Helper()
	path, _ := write(t, rows, Options{})
	got, err := readAll[nilable](path, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if !reflect.DeepEqual(rows[i], got[i]) {
			t.Fatalf("row %d of %d is %+v, want %+v", i, len(rows), got[i], rows[i])
		}
	}
}

// TestNullsStayNull writes every pattern of values and nulls in a few rows, and some in many.
func TestNullsStayNull(t *testing.T) {
	const few = 9
	for n := 1; n <= few; n++ {
		for pattern := range 1 << n {
			checkNilable(t, nilableRows(n, func(i int) (a, m bool) {
				return pattern>>i&1 == 1, pattern>>(n-1-i)&1 == 1
			}))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n, share, length := 1+r.IntN(600), r.Float64(), 1+r.IntN(80)
		var a, m bool
		checkNilable(t, nilableRows(n, func(i int) (bool, bool) {
			if i%length == 0 {
				a, m = r.Float64() < share, r.Float64() < share
			}
			return a, m
		}))
	}
}
