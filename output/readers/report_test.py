"""The numbers of `acapscan report` are those that DuckDB counts in the tables of the same run.

The program is bin/acapscan, which `make readers` builds.
"""

import base64
import csv
import html
import io
import pathlib
import re
import subprocess

import duckdb
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "bin" / "acapscan"

# For each figure: the query of what its numbers are, and the columns that the answer has in the CSV of the figure. The
# first column names the row.
FIGURES = {
    "class": (
        "SELECT adoption_class, count(*), count(*) / (SELECT count(*) FROM adoption) FROM adoption GROUP BY 1",
        ["Class", "Sites", "of sites seen"],
    ),
    "outcomes": (
        """SELECT robots_outcome, count(*), count(*) / (SELECT count(*) FROM adoption) FROM adoption GROUP BY 1""",
        ["Outcome", "Sites", "Share"],
    ),
    "crawls": (
        """SELECT crawl, count(*), count(*) FILTER (adoption_class <> 'none'),
            count(*) FILTER (adoption_class <> 'none') / count(*) FROM adoption GROUP BY 1""",
        ["Crawl", "Sites seen", "with ACAP", "of sites seen"],
    ),
    "agents-blocked": (
        """WITH star AS (SELECT crawl, site, crawl_extent FROM agents WHERE agent = '*'),
            names AS (SELECT DISTINCT agent FROM agents)
        SELECT n.agent, count(*) FILTER (coalesce(a.crawl_extent, s.crawl_extent) = 'none'),
            count(*) FILTER (a.crawl_extent = 'none' AND len(a.named_in) > 0 AND n.agent <> '*'),
            count(*) FILTER (coalesce(a.crawl_extent, s.crawl_extent) = 'some')
        FROM star s CROSS JOIN names n LEFT JOIN agents a ON a.crawl = s.crawl AND a.site = s.site AND a.agent = n.agent
        GROUP BY 1""",
        ["Crawler", "Blocked fully", "of them by name", "Blocked in part"],
    ),
    "agents-crawls": (
        """WITH star AS (SELECT crawl, site, crawl_extent FROM agents WHERE agent = '*'),
            names AS (SELECT DISTINCT agent FROM agents)
        SELECT n.agent, count(*) FILTER (coalesce(a.crawl_extent, s.crawl_extent) = 'none') / count(*)
        FROM star s CROSS JOIN names n LEFT JOIN agents a ON a.crawl = s.crawl AND a.site = s.site AND a.agent = n.agent
        WHERE s.crawl = 'CC-MAIN-2018-34' GROUP BY 1""",
        ["Crawler", "CC-MAIN-2018-34"],
    ),
    "kinds": (
        """WITH sites AS (
            SELECT kind, crawl, site, bool_or(severity = 'contradiction') AS contradicts, count(*) AS n
            FROM conflicts GROUP BY ALL)
        SELECT kind, count(*), count(*) FILTER (contradicts), count(*) FILTER (NOT contradicts), sum(n)
        FROM sites GROUP BY 1""",
        ["Kind", "Sites", "with a contradiction", "with overrides alone", "Conflicts"],
    ),
    "sites": (
        """SELECT usage, count(*) FILTER (decision = 'conditional'),
            count(*) FILTER (decision = 'disallowed' AND basis <> 'crawl-prohibited'), count(*)
        FROM permissions WHERE scope = 'site' AND agent = '*' AND purpose IS NULL AND family = 'acap' GROUP BY 1""",
        ["Usage", "conditional", "disallowed", "Sites"],
    ),
    "preferences": (
        """SELECT usage, count(*) FILTER (decision = 'allowed'),
            count(*) FILTER (decision = 'disallowed' AND basis <> 'crawl-prohibited'),
            count(*) FILTER (decision = 'unstated' AND basis <> 'crawl-prohibited'), count(*)
        FROM permissions WHERE scope = 'site' AND agent = '*' AND purpose IS NULL AND family = 'ai' GROUP BY 1""",
        ["Usage", "allowed", "disallowed", "unstated", "Sites"],
    ),
    "usage-by-agent": (
        """WITH site AS (
            SELECT crawl, site, agent, usage, extent = 'none' AS nowhere FROM permissions
            WHERE scope = 'site' AND purpose IS NULL AND family = 'acap'
        ), named AS (
            SELECT s.crawl, s.site, s.usage, coalesce(own.nowhere, s.nowhere) AS nowhere
            FROM site s LEFT JOIN site own
                ON own.crawl = s.crawl AND own.site = s.site AND own.usage = s.usage AND own.agent = 'searchbot1'
            WHERE s.agent = '*'
        )
        SELECT usage, count(*) FILTER (site.nowhere) / count(*), any_value(named.nowhere)
        FROM (SELECT * FROM site WHERE agent = '*') site
        JOIN (SELECT usage, count(*) FILTER (nowhere) / count(*) AS nowhere FROM named GROUP BY 1) named USING (usage)
        GROUP BY 1""",
        ["Usage", "*", "searchbot1"],
    ),
    "usage": (
        """SELECT usage, count(*) FILTER (sense = 'allow'), count(*) FILTER (sense = 'disallow') FROM directives
        WHERE vocabulary = 'acap' AND status IN ('valid', 'repaired') AND usage IS NOT NULL AND sense IS NOT NULL
        GROUP BY 1""",
        ["Usage", "allow", "disallow"],
    ),
    "vocabulary": (
        """SELECT vocabulary, count(*) FILTER (vocabulary NOT IN ('acap', 'rep') OR vocabulary = 'acap' AND acap
                OR vocabulary = 'rep' AND (rules OR pages))
        FROM (
            SELECT unnest(['acap', 'rep', 'aipref', 'content-signal', 'noai']) AS vocabulary,
                adoption_class <> 'none' AS acap, coalesce(rep_rules, 0) > 0 AS rules, robots_vocabularies AS robots,
                pages_vocabularies AS by_carrier,
            FROM adoption
        ), LATERAL (
            SELECT len(list_filter(map_keys(by_carrier), lambda k: split_part(k, ' ', 1) = vocabulary)) > 0 AS pages
        )
        WHERE pages OR map_contains(robots, vocabulary) OR vocabulary IN ('acap', 'rep') GROUP BY 1""",
        ["Vocabulary", "Sites"],
    ),
    "pages": (
        """SELECT unnest(['ACAP META', 'ACAP class token', 'conventional META', 'ACAP META, in place of robots.txt']),
            unnest([sum(pages_acap_meta), sum(pages_acap_class), sum(pages_conventional_meta),
                (SELECT count(*) FROM pages WHERE url_path = '/robots.txt' AND url_query IS NULL AND acap_meta > 0)])
        FROM adoption""",
        ["Page captures with", "Number"],
    ),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The report of a scan of good archives, and DuckDB over its tables."""
    folder = tmp_path_factory.mktemp("report") / "tables"
    subprocess.run([PROGRAM, "scan", "testdata/warc/good", "-o", folder], cwd=ROOT, capture_output=True, check=True)
    page = subprocess.run([PROGRAM, "report", folder, "-o", "-"], capture_output=True, check=True, text=True).stdout
    with duckdb.connect() as connection, pytest.MonkeyPatch.context() as place:
        place.chdir(folder)
        connection.execute((folder / "views.sql").read_text())
        yield page, connection


def saved(page, name):
    """The file that the page offers under a name."""
    (address,) = re.findall(rf'download="{re.escape(name)}" href="data:[^"]*;base64,([^"]*)"', page)
    return base64.b64decode(html.unescape(address)).decode()


@pytest.mark.parametrize("figure", FIGURES)
def test_figure_has_the_numbers_of_the_tables(figure, run):
    page, connection = run
    query, columns = FIGURES[figure]
    rows = {row[columns[0]]: row for row in csv.DictReader(io.StringIO(saved(page, f"acapscan-{figure}.csv")))}
    answers = connection.execute(query).fetchall()
    if figure == "agents-crawls":  # the ten most blocked crawlers, and *
        answers = [answer for answer in answers if answer[0] in rows]
        assert len(answers) == 11
    assert answers
    for name, *numbers in answers:
        shown = [float(rows[name][column]) for column in columns[1:]]
        assert shown == pytest.approx([float(n) for n in numbers], rel=1e-5), name


def test_findings_have_the_numbers_of_the_tables(run):
    page, connection = run
    blocked, adoption, conflicts = re.findall(r"<li><b>[^<]*</b><p>(.*?)</p>", page)
    (sites, adopters) = connection.execute(
        "SELECT count(*), count(*) FILTER (adoption_class <> 'none') FROM adoption"
    ).fetchone()
    assert f"ACAP is used by {adopters:,} of {sites:,} sites seen" in adoption
    (contradicting,) = connection.execute(
        "SELECT count(DISTINCT (crawl, site)) FROM conflicts WHERE severity = 'contradiction' AND kind <> 'reading'"
    ).fetchone()
    assert conflicts.startswith(f"On {contradicting:,} of {sites:,} sites seen")
    (read,) = connection.execute("SELECT count(*) FROM agents WHERE agent = '*'").fetchone()
    assert f"of {read:,} sites with a robots.txt" in blocked
