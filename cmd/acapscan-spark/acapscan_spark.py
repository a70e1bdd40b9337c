"""Run acapscan's two stages on Spark: the same binary is the map and the reduce, Spark does shuffle, retry and placement.

    spark-submit acapscan_spark.py INPUT... --output DIR --binary bin/acapscan

Facts of one archive are made by `acapscan extract`, one task an archive; `acapscan resolve` copies what the robots.txt of one
host leads to at another; all facts of a host meet in one partition, of which `acapscan analyze` makes rows of the seven tables;
Spark's committer writes them and `acapscan complete` what stands beside them. The rows are those that `acapscan scan` gives.

This program knows no archive, no policy and no column: schemas come from the binary, and options go through to it.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import gzip
import io
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, NoReturn

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
"""How many of the last lines that the binary said go into the error of a failed task; all of them go to the task's log."""

PATIENCE = 10
"""Seconds that a binary whose stream is broken has to end by itself."""

ROWS_AT_A_TIME, BYTES_AT_A_TIME = 1024, 16 << 20
"""Bounds on what Spark hands to a task at once: a fact may hold a body of several megabytes."""

WORK_FOLDER = "_work"
"""Marks an output folder as one that a run has not finished, as acapscan's own runs do."""

SITES_FIRST = ("permissions", "scope")
"""The one column that a table is sorted by in descending order: rows about a site come before those about its pages."""


class BinaryError(Exception):
    """The binary failed: its exit status, and the last that it said."""

    def __init__(self, command: Sequence[str], status: int, said: Iterable[str]) -> None:
        self.status = status
        super().__init__(f"{' '.join(command)}: exit status {status}\n{''.join(said)}".rstrip())


@dataclass(frozen=True)
class Pipes:
    """The two ends of a running binary that hold data."""

    to: IO[bytes]
    source: io.BufferedReader


@contextlib.contextmanager
def running(command: Sequence[str], tolerated: tuple[int, ...] = ()) -> Iterator[Pipes]:
    """Run the binary with pipes, and pass on what it says to standard error, line by line.

    The body of the with statement reads the output to its end. Raises BinaryError where the exit status is neither 0 nor
    tolerated. When the body is left by an exception the binary is ended.
    """
    said: deque[str] = deque(maxlen=LINES_KEPT)
    broken: Exception | None = None
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
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
    """Copy lines to standard error, which is the task's log, and keep the last of them."""
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
    """Open Arrow streams that follow one another, each once the one before has been read to its end."""
    while source.peek(1):
        yield pa.ipc.open_stream(source)


