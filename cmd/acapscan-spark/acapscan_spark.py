"""Run the stages of acapscan on Spark: Spark runs, retries and places the tasks of an array job.

    spark-submit acapscan_spark.py INPUT... --output DIR

`acapscan extract` makes facts, a share of the inputs a task. `acapscan resolve` copies the files that a robots.txt
redirects or refers to on other hosts, in steps of several tasks. `acapscan analyze` makes the rows of a share of the
hosts a task. `acapscan complete`, on the driver, makes tables of them. The rows are those of `acapscan scan`.

What tasks hand on lies in the store of the output, a shared folder or S3, and the binary reads and writes it: README.md
says why. This program knows no archive, no policy and no column.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import datetime
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
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, NoReturn

from pyspark import SparkContext, SparkFiles
from pyspark.sql import SparkSession

DONE, FAILED, USAGE, INCOMPLETE = 0, 1, 2, 3
"""Exit statuses of the binary and of this program; INCOMPLETE: finished, but some input was unreadable."""

LINES_KEPT = 20
"""How many of the last lines of the binary the error of a failed task has; the log of the task has all."""

HARD_LIMIT = 2
"""How many times its limit of memory the binary may map before the system refuses more: the binary counts memory in
use, not mapped.
"""

PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's prctl."""

MOST_SHARDS, MOST_BUCKETS, MOST_RESOLVERS = 512, 64, 16
"""The most tasks of extract and of analyze without an option, and of a step of resolve. A task of analyze asks for
every facts file, and one of resolve for the messages of all others. The numbers depend on the inputs alone: a job that
was killed continues with the same ones.
"""

WORK_FOLDER = "_work"
"""Where runs of acapscan keep what is not finished. `acapscan complete` removes it."""

PATIENCE = 60
"""Seconds for tasks that are not needed any more to end, before complete gives up."""

S3 = "s3://"


class BinaryError(Exception):
    """The binary failed: its exit status, and its last lines."""

    def __init__(self, command: Sequence[str], status: int, said: Iterable[str]) -> None:
        self.status = status
        super().__init__(f"{' '.join(command)}: exit status {status}\n{''.join(said)}".rstrip())


@dataclass(frozen=True)
class Bounds:
    """The bounds of a running binary."""

    folder: str | None = None
    """The folder of relative names: that in which the job was started, on nodes that have it."""

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
        """Start the binary. It writes temporary files to the folder scratch."""
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder if self.folder and os.path.isdir(self.folder) else None,
            env={**os.environ, "TMPDIR": scratch},
            preexec_fn=self.prepare(),
        )


def local_disk() -> str | None:
    """A folder of the executor on the disk of the node. None outside of a task."""
    return os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None


def run_binary(
    command: Sequence[str],
    tolerated: tuple[int, ...] = (),
    bounds: Bounds = Bounds(),  # noqa: B008
) -> str:
    """Run the binary in a task. Copy its standard error line by line, and return its standard output.

    Raises BinaryError where the exit status is neither 0 nor tolerated. The binary is ended when this function is left
    by an exception, and when this process is killed.
    """
    said: deque[str] = deque(maxlen=LINES_KEPT)
    scratch = tempfile.mkdtemp(prefix="acapscan-", dir=local_disk())
    try:
        with bounds.start(command, scratch) as process:
            assert process.stdout and process.stderr
            listener = threading.Thread(target=relay, args=(process.stderr, said), daemon=True)
            listener.start()
            try:
                output = process.stdout.read().decode()
            except BaseException:
                process.kill()
                raise
            finally:
                listener.join()
                status = process.wait()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if status != DONE and status not in tolerated:
        raise BinaryError(command, status, said)
    return output


def relay(stream: IO[bytes], said: deque[str]) -> None:
    """Copy lines to standard error, the log of the task, and keep the last."""
    for line in stream:
        text = line.decode(errors="replace")
        said.append(text)
        sys.stderr.write(text)
        sys.stderr.flush()


@dataclass(frozen=True)
class Binary:
    """The acapscan binary of a task: a file that Spark shipped."""

    name: str
    bounds: Bounds

    def run(self, verb: str, words: Sequence[str], tolerated: tuple[int, ...] = ()) -> str:
        """Run a verb. Only for tasks: paths are those of the node."""
        at_hand = [word.replace(SHIPPED, SparkFiles.getRootDirectory() + os.sep) for word in words]
        return run_binary([SparkFiles.get(self.name), verb, *at_hand], tolerated, self.bounds)


SHIPPED = "<shipped>/"
"""Begins the name of a shipped file among arguments; each node has its own folder of them."""


