// Command demo answers one question from the tables of a finished scan, like a researcher's first program:
//
//	demo out/demo
//
// It reads table permissions with this module's Parquet reader only, so make demo needs nothing but Go. It prints the
// answer, and the same question in SQL for DuckDB.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/parquet"
	"github.com/acapscan/acapscan/output/table"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("give the folder of a finished scan as the only argument")
	}
	answer, err := ask(args[0])
	if err != nil {
		return err
	}
	return tell(stdout, args[0], answer)
}

// permission is what the question needs of a row of table permissions; the reader passes other columns over.
type permission struct {
	Scope    table.Scope    `parquet:"scope,dict"`
	Agent    string         `parquet:"agent,dict"`
	Purpose  *string        `parquet:"purpose,optional,dict"`
	Usage    table.Usage    `parquet:"usage,dict"`
	Decision table.Decision `parquet:"decision,dict"`
}

// decided counts sites by decision, for one usage.
type decided map[table.Decision]int

// ask counts, usage by usage, what sites decide for a crawler that they do not name and that names no purpose. By
// default a scan has such rows for the sites that use ACAP. A site that was visited in several crawls counts once a
// crawl.
func ask(dir string) (map[table.Usage]decided, error) {
	files, err := fs.Glob(os.DirFS(dir), string(table.Permissions)+"/crawl=*/*.parquet")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no table %s; acapscan scan makes it", dir, table.Permissions)
	}
	answer := map[table.Usage]decided{}
	for _, file := range files {
		if err := count(filepath.Join(dir, file), answer); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

func count(file string, answer map[table.Usage]decided) (err error) {
	in, err := parquet.Open[permission](file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	rows := make([]permission, 1024)
	for {
		n, err := in.Read(rows)
		for _, p := range rows[:n] {
			if !p.Scope.Is(terms.ScopeSite) || p.Agent != "*" || p.Purpose != nil {
				continue
			}
			if answer[p.Usage] == nil {
				answer[p.Usage] = decided{}
			}
			answer[p.Usage][p.Decision]++
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// query is the same question in SQL, of the files whose names match the pattern.
const query = `SELECT usage,
       count(*) FILTER (WHERE decision = 'allowed')     AS allowed,
       count(*) FILTER (WHERE decision = 'conditional') AS conditional,
       count(*) FILTER (WHERE decision = 'disallowed')  AS disallowed
FROM read_parquet('%s')
WHERE scope = 'site' AND agent = '*' AND purpose IS NULL
GROUP BY usage ORDER BY disallowed DESC, usage;
`

func tell(stdout io.Writer, dir string, answer map[table.Usage]decided) error {
	var b strings.Builder
	b.WriteString("Question: how many sites with ACAP allow a usage of their root page to any crawler, allow it " +
		"under conditions, or disallow it?\n\n")
	fmt.Fprintf(&b, "%-20s %8s %12s %11s\n", "usage", "allowed", "conditional", "disallowed")
	disallowed := table.WordOf(terms.DecisionDisallowed)
	usages := slices.SortedFunc(maps.Keys(answer), func(a, b table.Usage) int {
		if more := answer[b][disallowed] - answer[a][disallowed]; more != 0 {
			return more
		}
		return strings.Compare(string(a), string(b))
	})
	for _, usage := range usages {
		d := answer[usage]
		allowed, conditional := d[table.WordOf(terms.DecisionAllowed)], d[table.WordOf(terms.DecisionConditional)]
		fmt.Fprintf(&b, "%-20s %8d %12d %11d\n", usage, allowed, conditional, d[disallowed])
	}
	pattern := filepath.ToSlash(filepath.Join(dir, string(table.Permissions), "**", "*.parquet"))
	b.WriteString("\nThe same question for DuckDB, started in this folder:\n\n")
	fmt.Fprintf(&b, query, strings.ReplaceAll(pattern, "'", "''"))
	_, err := io.WriteString(stdout, b.String())
	return err
}
