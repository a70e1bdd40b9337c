"""Run the two stages of acapscan on Spark: the same binary is the map and the reduce, Spark shuffles, retries and
schedules.

    spark-submit acapscan_spark.py INPUT... --output DIR

`acapscan extract` makes the facts, one task an archive. `acapscan resolve` copies the files that a robots.txt redirects
or refers to on other hosts. All facts of a host go to one partition, and `acapscan analyze` makes rows of the eight
tables from it. Spark's committer writes the rows, and `acapscan complete` the files next to them. The rows are those of
`acapscan scan`.

This program knows no archive, no policy and no column: it gets the schemas from the binary, and passes options on.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import ctypes
import datetime
import io
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, NoReturn

import pyarrow as pa
from pyspark import SparkFiles, StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

Batches = Iterable[pa.RecordBatch]
Task = Callable[[Batches], Batches]

DONE, FAILED, USAGE, INCOMPLETE = 0, 1, 2, 3
"""Exit statuses of the binary and of this program; INCOMPLETE: finished, but some input was unreadable."""

LINES_KEPT = 20
"""How many of the last lines of the binary the error of a failed task has; the log of the task has all."""

PATIENCE = 10
"""Seconds for a binary to end by itself after its stream broke."""

ROWS_AT_A_TIME, BYTES_AT_A_TIME = 1024, 16 << 20
"""Bounds on a batch for a task: a fact may have a body of several megabytes."""

HARD_LIMIT = 2
"""How many times its limit of memory the binary may map before the system refuses more: the binary counts memory in
use, not mapped.
"""

PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's prctl."""

INPUTS_IN_PARTITION, MOST_PARTITIONS = 8, 2000
"""The number of partitions without --partitions. Facts of an archive are small. More partitions take more memory of
Spark's driver for each input, and make more files."""

WORK_FOLDER = "_work"
"""Marks an output folder as unfinished, as in runs of acapscan."""

SITES_FIRST = ("permissions", "scope")
"""The one column with descending order: rows about a site come before rows about its pages."""


class BinaryError(Exception):
    """The binary failed: its exit status, and its last lines."""

    def __init__(self, command: Sequence[str], status: int, said: Iterable[str]) -> None:
        self.status = status
        super().__init__(f"{' '.join(command)}: exit status {status}\n{''.join(said)}".rstrip())


@dataclass(frozen=True)
class Pipes:
    """The pipes to and from a running binary."""

    to: IO[bytes]
    source: io.BufferedReader


@dataclass(frozen=True)
class Bounds:
    """The bounds of a running binary."""

    folder: str | None = None
    """The folder of relative names of inputs: that in which the job was started, on nodes that have it."""

    memory: int | None = None
    """The limit of memory for the binary in bytes. The binary keeps it; the system refuses more than HARD_LIMIT times
    as much.
    """

    def prepare(self) -> Callable[[], None]:
        """Return what the new process does first: it will end whenever this process ends."""
        prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None
        parent = os.getpid()

        def prepared() -> None:
            if prctl:
                prctl(PARENT_DEATH_SIGNAL, int(signal.SIGKILL))
                if os.getppid() != parent:
                    os.kill(os.getpid(), signal.SIGKILL)
            if self.memory:
                resource.setrlimit(resource.RLIMIT_DATA, (HARD_LIMIT * self.memory,) * 2)

        return prepared

    def start(self, command: Sequence[str], scratch: str) -> subprocess.Popen[bytes]:
        """Start the binary with pipes. It writes temporary files to the folder scratch."""
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder if self.folder and os.path.isdir(self.folder) else None,
            env={**os.environ, "TMPDIR": scratch},
            preexec_fn=self.prepare(),
        )


def local_disk() -> str | None:
    """A folder of the executor on the disk of the node. None outside of a task."""
    return os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None


