"""Real readers on real output: DuckDB, pyarrow, pandas and polars read every table of a scan of testdata/warc.

The Go tests compare the writer with the reader of this module. Here stand the readers that researchers use: each must give the
rows that the manifest counts, the types that docs/schema states, and the same values as every other. The program is
bin/acapscan, which `make readers` builds.
"""

import datetime
import gzip
import json
import pathlib
import re
import subprocess

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.compute
import pyarrow.dataset
import pyarrow.parquet
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ["inputs", "robots", "pages", "directives", "adoption", "permissions", "conflicts"]

# The types of docs/schema as each reader names them. For pyarrow see arrow_type.
DUCKDB = {
    "string": "VARCHAR",
    "bool": "BOOLEAN",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "timestamp[ms, UTC]": "TIMESTAMP WITH TIME ZONE",
    "list<string>": "VARCHAR[]",
    "list<struct<name: string, value: string>>": 'STRUCT("name" VARCHAR, "value" VARCHAR)[]',
    "map<string, int64>": "MAP(VARCHAR, BIGINT)",
}
POLARS = {
    "string": polars.String,
    "bool": polars.Boolean,
    "int16": polars.Int16,
    "int32": polars.Int32,
    "int64": polars.Int64,
    "timestamp[ms, UTC]": polars.Datetime("ms", "UTC"),
    "list<string>": polars.List(polars.String),
    "list<struct<name: string, value: string>>": polars.List(polars.Struct({"name": polars.String, "value": polars.String})),
    "map<string, int64>": polars.Map(polars.String, polars.Int64),
}


@pytest.fixture(scope="session")
def out(tmp_path_factory):
    """The folder of a finished scan. Status 3: some archives are damaged on purpose."""
    folder = tmp_path_factory.mktemp("scan") / "out"
    done = subprocess.run(
        [ROOT / "bin" / "acapscan", "scan", "testdata/warc", "-o", folder], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 3, done.stderr
    return folder


@pytest.fixture(scope="session")
def manifest(out):
    return json.loads((out / "_manifest.json").read_text())


@pytest.fixture()
def db(out, monkeypatch):
    """DuckDB with the views of views.sql, started in the folder of the tables as views.sql asks for."""
    monkeypatch.chdir(out)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute((out / "views.sql").read_text())
        yield connection


def schema(name):
    return json.loads((ROOT / "docs" / "schema" / f"{name}.json").read_text())


def columns(name):
    """The columns in the files of a table and those in the names of its folders, with their types as docs/schema names them."""
    table = schema(name)
    inside = {c["name"]: c["type"] for c in table["columns"]}
    return inside, {p: "string" for p in table["partitions"]}


def arrow_type(t):
    """The name of an Arrow type in docs/schema, which does not name the fields within lists and maps."""
    if pyarrow.types.is_string(t):
        return "string"
    if pyarrow.types.is_timestamp(t):
        return f"timestamp[{t.unit}, {t.tz}]"
    if pyarrow.types.is_map(t):
        return f"map<{arrow_type(t.key_type)}, {arrow_type(t.item_type)}>"
    if pyarrow.types.is_list(t):
        return f"list<{arrow_type(t.value_type)}>"
    if pyarrow.types.is_struct(t):
        return f"struct<{', '.join(f'{f.name}: {arrow_type(f.type)}' for f in t)}>"
    return str(t)


def arrow_dataset(out, name):
    _, partitions = columns(name)
    hive = pyarrow.dataset.partitioning(pyarrow.schema([(p, pyarrow.string()) for p in partitions]), flavor="hive")
    return pyarrow.dataset.dataset(out / name, format="parquet", partitioning=hive)


def polars_frame(out, name):
    return polars.read_parquet(out / name / "**" / "*.parquet", hive_partitioning=True, try_parse_hive_dates=False)


def plain(value):
    """A value without what readers differ in: a map may be a dict, a list of pairs or a list of structs."""
    if isinstance(value, dict):
        if set(value) == {"key", "value"} and isinstance(value["value"], int):
            return (value["key"], value["value"])
        if set(value) == {"name", "value"}:
            return ("qualifier", value["name"], value["value"])
        return [(k, plain(v)) for k, v in sorted(value.items())]
    if isinstance(value, (list, tuple)):
        return [plain(v) if not isinstance(v, tuple) else v for v in value]
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc)
    return value


def rows(names, records):
    """All rows in an order that does not depend on the reader."""
    return sorted(repr([plain(record[n]) for n in names]) for record in records)


def test_no_table_is_empty(manifest):
    assert set(manifest["tables"]) == set(TABLES)
    for name in TABLES:
        assert manifest["tables"][name]["rows"] > 0, name


def test_parquet_files_are_those_of_the_tables_and_no_others(out, manifest):
    below = sorted(p.relative_to(out).as_posix() for p in out.glob("**/*.parquet"))
    assert below == sorted(o["path"] for o in manifest["outputs"])
    assert below == sorted(gzip.decompress((out / "paths.gz").read_bytes()).decode().split())
    assert {p.split("/")[0] for p in below} == set(TABLES)
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT file FROM glob('{out}/**/*.parquet')").fetchall()
    assert sorted(pathlib.Path(f).relative_to(out).as_posix() for (f,) in found) == below


