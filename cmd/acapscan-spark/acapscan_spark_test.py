"""The Spark job gives the rows of acapscan scan, and fails as it should.

The job runs as a user runs it, by spark-submit on two local cores. The program is bin/acapscan, which `make build` builds.
"""

import argparse
import datetime
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

import acapscan_spark as job

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BINARY = ROOT / "bin" / "acapscan"
ARCHIVES = ROOT / "testdata" / "warc"
PER_SUBSET = ["inputs", "robots", "pages", "directives"]
TABLES = [*PER_SUBSET, "adoption", "permissions", "conflicts"]


def spark_submit(*arguments):
    """Run the job on two local cores, and return what it said as stdout. A task is tried once, as it is by default there."""
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [
        pathlib.Path(sys.executable).with_name("spark-submit"), "--master", "local[2]", "--conf", "spark.ui.enabled=false",
        "--conf", "spark.log.level=WARN", HERE / "acapscan_spark.py", "--binary", BINARY, *arguments,
    ]  # fmt: skip
    return subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def scan(*arguments):
    return subprocess.run([BINARY, "scan", *arguments], cwd=ROOT, capture_output=True, text=True)


def read(folder, table):
    """A table with its partition columns, as text whatever they look like."""
    names = ["crawl", "subset"] if table in PER_SUBSET else ["crawl"]
    columns = pyarrow.schema([(name, pyarrow.string()) for name in names])
    return pyarrow.dataset.dataset(
        folder / table, format="parquet", partitioning=pyarrow.dataset.partitioning(columns, flavor="hive")
    ).to_table()


def assert_same_tables(want, got, may_be_empty=()):
    """Both folders hold the same rows, all columns, in any order, and columns of the same types."""
    for table in TABLES:
        ours, theirs = read(want, table), read(got, table)
        assert theirs.schema.equals(ours.schema), f"{table}: the columns are others"
        assert ours.num_rows > 0 or table in may_be_empty, f"{table} is empty, which proves nothing"
        wanted, found = (sorted(repr(row) for row in rows.to_pylist()) for rows in (ours, theirs))
        assert found == wanted, f"{table}: the rows are others"


def assert_complete(folder):
    """Beside the tables stands what a scan writes, and nothing of the job."""
    beside = {"_SUCCESS", "_manifest.json", "croissant.json", "datapackage.json", "paths.gz", "schema", "views.sql"}
    assert {entry.name for entry in folder.iterdir()} == beside | set(TABLES)
    files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*.parquet"))
    assert gzip.decompress((folder / "paths.gz").read_bytes()).decode().splitlines() == files
    left = [file for file in folder.rglob("*") if file.name in ("_temporary", "_SUCCESS") and file.parent != folder]
    assert not left


def assert_sorted(folder):
    """Rows within a file are in the table's order, by bytes, null first."""
    for table in TABLES:
        columns = json.loads((folder / "schema" / f"{table}.json").read_text())["sorted_by"]

        def key(row, columns=columns):
            values = ({"site": "0", "page": "1"}[row[name]] if name == "scope" else row[name] for name in columns)
            return [(value is not None, value.encode() if isinstance(value, str) else value) for value in values]

        for file in (folder / table).rglob("*.parquet"):
            keys = [key(row) for row in pyarrow.parquet.ParquetFile(file).read(columns=columns).to_pylist()]
            assert keys == sorted(keys), file


def test_rows_are_those_of_a_scan(tmp_path):
    archives = ARCHIVES.relative_to(ROOT) / "good"
    assert scan(archives, "-o", tmp_path / "scan").returncode == 0
    done = spark_submit(archives, "--output", tmp_path / "spark", "--partitions", "5")
    assert done.returncode == 0, done.stdout[-5000:]
    assert_same_tables(tmp_path / "scan", tmp_path / "spark")
    assert_complete(tmp_path / "spark")
    assert_sorted(tmp_path / "spark")
    assert "records      " in done.stdout  # what the binary says in a task is in the task's log

    # The manifest is that of the scan too: for the program the folder is finished, and for the job it is not to be touched.
    again = scan(archives, "-o", tmp_path / "spark")
    assert again.returncode == 0 and "nothing to do" in again.stderr
    refused = spark_submit(archives, "--output", tmp_path / "spark")
    assert refused.returncode == job.FAILED and "finished run" in refused.stdout


