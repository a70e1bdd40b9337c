"""What web publishers permit crawlers to do: tables from archived crawls, and decisions for single URLs.

    run = acapscan.scan("crawl-data/", "out/tables")
    run["adoption"].pandas()

The command acapscan does the work: the same one that this package installs. Tables need the package duckdb.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars

__all__ = [
    "AcapscanError",
    "Decision",
    "Element",
    "Explanation",
    "IncompleteWarning",
    "PurposeDecision",
    "Qualifier",
    "ReadingDecision",
    "Table",
    "Tables",
    "Verdict",
    "binary",
    "explain",
    "scan",
    "tables",
]

PathLike = str | os.PathLike[str]
Option = bool | float | PathLike | Iterable[float | PathLike] | None

_DONE, _INCOMPLETE, _INTERRUPTED = 0, 3, 130
_LINES_KEPT = 20  # of the messages of the command, for errors
_PATIENCE = 10  # seconds for the command to end by itself, with its temporary files
_T = TypeVar("_T")


class AcapscanError(Exception):
    """The command failed. The text is what it says; status is its exit status: 1 failed, 2 wrong usage."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class IncompleteWarning(UserWarning):
    """Some archives were unreadable or cut. Table inputs says which, and why."""


def binary() -> pathlib.Path:
    """Return the path of the command that this package installed. Raises FileNotFoundError if it is missing."""
    name = "acapscan.exe" if os.name == "nt" else "acapscan"
    folder = pathlib.Path(__file__).resolve().parent
    candidates = [folder.parent / "bin" / name]  # pip install --target
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files("acapscan") or ():
            if file.name == name:
                candidates.insert(0, pathlib.Path(os.fspath(file.locate())))
    for candidate in candidates:
        if candidate.is_file():
            return candidate.resolve()
    raise FileNotFoundError(f"the package acapscan in {folder} has no command {name}; install it from a wheel")


def scan(inputs: PathLike | Iterable[PathLike], out: PathLike, *, progress: str = "none", **options: Option) -> Tables:
    """Read archives, write the tables to the folder out, and return them.

    inputs are files, folders, patterns or URLs, or none with paths=FILE or records=FILE. The options are those of
    `acapscan scan`: memory="2GB" is --memory=2GB, and a list repeats an option. With another progress than "none"
    ("plain", "json") messages go to sys.stderr. An interrupted scan continues when it is called again with the same
    arguments. out may be s3://BUCKET/KEY; see tables.

    Raises AcapscanError if the command fails. Warns with IncompleteWarning if archives were unreadable or cut.
    """
    names = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
    given = _flags({"output": out, "progress": progress, **options})
    status, said = _run(["scan", *given, "--", *(os.fspath(name) for name in names)], echo=progress != "none")
    if status == _INCOMPLETE:
        warnings.warn(f"some archives were unreadable or cut, see table inputs of {os.fspath(out)}\n{said}",
                      IncompleteWarning, stacklevel=2)  # fmt: skip
    return Tables(out, s3={name: options[name] for name in _S3_OPTIONS if options.get(name) is not None})


def tables(
    folder: PathLike,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    s3_endpoint: str | None = None,
    s3_region: str | None = None,
    s3_profile: str | None = None,
    s3_anonymous: bool | None = None,
) -> Tables:
    """Open the tables of a finished run. Raises FileNotFoundError if the folder holds none.

    DuckDB reads s3://BUCKET/KEY with its extension httpfs, which it downloads once. Options are those of the command
    acapscan. Credentials, region and AWS_ENDPOINT_URL_S3 are looked for where the AWS tools look: first in the
    environment, then with DuckDB's extension aws, another download. connection is one with secrets of your own, which
    gets the views of the tables.
    """
    given = {"s3_endpoint": s3_endpoint, "s3_region": s3_region, "s3_profile": s3_profile, "s3_anonymous": s3_anonymous}
    return Tables(folder, connection=connection, s3={name: v for name, v in given.items() if v is not None})