@contextlib.contextmanager
def running(
    command: Sequence[str],
    tolerated: tuple[int, ...] = (),
    bounds: Bounds = Bounds(),  # noqa: B008
) -> Iterator[Pipes]:
    """Run the binary with pipes, and copy its standard error line by line.

    The body of the with statement reads the output to its end. Raises BinaryError where the exit status is neither 0
    nor tolerated. When the body is left by an exception the binary is ended, and so it is when this process is killed.
    """
    said: deque[str] = deque(maxlen=LINES_KEPT)
    broken: Exception | None = None
    with (
        tempfile.TemporaryDirectory(prefix="acapscan-", dir=local_disk(), ignore_cleanup_errors=True) as scratch,
        bounds.start(command, scratch) as process,
    ):
        assert process.stdin and isinstance(process.stdout, io.BufferedReader) and process.stderr
        listener = threading.Thread(target=relay, args=(process.stderr, said), daemon=True)
        listener.start()
        try:
            yield Pipes(process.stdin, process.stdout)
        except (OSError, pa.ArrowInvalid) as error:
            # A pipe that ends too early. Why, the exit status says better, where there is one soon.
            broken = error
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise error from None
        except BaseException:
            process.kill()
            raise
        finally:
            with contextlib.suppress(OSError):
                process.stdin.close()
            listener.join()
            status = process.wait()
    if status != DONE and status not in tolerated:
        raise BinaryError(command, status, said) from broken
    if broken:
        raise broken


def relay(stream: IO[bytes], said: deque[str]) -> None:
    """Copy lines to standard error, the log of the task, and keep the last."""
    for line in stream:
        text = line.decode(errors="replace")
        said.append(text)
        sys.stderr.write(text)
        sys.stderr.flush()


def feed(to: IO[bytes], batches: Iterator[pa.RecordBatch], metadata: dict[bytes, bytes]) -> None:
    """Write at least one batch, as one Arrow stream with the metadata of the facts' schema, and close it."""
    first = next(batches)
    with pa.ipc.new_stream(to, first.schema.with_metadata(metadata)) as stream:
        stream.write_batch(first)
        for batch in batches:
            stream.write_batch(batch)
    to.close()


def streams(source: io.BufferedReader) -> Iterator[pa.ipc.RecordBatchStreamReader]:
    """Open consecutive Arrow streams, each after the end of the one before."""
    while source.peek(1):
        yield pa.ipc.open_stream(source)