def with_rows(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Leave out batches without rows."""
    return (batch for batch in batches if batch.num_rows > 0)


@dataclass(frozen=True)
class Binary:
    """The acapscan binary as a task finds it: a file that Spark has shipped."""

    name: str
    facts_metadata: dict[bytes, bytes]

    def command(self, verb: str, *arguments: str) -> list[str]:
        """Return the command line. Only a task can call it: the path is that of its node."""
        return [SparkFiles.get(self.name), verb, *arguments]

    def extract(self, options: Sequence[str]) -> Task:
        """Make the map task: names of inputs in, facts out. A damaged input is no failure: its fact says what is wrong."""

        def task(batches: Batches) -> Batches:
            for batch in batches:
                for name in batch.column(0).to_pylist():
                    command = self.command("extract", "-o", "-", "--workers", "1", "--progress", "none", *options, "--", name)
                    with running(command, tolerated=(INCOMPLETE,)) as pipes:
                        yield from with_rows(pa.ipc.open_stream(pipes.source))

        return task

    def resolve(self, options: Sequence[str]) -> Task:
        """Make the task between the stages: all facts of robots.txt and policy files in, copies for the sites that ask out."""

        def task(batches: Batches) -> Batches:
            facts = with_rows(batches)
            for first in facts:  # once, if at all: the rest is fed to the binary too
                with running(self.command("resolve", *options, "--", "-")) as pipes:
                    feed(pipes.to, itertools.chain([first], facts), self.facts_metadata)
                    yield from with_rows(pa.ipc.open_stream(pipes.source))

        return task

    def analyze(self, options: Sequence[str], shipped: dict[str, str]) -> Task:
        """Make the reduce task: all facts of some hosts in, packed rows of the seven tables out. See pack.

        shipped: values of --agents that name a file, and the names under which Spark has shipped the files.
        """

        def task(batches: Batches) -> Batches:
            at_hand = ["@" + SparkFiles.get(shipped[option]) if option in shipped else option for option in options]
            command = self.command("analyze", "-o", "-", "--workers", "1", "--progress", "none", *at_hand, "--", "-")
            facts = with_rows(batches)
            for first in facts:  # once, if at all: the rest is fed to the binary too
                with running(command, tolerated=(INCOMPLETE,)) as pipes:
                    feed(pipes.to, itertools.chain([first], facts), self.facts_metadata)
                    for stream in streams(pipes.source):
                        table = stream.schema.metadata[b"acapscan.table"].decode()
                        for rows in with_rows(stream):
                            yield pack(table, rows)

        return task


PACKED = "table string NOT NULL, rows binary NOT NULL"
"""The schema of packed rows: Spark gives a task one schema, and a reduce task has rows of seven."""


def pack(table: str, rows: pa.RecordBatch) -> pa.RecordBatch:
    """Make one row of a batch: the name of its table, and the batch as a compressed Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_batch(rows)
    packed = pa.array([sink.getvalue().to_pybytes()], pa.binary())
    return pa.record_batch([pa.array([table]), packed], names=["table", "rows"])


def unpack(schema: pa.Schema) -> Task:
    """Make the task that unpacks rows of one table: those columns that are in the schema, as it has them."""

    def task(batches: Batches) -> Batches:
        for batch in batches:
            for packed in batch.column(0):
                for rows in pa.ipc.open_stream(packed.as_buffer()):
                    yield rows.select(schema.names).cast(schema)

    return task


@dataclass(frozen=True)
class Table:
    """One of the seven tables, as the binary describes it. The schema has the partition columns first."""

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
    """What the binary gives and takes: the schema of facts, and the tables."""

    facts: pa.Schema
    tables: list[Table]


def ask(binary: pathlib.Path, *arguments: str, given: bytes = b"", tolerated: tuple[int, ...] = ()) -> bytes:
    """Run the binary on the driver and return what it writes. Raises BinaryError."""
    done = subprocess.run([binary, *arguments], input=given, capture_output=True, check=False)
    if done.returncode != DONE and done.returncode not in tolerated:
        raise BinaryError([str(binary), *arguments], done.returncode, [done.stderr.decode(errors="replace")])
    return done.stdout


def contract(binary: pathlib.Path, extracting: Sequence[str], analyzing: Sequence[str]) -> Contract:
    """Run both stages on an input of no bytes: its streams have the schemas, and wrong options show before the job begins."""
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
    """Spark's timestamps count microseconds, whatever a file has. A partition column is never null."""
    if pa.types.is_timestamp(column.type):
        column = column.with_type(pa.timestamp("us", column.type.tz))
    return column.with_nullable(column.nullable and not partition)


def spark_schema(schema: pa.Schema) -> StructType:
    """The schema as Spark has it, nullability included."""
    return from_arrow_schema(schema)


@dataclass
class Options:
    """The options of the binary's verbs that were given, as arguments for them."""

    extract: list[str] = field(default_factory=list)
    resolve: list[str] = field(default_factory=list)
    analyze: list[str] = field(default_factory=list)
    agent_files: dict[str, pathlib.Path] = field(default_factory=dict)

    @classmethod
    def of(cls, given: argparse.Namespace) -> Options:
        """Sort what was given by verb. An option that was not given is not passed on: the binary knows its defaults."""
        options = cls()
        if given.pages is not None:
            options.extract += ["--pages", given.pages]
        if given.strict:
            options.resolve.append("--strict")
            options.analyze.append("--strict")
        for name in ("refuse", "without"):
            for value in getattr(given, name):
                options.resolve += [f"--{name}", value]
                options.analyze += [f"--{name}", value]
        for name in ("directives", "permissions", "profile", "other"):
            if (value := getattr(given, name)) is not None:
                options.analyze += [f"--{name}", value]
        if given.no_verbatim:
            options.analyze.append("--no-verbatim")
        for value in (part.strip() for values in given.agents for part in values.split(",")):
            options.analyze += ["--agents", value]
            if value.startswith("@") and value != "@common":
                options.agent_files[value] = pathlib.Path(value[1:])
        return options


def arguments() -> argparse.ArgumentParser:
    """The command line. Options that change the tables are those of `acapscan scan`, whose help explains them."""
    parser = argparse.ArgumentParser(
        prog="acapscan_spark.py",
        usage="spark-submit acapscan_spark.py INPUT... --output DIR [options]",
        description="Read archives and write the seven tables, on Spark. The rows are those of acapscan scan.",
        epilog="Exit status: 0 done; 1 failed; 2 wrong usage; 3 finished, but some input was unreadable or cut.",
        allow_abbrev=False,
    )
    parser.add_argument("inputs", nargs="*", metavar="INPUT", help="archive, or folder of archives, that every node can read")
    parser.add_argument("--paths", metavar="LISTING", help="file with an archive a line, gzip or plain, such as warc.paths.gz")
    parser.add_argument("--base-url", metavar="FOLDER", help="where the paths of LISTING begin")
    parser.add_argument("--output", metavar="DIR", required=True, help="output folder, on storage that all nodes share")
    parser.add_argument("--overwrite", action="store_true", help="replace what another run left in the output folder")
    parser.add_argument(
        "--binary", metavar="PATH", default="acapscan", help="the acapscan program, which Spark ships to all nodes"
    )
    parser.add_argument(
        "--partitions",
        type=int,
        metavar="N",
        help="parts that the sites are analyzed in; else as many as inputs, at most spark.sql.shuffle.partitions",
    )
    same = parser.add_argument_group("options of acapscan scan, see 'acapscan help scan'")
    same.add_argument("--pages", metavar="SET")
    same.add_argument("--directives", metavar="SET")
    same.add_argument("--permissions", metavar="SET")
    same.add_argument("--agents", metavar="NAMES", action="append", default=[])
    same.add_argument("--no-verbatim", action="store_true")
    same.add_argument("--strict", action="store_true")
    same.add_argument("--refuse", metavar="DEFECT", action="append", default=[])
    same.add_argument("--without", metavar="RULE", action="append", default=[])
    same.add_argument("--profile", metavar="NAME")
    same.add_argument("--other", metavar="READING")
    return parser


def stop(status: int, sentence: str) -> NoReturn:
    """End the program with a sentence for people."""
    print(f"acapscan_spark: {sentence}", file=sys.stderr)
    sys.exit(status)


def find_binary(given: str) -> pathlib.Path:
    """The program as the driver finds it: a path, or a name that PATH leads to."""
    found = shutil.which(given)
    if found is None:
        stop(USAGE, f"there is no program {given!r}; --binary names it")
    return pathlib.Path(found).resolve()


def find_inputs(binary: pathlib.Path, given: argparse.Namespace) -> list[str]:
    """Names of the inputs, each once: those that `acapscan scan` would take, and those of a listing."""
    if (given.paths is None) != (given.base_url is None):
        stop(USAGE, "--paths and --base-url need each other")
    if not given.inputs and given.paths is None:
        stop(USAGE, "an input is missing")
    names: list[str] = []
    if given.inputs:
        names += (json.loads(line) for line in ask(binary, "list", "--", *given.inputs).splitlines())
    if given.paths is not None:
        listing = pathlib.Path(given.paths).read_bytes()
        if listing[:2] == b"\x1f\x8b":
            listing = gzip.decompress(listing)
        lines = (line.strip() for line in listing.decode().splitlines())
        names += (str(pathlib.PurePosixPath(given.base_url, line)) for line in lines if line)
    if not names:
        stop(FAILED, f"{given.paths} lists no archive")
    return list(dict.fromkeys(names))


def find_output(given: argparse.Namespace) -> pathlib.Path:
    """The output folder, marked as unfinished. One that a run did not make, or has finished, is not touched unasked."""
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
            stop(FAILED, f"{name} is not empty, and no run of this program made it; choose another folder, or --overwrite it")
    (output / WORK_FOLDER).mkdir(parents=True, exist_ok=True)
    (output / "_SUCCESS").unlink(missing_ok=True)
    return output


def configure(spark: SparkSession) -> None:
    """Set what the rows depend on, whatever the cluster's defaults are."""
    for key, value in {
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


def make_facts(spark: SparkSession, binary: Binary, schema: pa.Schema, inputs: list[str], options: Options) -> DataFrame:
    """The first stage, one task an input. What it gives is kept on local disks: it is read twice and took long to make."""
    tasks = spark.sparkContext.parallelize([(name,) for name in inputs], len(inputs))
    names = spark.createDataFrame(tasks, "input string NOT NULL")
    return names.mapInArrow(binary.extract(options.extract), spark_schema(schema)).persist(StorageLevel.DISK_ONLY)


def add_answers(facts: DataFrame, binary: Binary, options: Options) -> DataFrame:
    """The pass between the stages, in one task over the facts of robots.txt and policy files."""
    files = facts.where(F.col("kind").isin("robots", "policy")).repartition(1).sortWithinPartitions("site_hash", "site")
    return facts.unionByName(files.mapInArrow(binary.resolve(options.resolve), facts.schema))


def make_rows(facts: DataFrame, binary: Binary, options: Options, shipped: dict[str, str], partitions: int) -> DataFrame:
    """The second stage: packed rows, kept on local disks, since seven tables are written of them.

    The hash of a site leaves its scheme out, so that the http and the https site of a host meet.
    """
    sites = facts.repartition(partitions, "site_hash").sortWithinPartitions("site_hash", "site")
    return sites.mapInArrow(binary.analyze(options.analyze, shipped), PACKED).persist(StorageLevel.DISK_ONLY)


def write_table(rows: DataFrame, table: Table, output: pathlib.Path) -> None:
    """Have Spark's committer write one table."""
    packed = rows.where(F.col("table") == table.name).select("rows")
    unpacked = packed.mapInArrow(unpack(table.schema), spark_schema(table.schema))
    write(unpacked.sortWithinPartitions(*table.order()), output / table.name, table.partitions)


def write(rows: DataFrame, folder: pathlib.Path, partitions: Sequence[str] = ()) -> None:
    """Write Parquet files into a folder, in place of what is there.

    _SUCCESS stands beside the tables, once all of them are there, and not in each.
    """
    writer = rows.write.mode("overwrite").option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
    # The scheme, since a cluster's default file system is another; a URI would have its = escaped, which Spark takes literally.
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


def complete(binary: pathlib.Path, output: pathlib.Path, options: Options, started: datetime.datetime) -> int:
    """Write what stands beside the tables, _SUCCESS last, and return this program's exit status."""
    work = output / WORK_FOLDER
    shutil.rmtree(work)  # nothing but the output may be there when _SUCCESS appears
    changed = ["--started", started.isoformat(timespec="seconds"), *options.extract, *options.analyze]
    done = subprocess.run([binary, "complete", *changed, "--", output], stdin=subprocess.DEVNULL, check=False)
    if done.returncode != DONE:
        work.mkdir()
        return done.returncode
    manifest = json.loads((output / "_manifest.json").read_text())
    return INCOMPLETE if manifest["counts"]["input_errors"] > 0 else DONE


def main() -> int:
    """Run the job and return its exit status."""
    started = datetime.datetime.now(datetime.UTC)
    parser = arguments()
    given = parser.parse_args()
    if given.partitions is not None and given.partitions < 1:
        parser.error("--partitions is at least 1")
    options = Options.of(given)
    program = find_binary(given.binary)
    try:
        inputs = find_inputs(program, given)
        agreed = contract(program, options.extract, options.analyze)
    except BinaryError as error:
        stop(error.status, str(error))
    except OSError as error:
        stop(FAILED, f"{given.paths} cannot be read: {error.strerror}")
    output = find_output(given)

    spark = SparkSession.builder.appName("acapscan").getOrCreate()
    configure(spark)
    for file in (program, *options.agent_files.values()):
        spark.sparkContext.addFile(str(file))
    shipped = {value: file.name for value, file in options.agent_files.items()}
    binary = Binary(program.name, agreed.facts.metadata)
    facts = make_facts(spark, binary, agreed.facts, inputs, options)
    partitions = given.partitions or min(len(inputs), int(spark.conf.get("spark.sql.shuffle.partitions", "200")))
    rows = make_rows(add_answers(facts, binary, options), binary, options, shipped, partitions)
    for table in agreed.tables:
        write_table(rows, table, output)
    fill_empty_tables(spark, agreed.tables, output)
    spark.stop()
    return complete(program, output, options, started)


if __name__ == "__main__":
    sys.exit(main())
