"""Real readers on real output: DuckDB, pyarrow, pandas, polars and Spark read every table of a scan of testdata/warc.

The Go tests compare the writer with the reader of this module. Here stand the readers that researchers use: each must
give the rows that the manifest counts, the types that docs/schema states, and the same values as every other. The
program is bin/acapscan, which `make readers` builds.
"""

import datetime
import gzip
import json
import pathlib
import re
import signal
import subprocess
import time

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.compute
import pyarrow.dataset
import pyarrow.ipc
import pyarrow.parquet
import pyspark.sql
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ["inputs", "robots", "pages", "directives", "adoption", "agents", "permissions", "conflicts"]

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
SPARK = {
    "string": "string",
    "bool": "boolean",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "timestamp[ms, UTC]": "timestamp",
    "list<string>": "array<string>",
    "list<struct<name: string, value: string>>": "array<struct<name:string,value:string>>",
    "map<string, int64>": "map<string,bigint>",
}
POLARS = {
    "string": polars.String,
    "bool": polars.Boolean,
    "int16": polars.Int16,
    "int32": polars.Int32,
    "int64": polars.Int64,
    "timestamp[ms, UTC]": polars.Datetime("ms", "UTC"),
    "list<string>": polars.List(polars.String),
    "list<struct<name: string, value: string>>": polars.List(
        polars.Struct({"name": polars.String, "value": polars.String})
    ),
    "map<string, int64>": polars.Map(polars.String, polars.Int64),
}


BINARY = ROOT / "bin" / "acapscan"


def scan(folder, *arguments):
    return subprocess.run([BINARY, "scan", "-o", folder, *arguments], cwd=ROOT, capture_output=True, text=True)


@pytest.fixture(scope="session")
def out(tmp_path_factory):
    """The folder of a finished scan. Status 3: some archives are damaged on purpose."""
    folder = tmp_path_factory.mktemp("scan") / "out"
    done = scan(folder, "testdata/warc")
    assert done.returncode == 3, done.stderr
    return folder


@pytest.fixture(scope="session")
def arrow_out(tmp_path_factory):
    """The same as Arrow IPC files."""
    folder = tmp_path_factory.mktemp("arrow") / "out"
    done = scan(folder, "testdata/warc", "--format", "arrow")
    assert done.returncode == 3, done.stderr
    return folder


@pytest.fixture(scope="session")
def spark():
    """One Spark for all tests: a virtual machine takes its time to start."""
    options = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "ERROR",
        # Compiling for speed costs more than it gains in so short a run.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    }
    builder = pyspark.sql.SparkSession.builder.master("local[2]")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


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
    """The columns in the files of a table and those in the names of its folders, with their types as docs/schema names
    them.
    """
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


def arrow_dataset(out, name, form="parquet"):
    _, partitions = columns(name)
    hive = pyarrow.dataset.partitioning(pyarrow.schema([(p, pyarrow.string()) for p in partitions]), flavor="hive")
    return pyarrow.dataset.dataset(out / name, format=form, partitioning=hive)


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
def test_readers_count_the_rows_of_the_manifest(name, out, manifest, db, spark):
    want = manifest["tables"][name]["rows"]
    files = sorted((out / name).glob("**/*.parquet"))
    assert db.execute(f"SELECT count(*) FROM {name}").fetchone() == (want,)
    assert arrow_dataset(out, name).count_rows() == want
    assert len(pandas.read_parquet(out / name)) == want
    assert sum(len(pandas.read_parquet(f, partitioning=None)) for f in files) == want
    assert polars_frame(out, name).height == want
    assert polars.scan_parquet(out / name, hive_partitioning=True).select(polars.len()).collect().item() == want
    assert spark.read.parquet(str(out / name)).count() == want


@pytest.mark.parametrize("name", TABLES)
def test_readers_see_the_types_of_the_schema(name, out, db, spark):
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
    assert dict(spark.read.parquet(str(out / name)).dtypes) == {c: SPARK[t] for c, t in both.items()}