class Tables(Mapping[str, "Table"]):
    """The tables of a finished run, by name: run["adoption"]."""

    def __init__(
        self,
        folder: PathLike,
        *,
        connection: duckdb.DuckDBPyConnection | None = None,
        s3: Mapping[str, Option] | None = None,
    ) -> None:
        name = os.fspath(folder)
        self.folder: pathlib.Path | str = name.rstrip("/") if _is_s3(name) else pathlib.Path(name).resolve()
        """The folder; in S3, its name as text."""
        self._given, self._s3 = connection, dict(s3 or {})
        if not self._has("_SUCCESS"):
            raise FileNotFoundError(f"{self.folder} holds no finished run of acapscan")
        self.manifest: dict[str, Any] = json.loads(self._text("_manifest.json"))
        """What the run read and wrote, and with which versions and options."""

    def _has(self, name: str) -> bool:
        if isinstance(self.folder, pathlib.Path):
            return (self.folder / name).exists()
        # Without a pattern glob does not look in S3.
        found = self._bare.execute("SELECT count(*) FROM glob(?)", [f"{self.folder}/{name}*"]).fetchall()
        return bool(found[0][0])

    def _text(self, name: str) -> str:
        if isinstance(self.folder, pathlib.Path):
            return (self.folder / name).read_text("utf-8")
        found = self._bare.execute("SELECT content FROM read_text(?)", [f"{self.folder}/{name}"]).fetchall()
        return str(found[0][0])

    def __getitem__(self, name: str) -> Table:
        if name not in self.manifest["tables"]:
            raise KeyError(f"there is no table {name!r}; there are {', '.join(self)}")
        return Table(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.manifest["tables"])

    def __len__(self) -> int:
        return len(self.manifest["tables"])

    def __repr__(self) -> str:
        return f"acapscan.tables({str(self.folder)!r})"

    @cached_property
    def _bare(self) -> duckdb.DuckDBPyConnection:
        """The connection before it has the views."""
        import duckdb

        if self._given is not None:
            return self._given
        connection = duckdb.connect()
        connection.execute("SET TimeZone = 'UTC'")
        if isinstance(self.folder, str):
            _prepare_s3(connection, self._s3)
        return connection

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """A connection of DuckDB with a view for each table: in memory and with its times in UTC, or the one given."""
        if not self._has("views.sql"):
            raise FileNotFoundError(f"{self.folder} has no views.sql: DuckDB reads the tables of --format parquet")
        if any(c in str(self.folder) for c in "*?["):
            raise ValueError(f"DuckDB reads no files below {self.folder}: rename it, without * ? and [")
        self._bare.execute(f"SET VARIABLE acapscan_tables = {_quoted(str(self.folder))}")
        self._bare.execute(self._text("views.sql"))
        return self._bare

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """Ask DuckDB. The tables are views with their names."""
        return self.connection.sql(query)

    def explain(self, site: str, **options: Any) -> list[Explanation]:
        """Say what a crawler may do with a site, and why: explain, with the captures and the options of this run.

        Their archives are read again, by the names that the scan was given: from the same working directory.
        """
        return explain(source=self.folder, site=site, **{**self._s3, **options})


_S3_OPTIONS = ("s3_endpoint", "s3_region", "s3_profile", "s3_anonymous")


def _is_s3(name: str) -> bool:
    return name[:5].lower() == "s3://"


