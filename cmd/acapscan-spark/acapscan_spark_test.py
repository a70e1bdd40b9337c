"""The Spark job gives the rows of acapscan scan, and fails as it should.

Once the job runs as a user runs it, by spark-submit, on two executors. The other jobs share a session. The program is
bin/acapscan, and bin/sites makes facts: `make spark` builds both.
"""

import argparse
import datetime
import gzip
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import types

import pyarrow
import pyarrow.compute
import pyarrow.dataset
import pyarrow.parquet
import pyspark.cloudpickle
import pyspark.sql
import pytest

import acapscan_spark as job

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BINARY = ROOT / "bin" / "acapscan"
ARCHIVES = ROOT / "testdata" / "warc"
GENERATOR = ROOT / "bin" / "sites"
FEW_PAGES, MANY_PAGES = 10_000, int(os.environ.get("SKEW_PAGES", "50000"))
"""Sizes of a site. Memory is the same; `make skew` takes a million."""

MEMORY = "256MiB"
"""The limit of memory of the binary: the least that it takes."""

WORKER_MEMORY, WORKER_GROWTH = 400 << 20, 48 << 20
"""What a Python process of Spark may take, Spark's and Arrow's code included, and how much more of it for many pages
than for few.
"""

PER_SUBSET = ["inputs", "robots", "pages", "directives"]
TABLES = [*PER_SUBSET, "adoption", "agents", "permissions", "conflicts"]
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""What a virtual machine that lives for seconds does without: its better compiler, and a collector with threads of its
own.
"""

QUIET = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "512m",
    "spark.driver.extraJavaOptions": JAVA,
    "spark.executor.extraJavaOptions": JAVA,
}
BOTH_AT_WORK = {
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
}
"""No task runs before both executors are there."""


@pytest.fixture(scope="session")
def spark():
    """A session that the jobs of this file share. A task is tried four times, as on a cluster."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    pyspark.cloudpickle.register_pickle_by_value(job)  # as Spark does by itself with the program that it runs
    address = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    builder = pyspark.sql.SparkSession.builder.master("local[2,4]").config(
        map=QUIET | address | {"spark.log.level": "OFF"}
    )
    session = builder.getOrCreate()
    yield session
    session.stop()


def run(*arguments, binary=BINARY):
    """Run the job in the session that there is, and return its exit status."""
    return job.main([str(word) for word in ("--binary", binary, *arguments)])


def spark_submit(folder, *arguments, binary=BINARY):
    """Run the job as a user does, on two executors of one core. What it says and their logs are below the folder.

    Spark keeps the logs of executors below SPARK_HOME, so it gets one of its own.
    """
    installed = pathlib.Path(pyspark.__file__).parent
    home = folder / "spark-home"
    home.mkdir()
    for entry in installed.iterdir():
        (home / entry.name).symlink_to(entry)
    environment = {
        **os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder),
    }  # fmt: skip
    command = [
        home / "bin" / "spark-submit", "--master", "local-cluster[2,1,1024]",
        *(
            word
            for key, value in (QUIET | BOTH_AT_WORK | {"spark.log.level": "WARN"}).items()
            for word in ("--conf", f"{key}={value}")
        ),
        HERE / "acapscan_spark.py", "--binary", binary, *arguments,
    ]  # fmt: skip
    return subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def wrapper(file, script):
    """A program in place of the binary: a shell script that goes on to the binary where it does nothing else."""
    file.write_text(f'#!/bin/sh\n{script}\nexec {BINARY} "$@"\n')
    file.chmod(0o755)
    return file


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
    """Next to the tables stands what a scan writes, and nothing of the job."""
    beside = {"_SUCCESS", "_manifest.json", "datapackage.json", "paths.gz", "schema", "views.sql"}
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


