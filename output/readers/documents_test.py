"""The queries of README.md, docs/tutorial.md and docs/troubleshooting.md run, and answer what stands there; the figure
of the tutorial is drawn.

UPDATE_COOKBOOK=1 writes the answers anew (make cookbook). The program is bin/acapscan, which `make readers` builds.
"""

import os
import re
import subprocess

import duckdb
import pytest
from cookbook_test import QUERY, ROOT, answer

# Where the commands of a document leave the tables that its queries read, and how many queries it has.
DOCUMENTS = {
    "README.md": ("out/tables", 1),
    "docs/tutorial.md": ("out/coast", 4),
    "docs/troubleshooting.md": ("out/cut", 1),
}


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder in which the scans of the documents have run."""
    work = tmp_path_factory.mktemp("documents")
    for folder in ("bin", "docs", "testdata"):
        (work / folder).symlink_to(ROOT / folder)
    for document in DOCUMENTS:
        commands = re.findall(r"^\$ (\./bin/acapscan scan .*)$", (ROOT / document).read_text(), re.M)
        assert len(commands) == 1
        subprocess.run(commands[0], shell=True, cwd=work, capture_output=True, check=True)
    return work


@pytest.mark.parametrize("document", DOCUMENTS)
def test_answers_are_those_of_the_document(document, work, monkeypatch):
    folder, queries = DOCUMENTS[document]
    text = (ROOT / document).read_text()
    assert len(QUERY.findall(text)) == text.count("```sql") == queries
    monkeypatch.chdir(work / folder)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute((work / folder / "views.sql").read_text())
        anew = QUERY.sub(lambda m: m[0][: m.start(2) - m.start()] + answer(connection.execute(m[1])) + "```\n", text)
    if os.environ.get("UPDATE_COOKBOOK"):
        (ROOT / document).write_text(anew)
    assert [
        block.count("\n") for _, block in QUERY.findall(anew) if block.count("\n") < 2
    ] == []  # each query has an answer
    assert anew.splitlines() == text.splitlines(), "make cookbook writes the answers anew; read them before you commit"


def test_the_tutorial_draws_its_figure(work, monkeypatch):
    text = (ROOT / "docs/tutorial.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    monkeypatch.chdir(work)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names = {}
    exec(compile(code, "docs/tutorial.md", "exec"), names)
    assert (work / "out/coast.png").stat().st_size > 0
    (said,) = re.findall(r"!\[(.*?)\]\(images/tutorial.png\)", text)
    shares = re.findall(r"(\d+) % of (\d+)(?: sites)? in (\d+)", said)
    assert shares == [(f"{percent:.0f}", str(sites), year) for year, percent, sites in names["rows"]]