def _quoted(text: str) -> str:
    """A string of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _load(connection: duckdb.DuckDBPyConnection, extension: str) -> None:
    import duckdb

    try:
        connection.execute(f"LOAD {extension}")
    except duckdb.Error:
        connection.execute(f"INSTALL {extension}")
        connection.execute(f"LOAD {extension}")


def _prepare_s3(connection: duckdb.DuckDBPyConnection, given: Mapping[str, Option]) -> None:
    """Let DuckDB read S3 as the command does, with the options of the command or those of the environment."""

    def either(option: str, *variables: str) -> str:
        return str(given.get(option) or next((os.environ[v] for v in variables if os.environ.get(v)), ""))

    _load(connection, "httpfs")
    secret = {"REGION": either("s3_region", "AWS_REGION", "AWS_DEFAULT_REGION")}
    key = either("", "AWS_ACCESS_KEY_ID")
    if given.get("s3_anonymous"):
        secret["REGION"] = secret["REGION"] or "us-east-1"
    elif key and not given.get("s3_profile"):
        secret["REGION"] = secret["REGION"] or "us-east-1"
        secret.update(KEY_ID=key, SECRET=either("", "AWS_SECRET_ACCESS_KEY"))
        secret["SESSION_TOKEN"] = either("", "AWS_SESSION_TOKEN")
    else:
        _load(connection, "aws")
        secret.update(PROVIDER="credential_chain", PROFILE=either("s3_profile"))
    options = "".join(f", {name} {_quoted(value)}" for name, value in secret.items() if value)
    endpoint = either("s3_endpoint", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
    if endpoint:
        scheme, _, host = endpoint.rpartition("://")
        options += f", ENDPOINT {_quoted(host.rstrip('/'))}, URL_STYLE 'path', USE_SSL {scheme.lower() != 'http'}"
    connection.execute(f"CREATE SECRET (TYPE s3{options})")


@dataclass(frozen=True)
class Table:
    """One table of a finished run."""

    run: Tables
    name: str

    def relation(self) -> duckdb.DuckDBPyRelation:
        """The table as a relation of DuckDB, which reads what is asked for only."""
        return self.run.connection.table(self.name)

    def pandas(self) -> pandas.DataFrame:
        """All rows as a frame of pandas, in memory."""
        frame: pandas.DataFrame = self.relation().df()
        return frame

    def polars(self) -> polars.DataFrame:
        """All rows as a frame of polars, in memory."""
        frame: polars.DataFrame = self.relation().pl()
        return frame


@dataclass(frozen=True)
class Qualifier:
    """A condition, such as max-length 200-chars."""

    name: str
    value: str


@dataclass(frozen=True)
class Verdict:
    """A statement that decided or lost, by a rule of docs/semantics.md."""

    source: str
    raw: str
    rule: str
    line: int | None
    """Line of the robots.txt or of the page. None: a header field."""
    locator: str | None = None
    """Of the referred file that the statement stands in."""


@dataclass(frozen=True)
class Decision:
    """A decision: allowed, conditional, disallowed and so on, with its basis and the rules that made it."""

    decision: str
    basis: str
    decided_by: tuple[str, ...]
    qualifiers: tuple[Qualifier, ...]
    deciding: tuple[Verdict, ...]


@dataclass(frozen=True)
class ReadingDecision(Decision):
    """The decision under another interpretation of the ACAP specifications."""

    profile: str
    other: str


@dataclass(frozen=True)
class PurposeDecision(Decision):
    """The decision for a purpose that the policy names."""

    purpose: str


@dataclass(frozen=True)
class Element:
    """A class token of the page, with the decision for its element. Offsets count bytes of the page."""

    name: str
    id: str | None
    offset: int
    usage: str
    sense: str
    line: int | None
    inside: int | None
    decision: str
    decided_by: tuple[str, ...]
    qualifiers: tuple[Qualifier, ...]
    deciding: tuple[Verdict, ...]


@dataclass(frozen=True)
class Explanation(Decision):
    """What a crawler may do with a URL in one usage, and why."""

    url: str
    agent: str
    purpose: str | None
    usage: str
    decision_if_crawled: str
    decision_without_elements: str
    lost: tuple[Verdict, ...]
    elements: tuple[Element, ...]
    other_readings: tuple[ReadingDecision, ...]
    other_purposes: tuple[PurposeDecision, ...]


_PARTS: dict[str, type] = {
    "qualifiers": Qualifier,
    "deciding": Verdict,
    "lost": Verdict,
    "elements": Element,
    "other_readings": ReadingDecision,
    "other_purposes": PurposeDecision,
}


def explain(
    url: str | None = None,
    *,
    robots: PathLike | bytes | None = None,
    page: PathLike | bytes | None = None,
    source: PathLike | None = None,
    **options: Option,
) -> list[Explanation]:
    """Say what a crawler may do with a URL, and why: an Explanation for each usage, or for the one of usage="index".

    robots and page are files, or their content as bytes. Or source is an archive, and offset=N is a capture in it; or
    it is the folder of a finished run (see Tables.explain). The options are those of `acapscan explain`, such as
    agent="SearchBot1" or header=["X-Robots-Tag: noindex"]. Raises AcapscanError if the command fails.
    """
    with tempfile.TemporaryDirectory(prefix="acapscan-") as folder:
        files: dict[str, Option] = {}
        for name, given in (("robots", robots), ("page", page)):
            if isinstance(given, bytes):
                file = pathlib.Path(folder, name)
                file.write_bytes(given)
                files[name] = file
            else:
                files[name] = given
        sources = [] if source is None else [os.fspath(source)]
        command = [str(binary()), "explain", "--json", *_flags({"url": url, **files, **options}), "--", *sources]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != _DONE:
        raise AcapscanError(_sentences(done.stderr.decode("utf-8", "replace").splitlines(True)), done.returncode)
    return [_build(Explanation, json.loads(line)) for line in done.stdout.splitlines()]


def _build(kind: type[_T], found: Mapping[str, Any]) -> _T:
    """Make a dataclass of a JSON object."""
    values = {}
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        value = found.get(field.name)
        if isinstance(value, list):
            part = _PARTS.get(field.name)
            value = tuple(_build(part, entry) if part else entry for entry in value)
        values[field.name] = value
    return kind(**values)


def _flags(options: Mapping[str, Option]) -> Iterator[str]:
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, bool):
            yield f"{flag}={str(value).lower()}"
            continue
        for one in [value] if isinstance(value, (int, float, str, os.PathLike)) else value:
            yield f"{flag}={one if isinstance(one, (int, float)) else os.fspath(one)}"


def _run(arguments: list[str], echo: bool) -> tuple[int, str]:
    """Run the command, and return its exit status and its sentences. If Python is interrupted, the command is too."""
    said: deque[str] = deque(maxlen=_LINES_KEPT)
    with subprocess.Popen([str(binary()), *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="replace") as process:  # fmt: skip
        assert process.stderr
        try:
            for line in process.stderr:
                said.append(line)
                if echo:
                    sys.stderr.write(line)
            status = process.wait()
        except BaseException:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
            process.kill()
            raise
    if status == _INTERRUPTED:
        raise KeyboardInterrupt
    if status not in (_DONE, _INCOMPLETE):
        raise AcapscanError(_sentences(said), status)
    return status, _sentences(said)


def _sentences(lines: Iterable[str]) -> str:
    """What the command says of its own, without its name, the summary and hints; all lines if there is nothing such."""
    own = [line[len("acapscan: ") :] for line in lines if line.startswith("acapscan: ")]
    return "".join(own or lines).strip()