@pytest.mark.parametrize("name", TABLES)
def test_readers_count_the_rows_of_the_manifest(name, out, manifest, db):
    want = manifest["tables"][name]["rows"]
    files = sorted((out / name).glob("**/*.parquet"))
    assert db.execute(f"SELECT count(*) FROM {name}").fetchone() == (want,)
    assert arrow_dataset(out, name).count_rows() == want
    assert len(pandas.read_parquet(out / name)) == want
    assert sum(len(pandas.read_parquet(f, partitioning=None)) for f in files) == want
    assert polars_frame(out, name).height == want
    assert polars.scan_parquet(out / name, hive_partitioning=True).select(polars.len()).collect().item() == want


@pytest.mark.parametrize("name", TABLES)
def test_readers_see_the_types_of_the_schema(name, out, db):
    inside, partitions = columns(name)
    both = inside | partitions
    for file in (out / name).glob("**/*.parquet"):
        got = pyarrow.parquet.read_schema(file)
        assert {f.name: arrow_type(f.type) for f in got} == inside
        nullable = {c["name"]: c["nullable"] for c in schema(name)["columns"]}
        assert {f.name: f.nullable for f in got} == nullable
    assert {f.name: arrow_type(f.type) for f in arrow_dataset(out, name).schema} == both
    got = {c: t for c, t, *_ in db.execute(f"DESCRIBE {name}").fetchall()}
    assert {c: re.sub(r'"?(name|value)"? VARCHAR', r'"\1" VARCHAR', t) for c, t in got.items()} == {
        c: DUCKDB[t] for c, t in both.items()
    }
    assert dict(polars_frame(out, name).schema) == {c: POLARS[t] for c, t in both.items()}


@pytest.mark.parametrize("name", TABLES)
def test_readers_agree_on_every_value(name, out, db):
    inside, partitions = columns(name)
    names = list(inside | partitions)
    want = rows(names, arrow_dataset(out, name).to_table().to_pylist())
    assert rows(names, db.sql(f"FROM {name}").to_arrow_table().to_pylist()) == want
    assert rows(names, polars_frame(out, name).iter_rows(named=True)) == want


# Records that share a compressed member share an offset too: there url and fetch_time belong to the key (docs/tables.md).
SHARED_MEMBER = {"robots": ["url", "fetch_time"], "pages": ["url", "fetch_time"], "permissions": ["url", "fetch_time"]}


@pytest.mark.parametrize("name", TABLES)
def test_key_tells_rows_apart(name, db):
    keys = ", ".join(["crawl", *schema(name)["key"], *SHARED_MEMBER.get(name, [])])
    assert db.execute(f"SELECT {keys}, count(*) FROM {name} GROUP BY ALL HAVING count(*) > 1").fetchall() == []


def test_every_deciding_acap_statement_is_in_directives(db):
    lost = db.execute(
        """
        SELECT DISTINCT p.site, id FROM permissions p, UNNEST(p.deciding_ids) AS t(id)
        WHERE p.basis IN ('acap-page', 'acap-robots')
          AND NOT EXISTS (SELECT 1 FROM directives d WHERE d.crawl = p.crawl AND d.site = p.site AND d.statement_id = id)
        """
    ).fetchall()
    assert lost == []


def test_queries_of_the_documents_run(db):
    # Columns of Common Crawl's index, with the types that it has.
    db.execute(
        """
        CREATE VIEW ccindex AS SELECT url_surtkey, warc_filename, warc_record_offset::INTEGER AS warc_record_offset, crawl, subset
        FROM pages
        """
    )
    queries = []
    for document in ("README.md", "docs/tables.md", "docs/citing.md"):
        for block in re.findall(r"```sql\n(.*?)```", (ROOT / document).read_text(), re.S):
            queries += [q for q in block.replace("out/demo/", "").split(";") if re.sub(r"--.*", "", q).strip()]
    assert len(queries) >= 4
    for query in queries:
        assert db.execute(query).fetchall() != [], query


def test_citing_names_fields_of_the_manifest(manifest):
    fields = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/citing.md").read_text(), re.M)
    assert len(fields) >= 7
    assert set(fields) <= set(manifest)


def test_commands_of_the_readme_run(tmp_path):
    for folder in ("bin", "docs", "testdata"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    readme = (ROOT / "README.md").read_text()
    commands = re.findall(r"^\./bin/acapscan .*$", readme, re.M)
    assert len(commands) >= 7
    said = [subprocess.run(c, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True).stdout for c in commands]
    (answer,) = re.findall(r"```\n(What may .*?)```", readme, re.S)
    assert answer in said


def test_links_of_the_documents_lead_somewhere():
    for document in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", *(f"docs/{d.name}" for d in (ROOT / "docs").glob("*.md"))):
        folder = (ROOT / document).parent
        for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", (ROOT / document).read_text()):
            assert (folder / link).exists(), f"{document}: {link}"


def test_demo_answers_as_its_query_does(out, db):
    demo = subprocess.run(["go", "run", "./cmd/demo", out], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    _, answer, _, query = demo.split("\n\n")
    head, *lines = (line.split() for line in answer.splitlines())
    cursor = db.execute(query)
    assert [d[0] for d in cursor.description] == head
    assert [[str(v) for v in row] for row in cursor.fetchall()] == lines
