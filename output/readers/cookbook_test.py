"""The queries of docs/cookbook.md run, and answer what stands there.

UPDATE_COOKBOOK=1 writes the answers anew (make cookbook). The program is bin/acapscan, which `make readers` builds.
"""

import datetime
import os
import pathlib
import re
import subprocess

import duckdb
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COOKBOOK = ROOT / "docs" / "cookbook.md"
QUERY = re.compile(r"```sql\n(.*?)\n```\n\n(?:.*?\n)??```\n(.*?)```\n", re.S)


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    """DuckDB in a folder of tables that the cookbook's own command makes."""
    work = tmp_path_factory.mktemp("cookbook")
    for folder in ("bin", "testdata"):
        (work / folder).symlink_to(ROOT / folder)
    commands = re.findall(r"^\./bin/acapscan .*$", COOKBOOK.read_text(), re.M)
    assert len(commands) == 1
    for command in commands:
        subprocess.run(command, shell=True, cwd=work, capture_output=True, check=True)
    with pytest.MonkeyPatch.context() as place, duckdb.connect() as connection:
        place.chdir(work / "out" / "cookbook")
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(pathlib.Path("views.sql").read_text())
        yield connection


def shown(value):
    if value is None:
        return "NULL"
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def answer(cursor):
    """The rows as a text table: numbers to the right, the rest to the left."""
    lines = [[column[0] for column in cursor.description]]
    rows = cursor.fetchall()
    lines += [[shown(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    right = [all(isinstance(row[i], (int, float)) for row in rows) for i in range(len(widths))]
    cells = [[t.rjust(w) if r else t.ljust(w) for t, w, r in zip(line, widths, right)] for line in lines]
    return "".join("  ".join(line).rstrip() + "\n" for line in cells)


def test_answers_are_those_of_the_cookbook(db):
    text = COOKBOOK.read_text()
    assert len(QUERY.findall(text)) == text.count("```sql") == 17
    anew = QUERY.sub(lambda m: m[0][: m.start(2) - m.start()] + answer(db.execute(m[1])) + "```\n", text)
    if os.environ.get("UPDATE_COOKBOOK"):
        COOKBOOK.write_text(anew)
    assert [
        block.count("\n") for _, block in QUERY.findall(anew) if block.count("\n") < 2
    ] == []  # each query has an answer
    assert anew.splitlines() == text.splitlines(), "make cookbook writes the answers anew; read them before you commit"


def test_there_are_seventeen_questions():
    headings = re.findall(r"^## (\d+)\. .*\?$", COOKBOOK.read_text(), re.M)
    assert headings == [str(n) for n in range(1, 18)]


def test_denominators_of_the_cookbook_run(db):
    queries = re.findall(r"`(SELECT\s[^`]*\sFROM\s[^`]*)`", COOKBOOK.read_text())
    assert len(queries) == 3
    for query in queries:
        assert all(row[-1] > 0 for row in db.execute(query).fetchall()), query