@pytest.mark.parametrize("name", TABLES)
def test_readers_agree_on_every_value(name, out, db, spark):
    inside, partitions = columns(name)
    names = list(inside | partitions)
    want = rows(names, arrow_dataset(out, name).to_table().to_pylist())
    assert rows(names, db.sql(f"FROM {name}").to_arrow_table().to_pylist()) == want
    assert rows(names, polars_frame(out, name).iter_rows(named=True)) == want
    assert rows(names, spark.read.parquet(str(out / name)).toArrow().to_pylist()) == want


@pytest.mark.parametrize("name", TABLES)
def test_pandas_has_the_same_nulls_and_sums(name, out):
    want = arrow_dataset(out, name).to_table()
    got = pandas.read_parquet(out / name, dtype_backend="pyarrow")
    assert sorted(got.columns) == sorted(want.column_names)
    for column in want.column_names:
        assert got[column].isna().sum() == want[column].null_count, column
        if pyarrow.types.is_integer(want[column].type):
            assert got[column].sum() == (pyarrow.compute.sum(want[column]).as_py() or 0), column


@pytest.mark.parametrize("name", TABLES)
def test_arrow_files_hold_the_same(name, out, arrow_out):
    inside, partitions = columns(name)
    names = list(inside | partitions)
    want = rows(names, arrow_dataset(out, name).to_table().to_pylist())
    found = arrow_dataset(arrow_out, name, "ipc")
    assert {f.name: arrow_type(f.type) for f in found.schema} == inside | partitions
    assert rows(names, found.to_table().to_pylist()) == want
    with duckdb.connect() as connection:  # which looks for the data set by the name of the variable
        connection.execute("SET TimeZone = 'UTC'")
        assert rows(names, connection.sql("FROM found").to_arrow_table().to_pylist()) == want
    lazy = polars.scan_ipc(arrow_out / name / "**" / "*.arrow", hive_partitioning=True, try_parse_hive_dates=False)
    assert rows(names, lazy.collect().iter_rows(named=True)) == want
    for file in (arrow_out / name).glob("**/*.arrow"):
        with pyarrow.memory_map(str(file)) as mapped:
            reader = pyarrow.ipc.open_file(mapped)
            reader.read_all().validate(full=True)
            assert reader.schema.metadata[b"acapscan.table"].decode() == name


@pytest.mark.parametrize("name", TABLES)
def test_export_streams_the_rows(name, out):
    inside, partitions = columns(name)
    names = list(inside | partitions)
    want = rows(names, arrow_dataset(out, name).to_table().to_pylist())
    stream = subprocess.run([BINARY, "export", name, out], capture_output=True, check=True)
    assert stream.stderr == b""
    found = pyarrow.ipc.open_stream(stream.stdout).read_all()
    found.validate(full=True)
    assert found.column_names[:1] == ["crawl"]
    both = [*names, *({"subset"} - set(names))]
    nulls = {} if "subset" in names else {"subset": None}
    assert rows(both, found.to_pylist()) == rows(
        both, [r | nulls for r in arrow_dataset(out, name).to_table().to_pylist()]
    )
    assert rows(names, polars.read_ipc_stream(stream.stdout).iter_rows(named=True)) == want