def with_rows(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Leave out batches without rows."""
    return (batch for batch in batches if batch.num_rows > 0)


@dataclass(frozen=True)
class Binary:
    """The acapscan binary of a task: a file that Spark shipped."""

    name: str
    facts_metadata: dict[bytes, bytes]
    bounds: Bounds

    def command(self, verb: str, *arguments: str) -> list[str]:
        """Return the command line. Only for tasks: the path is that of the node."""
        return [SparkFiles.get(self.name), verb, *arguments]

    def extract(self, options: Sequence[str]) -> Task:
        """Make the map task: inputs as the verb list prints them in, facts out.

        A damaged input is no failure: its fact says what is wrong.
        """

        def task(batches: Batches) -> Batches:
            for batch in batches:
                for listed in batch.column(0).to_pylist():
                    named, given = name_input(json.loads(listed))
                    command = self.command(
                        "extract", "-o", "-", "--workers", "1", "--progress", "none", *options, *named
                    )
                    with running(command, (INCOMPLETE,), self.bounds) as pipes:
                        pipes.to.write(given.encode())
                        pipes.to.close()
                        yield from with_rows(pa.ipc.open_stream(pipes.source))

        return task

    def resolve(self, options: Sequence[str]) -> Task:
        """Make the task between the stages: all facts of robots.txt and policy files in, copies for other hosts out."""

        def task(batches: Batches) -> Batches:
            facts = with_rows(batches)
            for first in facts:  # once, if at all: the rest is fed to the binary too
                with running(self.command("resolve", *options, "--", "-"), (), self.bounds) as pipes:
                    feed(pipes.to, itertools.chain([first], facts), self.facts_metadata)
                    yield from with_rows(pa.ipc.open_stream(pipes.source))

        return task

    def analyze(self, options: Sequence[str], shipped: dict[str, str]) -> Task:
        """Make the reduce task: all facts of some hosts in, packed rows of the eight tables out. See pack.

        shipped: values of --agents that name a file, and the names under which Spark has shipped the files.
        """

        def task(batches: Batches) -> Batches:
            at_hand = ["@" + SparkFiles.get(shipped[option]) if option in shipped else option for option in options]
            command = self.command("analyze", "-o", "-", "--workers", "1", "--progress", "none", *at_hand, "--", "-")
            facts = with_rows(batches)
            for first in facts:  # once, if at all: the rest is fed to the binary too
                with running(command, (INCOMPLETE,), self.bounds) as pipes:
                    feed(pipes.to, itertools.chain([first], facts), self.facts_metadata)
                    for stream in streams(pipes.source):
                        table = stream.schema.metadata[b"acapscan.table"].decode()
                        for rows in with_rows(stream):
                            yield pack(table, rows)

        return task


def name_input(listed: dict[str, Any]) -> tuple[list[str], str]:
    """Return arguments and standard input of extract for one input that the verb list printed."""
    name = listed["name"]
    if not listed.get("listed"):
        return ["--", name], ""
    base = ["--base-url", listed["base_url"]] if "base_url" in listed else []
    if "records" not in listed:
        return ["--paths", "-", *base], f"{name}\n"
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["warc_filename", "warc_record_offset", "warc_record_length"])
    rows.writerows([name, record["offset"], record["length"]] for record in listed["records"])
    return ["--records", "-", *base], text.getvalue()


PACKED = "table string NOT NULL, rows binary NOT NULL"
"""The schema of packed rows: Spark gives a task one schema, and a reduce task has rows of eight."""


def pack(table: str, rows: pa.RecordBatch) -> pa.RecordBatch:
    """Make one row of a batch: the name of its table, and the batch as a compressed Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_batch(rows)
    packed = pa.array([sink.getvalue().to_pybytes()], pa.binary())
    return pa.record_batch([pa.array([table]), packed], names=["table", "rows"])


def unpack(schema: pa.Schema) -> Task:
    """Make the task that unpacks rows of one table, with the columns of the schema."""

    def task(batches: Batches) -> Batches:
        for batch in batches:
            for packed in batch.column(0):
                for rows in pa.ipc.open_stream(packed.as_buffer()):
                    yield rows.select(schema.names).cast(schema)

    return task


@dataclass(frozen=True)
class Table:
    """One of the eight tables, as the binary describes it. The schema has the partition columns first."""

    name: str
    partitions: list[str]
    sorted_by: list[str]
    schema: pa.Schema

    def order(self) -> list[Column]:
        """The order of rows within a file, as Spark takes it."""
        columns = [F.col(name).asc_nulls_first() for name in self.partitions]
        for name in self.sorted_by:
            down = (self.name, name) == SITES_FIRST
            columns.append(F.col(name).desc_nulls_last() if down else F.col(name).asc_nulls_first())
        return columns


@dataclass(frozen=True)
class Contract:
    """The schema of facts, and the tables."""

    facts: pa.Schema
    tables: list[Table]


def ask(binary: pathlib.Path, *arguments: str, given: bytes = b"", tolerated: tuple[int, ...] = ()) -> bytes:
    """Run the binary on the driver and return what it writes. Raises BinaryError."""
    done = subprocess.run([binary, *arguments], input=given, capture_output=True, check=False)
    if done.returncode != DONE and done.returncode not in tolerated:
        raise BinaryError([str(binary), *arguments], done.returncode, [done.stderr.decode(errors="replace")])
    return done.stdout


def contract(binary: pathlib.Path, extracting: Sequence[str], analyzing: Sequence[str]) -> Contract:
    """Run both stages on an empty input: its streams have the schemas, and wrong options fail before the job begins."""
    with tempfile.TemporaryDirectory() as folder:
        empty = pathlib.Path(folder, "empty.warc")
        empty.touch()
        facts = ask(binary, "extract", "-o", "-", *extracting, "--", str(empty), tolerated=(INCOMPLETE,))
    rows = ask(binary, "analyze", "-o", "-", *analyzing, "--", "-", given=facts, tolerated=(INCOMPLETE,))
    tables = []
    source = pa.BufferReader(rows)
    while source.tell() < len(rows):
        stream = pa.ipc.open_stream(source)
        stream.read_all()
        name = stream.schema.metadata[b"acapscan.table"].decode()
        described = json.loads(ask(binary, "schema", name))
        partitions = described["partitions"]
        columns = [as_spark_takes(column, column.name in partitions) for column in stream.schema]
        columns = [column for column in columns if column.name in partitions or column.name not in ("crawl", "subset")]
        tables.append(Table(name, partitions, described["sorted_by"], pa.schema(columns)))
    return Contract(pa.ipc.open_stream(facts).schema, tables)


def as_spark_takes(column: pa.Field, partition: bool) -> pa.Field:
    """Spark's timestamps are in microseconds. A partition column is never null."""
    if pa.types.is_timestamp(column.type):
        column = column.with_type(pa.timestamp("us", column.type.tz))
    return column.with_nullable(column.nullable and not partition)


def spark_schema(schema: pa.Schema) -> StructType:
    """The schema for Spark, with nullability."""
    return from_arrow_schema(schema)


@dataclass(frozen=True)
class Option:
    """An option of acapscan scan that the binary gets."""

    name: str
    verbs: tuple[str, ...]
    value: str | None = None
    """Name of the value in the usage; None: the option has none."""

    repeatable: bool = False
    other_name: str | None = None
    """The name in this program, if it is another."""

    @property
    def ours(self) -> str:
        """The name in this program."""
        return self.other_name or self.name


SURVEY, READING, ORIGIN, REMOTE = (
    ("analyze", "complete"),
    ("resolve", "analyze", "complete"),
    ("extract", "complete"),
    ("list", "extract"),
)
"""Verbs that share options."""

OPTIONS = (
    Option("paths", ("list",), "FILE", repeatable=True),
    Option("records", ("list",), "FILE", repeatable=True),
    Option("base-url", ("list",), "BASE"),
    Option("limit", ("list",), "N"),
    Option("pages", ORIGIN, "SET"),
    Option("crawl", ORIGIN, "NAME"),
    Option("subset", ORIGIN, "NAME"),
    Option("min-complete", ORIGIN, "SHARE"),
    Option("rate", REMOTE, "N"),
    Option("contact", REMOTE, "TEXT"),
    Option("plain-http", REMOTE),
    Option("s3-anonymous", REMOTE),
    Option("s3-profile", REMOTE, "NAME"),
    Option("s3-endpoint", REMOTE, "URL"),
    Option("s3-region", REMOTE, "NAME"),
    Option("directives", SURVEY, "SET"),
    Option("permissions", SURVEY, "SET"),
    Option("agents", SURVEY, "NAMES", repeatable=True),
    Option("no-verbatim", SURVEY),
    Option("body-metas", SURVEY),
    Option("strict", READING),
    Option("refuse", READING, "DEFECT", repeatable=True),
    Option("without", READING, "RULE", repeatable=True),
    Option("profile", SURVEY, "NAME"),
    Option("other", SURVEY, "READING"),
    Option("memory", ("extract", "resolve", "analyze"), "SIZE", other_name="binary-memory"),
)

NOT_PASSED_ON = {
    "output": "this program has its own",
    "overwrite": "this program has its own",
    "workers": "Spark decides how many tasks run at a time",
    "progress": "Spark shows it",
    "format": "Spark writes Parquet",
    "give-up": "the tables are not written to S3 by acapscan",
    "dry-run": "use acapscan scan --dry-run",
    "help": "this program has its own",
}
"""The options of acapscan scan that this program lacks, and why."""


@dataclass
class Passed:
    """The given options as arguments for the verbs. The binary has the defaults of the others."""

    by_verb: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    agent_files: dict[str, pathlib.Path] = field(default_factory=dict)

    @classmethod
    def of(cls, given: argparse.Namespace) -> Passed:
        """Sort the given options by verb."""
        passed = cls()
        for option in OPTIONS:
            value = getattr(given, option.ours.replace("-", "_"))
            if option.name == "agents":
                value = [part.strip() for values in value for part in values.split(",")]
                for part in value:
                    if part.startswith("@") and part != "@common":
                        passed.agent_files[part] = pathlib.Path(part[1:])
            for verb in option.verbs:
                passed.by_verb[verb] += as_arguments(option, value)
            if option.name == "without" and "R-LEX-7" in value:
                passed.by_verb["extract"].append("--page-bodies")
        return passed

    def to(self, verb: str) -> list[str]:
        """Return the options of a verb."""
        return self.by_verb[verb]


def as_arguments(option: Option, value: Any) -> list[str]:
    """Write an option as given."""
    flag = f"--{option.name}"
    if option.value is None:
        return [flag] if value else []
    values = value if option.repeatable else [] if value is None else [value]
    return [word for one in values for word in (flag, one)]


def arguments() -> argparse.ArgumentParser:
    """The command line. Options that change the tables are those of `acapscan scan`, whose help explains them."""
    parser = argparse.ArgumentParser(
        prog="acapscan_spark.py",
        usage="spark-submit acapscan_spark.py INPUT... --output DIR [options]",
        description="Read archives and write the eight tables, on Spark. The rows are those of acapscan scan.",
        epilog="Exit status: 0 done; 1 failed; 2 wrong usage; 3 finished, but some input was unreadable or cut.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "inputs", nargs="*", metavar="INPUT", help="inputs as in acapscan scan, which every node can read"
    )
    parser.add_argument("--output", metavar="DIR", required=True, help="output folder, on storage that all nodes share")
    parser.add_argument("--overwrite", action="store_true", help="replace what another run left in the output folder")
    parser.add_argument(
        "--binary",
        metavar="PATH",
        help="the acapscan program, which Spark ships to all nodes; default: that of the Python package, or in PATH",
    )
    parser.add_argument(
        "--partitions",
        type=int,
        metavar="N",
        help="partitions of the sites; default: the number of cores, or one for every 8 inputs, up to 2000",
    )
    same = parser.add_argument_group(
        "options of acapscan scan, see 'acapscan help scan'; --binary-memory is its --memory, for each task"
    )
    for option in OPTIONS:
        if option.value is None:
            same.add_argument(f"--{option.ours}", action="store_true")
        elif option.repeatable:
            same.add_argument(f"--{option.ours}", metavar=option.value, action="append", default=[])
        else:
            same.add_argument(f"--{option.ours}", metavar=option.value)
    return parser


def count_bytes(size: str | None) -> int | None:
    """Read a size such as 800MB or 10G, as the binary does. The binary has checked it before."""
    match = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?)(B|IB|)", (size or "").upper())
    if not match:
        return None
    power = "KMGT".index(match[2]) + 1 if match[2] else 0
    return int(float(match[1]) * (1000 if match[3] == "B" else 1024) ** power)