@dataclass(frozen=True)
class Stores:
    """Where facts, answers and tables lie: shared folders, or s3://BUCKET/KEY."""

    output: str
    facts: str
    answers: str

    @classmethod
    def of(cls, output: str, facts: str | None) -> Stores:
        """Without --facts they lie below the output until the tables are finished."""
        work = f"{output.rstrip('/')}/{WORK_FOLDER}/spark"
        return cls(output, facts or f"{work}/facts", f"{work}/answers")


@dataclass(frozen=True)
class Job:
    """The stages, each a Spark job of independent tasks."""

    spark: SparkContext
    binary: Binary
    stores: Stores
    options: dict[str, list[str]]
    """The options that the user gave, by verb."""

    workers: int
    """Cores of a task."""

    def stage(self, title: str, tasks: int, task: Callable[[Binary, int], str]) -> list[str]:
        """Run so many tasks, and return what each one printed."""
        binary = self.binary
        self.spark.setJobDescription(f"acapscan {title}")
        return self.spark.parallelize(range(tasks), tasks).map(lambda i: task(binary, i)).collect()

    def extract(self, inputs: Sequence[str], shards: int) -> None:
        """Stage 1. A damaged input is no failure: its fact says what is wrong."""
        words = ["-o", self.stores.facts, "--progress", "none", *self.given("extract"), "--", *inputs]

        def task(binary: Binary, shard: int) -> str:
            return binary.run("extract", ["--shard", f"{shard}/{shards}", *words], (INCOMPLETE,))

        self.stage("extract", shards, task)

    def resolve(self, buckets: int) -> None:
        """The pass across hosts: steps until all buckets have their answers."""
        words = ["-o", self.stores.answers, *self.given("resolve"), "--", self.stores.facts]
        step, said = 0, {""}
        while said != {"finished\n"}:

            def task(binary: Binary, bucket: int, step: int = step) -> str:
                return binary.run("resolve", ["--bucket", f"{bucket}/{buckets}", "--step", str(step), *words])

            said = set(self.stage(f"resolve, step {step}", buckets, task))
            step += 1

    def analyze(self, buckets: int) -> None:
        """Stage 2: the rows of some hosts a task."""
        words = ["-o", self.stores.output, "--progress", "none", *self.given("analyze"), "--", self.stores.facts]
        words.append(self.stores.answers)

        def task(binary: Binary, bucket: int) -> str:
            return binary.run("analyze", ["--bucket", f"{bucket}/{buckets}", *words], (INCOMPLETE,))

        self.stage("analyze", buckets, task)

    def given(self, verb: str) -> list[str]:
        """The options of a verb."""
        return ["--workers", str(self.workers), *self.options.get(verb, [])]


def ask(binary: pathlib.Path, *words: str, given: bytes = b"", tolerated: tuple[int, ...] = ()) -> bytes:
    """Run the binary on the driver and return what it writes. Raises BinaryError."""
    done = subprocess.run([binary, *words], input=given, capture_output=True, check=False)
    if done.returncode != DONE and done.returncode not in tolerated:
        raise BinaryError([str(binary), *words], done.returncode, [done.stderr.decode(errors="replace")])
    return done.stdout


def check_options(binary: pathlib.Path, options: Passed) -> None:
    """Run both stages on an empty input: wrong options fail before the job begins."""
    with tempfile.TemporaryDirectory() as folder:
        empty = pathlib.Path(folder, "empty.warc")
        empty.touch()
        listed = ("--paths", "--records", "--base-url", "--limit")
        extracting = without(options.to("extract"), listed)
        facts = ask(binary, "extract", "-o", "-", *extracting, "--", str(empty), tolerated=(INCOMPLETE,))
    analyzing = [*without(options.to("analyze"), ("--format",)), *options.to("complete")]
    ask(binary, "analyze", "-o", "-", *analyzing, "--", "-", given=facts, tolerated=(INCOMPLETE,))


def without(words: Sequence[str], flags: Sequence[str]) -> list[str]:
    """Leave out flags with their values."""
    left, skip = [], False
    for word in words:
        if not skip and word not in flags:
            left.append(word)
        skip = not skip and word in flags
    return left


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


INPUTS, READING, REMOTE, STORES = (
    ("list", "extract"),
    ("resolve", "analyze"),
    ("list", "extract", "resolve", "analyze", "complete"),
    ("extract", "resolve", "analyze", "complete"),
)
"""Verbs that share options."""

