"""The Python package, as installed from its wheel into a virtual environment of its own: see `make wheels-test`."""

import ast
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import acapscan
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHIVES = ROOT / "testdata" / "warc"
ROBOTS = ROOT / "docs" / "examples" / "robots.txt"
PAGE = ROOT / "docs" / "examples" / "page.html"
POLICY = """##ACAP version=1.1
User-agent: *
Disallow: /news/

ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-allow-present-snippet: /news/ max-length=200-chars
ACAP-disallow-other: /news/
ACAP-disallow-preserve: /

ACAP-crawler: *
ACAP-usage-purpose: news
ACAP-disallow-crawl: /
"""
"""Its answers depend on the purpose, and on the interpretation of the ACAP specifications."""

TABLES = ["adoption", "agents", "conflicts", "directives", "inputs", "pages", "permissions", "robots"]


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    return acapscan.scan(ARCHIVES / "good", tmp_path_factory.mktemp("scan") / "it's a folder")


def alone(code, *arguments):
    """Run code with the package alone, without the packages of the tests."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def processes(argument):
    """The numbers of the processes with an argument."""
    for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended
            if os.fsencode(argument) in file.read_bytes().split(b"\0"):
                yield int(file.parent.name)


def test_package_comes_from_the_wheel():
    assert pathlib.Path(acapscan.__file__).is_relative_to(sys.prefix)
    assert acapscan.binary().is_relative_to(sys.prefix)


def test_command_and_module_are_the_same_program():
    said = subprocess.run([acapscan.binary(), "version"], capture_output=True, text=True, check=True).stdout
    module = subprocess.run([sys.executable, "-m", "acapscan", "version"], capture_output=True, text=True, check=True)
    assert module.stdout == said
    git = ["git", "rev-parse", "--short=12", "HEAD"]
    commit = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    assert f"(commit {commit or 'unknown'}, " in said  # unknown: unpacked sources without git
    assert subprocess.run([sys.executable, "-m", "acapscan", "frob"], capture_output=True).returncode == 2


def test_scan_needs_no_other_package(tmp_path):
    code = "import acapscan, sys; print(list(acapscan.scan(sys.argv[1], sys.argv[2])))"
    done = alone(code, ARCHIVES / "good", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert ast.literal_eval(done.stdout) == TABLES


def test_tables_without_duckdb_name_the_package(run):
    done = alone("import acapscan, sys; acapscan.tables(sys.argv[1])['robots'].relation()", run.folder)
    assert "No module named 'duckdb'" in done.stderr


def test_binary_is_found_where_the_environment_was_moved(tmp_path):
    """As Spark unpacks --archives."""
    packages = pathlib.Path(acapscan.__file__).parents[1]
    moved = tmp_path / "moved" / packages.relative_to(sys.prefix)
    moved.mkdir(parents=True)
    for entry in packages.glob("acapscan*"):
        shutil.copytree(entry, moved / entry.name)
    binary = tmp_path / "moved" / acapscan.binary().relative_to(sys.prefix)
    binary.parent.mkdir()
    shutil.copy2(acapscan.binary(), binary)
    done = alone("import sys; sys.path.insert(0, sys.argv[1]); import acapscan; print(acapscan.binary())", moved)
    assert done.stdout.strip() == str(binary), done.stderr


def test_binary_is_found_after_pip_install_target(tmp_path):
    packages = pathlib.Path(acapscan.__file__).parent
    shutil.copytree(packages, tmp_path / "acapscan")
    (tmp_path / "bin").mkdir()
    shutil.copy2(acapscan.binary(), tmp_path / "bin")
    code = """if True:
        import sys
        sys.path = [sys.argv[1], *[entry for entry in sys.path if "site-packages" not in entry]]
        import acapscan
        print(acapscan.binary())
    """
    done = alone(code, tmp_path)
    assert done.stdout.strip() == str(tmp_path / "bin" / acapscan.binary().name), done.stderr
    (tmp_path / "bin" / acapscan.binary().name).unlink()
    assert "install it from a wheel" in alone(code, tmp_path).stderr


def test_spark_job_takes_the_binary_of_the_package():
    command = [sys.executable, "-c", "import acapscan_spark; print(acapscan_spark.find_binary(None))"]
    done = subprocess.run(command, cwd=ROOT / "cmd" / "acapscan-spark", capture_output=True, text=True)
    assert done.stdout.strip() == str(acapscan.binary()), done.stderr


def test_tables_have_the_rows_of_the_manifest_in_every_frame(run):
    assert list(run) == TABLES
    assert len(run) == len(TABLES)
    for name, table in run.items():
        rows = run.manifest["tables"][name]["rows"]
        assert rows > 0
        assert [len(table.relation()), len(table.pandas()), len(table.polars())] == [rows] * 3
        assert table.polars().columns == list(table.pandas().columns) == table.relation().columns


def test_python_in_the_readme_ends_in_a_frame(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    *lines, last = code.replace("out/from-python", str(tmp_path / "out")).splitlines()
    names = {}
    exec("\n".join(lines), names)
    assert len(eval(last, names)) > 10


def test_crawl_is_text_and_time_is_utc(run):
    robots = run["robots"].polars()
    assert str(robots.schema["crawl"]) == "String"
    assert robots.schema["fetch_time"].time_zone == "UTC"


def test_sql_asks_the_views(run):
    sites = run.sql("SELECT count(DISTINCT site) FROM adoption").fetchall()[0][0]
    assert sites == run["adoption"].pandas()["site"].nunique() > 1


def test_table_that_does_not_exist_names_those_that_do(run):
    with pytest.raises(KeyError, match="no table 'robot'; there are adoption, agents"):
        run["robot"]


def test_folder_without_a_finished_run(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no finished run"):
        acapscan.tables(tmp_path)


def test_connection_of_ones_own_gets_the_views(run):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        opened = acapscan.tables(run.folder, connection=connection)
        assert opened.connection is connection
        assert len(opened["robots"].relation()) == run.manifest["tables"]["robots"]["rows"]


class Recorder:
    """A connection that keeps what it is asked, and has every extension."""

    def __init__(self):
        self.asked = []

    def execute(self, query):
        self.asked.append(query)


@pytest.mark.parametrize(
    ("environment", "options", "secret"),
    [
        ({"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "it's"}, {},
         "REGION 'us-east-1', KEY_ID 'k', SECRET 'it''s'"),
        ({"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t", "AWS_REGION": "eu-west-2"},
         {"s3_region": "eu-west-1"}, "REGION 'eu-west-1', KEY_ID 'k', SECRET 's', SESSION_TOKEN 't'"),
        ({"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9/"}, {"s3_anonymous": True},
         "REGION 'us-east-1', ENDPOINT '127.0.0.1:9', URL_STYLE 'path', USE_SSL False"),
        ({"AWS_ACCESS_KEY_ID": "k"}, {"s3_profile": "p", "s3_endpoint": "https://a.example"},
         "PROVIDER 'credential_chain', PROFILE 'p', ENDPOINT 'a.example', URL_STYLE 'path', USE_SSL True"),
        ({}, {}, "PROVIDER 'credential_chain'"),
    ],
)  # fmt: skip
def test_secret_for_s3(monkeypatch, environment, options, secret):
    """make services reads tables of real services."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    connection = Recorder()
    acapscan._prepare_s3(connection, options)
    assert connection.asked[0] == "LOAD httpfs"
    assert ("LOAD aws" in connection.asked) == ("credential_chain" in secret)
    assert connection.asked[-1] == f"CREATE SECRET (TYPE s3, {secret})"