def test_rows_are_those_of_a_scan_though_an_executor_is_lost(tmp_path):
    good = ARCHIVES.relative_to(ROOT) / "good"
    archives = [
        good / name for name in ("crawl-data", "arc", "robots/answer.warc.gz", "robots/reference.warc.gz", "pages")
    ]
    lost = tmp_path / "lost"
    # Of the parents of a task the first Java process is its executor. With it goes what it has extracted.
    killer = wrapper(
        tmp_path / "killer",
        f"""case "$*" in extract*"--workers 1"*) echo "$*" >>{tmp_path}/extracted;;
        analyze*"--workers 1"*) if mkdir {lost} 2>/dev/null; then
          parent=$$
          while test "$(cat /proc/$parent/comm)" != java; do
            parent=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$parent/status)
          done
          kill -9 $parent; sleep 60
        fi ;; esac""",
    )
    assert scan(*archives, "-o", tmp_path / "scan").returncode == 0
    done = spark_submit(tmp_path, *archives, "--output", tmp_path / "spark", "--partitions", "3", binary=killer)
    assert done.returncode == 0, done.stdout[-5000:]
    assert lost.is_dir() and "Lost executor" in done.stdout
    extracted = (tmp_path / "extracted").read_text().splitlines()
    assert len(set(extracted)) < len(extracted) < 2 * len(set(extracted)), (
        "what was lost, and nothing else, is extracted again"
    )
    assert_same_tables(tmp_path / "scan", tmp_path / "spark")
    assert_complete(tmp_path / "spark")
    assert_sorted(tmp_path / "spark")
    logs = [log.read_text() for log in (tmp_path / "spark-home" / "work").glob("app-*/*/stderr")]
    assert any("records      " in log for log in logs), "what the binary says in a task is not in the task's log"

    # The manifest is that of the scan too: for the program the folder is finished.
    again = scan(*archives, "-o", tmp_path / "spark")
    assert again.returncode == 0 and "nothing to do" in again.stderr


@pytest.fixture
def plain_unions(spark):
    """Spark as it was before 4.1: the partitions of a union are those of both sides, one after the other."""
    setting = "spark.sql.unionOutputPartitioning"
    before = spark.conf.get(setting)
    spark.conf.set(setting, "false")
    yield
    spark.conf.set(setting, before)


def test_all_archives_with_all_options_and_a_binary_that_is_killed(spark, plain_unions, tmp_path):
    names = [
        f"damaged/{name}"
        for name in ("empty.warc.gz", "junk.warc.gz", "length-large.warc", "truncated.warc.gz", "wat-cut.warc.wat.gz")
    ]
    names.append("not-there.warc.gz")
    listing = tmp_path / "warc.paths.gz"
    listing.write_bytes(gzip.compress("\n".join([*names, "", names[0]]).encode()))
    agents = tmp_path / "agents.txt"
    agents.write_text("# crawlers to ask for\nExampleBot\n")
    options = [
        ARCHIVES / "good", "--paths", listing, "--base-url", ARCHIVES,
        "--pages", "all", "--directives", "all", "--permissions", "all", "--agents", f"@common,@{agents}",
        "--agents", "OtherBot", "--no-verbatim", "--body-metas", "--strict",
        "--refuse", "smart-quotes", "--without", "R-DEC-1", "--without", "R-DEC-5", "--profile", "pilot",
        "--other", "narrow",
    ]  # fmt: skip
    assert scan("-o", tmp_path / "scan", *options).returncode == job.INCOMPLETE
    # Each verb is killed once in a task, and has given a part of its output by then.
    dying = wrapper(
        tmp_path / "dying",
        f"""case "$*" in *"--workers 1"*|resolve*) if mkdir {tmp_path}/died-$1 2>/dev/null; then
          {BINARY} "$@" | head -c 3000; kill -9 $$
        fi ;; esac""",
    )
    assert run("--output", tmp_path / "spark", "--partitions", "3", *options, binary=dying) == job.INCOMPLETE
    assert all((tmp_path / f"died-{verb}").is_dir() for verb in ("extract", "resolve", "analyze"))
    assert_same_tables(tmp_path / "scan", tmp_path / "spark")
    assert_complete(tmp_path / "spark")
    ours, theirs = (json.loads((tmp_path / name / "_manifest.json").read_text()) for name in ("scan", "spark"))
    for key in ("options", "options_hash", "inputs", "counts", "program", "rules_version", "public_suffix_version"):
        assert theirs[key] == ours[key], key


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the archives."""

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=ARCHIVES)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()


def test_job_that_failed_is_run_again_on_inputs_of_another_machine(spark, tmp_path, server):
    listing = tmp_path / "paths"
    listing.write_text("good/arc/2008-plain.arc\ngood/pages/meta.warc.gz\n")
    options = [
        "--paths",
        listing,
        "--base-url",
        server,
        "--plain-http",
        "--rate",
        "100",
        "--crawl",
        "mine",
        "--subset",
        "sample",
    ]
    unlucky = wrapper(tmp_path / "unlucky", 'case "$*" in analyze*"--workers 1"*) echo no luck >&2; exit 1;; esac')
    with pytest.raises(Exception, match="exit status 1\nno luck"):
        run("--output", tmp_path / "spark", *options, binary=unlucky)
    assert not (tmp_path / "spark" / "_SUCCESS").exists()

    counting = wrapper(
        tmp_path / "counting", f'case "$*" in extract*"--workers 1"*) echo "$*" >>{tmp_path}/extracted;; esac'
    )
    assert run("--output", tmp_path / "spark", *options, binary=counting) == 0
    assert len((tmp_path / "extracted").read_text().splitlines()) == 2, "each input is extracted once"
    assert scan("-o", tmp_path / "scan", *options).returncode == 0
    assert_same_tables(tmp_path / "scan", tmp_path / "spark", may_be_empty=TABLES)
    assert read(tmp_path / "spark", "robots").num_rows > 0
    assert_complete(tmp_path / "spark")


def test_single_records_and_other_options(spark, tmp_path):
    coordinates = tmp_path / "records.csv"
    archive = ARCHIVES / "good" / "pages" / "meta.warc.gz"
    assert scan(archive, "-o", tmp_path / "whole").returncode == 0
    records = read(tmp_path / "whole", "pages").slice(1, 2).to_pylist()
    lines = [f"{archive.name},{record['warc_record_offset']},{record['warc_record_length']}\n" for record in records]
    coordinates.write_text("warc_filename,warc_record_offset,warc_record_length\n" + "".join(lines))
    options = [
        ARCHIVES / "good" / "arc",
        "--records",
        coordinates,
        "--base-url",
        archive.parent,
        "--min-complete",
        "0.5",
        "--limit",
        "4",
    ]
    assert run("--output", tmp_path / "spark", "--binary-memory", MEMORY, *options) == 0
    assert scan("-o", tmp_path / "scan", *options).returncode == 0
    assert_same_tables(tmp_path / "scan", tmp_path / "spark", may_be_empty=TABLES)
    ours, theirs = (json.loads((tmp_path / name / "_manifest.json").read_text()) for name in ("scan", "spark"))
    assert theirs["options"] == ours["options"] and theirs["options"]["records"]


def watched(file, peaks):
    """A program in place of the binary, which writes down the peaks of memory of the binary and of the process that
    runs the task.
    """
    file.write_text(f"""#!{sys.executable}
