"""The Spark job gives the rows of acapscan scan, and fails as it should.

Once the job runs as a user runs it, by spark-submit, on a standalone cluster of this machine. The other jobs share a
session. The program is bin/acapscan, and bin/sites makes facts: `make spark` builds both. Services of S3 are those of
`make services`, which runs the tests that need them.
"""

import contextlib
import gzip
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import types

import pyarrow
import pyarrow.compute
import pyarrow.dataset
import pyarrow.fs
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
PAGES = int(os.environ.get("SKEW_PAGES", "50000"))
"""The pages of a large site. `make skew` takes a million."""

MEMORY = "256MiB"
"""The limit of memory of the binary: the least that it takes."""

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
SERVICES = pathlib.Path(os.environ.get("ACAPSCAN_SERVICES", ROOT / ".services"))
"""Where make services installs services of S3."""


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


@contextlib.contextmanager
def cluster(folder):
    """A standalone cluster: a master and two workers with a core each, on the loopback. It gives the master's URL.

    Spark keeps the logs of executors below SPARK_HOME, so it gets one of its own.
    """
    installed = pathlib.Path(pyspark.__file__).parent
    home = folder / "spark-home"
    home.mkdir()
    for entry in installed.iterdir():
        (home / entry.name).symlink_to(entry)
    environment = {
        **os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder), "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": JAVA,
    }  # fmt: skip
    log = folder / "master.log"
    started = []

    def daemon(name, *arguments, log=subprocess.DEVNULL):
        command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *arguments]
        started.append(subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT))

    with open(log, "w") as to:
        try:
            daemon("master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0", log=to)
            url = await_line(log, r"Starting Spark master at (spark://\S+)")[0]
            for worker in "ab":
                daemon("worker.Worker", "--cores", "1", "--memory", "1g", "--host", "127.0.0.1", "--webui-port", "0",
                       "--work-dir", folder / f"worker-{worker}", url)  # fmt: skip
            await_line(log, r"Registering worker", 2)
            yield url, environment
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.wait()


def await_line(log, pattern, times=1):
    """Wait until a log has a pattern so many times, and return what it matches."""
    for _ in range(1200):
        found = re.findall(pattern, log.read_text())
        if len(found) >= times:
            return found
        time.sleep(0.1)
    raise AssertionError(f"there is no {pattern!r}: {log.read_text()[-3000:]}")