OPTIONS = (
    Option("paths", INPUTS, "FILE", repeatable=True),
    Option("records", INPUTS, "FILE", repeatable=True),
    Option("base-url", INPUTS, "BASE"),
    Option("limit", INPUTS, "N"),
    Option("pages", ("extract",), "SET"),
    Option("crawl", ("extract",), "NAME"),
    Option("subset", ("extract",), "NAME"),
    Option("min-complete", ("complete",), "SHARE"),
    Option("rate", INPUTS, "N"),
    Option("contact", INPUTS, "TEXT"),
    Option("plain-http", REMOTE),
    Option("s3-anonymous", REMOTE),
    Option("s3-profile", REMOTE, "NAME"),
    Option("s3-endpoint", REMOTE, "URL"),
    Option("s3-region", REMOTE, "NAME"),
    Option("give-up", STORES, "TIME"),
    Option("directives", ("analyze",), "SET"),
    Option("permissions", ("analyze",), "SET"),
    Option("agents", ("analyze",), "NAMES", repeatable=True),
    Option("no-verbatim", ("analyze",)),
    Option("body-metas", ("analyze",)),
    Option("strict", READING),
    Option("refuse", READING, "DEFECT", repeatable=True),
    Option("without", READING, "RULE", repeatable=True),
    Option("profile", ("analyze",), "NAME"),
    Option("other", ("analyze",), "READING"),
    Option("format", ("analyze",), "FORMAT"),
    Option("memory", ("extract", "resolve", "analyze"), "SIZE", other_name="binary-memory"),
)

NOT_PASSED_ON = {
    "output": "this program has its own",
    "overwrite": "this program has its own",
    "workers": "spark.task.cpus says it",
    "progress": "Spark shows it",
    "dry-run": "use acapscan scan --dry-run",
    "help": "this program has its own",
}
"""The options of acapscan scan that this program lacks, and why."""


@dataclass
class Passed:
    """The given options as arguments for the verbs. The binary has the defaults of the others."""

    by_verb: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, given: argparse.Namespace) -> Passed:
        """Sort the given options by verb."""
        passed = cls()
        for option in OPTIONS:
            value = getattr(given, option.ours.replace("-", "_"))
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
    if option.name == "agents":
        values = [part.strip() for listed in values for part in listed.split(",")]
    return [word for one in values for word in (flag, one)]