def test_export_into_a_broken_pipe_ends_quietly(out):
    # More than a pipe holds.
    with subprocess.Popen(
        [BINARY, "export", "permissions", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.read(1) and process.stdout.close() is None
        assert process.stderr.read() == b""
    assert process.returncode == -signal.SIGPIPE


def encodings_by_column():
    """What the row structs say: plain or dict, by struct and column. Keys of maps are dict (output/rowtype)."""
    said = {}
    for source in (ROOT / "output" / "table").glob("*.go"):
        for struct in re.split(r"^type ", source.read_text(), flags=re.M)[1:]:
            for column, options in re.findall(r'`parquet:"(\w+),([^"]*)', struct):
                for encoding in {"plain", "dict"} & set(options.split(",")):
                    said[struct.split()[0], column] = encoding
    return said


def encoding_of(said, table, path):
    column = path[-1] if path[-1] in ("key", "name", "value") else path[0]
    if column == "key":
        return "dict"
    structs = (table.removesuffix("s").capitalize(), table.capitalize())
    if not any((struct, column) in said for struct in structs):
        structs = ("Key", "Host", "Qualifier")  # which rows embed or contain
    (encoding,) = {said[struct, column] for struct in structs if (struct, column) in said}
    return encoding


@pytest.mark.parametrize("name", TABLES)
def test_encodings_are_those_that_every_reader_has(name, out):
    said = encodings_by_column()
    seen = set()
    for file in (out / name).glob("**/*.parquet"):
        footer = pyarrow.parquet.ParquetFile(file).metadata
        for group in range(footer.num_row_groups):
            for i in range(footer.num_columns):
                chunk = footer.row_group(group).column(i)
                path = chunk.path_in_schema.split(".")
                assert set(chunk.encodings) <= {"PLAIN", "RLE", "RLE_DICTIONARY", "PLAIN_DICTIONARY"}, (file, path)
                if chunk.physical_type != "BYTE_ARRAY" or not chunk.statistics or not chunk.statistics.has_min_max:
                    continue  # no strings, or none there: all are null or in empty lists
                encoding = encoding_of(said, name, path)
                assert (encoding == "dict") == any("DICTIONARY" in e for e in chunk.encodings), (file, path)
                seen.add(encoding)
    assert seen == {"plain", "dict"}


@pytest.mark.parametrize("name", TABLES)
def test_rows_are_sorted_and_minima_of_row_groups_rise(name, out):
    order = schema(name)["sorted_by"]

    def place(row):
        values = ({"site": "0", "page": "1"}[row[c]] if c == "scope" else row[c] for c in order)
        return [(v is not None, v.encode() if isinstance(v, str) else v) for v in values]

    for file in (out / name).glob("**/*.parquet"):
        with pyarrow.parquet.ParquetFile(file) as opened:
            before, minima = [], []
            first = opened.schema_arrow.get_field_index(order[0])
            for group in range(opened.metadata.num_row_groups):
                places = [place(row) for row in opened.read_row_group(group, columns=order).to_pylist()]
                assert places == sorted(places) and before <= places[:1], file
                before = places[-1:]
                statistics = opened.metadata.row_group(group).column(first).statistics
                if places and statistics.has_min_max:
                    minima.append(statistics.min.encode())
                    assert minima[-1] == min(p[0][1] for p in places if p[0][0]), file
            assert minima == sorted(minima)


def test_tables_are_the_same_to_readers_while_a_run_replaces_them(tmp_path):
    folder = tmp_path / "out"
    assert scan(folder, "testdata/warc/good/pages").returncode == 0
    before = sorted(folder.glob("**/*.parquet"))
    archive = ROOT / "testdata" / "warc" / "good" / "pages" / "meta.warc.gz"
    # The first input is read to its end, and its facts rest in the folder; the second one keeps the run waiting.
    command = [BINARY, "scan", archive, "-", "--overwrite", "-o", folder]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while not any(p.is_file() for p in (folder / "_work").glob("**/*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert [p for p in (folder / "_work").glob("**/*") if p.is_file()], (
            "the run keeps nothing, so that this proves nothing"
        )
        assert sorted(folder.glob("**/*.parquet")) == before and not list(folder.glob("**/*.arrow"))
        assert (folder / "_SUCCESS").exists()
        process.stdin.write(archive.read_bytes())
        process.stdin.close()
        said = process.stderr.read()
    assert process.returncode == 0, said
    assert not (folder / "_work").exists()
    listed = json.loads((folder / "_manifest.json").read_text())["outputs"]
    assert sorted(p.relative_to(folder).as_posix() for p in folder.glob("**/*.parquet")) == sorted(
        o["path"] for o in listed
    )


# Common Crawl's columnar index, its columns and types (cc-index-table, schema/cc-index-schema-flat.json), as far as
# tables have the like.
CC_INDEX = pyarrow.schema(
    [
        ("url_surtkey", pyarrow.string()), ("url", pyarrow.string()), ("url_host_name", pyarrow.string()),
        ("url_host_tld", pyarrow.string()), ("url_host_registered_domain", pyarrow.string()),
        ("url_host_name_reversed", pyarrow.string()), ("url_protocol", pyarrow.string()), ("url_port", pyarrow.int32()),
        ("url_path", pyarrow.string()), ("url_query", pyarrow.string()), ("fetch_time", pyarrow.timestamp("ms", "UTC")),
        ("fetch_status", pyarrow.int16()), ("content_digest", pyarrow.string()),
        ("content_mime_type", pyarrow.string()), ("warc_filename", pyarrow.string()),
        ("warc_record_offset", pyarrow.int32()), ("warc_record_length", pyarrow.int32()),
        ("warc_segment", pyarrow.string()),
    ]
)  # fmt: skip
# Captures of an index: URL, surtkey, host, tld, registered domain, reversed host, scheme, port, path, query,
# surt_host_name. Written by hand after the descriptions of the index; addresses have neither a domain nor a reversed
# name.
CAPTURES = [
    ("http://www.example.co.uk/News/?b=2&a=1", "uk,co,example)/news?a=1&b=2", "www.example.co.uk", "uk",
     "example.co.uk", "uk.co.example.www", "http", None, "/News/", "b=2&a=1", "uk,co,example"),
    ("https://b\u00fccher.example.com:8443/x", "com,example,xn--bcher-kva:8443)/x", "xn--bcher-kva.example.com", "com",
     "example.com", "com.example.xn--bcher-kva", "https", 8443, "/x", None, "com,example,xn--bcher-kva"),
    ("http://a.b.blogspot.com/p", "com,blogspot,b,a)/p", "a.b.blogspot.com", "com", "blogspot.com",
     "com.blogspot.b.a", "http", None, "/p", None, "com,blogspot,b,a"),
    ("http://www.example.org/%E4?q=%FC", "org,example)/%e4?q=%fc", "www.example.org", "org", "example.org",
     "org.example.www", "http", None, "/%E4", "q=%FC", "org,example"),
    ("http://192.0.2.7/i", "7,2,0,192)/i", "192.0.2.7", None, None, None, "http", None, "/i", None, "7,2,0,192"),
]  # fmt: skip


def test_tables_join_with_the_index_of_common_crawl_and_a_table_of_hosts(tmp_path):
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<meta name=robots content='ACAP disallow-index'>"
    name = "crawl-data/CC-MAIN-2018-34/segments/1534221215284.54/warc/CC-MAIN-20180814.warc"
    archive = tmp_path / name
    archive.parent.mkdir(parents=True)
    index, content = [], b""
    for url, surt, host, tld, domain, backwards, scheme, port, path, query, _ in CAPTURES:
        record = (
            b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2018-08-14T09:26:53Z\r\n"
            % url.encode()
        )
        record += (
            b"WARC-Payload-Digest: sha1:FZDQQJYDQLYCQTLJ3MHYRHB3EQZVAXYS\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
            % (len(body), body)
        )
        time_of_capture = datetime.datetime(2018, 8, 14, 9, 26, 53, tzinfo=datetime.timezone.utc)
        index.append(
            (surt, url, host, tld, domain, backwards, scheme, port, path, query, time_of_capture, 200,
             "FZDQQJYDQLYCQTLJ3MHYRHB3EQZVAXYS", "text/html", name, len(content), len(record), "1534221215284.54")
        )  # fmt: skip
        content += record
    archive.write_bytes(content)
    captures = pyarrow.table([pyarrow.array(c, f.type) for c, f in zip(zip(*index), CC_INDEX)], schema=CC_INDEX)
    folder = tmp_path / "index" / "crawl=CC-MAIN-2018-34" / "subset=warc"
    folder.mkdir(parents=True)
    pyarrow.parquet.write_table(captures, folder / "part-00000.parquet")
    hosts = pyarrow.table({"surt_host_name": [c[-1] for c in CAPTURES], "rank": [*range(1, len(CAPTURES) + 1)]})
    pyarrow.parquet.write_table(hosts, tmp_path / "hosts.parquet")
    assert scan(tmp_path / "out", archive).returncode == 0

    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for table in ("pages", "adoption"):
            connection.execute(
                f"CREATE VIEW {table} AS "
                f"FROM read_parquet('{tmp_path}/out/{table}/**/*.parquet', hive_partitioning = true)"
            )
        connection.execute(
            f"CREATE VIEW ccindex AS FROM read_parquet('{tmp_path}/index/**/*.parquet', hive_partitioning = true)"
        )
        connection.execute(f"CREATE VIEW hosts AS FROM read_parquet('{tmp_path}/hosts.parquet')")
        # By the exact key; then every column that both have is equal, null where the other is.
        exact = "pages p JOIN ccindex i USING (crawl, subset, warc_filename, warc_record_offset)"
        assert connection.execute(f"SELECT count(*) FROM {exact}").fetchone() == (len(CAPTURES),)
        types = dict(connection.execute("SELECT column_name, column_type FROM (DESCRIBE pages)").fetchall())
        for column, of_index in connection.execute(
            "SELECT column_name, column_type FROM (DESCRIBE ccindex)"
        ).fetchall():
            wider = {"warc_record_offset": "BIGINT", "warc_record_length": "BIGINT"}
            assert types[column] == wider.get(column, of_index), column
            if column not in ("crawl", "subset", "warc_filename", "warc_record_offset"):
                differ = f"SELECT p.{column}, i.{column} FROM {exact} WHERE p.{column} IS DISTINCT FROM i.{column}"
                assert connection.execute(differ).fetchall() == [], column
        by_url = "SELECT count(*) FROM pages JOIN ccindex USING (url_surtkey, fetch_time, content_digest)"
        assert connection.execute(by_url).fetchone() == (len(CAPTURES),)
        for table in ("pages", "adoption"):
            joined = f"SELECT url_host_name, rank FROM {table} JOIN hosts USING (surt_host_name) ORDER BY rank"
            assert connection.execute(joined).fetchall() == [(c[2], n) for n, c in enumerate(CAPTURES, 1)]


# Text of others that is no policy, where such text can stand; and the columns that quote, which --no-verbatim empties.
CANARY = "c4n4ry"
VERBATIM = ["raw", "deciding_raw", "first_raw", "second_raw"]


def texts(value):
    """All strings in a value, keys of maps included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts(list(value.items()))
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from texts(v)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_without_verbatim_no_text_of_others_is_left(form, tmp_path):
    robots = (
        f"##ACAP version=1.0 # {CANARY}\n# {CANARY}\nACAP-crawler: * # {CANARY}\nACAP-disallow-index: /a/ # {CANARY}\n"
        f"ACAP-allow-crawl: / # {CANARY}\nUser-agent: * # {CANARY}\nDisallow: /a/ # {CANARY}\n"
    )
    page = (
        f"<html title={CANARY}><head><title>{CANARY}</title>"
        f"<meta name=robots content='ACAP allow-index' data-x={CANARY}>"
        f"<meta name=robots content=noindex data-x={CANARY}><meta name=description content='ACAP {CANARY}'></head>"
        f"<body><p class='the-acap:disallow-index {CANARY}' title={CANARY}>{CANARY}</p><!-- {CANARY} --></body></html>"
    )
    archive = tmp_path / "a.warc"
    content = b""
    for path, kind, body in (("robots.txt", "text/plain", robots), ("a/", "text/html", page)):
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nX-Other: {CANARY}\r\nX-Robots-Tag: noarchive\r\n\r\n"
        http = (head + body).encode()
        content += b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h.example/%s\r\n" % path.encode()
        content += b"WARC-Date: 2018-08-14T09:26:53Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (len(http), http)
    archive.write_bytes(content)
    every = ["--pages", "all", "--directives", "all", "--permissions", "all", "--format", form]
    for options, quoted in (([], VERBATIM), (["--no-verbatim"], [])):
        folder = tmp_path / f"out{len(options)}"
        assert scan(folder, archive, *every, *options).returncode == 0
        filled, with_canary = set(), set()
        for name in TABLES:
            for row in arrow_dataset(folder, name, "ipc" if form == "arrow" else form).to_table().to_pylist():
                for column, value in row.items():
                    if column in VERBATIM and value is not None:
                        filled.add(column)
                    if any(CANARY in text for text in texts(value)):
                        with_canary.add(column)
        assert sorted(filled) == sorted(quoted)
        assert with_canary <= set(quoted), with_canary
        assert bool(with_canary) == bool(quoted)
        leaks = [
            f
            for f in folder.glob("**/*")
            if f.is_file() and f.suffix != ".parquet" and CANARY.encode() in f.read_bytes()
        ]
        assert not leaks or (form == "arrow" and quoted), leaks


# Records that share a compressed member share an offset too: there url and fetch_time belong to the key
# (docs/tables.md).
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
          AND NOT EXISTS
            (SELECT 1 FROM directives d WHERE d.crawl = p.crawl AND d.site = p.site AND d.statement_id = id)
        """
    ).fetchall()
    assert lost == []


def test_views_of_another_folder(out, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = (out / "views.sql").read_text()
    with duckdb.connect() as connection:
        with pytest.raises(duckdb.Error, match="first run: SET VARIABLE acapscan_tables"):
            connection.execute(script)
        connection.execute(f"SET VARIABLE acapscan_tables = '{out}'")
        connection.execute(script)
        counts = connection.execute("SELECT (SELECT count(*) FROM robots), (SELECT count(*) FROM inputs)").fetchone()
    assert counts[0] > 0 and counts[1] > 0


def test_queries_of_the_documents_run(db):
    # Columns of Common Crawl's index, with the types that it has.
    db.execute(
        """ CREATE VIEW ccindex AS SELECT url_surtkey, warc_filename, warc_record_offset::INTEGER AS warc_record_offset,
        crawl, subset FROM pages
        """
    )
    for document in ("README.md", "docs/tables.md", "docs/citing.md"):
        queries = []
        for block in re.findall(r"```sql\n(.*?)```", (ROOT / document).read_text(), re.S):
            queries += [q for q in block.replace("out/demo/", "").split(";") if re.sub(r"--.*", "", q).strip()]
        assert queries, document
        for query in queries:
            assert db.execute(query).fetchall() != [], query


def test_citing_names_fields_of_the_manifest(manifest):
    fields = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/citing.md").read_text(), re.M)
    assert len(fields) >= 7
    assert set(fields) <= set(manifest)


def test_verbs_of_the_page_running_run(tmp_path):
    for folder in ("bin", "docs", "testdata"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    commands = re.findall(r"^\./bin/acapscan .*$", (ROOT / "docs/running.md").read_text(), re.M)
    assert len(commands) >= 7
    for command in commands:
        subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, check=True)


def test_links_of_the_documents_lead_somewhere():
    for document in (
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        *(f"docs/{d.name}" for d in (ROOT / "docs").glob("*.md")),
    ):
        folder = (ROOT / document).parent
        for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", (ROOT / document).read_text()):
            assert (folder / link).exists(), f"{document}: {link}"


def test_demo_answers_as_its_query_does(out, db):
    demo = subprocess.run(
        ["go", "run", "./tools/demo", out], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    _, answer, _, query = demo.split("\n\n")
    head, *lines = (line.split() for line in answer.splitlines())
    cursor = db.execute(query)
    assert [d[0] for d in cursor.description] == head
    assert [[str(v) for v in row] for row in cursor.fetchall()] == lines