import os, re, resource, subprocess, sys
status = subprocess.call(["{BINARY}", *sys.argv[1:]])
binary = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
worker = re.search(r"VmHWM:\\s*(\\d+)", open(f"/proc/{{os.getppid()}}/status").read())[1]
print(sys.argv[1], binary, worker, file=open("{peaks}", "a"))
sys.exit(status)
""")
    file.chmod(0o755)
    return file


def make_facts(folder, *options):
    """Facts of a corpus that does not exist: as files for the binary, and as Parquet for Spark."""
    subprocess.run([GENERATOR, *(str(option) for option in options), "-streams", "-o", folder], check=True)
    for stream in folder.glob("*.arrows"):
        with pyarrow.ipc.open_stream(stream) as batches:
            with pyarrow.parquet.ParquetWriter(stream.with_suffix(".parquet"), batches.schema) as to:
                for batch in batches:
                    to.write_batch(batch)
        stream.unlink()
    return folder


def second_half(spark, facts, output, binary, tables):
    """Run what follows the extraction, in one partition, on facts that are there."""
    spark.sparkContext.addFile(str(binary))
    passed = job.Passed.of(job.parse(["", "--output", str(output), "--binary-memory", MEMORY]))
    agreed = job.contract(BINARY, [], [])
    program = job.Binary(binary.name, agreed.facts.metadata, job.Bounds(memory=job.count_bytes(MEMORY)))
    job.configure(spark)
    there = spark.read.schema(job.spark_schema(agreed.facts)).parquet(
        *(f"file://{file}" for file in facts.glob("*.parquet"))
    )
    rows = job.make_rows(job.add_answers(there, program, passed, 1), program, passed, {})
    for table in agreed.tables:
        if table.name in tables:
            job.write_table(rows, table, output)
    rows.unpersist()


@pytest.mark.skipif(sys.platform != "linux", reason="the system says how much memory processes took")
def test_memory_does_not_grow_with_a_site(spark, tmp_path):
    peaks = {}
    for pages in (FEW_PAGES, MANY_PAGES):
        facts = make_facts(tmp_path / f"facts-{pages}", "-one-site", "-sites", 1, "-pages", pages)
        noted = tmp_path / f"peaks-{pages}"
        started = time.monotonic()
        second_half(
            spark, facts, tmp_path / f"out-{pages}", watched(tmp_path / f"watched-{pages}", noted), ["directives"]
        )
        rows = read(tmp_path / f"out-{pages}", "directives").filter(pyarrow.compute.field("source") != "robots.txt")
        assert rows.group_by(["warc_filename", "warc_record_offset"]).aggregate([]).num_rows == pages
        lines = [line.split() for line in noted.read_text().splitlines()]
        assert {verb for verb, _, _ in lines} == {"resolve", "analyze"}
        peaks[pages] = [max(int(line[at]) << 10 for line in lines) for at in (1, 2)]
        took = time.monotonic() - started
        print(
            f"{pages} pages of a site: {took:.0f} s, "
            f"the binary {peaks[pages][0] >> 20} MiB, Python {peaks[pages][1] >> 20} MiB"
        )
    (_, worker_few), (binary, worker) = peaks[FEW_PAGES], peaks[MANY_PAGES]
    assert binary < job.count_bytes(MEMORY), peaks
    assert worker < min(WORKER_MEMORY, worker_few + WORKER_GROWTH), peaks


def test_a_partition_of_ten_thousand_sites(spark, tmp_path):
    facts = make_facts(tmp_path / "facts", "-sites", 10_000, "-pages", 10_000)
    second_half(spark, facts, tmp_path / "spark", wrapper(tmp_path / "many", ":"), TABLES)
    subprocess.run([BINARY, "analyze", facts, "-o", tmp_path / "analyze"], check=True, capture_output=True)
    assert read(tmp_path / "spark", "adoption").num_rows >= 10_000
    assert_same_tables(tmp_path / "analyze", tmp_path / "spark")


def test_every_flag_of_scan_is_passed_on_or_said_not_to_be():
    known = {option.name for option in job.OPTIONS} | set(job.NOT_PASSED_ON)
    assert flags("scan") == known
    for option in job.OPTIONS:
        for verb in option.verbs:
            assert option.name in flags(verb), f"{verb} --{option.name}"
    for verb in ("resolve", "analyze", "complete", "list", "extract"):
        passed = {option.name for option in job.OPTIONS if verb in option.verbs}
        own = {"started", "inputs", "shard", "bucket", "step"}
        # extract is told of one input, the other verbs have pipes and folders here, and --min-complete of analyze
        # decides nothing but its status, which may be 3. The job itself asks for page bodies where they are read.
        s3 = {"plain-http", *(f"s3-{what}" for what in ("anonymous", "profile", "endpoint", "region"))}
        others = {
            "extract": {"paths", "records", "base-url", "limit", "page-bodies"}, "resolve": s3,
            "analyze": {"min-complete"} | s3, "complete": s3,
        }.get(verb, set())  # fmt: skip
        assert flags(verb) - own - others - set(job.NOT_PASSED_ON) == passed, verb


@pytest.mark.parametrize(("rule", "asked"), [("R-LEX-7", True), ("R-LEX-6", False)])
def test_page_bodies_are_extracted_where_they_are_read(rule, asked):
    passed = job.Passed.of(job.parse(["a.warc", "--output", "out", "--without", rule]))
    assert ("--page-bodies" in passed.to("extract")) is asked
    assert passed.to("analyze")[passed.to("analyze").index("--without") + 1] == rule


def flags(verb):
    text = subprocess.run([BINARY, "help", verb], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", text, re.MULTILINE))


@pytest.mark.parametrize(
    ("inputs", "cores", "partitions"),
    [(1, 2, 1), (5, 2, 2), (81, 2, 10), (81, 32, 32), (180_000, 800, 2000), (180_000, 4000, 4000)],
)
def test_partitions_unless_told(inputs, cores, partitions):
    assert job.choose_partitions(inputs, cores) == partitions


@pytest.mark.parametrize(
    ("size", "count"),
    [("800MB", 800_000_000), ("1.5 GiB", 3 << 29), ("7B", 7), ("10G", 10 << 30), ("1gib", 1 << 30), (None, None)],
)
def test_sizes(size, count):
    assert job.count_bytes(size) == count


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ([], job.USAGE, "--output"),
        (["--output", "x"], job.USAGE, "an input is missing"),
        (["nothing.warc", "--output", "x", "--base-url", "y"], job.USAGE, "--base-url"),
        (["nothing.warc", "--output", "x"], job.FAILED, "nothing.warc"),
        (["--output", "x", "--paths", "nothing", "--base-url", "."], job.FAILED, "nothing"),
        (["empty.warc", "--output", "x", "--partitions", "0"], job.USAGE, "--partitions"),
        (["empty.warc", "--output", "x", "--pages", "some"], job.USAGE, "--pages"),
        (["empty.warc", "--output", "x", "--profile", "2"], job.USAGE, "--profile"),
        (["empty.warc", "--output", "x", "--without", "R-DEC-99"], job.USAGE, "R-DEC-99"),
        (["empty.warc", "--output", "x", "--refuse", "syntax"], job.USAGE, "syntax"),
        (["empty.warc", "--output", "x", "--agents", "@nothing"], job.FAILED, "nothing"),
        (["empty.warc", "--output", "x", "--min-complete", "2"], job.USAGE, "--min-complete"),
        (["empty.warc", "--output", "x", "--binary-memory", "20MB"], job.USAGE, "too little"),
        (["empty.warc", "--output", "x", "--rate", "0"], job.USAGE, "--rate"),
        (["-", "--output", "x"], job.USAGE, "standard input"),
        (["empty.warc", "--output", "x", "--frob"], job.USAGE, "--frob"),
        (["empty.warc", "--output", "hdfs://host/x"], job.USAGE, "storage that all nodes share"),
        (["empty.warc", "--output", "empty.warc"], job.FAILED, "is a file"),
        (["empty.warc", "--output", "."], job.FAILED, "not empty"),
        (["empty.warc", "--output", "x", "--binary", "nothing"], job.USAGE, "nothing"),
    ],
)
def test_wrong_usage_is_told_before_spark_starts(tmp_path, monkeypatch, capsys, arguments, status, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.warc").touch()
    with pytest.raises(SystemExit) as stopped:
        job.main(["--binary", str(BINARY), *arguments])
    assert stopped.value.code == status
    assert says in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_binary_is_that_of_the_package_or_in_path(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "acapscan", None)  # as if it were not installed
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as stopped:
        job.find_binary(None)
    assert stopped.value.code == job.USAGE
    assert "install the package acapscan" in capsys.readouterr().err
    in_path = wrapper(tmp_path / "acapscan", "")
    assert job.find_binary(None) == in_path
    package = types.ModuleType("acapscan")
    package.binary = lambda: BINARY
    monkeypatch.setitem(sys.modules, "acapscan", package)
    assert job.find_binary(None) == BINARY
    assert job.find_binary("acapscan") == in_path


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


def test_binary_ends_with_a_task_that_is_killed():
    script = "import acapscan_spark as job\nwith job.running(['sh', '-c', 'echo $$; exec sleep 60']) as pipes:\n"
    script += "    print(pipes.source.readline().decode(), flush=True); pipes.source.read()"
    with subprocess.Popen([sys.executable, "-c", script], cwd=HERE, stdout=subprocess.PIPE, text=True) as task:
        binary = pathlib.Path("/proc", task.stdout.readline().strip())
        assert binary.is_dir()
        task.send_signal(signal.SIGKILL)
    ends = time.monotonic() + 30
    while binary.is_dir() and "Z" not in (binary / "stat").read_text().split()[2]:
        assert time.monotonic() < ends, "the binary goes on"
        time.sleep(0.05)


def test_disk_of_a_binary_is_free_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path},/elsewhere")
    with pytest.raises(KeyboardInterrupt):
        with job.running(shell("echo big >$TMPDIR/facts; echo $TMPDIR; exec sleep 60")) as pipes:
            used = pathlib.Path(pipes.source.readline().decode().strip())
            assert used.parent == tmp_path and (used / "facts").exists()
            raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_system_refuses_a_binary_much_more_than_its_limit():
    take = [sys.executable, "-c", "print(len(bytearray(300 << 20)))"]
    with job.running(take, bounds=job.Bounds(memory=200 << 20)) as pipes:
        assert int(pipes.source.read()) == 300 << 20
    with pytest.raises(job.BinaryError, match="MemoryError"):
        with job.running(take, bounds=job.Bounds(memory=100 << 20)) as pipes:
            pipes.source.read()


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