def ship(spark: SparkContext, options: Passed, listed: Sequence[str] | None, folder: str) -> dict[str, list[str]]:
    """Ship the files that options name, and return options that name the shipped ones. folder is for copies.

    listed are the names of inputs where listings give all of them: a thousand tasks do not download these again.
    """

    def shipped(content: bytes, name: str) -> str:
        copy = pathlib.Path(folder, f"{pathlib.Path(folder).name}-{len(os.listdir(folder))}-{name}")
        copy.write_bytes(content)
        spark.addFile(str(copy))
        return SHIPPED + copy.name

    def shipped_file(name: str) -> str:
        return name if "://" in name else shipped(pathlib.Path(name).read_bytes(), pathlib.Path(name).name)

    words = {}
    for verb in STORES:
        given = options.to(verb)
        if verb == "extract" and listed is not None:
            names = "".join(f"{name}\n" for name in listed)
            given = [*without(given, ("--paths", "--limit")), "--paths", shipped(names.encode(), "inputs")]
        else:
            for at, flag in enumerate(given[:-1]):
                value = given[at + 1]
                if flag in ("--paths", "--records"):
                    given[at + 1] = shipped_file(value)
                elif flag == "--agents" and value.startswith("@") and value != "@common":
                    given[at + 1] = "@" + shipped_file(value[1:])
        words[verb] = given
    return words


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
    parser.add_argument(
        "--output", metavar="DIR", required=True, help="folder that all nodes share, for the tables, or s3://BUCKET/KEY"
    )
    parser.add_argument(
        "--facts",
        metavar="DIR",
        help="folder for the facts, which stay there, or s3://BUCKET/KEY; default: below the output, until the tables "
        "are finished",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace what another run left in the output folder")
    parser.add_argument(
        "--binary",
        metavar="PATH",
        help="the acapscan program, which Spark ships to all nodes; default: that of the Python package, or in PATH",
    )
    for name, what, most in (("shards", "extract", MOST_SHARDS), ("partitions", "analyze", MOST_BUCKETS)):
        parser.add_argument(
            f"--{name}",
            type=int,
            metavar="N",
            help=f"tasks of {what}, the same whenever the job is run again; default: the inputs, at most {most}",
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


def find_store(name: str, what: str) -> str:
    """The name of a store for all nodes: an absolute path, or an address in S3."""
    name = re.sub("^s3a://", S3, name).removeprefix("file://")
    if name.startswith(S3):
        return name
    if "://" in name:
        stop(USAGE, f"--{what} is a folder on storage that all nodes share, or s3://BUCKET/KEY")
    return str(pathlib.Path(name).resolve())


def check_output(binary: pathlib.Path, output: str, inputs: Sequence[str], options: Passed, overwrite: bool) -> None:
    """Refuse other folders and finished runs, which need --overwrite. Then remove what would be in the way."""
    finished = f"{output} holds the tables of a finished run; choose another folder"
    if output.startswith(S3):
        if overwrite:
            stop(USAGE, "--overwrite is not for S3; choose another folder, or remove this one")
        # Of tables that are not finished, complete knows no list of inputs, and changes nothing.
        with tempfile.TemporaryDirectory() as scratch:
            listed = pathlib.Path(scratch, "inputs.json")
            listed.write_text("".join(f"{line}\n" for line in inputs))
            words = [*options.to("complete"), "--inputs", str(listed), "--", output]
            done = subprocess.run([binary, "complete", *words], capture_output=True, check=False)
        if done.returncode in (DONE, INCOMPLETE):
            stop(FAILED, finished)
        return
    folder = pathlib.Path(output)
    if folder.exists() and not folder.is_dir():
        stop(FAILED, f"the output needs a folder, and {output} is a file")
    there = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    if not overwrite:
        if "_SUCCESS" in there:
            stop(FAILED, f"{finished}, or --overwrite it")
        if there and WORK_FOLDER not in there:
            stop(
                FAILED,
                f"{output} is not empty, and no run of this program made it; choose another folder, or --overwrite it",
            )
    elif there:
        tables = [line.split()[0] for line in ask(binary, "schema").decode().splitlines()]
        for name in ("_SUCCESS", "_manifest.json", *tables, WORK_FOLDER):  # unfinished first
            entry = folder / name
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink(missing_ok=True)
    (folder / WORK_FOLDER).mkdir(parents=True, exist_ok=True)


def complete(binary: pathlib.Path, output: str, options: Passed, started: datetime.datetime) -> int:
    """Make tables of the finished buckets, and return this program's exit status.

    A task that Spark gives up, since another one was faster, may be in the folder for a moment.
    """
    words = ["--started", started.isoformat(timespec="seconds"), "--min-complete", "1", *options.to("complete")]
    for wait in range(PATIENCE):
        done = subprocess.run([binary, "complete", *words, "--", output], capture_output=True, text=True, check=False)
        if done.returncode in (DONE, INCOMPLETE) or "is in use" not in done.stderr or wait == PATIENCE - 1:
            break
        time.sleep(1)
    sys.stderr.write(done.stdout + done.stderr)
    return done.returncode


def now() -> datetime.datetime:
    """The time, with its zone."""
    return datetime.datetime.now(datetime.timezone.utc)


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = arguments()
    given = parser.parse_args(words)
    for name in ("shards", "partitions"):
        if getattr(given, name) is not None and getattr(given, name) < 1:
            parser.error(f"--{name} is at least 1")
    if not (given.inputs or given.paths or given.records):
        parser.error("an input is missing: a file, a folder, a URL, --paths or --records")
    if "-" in given.paths + given.records:
        parser.error("standard input cannot be read by other machines")
    return given


@contextlib.contextmanager
def sentences() -> Iterator[None]:
    """End the program with what the binary said where a task failed for good."""
    try:
        yield
    except Exception as error:
        said = re.search(r"BinaryError: (.*?)\n\n", str(error), re.DOTALL)
        if not said:
            raise
        stop(FAILED, said[1])


def main(words: Sequence[str] | None = None) -> int:
    """Run the job and return its exit status. Where a session runs already it is used, and left as it is."""
    started = now()
    given = parse(words)
    options = Passed.of(given)
    program = find_binary(given.binary)
    try:
        inputs = ask(program, "list", *options.to("list"), "--", *given.inputs).decode().splitlines()
        check_options(program, options)
    except BinaryError as error:
        stop(error.status, str(error))
    output = find_store(given.output, "output")
    stores = Stores.of(output, find_store(given.facts, "facts") if given.facts else None)
    check_output(program, output, inputs, options, given.overwrite)

    running_already = SparkSession.getActiveSession() is not None
    session = SparkSession.builder.appName("acapscan").getOrCreate()
    spark = session.sparkContext
    binary = Binary(program.name, Bounds(os.getcwd(), count_bytes(given.binary_memory)))
    try:
        with tempfile.TemporaryDirectory() as copies, sentences():
            spark.addFile(str(program))
            names = [json.loads(line)["name"] for line in inputs]
            listings_alone = not given.inputs and not given.records
            shipped = ship(spark, options, names if listings_alone else None, copies)
            job = Job(spark, binary, stores, shipped, int(spark.getConf().get("spark.task.cpus", "1")))
            job.extract(given.inputs, given.shards or min(len(inputs), MOST_SHARDS))
            buckets = given.partitions or min(len(inputs), MOST_BUCKETS)
            job.resolve(min(buckets, MOST_RESOLVERS))
            job.analyze(buckets)
    finally:
        if not running_already:
            session.stop()
    return complete(program, output, options, started)


if __name__ == "__main__":
    sys.exit(main())