def test_listing_of_damaged_archives_with_all_options(tmp_path):
    names = sorted(str(file.relative_to(ARCHIVES)) for file in ARCHIVES.rglob("*") if file.parent.name == "damaged")
    names += ["good/arc/2008-plain.arc", "good/pages/conflict.warc.gz", "good/pages/meta.warc.gz"]
    listing = tmp_path / "warc.paths.gz"
    listing.write_bytes(gzip.compress("\n".join([*names, "", names[0]]).encode()))
    agents = tmp_path / "agents.txt"
    agents.write_text("# crawlers to ask for\nExampleBot\n")
    options = [
        "--pages", "all", "--directives", "all", "--permissions", "all", "--agents", f"@common,@{agents}",
        "--agents", "OtherBot", "--no-verbatim", "--strict",
        "--refuse", "smart-quotes", "--without", "R-DEC-1", "--without", "R-DEC-5", "--profile", "pilot", "--other", "narrow",
    ]  # fmt: skip
    assert scan(*(ARCHIVES / name for name in names), "-o", tmp_path / "scan", *options).returncode == job.INCOMPLETE
    done = spark_submit(
        "--paths", listing, "--base-url", ARCHIVES, "--output", tmp_path / "spark", "--partitions", "3", *options
    )
    assert done.returncode == job.INCOMPLETE, done.stdout[-5000:]
    assert_same_tables(tmp_path / "scan", tmp_path / "spark")
    assert_complete(tmp_path / "spark")
    ours, theirs = (json.loads((tmp_path / run / "_manifest.json").read_text()) for run in ("scan", "spark"))
    for key in ("options", "options_hash", "inputs", "counts", "program", "rules_version", "public_suffix_version"):
        assert theirs[key] == ours[key], key


def test_job_that_failed_is_run_again(tmp_path):
    archive = tmp_path / "late.arc"
    listing = tmp_path / "paths"
    listing.write_text(f"{archive.name}\n")
    command = ["--paths", listing, "--base-url", tmp_path, "--output", tmp_path / "spark"]
    failed = spark_submit(*command)
    assert failed.returncode == job.FAILED
    assert f'there is no file or folder "{archive}"' in failed.stdout
    assert not (tmp_path / "spark" / "_SUCCESS").exists()

    shutil.copy(ARCHIVES / "good" / "arc" / "2008-plain.arc", archive)
    done = spark_submit(*command)
    assert done.returncode == 0, done.stdout[-5000:]
    assert scan(archive, "-o", tmp_path / "scan").returncode == 0
    assert_same_tables(tmp_path / "scan", tmp_path / "spark", may_be_empty=TABLES)
    assert_complete(tmp_path / "spark")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ([], job.USAGE, "--output"),
        (["--output", "x"], job.USAGE, "an input is missing"),
        (["--output", "x", "--paths", "y"], job.USAGE, "--base-url"),
        (["nothing.warc", "--output", "x"], job.FAILED, "nothing.warc"),
        (["--output", "x", "--paths", "nothing", "--base-url", "y"], job.FAILED, "nothing cannot be read"),
        (["empty.warc", "--output", "x", "--partitions", "0"], job.USAGE, "--partitions"),
        (["empty.warc", "--output", "x", "--pages", "some"], job.USAGE, "--pages"),
        (["empty.warc", "--output", "x", "--profile", "2"], job.USAGE, "--profile"),
        (["empty.warc", "--output", "x", "--without", "R-DEC-99"], job.USAGE, "R-DEC-99"),
        (["empty.warc", "--output", "x", "--refuse", "syntax"], job.USAGE, "syntax"),
        (["empty.warc", "--output", "x", "--agents", "@nothing"], job.FAILED, "nothing"),
        (["empty.warc", "--output", "x", "--frob"], job.USAGE, "--frob"),
        (["empty.warc", "--output", "hdfs://host/x"], job.USAGE, "storage that all nodes share"),
        (["empty.warc", "--output", "empty.warc"], job.FAILED, "is a file"),
        (["empty.warc", "--output", "."], job.FAILED, "not empty"),
        (["empty.warc", "--output", "x", "--binary", "nothing"], job.USAGE, "nothing"),
    ],
)
def test_wrong_usage_is_told_before_spark_starts(tmp_path, monkeypatch, capsys, arguments, status, says):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["acapscan_spark.py", "--binary", str(BINARY), *arguments])
    (tmp_path / "empty.warc").touch()
    with pytest.raises(SystemExit) as stopped:
        job.main()
    assert stopped.value.code == status
    assert says in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_unfinished_output_is_taken_over(tmp_path):
    (tmp_path / "_work").mkdir()
    (tmp_path / "robots").mkdir()
    given = argparse.Namespace(output=f"file://{tmp_path}", overwrite=False)
    assert job.find_output(given) == tmp_path