def test_folder_of_arrow_files(tmp_path):
    arrow = acapscan.scan([ARCHIVES / "good" / "pages" / "meta.warc.gz"], tmp_path / "out", format="arrow")
    assert arrow.manifest["tables"]["pages"]["rows"] > 0
    with pytest.raises(FileNotFoundError, match="--format parquet"):
        arrow["pages"].relation()


def test_folder_that_duckdb_takes_for_a_pattern(run, tmp_path):
    (tmp_path / "a,b").symlink_to(run.folder)
    shutil.copytree(run.folder, tmp_path / "c[1]")
    assert len(acapscan.tables(tmp_path / "a,b")["robots"].relation()) > 0  # by its real name
    with pytest.raises(ValueError, match="rename it"):
        acapscan.tables(tmp_path / "c[1]")["robots"].relation()


def test_options_are_flags(tmp_path):
    archive = ARCHIVES / "good" / "pages" / "meta.warc.gz"
    given = {"agents": ["GPTBot", "CCBot"], "no_verbatim": True, "pages": "all", "min_complete": 0.5, "subset": None}
    run = acapscan.scan(archive, tmp_path / "out", **given)
    options = run.manifest["options"]
    assert [options["agents"], options["no-verbatim"], options["pages"]] == ["CCBot,GPTBot", "true", "all"]