def stop(status: int, sentence: str) -> NoReturn:
    """End the program with a sentence for people."""
    print(f"acapscan_spark: {sentence}", file=sys.stderr)
    sys.exit(status)


def find_binary(given: str | None) -> pathlib.Path:
    """The binary on the driver: the one that is given, else that of the Python package, else the one in PATH."""
    if given is None:
        with contextlib.suppress(ImportError, FileNotFoundError):
            from acapscan import binary

            return binary()
    found = shutil.which(given or "acapscan")
    if found is None:
        stop(
            USAGE,
            f"there is no program {given or 'acapscan'!r}: install the package acapscan, or name it with --binary",
        )
    return pathlib.Path(found).resolve()


def find_inputs(binary: pathlib.Path, names: Sequence[str], options: Sequence[str]) -> list[str]:
    """The inputs of `acapscan scan`, each as the verb list prints it."""
    return ask(binary, "list", *options, "--", *names).decode().splitlines()


def find_output(given: argparse.Namespace) -> pathlib.Path:
    """The output folder, marked as unfinished. Other folders and finished runs need --overwrite."""
    name = given.output.removeprefix("file://")
    if "://" in name:
        stop(USAGE, "--output is a folder on storage that all nodes share; other file systems are not supported yet")
    output = pathlib.Path(name).resolve()
    if output.exists() and not output.is_dir():
        stop(FAILED, f"the output needs a folder, and {name} is a file")
    if not given.overwrite and output.is_dir():
        if (output / "_SUCCESS").exists():
            stop(FAILED, f"{name} holds the tables of a finished run; choose another folder, or --overwrite it")
        if any(output.iterdir()) and not (output / WORK_FOLDER).exists():
            stop(
                FAILED,
                f"{name} is not empty, and no run of this program made it; choose another folder, or --overwrite it",
            )
    (output / WORK_FOLDER).mkdir(parents=True, exist_ok=True)
    (output / "_SUCCESS").unlink(missing_ok=True)
    return output


