package columns

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/output/rowtype/rowtest"
)

func rowsOf[T any](t testing.TB, list []T) *Rows[T] {
	t.Helper()
	rows, err := New[T]()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		rows.Append(&list[i])
	}
	return rows
}

func listOf[T any](t testing.TB, rows *Rows[T]) []T {
	t.Helper()
	in, err := Read[T](rows)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]T, rows.Len())
	for i := range list {
		in.Row(uint32(i), &list[i])
	}
	return list
}

func TestRowsComeBack(t *testing.T) {
	for name, want := range map[string][]rowtest.Every{
		"everything set":             {rowtest.Full()},
		"everything null or zero":    {rowtest.Empty()},
		"everything there but empty": {rowtest.Bare()},
		"many": append(rowtest.Many(500), rowtest.Empty(), rowtest.Full(), rowtest.Bare(),
			rowtest.Full()),
	} {
		t.Run(name, func(t *testing.T) {
			rows := rowsOf(t, want)
			if diff := rowtest.Diff(want, listOf(t, rows)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			rows.Reset()
			if rows.Len() != 0 || len(rows.RowBytes()) != 0 {
				t.Errorf("%d rows after Reset", rows.Len())
			}
			slices.Reverse(want)
			for i := range want {
				rows.Append(&want[i])
			}
			if diff := rowtest.Diff(want, listOf(t, rows)); diff != "" {
				t.Errorf("after Reset (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAppendTidies(t *testing.T) {
	row, want := rowtest.Untidy()
	if diff := rowtest.Diff([]rowtest.Every{want}, listOf(t, rowsOf(t, []rowtest.Every{row}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again, _ := rowtest.Untidy(); rowtest.Diff([]rowtest.Every{again}, []rowtest.Every{row}) != "" {
		t.Error("the caller's row was changed")
	}
}

// A text that comes again is not stored again: with a dictionary, if it is long, or if it repeats the one before.
func TestTextsAreShared(t *testing.T) {
	type row struct {
		Dict  string  `parquet:"dict,dict"`
		Plain *string `parquet:"plain,optional,plain"`
	}
	var list []row
	for i := range 3000 {
		long := strings.Repeat(fmt.Sprint(i%7, "\xff"), 40)
		list = append(list, row{fmt.Sprint("a", i%100), &long}, row{fmt.Sprint("\xffb", i%100), &long})
	}
	rows := rowsOf(t, list)
	leaves := rows.Leaves()
	if n := leaves[0].Distinct(); n != 200 {
		t.Errorf("%d texts in the dictionary", n)
	}
	if n := len(leaves[1].text.data); n > 7*(4+40*4) {
		t.Errorf("%d bytes of seven long texts", n)
	}
	for i, got := range listOf(t, rows) {
		want := strings.ToValidUTF8(list[i].Dict, "\uFFFD")
		if got.Dict != want || *got.Plain != strings.ToValidUTF8(*list[i].Plain, "\uFFFD") {
			t.Fatalf("row %d is %q, %q", i, got.Dict, *got.Plain)
		}
	}
}

// A projection has only some of the columns.
func TestReadSomeColumns(t *testing.T) {
	rows := rowsOf(t, rowtest.Many(50))
	type some struct {
		Lines  int32          `parquet:"lines"`
		Status *int16         `parquet:"status"`
		Agents []string       `parquet:"agents,list,plain"`
		ByType rowtest.Counts `parquet:"by_type,optional"`
	}
	in, err := Read[some](rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range rowtest.Many(50) {
		var got some
		in.Row(uint32(i), &got)
		if got.Lines != want.Lines || !slices.Equal(got.Agents, want.Agents) || len(got.ByType) != len(want.ByType) ||
			(got.Status == nil) != (want.Status == nil) {
			t.Errorf("row %d is %+v, want %+v", i, got, want)
		}
	}
	if _, err := Read[struct {
		Lines *int32 `parquet:"lines"`
	}](rows); err == nil {
		t.Error("a column that cannot be null was read as one that can")
	}
	if _, err := Read[struct {
		Other int64 `parquet:"missing"`
	}](rows); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a column that is missing: %v", err)
	}
}

func TestSorted(t *testing.T) {
	type row struct {
		Site   string  `parquet:"site,plain"`
		Path   *string `parquet:"path,optional,plain"`
		Number *int64  `parquet:"number"`
		Small  int32   `parquet:"small"`
		Kind   string  `parquet:"kind,dict"`
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 10, 500} {
		for range 20 {
			list := make([]row, n)
			for i := range list {
				list[i] = row{Site: fmt.Sprint("s", r.IntN(n/5+1)), Small: int32(r.IntN(5) - 2),
					Kind: fmt.Sprint(r.IntN(3))}
				if r.IntN(3) > 0 {
					list[i].Path, list[i].Number = new(fmt.Sprint("/", i)), new(int64(r.IntN(9)-4))
				}
			}
			if n > 10 { // sites together, and nearly in order
				slices.SortStableFunc(list, func(a, b row) int { return strings.Compare(a.Site, b.Site) })
			}
			rows := rowsOf(t, list)
			order, err := rows.OrderBy("site", []string{"-small", "site", "path", "number", "kind"})
			if err != nil {
				t.Fatal(err)
			}
			sorted := order.Sorted()
			seen := map[uint32]bool{}
			for i, at := range sorted {
				seen[at] = true
				if i == 0 {
					continue
				}
				a, b := &list[sorted[i-1]], &list[at]
				if a.Small < b.Small || a.Small == b.Small && a.Site > b.Site {
					t.Fatalf("%+v comes before %+v", a, b)
				}
				if a.Small == b.Small && a.Site == b.Site && a.Path != nil && (b.Path == nil || *a.Path > *b.Path) {
					t.Fatalf("%+v comes before %+v", a, b)
				}
			}
			if len(sorted) != n || len(seen) != n {
				t.Fatalf("%d different rows of %d", len(seen), n)
			}
		}
	}
	if _, err := rowsOf(t, []row{}).OrderBy("", []string{"other"}); err == nil {
		t.Error("rows were sorted by a column that is missing")
	}
}

// Rows that are all alike are counted, until one differs.
func TestRowsThatAreAlike(t *testing.T) {
	for _, alike := range []rowtest.Every{rowtest.Full(), rowtest.Empty(), rowtest.Bare()} {
		var want []rowtest.Every
		for range 3*batchRows + 5 {
			want = append(want, alike)
		}
		rows := rowsOf(t, want)
		counted := 0
		for _, l := range rows.Leaves() {
			if _, _, same := l.Same(); same {
				counted++
			}
		}
		if counted < len(rows.Leaves())/3 {
			t.Errorf("only %d of %d columns are counted", counted, len(rows.Leaves()))
		}
		for _, other := range append(rowtest.Many(batchRows), rowtest.Bare(), rowtest.Full(), rowtest.Empty()) {
			want = append(want, other)
			rows.Append(&other)
		}
		if diff := rowtest.Diff(want, listOf(t, rows)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// Copies of rows, with another text in one column.
func TestAgain(t *testing.T) {
	full := rowtest.Full()
	for name, want := range map[string][]rowtest.Every{
		"alike":     {full, full, full},
		"different": append(rowtest.Many(2*batchRows), rowtest.Empty(), full, rowtest.Bare()),
	} {
		t.Run(name, func(t *testing.T) {
			rows := rowsOf(t, want)
			again := func(from, n int, host string) {
				rows.Again(from, n, rows.Column("host"), host)
				for _, row := range slices.Clone(want[from : from+n]) {
					row.Host = host
					want = append(want, row)
				}
			}
			again(0, len(want), "again.example")
			again(1, 2, "again.example")
			rows.Append(&full)
			want = append(want, full)
			again(len(want)-2, 2, "a longer name than that of others.example")
			for _, n := range []int{0, 1, 2, 3, 15} {
				var hosts []string
				for i := range n {
					hosts = append(hosts, strings.Repeat("h", i))
				}
				row := want[len(want)-1]
				rows.Repeat(rows.Column("host"), hosts)
				for _, host := range hosts {
					row.Host = host
					want = append(want, row)
				}
			}
			if diff := rowtest.Diff(want, listOf(t, rows)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got, want := rows.RowBytes(), rowsOf(t, want).RowBytes(); !slices.Equal(got, want) {
				t.Errorf("rows have %d bytes, want %d", got, want)
			}
		})
	}
}