def test_wrong_option_is_an_error_in_the_words_of_the_command(tmp_path):
    with pytest.raises(acapscan.AcapscanError, match="there is no flag --memry; did you mean --memory") as error:
        acapscan.scan("x.warc.gz", tmp_path / "out", memry="1GB")
    assert error.value.status == 2


def test_missing_input_is_an_error(tmp_path):
    with pytest.raises(acapscan.AcapscanError, match="absent.warc.gz"):
        acapscan.scan(tmp_path / "absent.warc.gz", tmp_path / "out")


def test_damaged_archives_give_a_warning_and_tables(tmp_path):
    with pytest.warns(acapscan.IncompleteWarning, match="unreadable or cut"):
        run = acapscan.scan(ARCHIVES / "damaged", tmp_path / "out")
    assert run.sql("SELECT count(*) FROM inputs WHERE NOT complete OR error IS NOT NULL").fetchall()[0][0] > 0


def test_progress_goes_to_standard_error(tmp_path, capsys):
    acapscan.scan(ARCHIVES / "good", tmp_path / "quiet")
    assert capsys.readouterr().err == ""
    acapscan.scan(ARCHIVES / "good", tmp_path / "loud", progress="json")
    assert any(json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{"))


@pytest.mark.skipif(sys.platform != "linux", reason="it looks for the process in /proc")
def test_interrupted_scan_ends_the_command(tmp_path):
    """The command reads a pipe that never ends, until the notebook is interrupted."""
    pipe = tmp_path / "endless.warc"
    os.mkfifo(pipe)
    pids = []

    def interrupt():
        with open(pipe, "wb") as writer:  # waits for the command
            writer.write(b"WARC/1.0\r\n")
            writer.flush()
            pids.extend(processes(pipe))
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    try:
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            acapscan.scan(pipe, tmp_path / "out")
    finally:
        signal.signal(signal.SIGINT, before)
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_explain_gives_what_the_command_prints(tmp_path):
    robots = tmp_path / "robots.txt"
    robots.write_text(POLICY)
    url = "https://example.com/news/1.html"
    command = [acapscan.binary(), "explain", "--json", "--robots", robots, "--page", PAGE, "--url", url]
    lines = subprocess.run(command, capture_output=True, check=True).stdout.splitlines()
    found = acapscan.explain(url, robots=robots, page=PAGE)
    assert len(found) == len(lines) > 10

    def plain(value):
        if isinstance(value, tuple):
            return [plain(part) for part in value]
        if hasattr(value, "__dataclass_fields__"):
            # A verdict has a locator only in a referred file.
            return {name: plain(part) for name, part in vars(value).items() if name != "locator" or part is not None}
        return value

    assert [plain(explanation) for explanation in found] == [json.loads(line) for line in lines]
    assert any(explanation.elements for explanation in found)
    assert any(explanation.other_readings for explanation in found)
    assert any(explanation.lost for explanation in found)
    assert any(explanation.other_purposes for explanation in found)
    assert any(explanation.qualifiers for explanation in found)


def test_explain_reads_bytes_and_lists():
    robots = b"User-agent: *\nDisallow: /x\n"
    (crawl,) = acapscan.explain("https://a.example/x", robots=robots, usage="crawl")
    assert (crawl.decision, crawl.deciding[0].raw, crawl.deciding[0].line) == ("disallowed", "Disallow: /x", 2)
    headers = ["X-Robots-Tag: noarchive", "X-Robots-Tag: noindex"]
    (index,) = acapscan.explain("https://a.example/y", robots=robots, header=headers, usage="index")
    assert (index.decision, index.deciding[0].raw) == ("disallowed", headers[1])


def test_site_of_a_run_and_a_capture_are_explained(run):
    query = """SELECT site, crawl, warc_filename, warc_record_offset FROM robots
        WHERE site = 'http://www.lantern.example' AND crawl = 'CC-MAIN-2012-21' AND fetch_status = 200"""
    site, crawl, archive, offset = run.sql(query).fetchall()[0]
    of_site = run.explain(site, crawl=crawl, usage="preserve", base_url=ARCHIVES / "good")
    (file,) = ARCHIVES.rglob(pathlib.Path(archive).name)
    of_capture = acapscan.explain(source=file, offset=offset, usage="preserve")
    for (answer,) in (of_site, of_capture):
        assert (answer.decision, answer.deciding[0].raw) == ("disallowed", "ACAP-disallow-preserve: /")


def test_explain_of_no_url_is_an_error():
    with pytest.raises(acapscan.AcapscanError, match="mailto") as error:
        acapscan.explain("mailto:a@a.example")
    assert error.value.status == 2
