"""The notebooks run from the first cell to the last on the tables of a scan, and draw what they say they draw.

The program is bin/acapscan, which `make notebooks` builds.
"""

import base64
import functools
import io
import json
import os
import pathlib
import re
import subprocess

import duckdb
import matplotlib.image
import nbclient
import nbformat
import pandas as pd
import pytest

import figures

ROOT = pathlib.Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

# The frames that a reader comes for. A scan of testdata/warc/good fills every one, of the notebook about time one of
# testdata/warc/series.
KEY_FRAMES = {
    "1-survey": [
        "read", "status", "outcomes", "adoption", "left_out", "not_exact", "domains", "units", "templates", "features",
        "decisions", "extents"
    ],
    "2-acap-and-rep": [
        "relations", "for_star", "differences", "drift", "evidence", "pages_differ", "carriers", "kinds"
    ],
    "3-permissions": [
        "senses", "by_agent", "forbids_other", "through_other", "conditions", "expired", "limits", "hidden", "readings",
        "dependent"
    ],
    "4-over-time": [
        "crawls", "states", "panel", "changes", "transitions", "timeline", "edits", "voices", "expired", "instead",
        "vocabularies", "prohibited"
    ],
    "5-agents": ["sites", "blocked", "by_tld", "lists", "languages", "over_time", "changes", "movers"],
}  # fmt: skip