def spark_submit(url, environment, *arguments, binary=BINARY):
    """Run the job as a user does."""
    settings = QUIET | {"spark.log.level": "WARN", "spark.executor.memory": "512m", "spark.task.maxFailures": "8"}
    command = [
        pathlib.Path(environment["SPARK_HOME"]) / "bin" / "spark-submit", "--master", url,
        *(word for key, value in settings.items() for word in ("--conf", f"{key}={value}")),
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
    """A table with its partition columns, as text whatever they look like. The folder may be in S3."""
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
        for one, other in zip(wanted, found):  # not the lists: their difference may take pytest minutes
            assert one == other, f"{table}: the rows are others"
        assert len(found) == len(wanted), f"{table}: the rows are others"


def assert_complete(folder):
    """Next to the tables stands what a scan writes, and nothing of the job: no facts, and no staged rows."""
    beside = {"_SUCCESS", "_manifest.json", "datapackage.json", "paths.gz", "schema", "views.sql"}
    assert {entry.name for entry in folder.iterdir()} == beside | set(TABLES)
    files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*.parquet"))
    assert gzip.decompress((folder / "paths.gz").read_bytes()).decode().splitlines() == files
    left = [file for file in folder.rglob("*") if file.name in ("_temporary", "_SUCCESS") and file.parent != folder]
    assert not left


def test_rows_are_those_of_a_scan_though_a_worker_is_killed(tmp_path):
    good = ARCHIVES.relative_to(ROOT) / "good"
    archives = [
        good / name for name in ("crawl-data", "arc", "robots/answer.warc.gz", "robots/reference.warc.gz", "pages")
    ]
    lost = tmp_path / "lost"
    # Of the parents of a task the first Java process is its executor, and the second the worker: with them goes a node.
    killer = wrapper(
        tmp_path / "killer",
        f"""echo "$*" >>{tmp_path}/$1
        case "$*" in analyze*--bucket*) if mkdir {lost} 2>/dev/null; then
          parent=$$ found=
          while test "$parent" -gt 1; do
            parent=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$parent/status)
            test "$(cat /proc/$parent/comm)" = java && found="$parent $found"
          done
          echo $found >{lost}/killed
          kill -9 $found; sleep 60
        fi ;; esac""",
    )
    assert scan(*archives, "-o", tmp_path / "scan").returncode == 0
    given = [*archives, "--output", tmp_path / "spark", "--partitions", "3", "--shards", "4"]
    with cluster(tmp_path) as (url, environment):
        done = spark_submit(url, environment, *given, binary=killer)
    assert done.returncode == 0, done.stdout[-5000:]
    assert len((lost / "killed").read_text().split()) == 2, "an executor and its worker"
    assert "worker lost" in done.stdout or "Lost executor" in done.stdout, done.stdout[-5000:]
    shards = [line for line in (tmp_path / "extract").read_text().splitlines() if "--shard" in line]
    assert len(shards) == 4, "facts of a lost node are not made again"
    assert_same_tables(tmp_path / "scan", tmp_path / "spark")
    assert_complete(tmp_path / "spark")
    logs = [log.read_text() for log in tmp_path.glob("worker-?/app-*/*/stderr")]
    assert any("records      " in log for log in logs), "what the binary says in a task is not in the task's log"


def test_all_archives_with_all_options_and_a_binary_that_is_killed(spark, tmp_path):
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
    # Each verb is killed once in a task, with a part of its work done.
    dying = wrapper(
        tmp_path / "dying",
        f"""case "$*" in *--shard*|*--bucket*) if mkdir {tmp_path}/died-$1 2>/dev/null; then
          {BINARY} "$@" & sleep 0.05; kill -9 $! $$
        fi ;; esac""",
    )
    given = ["--output", tmp_path / "spark", "--partitions", "3", "--shards", "3"]
    assert run(*given, *options, binary=dying) == job.INCOMPLETE
    assert all((tmp_path / f"died-{verb}").is_dir() for verb in ("extract", "resolve", "analyze"))
    assert_same_tables(tmp_path / "scan", tmp_path / "spark")
    assert_complete(tmp_path / "spark")
    ours, theirs = (json.loads((tmp_path / name / "_manifest.json").read_text()) for name in ("scan", "spark"))
    for key in ("inputs", "counts", "program", "rules_version", "public_suffix_version"):
        assert theirs[key] == ours[key], key
    assert theirs["options"].items() - {("facts", theirs["options"]["facts"])} <= ours["options"].items()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the archives, and notes what it was asked for."""

    asked = []

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=ARCHIVES)

    def log_message(self, *_):
        self.asked.append(self.path)


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as serving:
        Quiet.asked.clear()
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()


def test_job_that_failed_goes_on_with_facts_of_inputs_of_another_machine(spark, tmp_path, server, capsys):
    listing = tmp_path / "paths"
    listing.write_text("good/arc/2008-plain.arc\ngood/pages/meta.warc.gz\n")
    options = [
        "--paths", listing, "--base-url", server, "--plain-http", "--rate", "100", "--crawl", "mine",
        "--subset", "sample",
    ]  # fmt: skip
    unlucky = wrapper(tmp_path / "unlucky", 'case "$*" in analyze*--bucket*) echo no luck >&2; exit 1;; esac')
    with pytest.raises(SystemExit) as stopped:
        run("--output", tmp_path / "spark", *options, binary=unlucky)
    assert stopped.value.code == job.FAILED and "exit status 1\nno luck\n" in capsys.readouterr().err
    assert not (tmp_path / "spark" / "_SUCCESS").exists()
    asked = len(Quiet.asked)
    assert asked == 2, "each input is read once"

    assert run("--output", tmp_path / "spark", *options) == 0
    assert len(Quiet.asked) == asked, "facts that are there are not made again"
    assert scan("-o", tmp_path / "scan", *options).returncode == 0
    assert_same_tables(tmp_path / "scan", tmp_path / "spark", may_be_empty=TABLES)
    assert read(tmp_path / "spark", "robots").num_rows > 0
    assert_complete(tmp_path / "spark")


def test_single_records_and_facts_that_stay(spark, tmp_path):
    coordinates = tmp_path / "records.csv"
    archive = ARCHIVES / "good" / "pages" / "meta.warc.gz"
    assert scan(archive, "-o", tmp_path / "whole").returncode == 0
    records = read(tmp_path / "whole", "pages").slice(1, 2).to_pylist()
    lines = [f"{archive.name},{record['warc_record_offset']},{record['warc_record_length']}\n" for record in records]
    coordinates.write_text("warc_filename,warc_record_offset,warc_record_length\n" + "".join(lines))
    options = [
        ARCHIVES / "good" / "arc", "--records", coordinates, "--base-url", archive.parent, "--min-complete", "0.5",
        "--limit", "4",
    ]  # fmt: skip
    given = ["--output", tmp_path / "spark", "--facts", tmp_path / "facts"]
    assert run(*given, "--binary-memory", MEMORY, *options) == 0
    assert scan("-o", tmp_path / "scan", *options).returncode == 0
    assert_same_tables(tmp_path / "scan", tmp_path / "spark", may_be_empty=TABLES)
    times = {file: file.stat().st_mtime_ns for file in (tmp_path / "facts").glob("*.facts")}
    assert len(times) == 4
    other = ["--strict", "--permissions", "all"]
    assert run("--output", tmp_path / "spark2", "--facts", tmp_path / "facts", *options, *other) == 0
    assert {file: file.stat().st_mtime_ns for file in times} == times, "another question takes the same facts"
    assert scan("-o", tmp_path / "scan2", *options, *other).returncode == 0
    assert_same_tables(tmp_path / "scan2", tmp_path / "spark2", may_be_empty=TABLES)


@contextlib.contextmanager
def service(name, data):
    """A service of S3 on a free port, with the bucket run. It gives its URL and the arguments of pyarrow.fs."""
    program = SERVICES / ("bin/versitygw" if name == "versitygw" else "venv/bin/moto_server")
    if not program.exists():
        pytest.skip(f"there is no {name}: make services installs it, and runs this")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    keys = {"ROOT_ACCESS_KEY": "key", "ROOT_SECRET_KEY": "secret"}
    command = [program, "-H", "127.0.0.1", "-p", str(port)]
    if name == "versitygw":
        (data / "buckets" / "run").mkdir(parents=True)
        command = [program, "--quiet", "--port", address, "posix", data / "buckets"]
    with subprocess.Popen(command, env={**os.environ, **keys}, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(300):
                with contextlib.suppress(OSError):
                    asked = http.client.HTTPConnection(address)
                    asked.request("PUT" if name == "moto" else "GET", "/run")
                    asked.getresponse()
                    break
                time.sleep(0.1)
            yield f"http://{address}"
        finally:
            process.kill()


@pytest.mark.parametrize("name", ["moto", "versitygw"])
def test_rows_in_s3_are_those_of_a_scan(spark, tmp_path, monkeypatch, capsys, name):
    archives = [ARCHIVES / "good" / name for name in ("crawl-data", "robots/answer.warc.gz", "pages/meta.warc.gz")]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with service(name, tmp_path) as url:
        # Tasks inherit the environment of the session, which is older: a wrapper has the keys, as nodes have a role.
        dying = wrapper(
            tmp_path / f"dying-{name}",
            f"""export AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret
            case "$*" in *--shard*|*--bucket*) if mkdir {tmp_path}/died-$1 2>/dev/null; then
              {BINARY} "$@" & sleep 0.05; kill -9 $! $$
            fi ;; esac""",
        )
        s3 = pyarrow.fs.S3FileSystem(
            access_key="key", secret_key="secret", endpoint_override=url, region="us-east-1", scheme="http"
        )
        names = []
        for archive in archives:
            for file in sorted(archive.rglob("*.gz")) if archive.is_dir() else [archive]:
                names.append(str(file.relative_to(ARCHIVES)))
                with s3.open_output_stream(f"run/archives/{names[-1]}", compression=None) as to:
                    to.write(file.read_bytes())
        listing = tmp_path / "paths"
        listing.write_text("".join(f"{name}\n" for name in names))
        options = ["--paths", listing, "--permissions", "all", "--agents", "gptbot"]
        assert scan("-o", tmp_path / "scan", *options, "--base-url", ARCHIVES).returncode == 0
        options += ["--base-url", "s3://run/archives/", "--s3-endpoint", url, "--s3-region", "us-east-1"]
        options += ["--rate", "1000", "--partitions", "2", "--shards", "2"]
        assert run("--output", "s3://run/tables", *options, binary=dying) == 0
        assert all((tmp_path / f"died-{verb}").is_dir() for verb in ("extract", "resolve", "analyze"))
        found = s3.get_file_info(pyarrow.fs.FileSelector("run/tables", recursive=True))
        for file in found:
            if file.is_file and file.base_name != "_conditional":  # by which the service was tried
                copy = tmp_path / "spark" / pathlib.PurePosixPath(file.path).relative_to("run/tables")
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(s3.open_input_stream(file.path, compression=None).read())
        assert_same_tables(tmp_path / "scan", tmp_path / "spark")
        assert_complete(tmp_path / "spark")
        with pytest.raises(SystemExit) as stopped:
            run("--output", "s3a://run/tables/", *options, binary=dying)
        assert stopped.value.code == job.FAILED and "holds the tables of a finished run" in capsys.readouterr().err


def watched(file, peaks):
    """A program in place of the binary, which writes down its peak of memory."""
    file.write_text(f"""#!{sys.executable}
