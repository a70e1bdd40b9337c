package manifest

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/acapscan/acapscan/output/table"
)

// viewsHead finds the tables: in the current folder, or where a variable says, which may be in S3. A script cannot find
// out its own folder, and tables may be moved. Only a pattern makes glob look in S3.
const viewsHead = `-- Views over the tables in this folder, for DuckDB.
-- In this folder:   duckdb -init views.sql
-- Elsewhere:        duckdb -cmd "SET VARIABLE acapscan_tables = 'FOLDER'" -cmd '.read FOLDER/views.sql'
-- FOLDER may be s3://BUCKET/KEY, after CREATE SECRET. The views follow the variable.
SET VARIABLE acapscan_manifest = (SELECT if(count(*) > 0, any_value(file), error('The tables are not in this folder. ' ||
  'Start DuckDB in their folder, or first run: SET VARIABLE acapscan_tables = ''FOLDER'''))
  FROM glob(coalesce(getvariable('acapscan_tables') || '/', '') || '_manifest.json*'));
`

// filesOf is the pattern of the files of a table, in SQL.
func filesOf(name table.Name) string {
	return fmt.Sprintf("coalesce(getvariable('acapscan_tables') || '/', '') || '%s/**/*%s'", name,
		table.Parquet.Extension())
}

// views gives the DuckDB script that makes a view of every table. A table without files is a view without rows:
// read_parquet refuses a pattern that nothing matches.
func views(tables map[table.Name]Contents) []byte {
	var b bytes.Buffer
	b.WriteString(viewsHead)
	for _, d := range table.All() {
		fmt.Fprintf(&b, "\n-- One row for %s.\nCREATE OR REPLACE VIEW %s AS\n", d.Row, d.Name)
		if tables[d.Name].Files > 0 {
			// Partition values are text, whatever they look like.
			fmt.Fprintf(&b,
				"SELECT * FROM read_parquet(%s,\n  hive_partitioning = true, hive_types_autocast = false);\n",
				filesOf(d.Name))
			continue
		}
		var columns []string
		for _, c := range d.Columns() {
			columns = append(columns, fmt.Sprintf("  CAST(NULL AS %s) AS %s", duckType(c.Type), c.Name))
		}
		for _, name := range d.Partitions() {
			columns = append(columns, "  CAST(NULL AS VARCHAR) AS "+name)
		}
		fmt.Fprintf(&b, "SELECT\n%s\nWHERE false;\n", strings.Join(columns, ",\n"))
	}
	return b.Bytes()
}

// duckType names the type that DuckDB reads a column as.
func duckType(t table.Type) string {
	switch t {
	case table.TypeString:
		return "VARCHAR"
	case table.TypeBool:
		return "BOOLEAN"
	case table.TypeInt16:
		return "SMALLINT"
	case table.TypeInt32:
		return "INTEGER"
	case table.TypeInt64:
		return "BIGINT"
	case table.TypeTimestamp:
		return "TIMESTAMP WITH TIME ZONE"
	case table.TypeStrings:
		return "VARCHAR[]"
	case table.TypeCounts:
		return "MAP(VARCHAR, BIGINT)"
	case table.TypeQualifiers:
		return "STRUCT(name VARCHAR, value VARCHAR)[]"
	}
	panic(fmt.Sprintf("manifest: no DuckDB type for %s", t)) // the list above is that of table.Type
}