def scan(archives, folder):
    done = subprocess.run(
        [ROOT / "bin" / "acapscan", "scan", archives, "-o", folder], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    return scan("testdata/warc/good", tmp_path_factory.mktemp("good") / "tables")


@pytest.fixture(scope="session")
def tables_over_time(tmp_path_factory):
    return scan("testdata/warc/series", tmp_path_factory.mktemp("series") / "tables")


@pytest.fixture(scope="session")
def tables_without_acap(tmp_path_factory):
    return scan("testdata/warc/good/pages/conventional.warc.gz", tmp_path_factory.mktemp("conventional") / "tables")


def run(path, tables, also=""):
    """The notebook, executed on tables. Cell also, if any, comes after its last one. An error in a cell raises here."""
    notebook = nbformat.read(path, as_version=4)
    if also:
        notebook.cells.append(nbformat.v4.new_code_cell(also))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ACAPSCAN_TABLES", os.fspath(tables))
        nbclient.NotebookClient(
            notebook, timeout=300, resources={"metadata": {"path": os.fspath(path.parent)}}
        ).execute()
    return notebook


@pytest.fixture(scope="session")
def executed(tables, tables_over_time):
    """Gives for the name of a notebook: the notebook, executed on the archives made for it, and its key frames as lists
    of rows.
    """

    @functools.cache
    def of(name):
        frames = ", ".join(f'"{frame}": json.loads({frame}.to_json(orient="records"))' for frame in KEY_FRAMES[name])
        scanned = tables_over_time if name == "4-over-time" else tables
        notebook = run(
            ROOT / "notebooks" / f"{name}.ipynb", scanned, also=f"import json\nprint(json.dumps({{{frames}}}))"
        )
        return notebook, json.loads(notebook.cells.pop().outputs[0].text)

    return of


def outputs(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def images(outputs):
    return [base64.b64decode(output.data["image/png"]) for output in outputs if "image/png" in output.get("data", {})]


def ink(image):
    """The share of the pixels of a PNG that are not white."""
    return (matplotlib.image.imread(io.BytesIO(image))[:, :, :3].min(axis=2) < 0.9).mean()


def test_every_notebook_has_key_frames():
    assert [path.stem for path in NOTEBOOKS] == list(KEY_FRAMES)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_notebook_is_valid_and_has_no_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert [cell.outputs for cell in code] == [[]] * len(code)
    assert {cell.execution_count for cell in code} == {None}
    assert 'os.environ.get("ACAPSCAN_TABLES", "../out/demo")' in code[0].source


@pytest.mark.parametrize("name", KEY_FRAMES)
def test_key_frames_are_filled_without_a_warning(executed, name):
    notebook, frames = executed(name)
    assert {name for name, rows in frames.items() if not rows} == set()
    assert [output for output in outputs(notebook) if output.output_type == "stream"] == []


@pytest.mark.parametrize("name", KEY_FRAMES)
def test_figures_are_drawn(executed, name):
    notebook, _ = executed(name)
    drawn = 0
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        found = images(cell.outputs)
        drawing = re.findall(r"figures\.(?:shares|bars|rates|heat)\(", cell.source)
        assert len(found) == len(drawing), cell.source
        for image in found:
            height, width = matplotlib.image.imread(io.BytesIO(image)).shape[:2]
            assert width > 600 and height > 150
            assert ink(image) > 0.1  # axes and labels alone stay below 0.03
        drawn += len(found)
    assert drawn >= 4


def test_evidence_cuts_the_statement_out_of_the_archive(executed):
    _, frames = executed("2-acap-and-rep")
    for row in frames["evidence"]:
        # Archives of a crawl are named from crawl-data/ on, others as they were given to the scan.
        folder = ROOT / "testdata/warc/good" if row["warc_filename"].startswith("crawl-data/") else ROOT
        record = subprocess.run(row["cut_it_out"], shell=True, cwd=folder, capture_output=True, check=True).stdout
        assert row["raw"].encode() in record


def test_story_of_the_series_is_told(executed):
    """testdata/warc/README.md tells what each newspaper did; the frames must say so."""
    _, frames = executed("4-over-time")
    crawls = ["COAST-2008-48", "COAST-2009-48", "COAST-2011-48"]
    assert [row["crawl"] for row in frames["crawls"]] == crawls
    assert [row["not known"] for row in frames["states"]] == [0, 1, 0]
    assert frames["changes"] == [
        {"had none": 2, "adopted": 5, "kept": 4, "dropped": 0},
        {"had none": 2, "adopted": 0, "kept": 5, "dropped": 4},
    ]
    # gull-gazette edits its conventional rules alone, and the two drift apart.
    assert frames["edits"] == [
        {"same file": 2, "ACAP untouched": 0, "ACAP edited": 1},
        {"same file": 3, "ACAP untouched": 1, "ACAP edited": 1},
    ]
    assert [row["differ"] for row in frames["voices"]] == [0, 0, 1]
    assert {row["host"]: (row["new_fields"], row["new_metas"]) for row in frames["instead"]} == {
        "example,breakwater": ([], []),
        "example,buoy,east": (["license"], []),
        "example,capstan": ([], ["noarchive"]),
        "example,pilot-boat": ([], []),
    }


def test_blocked_crawlers_are_those_of_the_table(executed, tables):
    """Counted here site by site, from the rows of the crawl that the notebook chose."""
    _, frames = executed("5-agents")
    crawl = max(frames["sites"], key=lambda row: row["sites"])
    sites = {}
    for site, agent, extent, named in duckdb.execute(
        "SELECT site, agent, crawl_extent, len(named_in) FROM read_parquet(?) WHERE crawl = ?",
        [f"{tables}/agents/*/*.parquet", crawl["crawl"]],
    ).fetchall():
        sites.setdefault(site, {})[agent] = (extent, named)
    assert crawl["sites"] == len(sites) and crawl["block_any"] == sum(rows["*"][0] == "none" for rows in sites.values())
    agents = {agent for rows in sites.values() for agent in rows} - {"*"}
    assert len(frames["blocked"]) == len(agents) <= 30
    for row in frames["blocked"]:
        said = [rows.get(row["agent"], rows["*"][:1] + (0,)) for rows in sites.values()]
        assert row == {
            "agent": row["agent"],
            "named": sum(named > 0 for _, named in said),
            "by_name": sum(extent == "none" and named > 0 for extent, named in said),
            "as_any": sum(extent == "none" and named == 0 for extent, named in said),
            "partly": sum(extent == "some" for extent, _ in said),
            "sites": len(sites),
        }


def test_change_of_who_is_blocked_is_told(executed):
    """In testdata/warc/good some publishers have a robots.txt in crawls of 2012, 2018 and 2025."""
    _, frames = executed("5-agents")
    assert frames["changes"] == [
        {"block none": 3, "began": 0, "kept on": 1, "stopped": 0},
        {"block none": 0, "began": 2, "kept on": 0, "stopped": 0},
    ]
    assert [(row["agent"], row["began"], row["stopped"]) for row in frames["movers"]] == [("learnbot", 2, 0)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_tables_without_acap_are_no_error(path, tables_without_acap):
    notebook = run(path, tables_without_acap)
    text = "".join(output.text for output in outputs(notebook) if output.output_type == "stream")
    assert "these tables have nothing to draw" in text


def test_what_is_not_exact_is_counted(tmp_path):
    hostile = scan("testdata/warc/hostile", tmp_path / "tables")
    notebook = run(NOTEBOOKS[0], hostile, also='print(not_exact.drop(columns="crawl").to_json(orient="records"))')
    assert json.loads(notebook.cells[-1].outputs[0].text) == [
        {"sites": 4, "class": 1, "conflicts": 2, "approximate": 1, "permissions": 0, "extents": 1}
    ]


def test_folder_without_a_finished_run_is_told_in_a_sentence(tmp_path):
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="holds no finished run"):
        run(NOTEBOOKS[0], tmp_path)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Disallow: /*.pdf$", r"Disallow: /*.pdf\$"),
        ("a\x00b\n", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"),
        ("a" * 100, "a" * 69 + "…"),
    ],
)  # fmt: skip
def test_names_from_sites_are_shown_as_text(name, shown):
    assert figures.plain(name) == shown


@pytest.mark.parametrize(
    ("n", "of", "shown"),
    [(39, 101_698, "0.038%"), (0, 5, "0%"), (5, 5, "100%"), (1, 3, "33.3%"), (1, 1000, "0.10%"), (36, 1000, "3.6%")],
)
def test_rare_shares_have_two_digits(n, of, shown):
    assert figures.percent(n, of) == shown


def test_interval_is_that_of_wilson():
    """An end of the interval is a share from which the one seen is 1.96 standard deviations away."""
    for n, of in [(0, 5), (1, 1), (4, 212), (39, 101_698)]:
        for end in figures.wilson(n, of):
            assert abs(abs(n / of - end) - 1.959964 * (end * (1 - end) / of) ** 0.5) < 1e-9


def test_equal_rows_are_drawn_as_one():
    counts = pd.DataFrame({"a": [1, 2, 1, 1, 2], "b": [0, 1, 0, 0, 1]}, index=list("vwxyz"))
    assert list(figures.fold(counts).index) == ["v and 2 more alike", "w", "z"]