import resource, subprocess, sys
status = subprocess.call(["{BINARY}", *sys.argv[1:]])
print(sys.argv[1], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=open("{peaks}", "a"))
sys.exit(status)
""")
    file.chmod(0o755)
    return file


def make_facts(folder, *options):
    """Facts of a corpus that does not exist."""
    subprocess.run([GENERATOR, *(str(option) for option in options), "-o", folder], check=True)
    return folder


def second_half(spark, facts, output, binary, partitions):
    """Run what follows the extraction, on facts that are there."""
    context = spark.sparkContext
    context.addFile(str(binary))
    passed = job.Passed.of(job.parse(["", "--output", str(output), "--binary-memory", MEMORY]))
    stores = job.Stores.of(str(output), str(facts))
    program = job.Binary(binary.name, job.Bounds(memory=job.count_bytes(MEMORY)))
    later = job.Job(context, program, stores, passed.by_verb, 1)
    later.resolve(partitions)
    later.analyze(partitions)
    assert job.complete(BINARY, stores.output, passed, job.now()) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the system says how much memory processes took")
def test_memory_does_not_grow_with_a_site(spark, tmp_path):
    facts = make_facts(tmp_path / "facts", "-one-site", "-sites", 1, "-pages", PAGES)
    noted = tmp_path / "peaks"
    started = time.monotonic()
    second_half(spark, facts, tmp_path / "spark", watched(tmp_path / "watched", noted), 1)
    rows = read(tmp_path / "spark", "directives").filter(pyarrow.compute.field("source") != "robots.txt")
    assert rows.group_by(["warc_filename", "warc_record_offset"]).aggregate([]).num_rows == PAGES
    lines = [line.split() for line in noted.read_text().splitlines()]
    assert {verb for verb, _ in lines} == {"resolve", "analyze"}
    peak = max(int(kilobytes) << 10 for _, kilobytes in lines)
    print(f"{PAGES} pages of a site: {time.monotonic() - started:.0f} s, the binary {peak >> 20} MiB")
    assert peak < job.count_bytes(MEMORY)


def test_partitions_of_ten_thousand_sites(spark, tmp_path):
    facts = make_facts(tmp_path / "facts", "-sites", 10_000, "-pages", 10_000)
    second_half(spark, facts, tmp_path / "spark", wrapper(tmp_path / "many", ":"), 3)
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
        # --min-complete of extract and analyze decides nothing but a status, which may be 3, and complete has the
        # options of a plan. The job itself asks for page bodies where they are read.
        others = {"extract": {"min-complete", "page-bodies"}, "analyze": {"min-complete"}}.get(verb, set())
        if verb == "complete":
            others = flags("extract") | flags("analyze")
        assert flags(verb) - own - others - set(job.NOT_PASSED_ON) <= passed, verb


@pytest.mark.parametrize(("rule", "asked"), [("R-LEX-7", True), ("R-LEX-6", False)])
def test_page_bodies_are_extracted_where_they_are_read(rule, asked):
    passed = job.Passed.of(job.parse(["a.warc", "--output", "out", "--without", rule]))
    assert ("--page-bodies" in passed.to("extract")) is asked
    assert passed.to("analyze")[passed.to("analyze").index("--without") + 1] == rule


def flags(verb):
    text = subprocess.run([BINARY, "help", verb], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", text, re.MULTILINE))


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
        (["empty.warc", "--output", "x", "--facts", "hdfs://host/x"], job.USAGE, "--facts"),
        (["empty.warc", "--output", "s3://bucket/x", "--overwrite"], job.USAGE, "not for S3"),
        (["empty.warc", "--output", "x", "--shards", "0"], job.USAGE, "--shards"),
        (["--paths", "-", "--output", "x"], job.USAGE, "standard input"),
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
    output = job.find_store(f"file://{tmp_path}", "output")
    job.check_output(BINARY, output, [], job.Passed(), overwrite=False)
    assert output == str(tmp_path) and (tmp_path / "robots").is_dir()


def test_finished_output_is_replaced_on_demand(tmp_path):
    for name in ("robots", "mine"):
        (tmp_path / name).mkdir()
    (tmp_path / "_SUCCESS").touch()
    with pytest.raises(SystemExit):
        job.check_output(BINARY, str(tmp_path), [], job.Passed(), overwrite=False)
    job.check_output(BINARY, str(tmp_path), [], job.Passed(), overwrite=True)
    assert {entry.name for entry in tmp_path.iterdir()} == {"_work", "mine"}


def test_complete_waits_for_tasks_that_are_given_up(tmp_path, capfd):
    once = f"mkdir {tmp_path}/once 2>/dev/null"
    busy = wrapper(tmp_path / "busy", f"{once} && {{ echo x is in use >&2; exit 1; }}; exit 3")
    assert job.complete(busy, str(tmp_path), job.Passed(), job.now()) == job.INCOMPLETE
    lost = wrapper(tmp_path / "lost", "echo lacks buckets >&2; exit 1")
    assert job.complete(lost, str(tmp_path), job.Passed(), job.now()) == job.FAILED
    assert "lacks buckets" in capfd.readouterr().err


def shell(script):
    return ["sh", "-c", script]


def test_binary_that_fails_says_why(capfd):
    with pytest.raises(job.BinaryError, match="exit status 1\nno luck") as failed:
        job.run_binary(shell("echo no luck >&2; exit 1"))
    assert failed.value.status == 1
    assert "no luck" in capfd.readouterr().err


def test_incomplete_is_no_failure_of_a_task():
    assert job.run_binary(shell("echo out; exit 3"), tolerated=(job.INCOMPLETE,)) == "out\n"
    with pytest.raises(job.BinaryError):
        job.run_binary(shell("exit 3"))


def test_binary_ends_with_a_task_that_is_killed(tmp_path):
    script = "import acapscan_spark as job\njob.run_binary(['sh', '-c', 'echo $$ >&2; exec sleep 60'])"
    with subprocess.Popen([sys.executable, "-c", script], cwd=HERE, stderr=subprocess.PIPE, text=True) as task:
        binary = pathlib.Path("/proc", task.stderr.readline().strip())
        assert binary.is_dir()
        task.send_signal(signal.SIGKILL)
    ends = time.monotonic() + 30
    while binary.is_dir() and "Z" not in (binary / "stat").read_text().split()[2]:
        assert time.monotonic() < ends, "the binary goes on"
        time.sleep(0.05)


def test_disk_of_a_binary_is_free_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path},/elsewhere")
    with pytest.raises(job.BinaryError):
        job.run_binary(shell(f"touch $TMPDIR/facts; test $(dirname $TMPDIR) = {tmp_path} && exit 4; exit 3"), (3,))
    assert not list(tmp_path.iterdir())


def test_system_refuses_a_binary_much_more_than_its_limit():
    take = [sys.executable, "-c", "print(len(bytearray(300 << 20)))"]
    assert int(job.run_binary(take, bounds=job.Bounds(memory=200 << 20))) == 300 << 20
    with pytest.raises(job.BinaryError, match="MemoryError"):
        job.run_binary(take, bounds=job.Bounds(memory=100 << 20))