def test_finished_output_is_replaced_on_demand(tmp_path):
    (tmp_path / "_SUCCESS").touch()
    given = argparse.Namespace(output=str(tmp_path), overwrite=False)
    with pytest.raises(SystemExit):
        job.find_output(given)
    given.overwrite = True
    assert job.find_output(given) == tmp_path
    assert not (tmp_path / "_SUCCESS").exists() and (tmp_path / "_work").is_dir()


def shell(script):
    return ["sh", "-c", script]


def test_binary_that_fails_says_why(capfd):
    with pytest.raises(job.BinaryError, match="exit status 1\nno luck") as failed:
        with job.running(shell("echo no luck >&2; exit 1")) as pipes:
            pyarrow.ipc.open_stream(pipes.source)
    assert failed.value.status == 1
    assert "no luck" in capfd.readouterr().err


def test_binary_that_does_not_read_says_why():
    batch = pyarrow.record_batch({"body": ["x" * (1 << 22)]})
    with pytest.raises(job.BinaryError, match="no luck"):
        with job.running(shell("exec <&-; echo no luck >&2; exit 1")) as pipes:
            job.feed(pipes.to, iter([batch]), {})


def test_incomplete_is_no_failure_of_a_task():
    with job.running(shell("exit 3"), tolerated=(job.INCOMPLETE,)) as pipes:
        assert pipes.source.read() == b""
    with pytest.raises(job.BinaryError):
        with job.running(shell("exit 3")) as pipes:
            pipes.source.read()


def test_stream_that_is_cut_is_an_error_even_if_the_binary_is_content():
    with pytest.raises(pyarrow.ArrowInvalid):
        with job.running(shell("printf abc")) as pipes:
            pyarrow.ipc.open_stream(pipes.source)


def test_binary_ends_with_a_task_that_is_given_up():
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        with job.running(shell("exec sleep 60")):
            raise KeyboardInterrupt
    assert time.monotonic() - started < 30


def test_rows_are_packed_and_unpacked():
    instant = datetime.datetime(2012, 5, 17, 8, 0, 0, 123_000, datetime.UTC)
    milliseconds = pyarrow.schema(
        [("crawl", pyarrow.string()), ("subset", pyarrow.string()), ("fetch_time", pyarrow.timestamp("ms", "UTC"))]
    )
    rows = pyarrow.record_batch([["c"], [None], [instant]], schema=milliseconds)
    target = pyarrow.schema([("crawl", pyarrow.string()), ("fetch_time", pyarrow.timestamp("us", "UTC"))])
    packed = job.pack("adoption", rows)
    assert packed.column("table").to_pylist() == ["adoption"]
    [got] = job.unpack(target)(iter([packed.select(["rows"])]))
    assert got.schema == target
    assert got.to_pylist() == [{"crawl": "c", "fetch_time": instant}]