def configure(spark: SparkSession) -> None:
    """Set everything that the rows depend on, against the defaults of the cluster.

    Spark must not change plans while they run, because add_answers relies on the number of partitions. Packed rows are
    persisted one by one: Spark holds a hundred batches while it reads persisted rows, each of up to 4 MB unless it has
    one row.
    """
    for key, value in {
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.exchange.reuse": "true",
        "spark.sql.inMemoryColumnarStorage.batchSize": 1,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.maxRecordsPerBatch": ROWS_AT_A_TIME,
        "spark.sql.execution.arrow.maxBytesPerBatch": BYTES_AT_A_TIME,
        "spark.sql.execution.arrow.useLargeVarTypes": "false",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS",
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.sql.parquet.writeLegacyFormat": "false",
        "spark.sql.sources.partitionOverwriteMode": "static",
    }.items():
        spark.conf.set(key, str(value))


def choose_partitions(inputs: int, cores: int) -> int:
    """The number of partitions without --partitions."""
    return min(inputs, max(cores, min(inputs // INPUTS_IN_PARTITION, MOST_PARTITIONS)))


def make_facts(spark: SparkSession, binary: Binary, schema: pa.Schema, inputs: list[str], options: Passed) -> DataFrame:
    """Stage 1, one task an input."""
    tasks = spark.sparkContext.parallelize([(listed,) for listed in inputs], len(inputs))
    names = spark.createDataFrame(tasks, "input string NOT NULL")
    return names.mapInArrow(binary.extract(options.to("extract")), spark_schema(schema))


def by_site(facts: DataFrame, partitions: int) -> DataFrame:
    """Bring all facts of a host into one partition. The hash of a site is without scheme: http and https are
    together.
    """
    return facts.repartition(partitions, "site_hash")


def add_answers(facts: DataFrame, binary: Binary, options: Passed, partitions: int) -> DataFrame:
    """Shuffle facts by site, and add the copies of the pass between the stages, which is one task: the binary sorts its
    input.

    Facts are used twice, are slow to make, and exist once: as the files of their shuffle. Spark reads these again if a
    plan has the same shuffle twice. So the condition for facts of robots.txt and policy files must stay behind the
    shuffle. Spark moves every condition in front of it that does not depend on the partition of a row.
    """
    sites = by_site(facts, partitions)
    here = F.spark_partition_id() >= 0  # always
    files = sites.where(F.when(here, F.col("kind").isin("robots", "policy"))).repartition(1)
    answers = by_site(files.mapInArrow(binary.resolve(options.to("resolve")), facts.schema), partitions)
    return meet(sites.unionByName(answers), partitions)


def meet(sites: DataFrame, partitions: int) -> DataFrame:
    """Merge equal partitions of a union. Spark does so itself from 4.1 on."""
    return sites if sites.rdd.getNumPartitions() == partitions else by_site(sites, partitions)


def make_rows(sites: DataFrame, binary: Binary, options: Passed, shipped: dict[str, str]) -> DataFrame:
    """Stage 2: packed rows, persisted on local disks for the eight tables."""
    ordered = sites.sortWithinPartitions("site_hash", "site")
    return ordered.mapInArrow(binary.analyze(options.to("analyze"), shipped), PACKED).persist(StorageLevel.DISK_ONLY)


def write_table(rows: DataFrame, table: Table, output: pathlib.Path) -> None:
    """Write one table with Spark's committer."""
    packed = rows.where(F.col("table") == table.name).select("rows")
    unpacked = packed.mapInArrow(unpack(table.schema), spark_schema(table.schema))
    write(unpacked.sortWithinPartitions(*table.order()), output / table.name, table.partitions)


def write(rows: DataFrame, folder: pathlib.Path, partitions: Sequence[str] = ()) -> None:
    """Replace a folder by Parquet files.

    One _SUCCESS stands next to the tables when all are written, and none in a table.
    """
    writer = rows.write.mode("overwrite").option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
    # With the scheme, because the default file system of a cluster is another. Path.as_uri would escape =, which Spark
    # takes literally.
    writer.partitionBy(*partitions).parquet(f"file://{folder}")


def fill_empty_tables(spark: SparkSession, tables: list[Table], output: pathlib.Path) -> None:
    """Give each table without rows a file without rows, so that every reader finds every table."""
    crawl = min(folder.name for folder in output.glob("*/crawl=*"))
    subset = min(folder.name for folder in output.glob(f"*/{crawl}/subset=*"))
    for table in tables:
        if not any((output / table.name).rglob("*.parquet")):
            folder = pathlib.Path(output, table.name, *[crawl, subset][: len(table.partitions)])
            columns = pa.schema([column for column in table.schema if column.name not in table.partitions])
            write(spark.createDataFrame([], spark_schema(columns)), folder)


def complete(
    binary: pathlib.Path, output: pathlib.Path, inputs: list[str], options: Passed, started: datetime.datetime
) -> int:
    """Write what stands next to the tables, _SUCCESS last, and return this program's exit status."""
    work = output / WORK_FOLDER
    shutil.rmtree(work)  # nothing but the output may be there when _SUCCESS appears
    with tempfile.TemporaryDirectory() as folder:
        listed = pathlib.Path(folder, "inputs.json")
        listed.write_text("".join(f"{line}\n" for line in inputs))
        given = [
            "--started",
            started.isoformat(timespec="seconds"),
            "--inputs",
            str(listed),
            "--min-complete",
            "1",
            *options.to("complete"),
        ]
        done = subprocess.run([binary, "complete", *given, "--", output], stdin=subprocess.DEVNULL, check=False)
    if done.returncode not in (DONE, INCOMPLETE):
        work.mkdir()
    return done.returncode


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = arguments()
    given = parser.parse_args(words)
    if given.partitions is not None and given.partitions < 1:
        parser.error("--partitions is at least 1")
    if not (given.inputs or given.paths or given.records):
        parser.error("an input is missing: a file, a folder, a URL, --paths or --records")
    return given


def main(words: Sequence[str] | None = None) -> int:
    """Run the job and return its exit status. Where a session runs already it is used, and left as it is."""
    started = datetime.datetime.now(datetime.UTC)
    given = parse(words)
    options = Passed.of(given)
    program = find_binary(given.binary)
    try:
        inputs = find_inputs(program, given.inputs, options.to("list"))
        agreed = contract(program, options.to("extract"), options.to("analyze"))
    except BinaryError as error:
        stop(error.status, str(error))
    output = find_output(given)

    running_already = SparkSession.getActiveSession() is not None
    spark = SparkSession.builder.appName("acapscan").getOrCreate()
    configure(spark)
    for file in (program, *options.agent_files.values()):
        spark.sparkContext.addFile(str(file))
    shipped = {value: file.name for value, file in options.agent_files.items()}
    binary = Binary(program.name, agreed.facts.metadata, Bounds(os.getcwd(), count_bytes(given.binary_memory)))
    facts = make_facts(spark, binary, agreed.facts, inputs, options)
    partitions = given.partitions or choose_partitions(len(inputs), spark.sparkContext.defaultParallelism)
    rows = make_rows(add_answers(facts, binary, options, partitions), binary, options, shipped)
    try:
        for table in agreed.tables:
            write_table(rows, table, output)
        fill_empty_tables(spark, agreed.tables, output)
    finally:
        if running_already:
            rows.unpersist()
        else:
            spark.stop()
    return complete(program, output, inputs, options, started)


if __name__ == "__main__":
    sys.exit(main())
