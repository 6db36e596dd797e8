"""Runs the examples on engines of other projects, and compares each result with what the program's own core says.

`cargo xtask distributed` makes the pages and installs what is needed. A worker of the Ray cluster is killed while it audits.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import duckdb
import made
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import site_audit
from conftest import CpuWatch, Figures, adopt_orphans, children, cpu_of_ended, descendants, wait_for
from made import MadePage

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
AT = datetime(2026, 11, 23, 12, tzinfo=timezone.utc)
#: Files of the pages.
FILES = 8
#: Files of the pages as tables.
TABLES = 4
#: Pages whose cost is measured, where the corpus is not there.
COSTING = 200
#: What the program's own core tells of a finding, among the columns of the package.
FINDING = ("code", "severity", "points", "message", "line", "selector", "snippet")
Rows = dict[str, dict[str, Any]]


@pytest.fixture(scope="session")
def made_folder() -> Path:
    """Where the made pages are."""
    folder = os.environ.get("SITE_AUDIT_MADE_PAGES")
    if folder is None:
        pytest.fail("SITE_AUDIT_MADE_PAGES names the folder of the pages; cargo xtask distributed makes it")
    return Path(folder)


@pytest.fixture(scope="session")
def pages(made_folder: Path) -> list[MadePage]:
    """The made pages, and one that is gone."""
    return [*made.read(made_folder), MadePage("http://example.com/gone-for-good", b"<title>Gone</title>", 404)]


@pytest.fixture(scope="session")
def warcs(pages: list[MadePage], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return made.write_warcs(pages, tmp_path_factory.mktemp("warcs"), FILES)


@pytest.fixture(scope="session")
def tables(pages: list[MadePage], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    made.write_tables(pages, folder, TABLES)
    return folder


@pytest.fixture(scope="session")
def core() -> str:
    """The program's own core, built as the package is."""
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target/python/cargo"))
    command = ["cargo", "build", "--quiet", "--profile", "dist", "--locked", "--example", "core", "--manifest-path"]
    environment = {**os.environ, "CARGO_TARGET_DIR": target}
    subprocess.run([*command, str(HERE.parent / "Cargo.toml")], env=environment, check=True)
    return f"{target}/dist/examples/core"


@pytest.fixture(scope="session")
def own(
    core: str, pages: list[MadePage], figures: Figures, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Rows]:
    """What the program's own core says of the pages, as `warcs` have them and as `tables` have them."""
    found = {}
    for name, headers in (("warcs", made.HEADERS), ("tables", None)):
        folder = tmp_path_factory.mktemp(f"own-{name}")
        rows = folder / "rows.jsonl"
        printed = of_core(core, "rows", str(made.write_index(pages, folder, headers)), milliseconds(), str(rows))
        with open(rows, encoding="utf-8") as lines:
            found[name] = {row["url"]: row for row in map(json.loads, lines)}
        assert len(found[name]) == len(pages)
        if name == "tables":
            figures.add("the program's own core", len(pages), int(printed) * len(pages) / 1e6, "")
    return found


def of_core(core: str, *arguments: str) -> str:
    """What the core prints."""
    return subprocess.run([core, *arguments], capture_output=True, text=True, check=True).stdout


def milliseconds() -> str:
    return str(round(AT.timestamp() * 1000))


def rows(folder: Path) -> Rows:
    """The rows of all files by URL; no URL is there twice."""
    found = [row for path in sorted(folder.glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    return by_url(found)


def by_url(found: Sequence[dict[str, Any]]) -> Rows:
    by_url = {row["url"]: row for row in found}
    assert len(by_url) == len(found), "a page is there twice"
    return by_url


def assert_equal(found: Rows, own: Rows) -> None:
    """Rows of the package, each with what the program's own core says of its page."""
    assert sorted(found) == sorted(own), "not the same pages"
    for url, row in found.items():
        told = {name: row[name] for name in ("url", "score", "errors", "warnings", "notes", "error")}
        told["findings"] = [{name: finding[name] for name in FINDING} for finding in row["findings"]]
        assert told == own[url], url


class Cluster:
    """A Ray cluster on this machine: a head without work, and two workers of one core each."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.cpu = CpuWatch()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        port = self.address.rpartition(":")[2]
        self.nodes: dict[str, subprocess.Popen[bytes]] = {}
        self.start("head", "--head", f"--port={port}", "--num-cpus=0", "--include-dashboard=false")

    def start(self, name: str, *arguments: str) -> None:
        ray = str(Path(sys.executable).parent / "ray")
        command = [ray, "start", "--block", "--disable-usage-stats", f"--node-name={name}", "--object-store-memory=100000000"]
        environment = {**os.environ, "PYTHONPATH": str(HERE)}
        with open(self.log, "ab") as log:
            self.nodes[name] = subprocess.Popen([*command, *arguments], env=environment, stdout=log, stderr=log)
        self.cpu.roots.add(self.nodes[name].pid)

    def kill(self, name: str) -> None:
        """Kills a node with every process of it, as a machine that loses power."""
        self.cpu.roots.discard(self.nodes[name].pid)
        for process in reversed(descendants(self.nodes[name].pid)):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.nodes.pop(name).wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    ray = pytest.importorskip("ray")
    import on_ray

    cluster = Cluster(tmp_path_factory.mktemp("ray") / "log")
    os.environ["RAY_ADDRESS"] = cluster.address
    try:
        deadline = time.monotonic() + 300
        while True:
            try:
                on_ray.connect()
                break
            except ConnectionError:
                assert time.monotonic() < deadline, "the head of the cluster does not answer"
        for number, name in enumerate(("worker-1", "worker-2"), start=2):
            cluster.start(name, f"--address={cluster.address}", "--num-cpus=1")
            while sum(node["Alive"] for node in ray.nodes()) < number:
                assert cluster.nodes[name].poll() is None, f"{name} has ended: {cluster.log.read_text()}"
                assert time.monotonic() < deadline, f"{name} does not join: {cluster.log.read_text()}"
        yield cluster
    finally:
        # First, as a driver whose head is gone ends its process.
        ray.shutdown()
        os.environ.pop("RAY_ADDRESS", None)
        cluster.cpu.stop()
        for name in list(cluster.nodes):
            cluster.kill(name)


def run(name: str, *arguments: str, **environment: str) -> tuple[str, float]:
    """Runs an example as a user does: what it prints, and the CPU seconds of all its processes."""
    adopt_orphans()
    # The cluster of other tests is none of its business.
    inherited = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    settings = {**inherited, "PYSPARK_PYTHON": sys.executable, "DO_NOT_TRACK": "true", **environment}
    command = [sys.executable, str(HERE / name), *arguments]
    others, before = children(), cpu_of_ended()
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    wait_for(children() - others)
    return done.stdout, cpu_of_ended() - before


def test_batch(tables: Path, own: dict[str, Rows], figures: Figures) -> None:
    table = pq.read_table(tables)
    begin = time.process_time()
    audited = site_audit.audit_batch(table, threads=1, at=AT)
    taken = time.process_time() - begin
    assert_equal(by_url(audited.to_pylist()), own["tables"])
    figures.add("`audit_batch`", table.num_rows, taken)


@pytest.fixture(scope="session")
def on_one_machine(
    warcs: list[str], own: dict[str, Rows], figures: Figures, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Parquet files of `one_machine.py`."""
    folder = tmp_path_factory.mktemp("one-machine")
    printed, taken = run("one_machine.py", str(folder), *warcs)
    found = rows(folder)
    assert printed.split()[0] == str(len(found))
    assert_equal(found, own["warcs"])
    figures.add("`one_machine.py`, WARC to Parquet", len(found), taken)
    return folder


def test_machine(on_one_machine: Path) -> None:
    assert len(list(on_one_machine.glob("*.parquet"))) == FILES


def in_the_middle(folder: Path) -> str:
    """A machine that has begun a file and not ended it."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for marker in folder.glob(".begun-*"):
            name, machine = marker.name.removeprefix(".begun-").rsplit("-", 1)
            if not (folder / f"{name}.parquet").exists():
                return machine
    pytest.fail("no worker is at work: make more pages")


def test_ray_with_a_worker_that_is_killed(
    cluster: Cluster, warcs: list[str], own: dict[str, Rows], figures: Figures, tmp_path: Path
) -> None:
    import on_ray
    import ray

    auditor = site_audit.Auditor(threads=1, at=AT)
    done: dict[str, str] = {}
    lost = None
    before = cluster.cpu.seconds()
    for path, count, machine in on_ray.audit_files(warcs, str(tmp_path), auditor):
        done[path] = machine
        assert count == pq.read_metadata(tmp_path / f"{Path(path).name}.parquet").num_rows
        if lost is None and len(done) >= 2:
            lost = in_the_middle(tmp_path)
            name = next(node["NodeName"] for node in ray.nodes() if node["NodeID"] == lost)
            cluster.kill(name)
    taken = cluster.cpu.seconds() - before
    assert lost is not None
    assert sorted(done) == sorted(warcs)
    found = rows(tmp_path)
    assert_equal(found, own["warcs"])
    begun_by = [marker.name.removeprefix(".begun-").rsplit("-", 1) for marker in tmp_path.glob(".begun-*")]
    again = len(begun_by) - len(warcs)
    assert again > 0, "the file that the lost worker had begun is begun again"
    figures.add("`on_ray.py`, one of two workers killed", len(found), taken, f"equal, {again} of {FILES} files begun again")


def test_daft(tables: Path, own: dict[str, Rows], figures: Figures, tmp_path: Path) -> None:
    pytest.importorskip("daft")
    printed, taken = run("on_daft.py", f"{tables}/*.parquet", str(tmp_path))
    found = rows(tmp_path)
    assert_equal(found, own["tables"])
    assert printed.split()[-2:] == [str(len(found)), "pages"]
    figures.add("`on_daft.py`", len(found), taken)


def test_daft_on_ray(
    cluster: Cluster, tables: Path, own: dict[str, Rows], figures: Figures, tmp_path: Path
) -> None:
    pytest.importorskip("daft")
    before = cluster.cpu.seconds()
    _, of_driver = run("on_daft.py", f"{tables}/*.parquet", str(tmp_path), RAY_ADDRESS=cluster.address)
    taken = of_driver + cluster.cpu.seconds() - before
    found = rows(tmp_path)
    assert_equal(found, own["tables"])
    figures.add("`on_daft.py` on Ray", len(found), taken)


def test_spark(tables: Path, own: dict[str, Rows], figures: Figures, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    # A master and two workers of a core and 1 GB each, all on this machine.
    cluster = "--master local-cluster[2,1,1024] pyspark-shell"
    printed, taken = run("on_spark.py", str(tables), str(tmp_path / "audited"), PYSPARK_SUBMIT_ARGS=cluster)
    found = rows(tmp_path / "audited")
    assert_equal(found, own["tables"])
    assert f"{len(found)} pages" in printed
    figures.add("`on_spark.py`, two workers", len(found), taken)


def test_duckdb(on_one_machine: Path, made_folder: Path, pages: list[MadePage], figures: Figures) -> None:
    files = f"'{on_one_machine}/*.parquet'"
    begin = time.process_time()
    counts = f"select count(*), count(distinct url), count(*) filter (error is not null) from {files}"
    assert duckdb.execute(counts).fetchall() == [(len(pages), len(pages), 0)]
    known = json.loads((made_folder / "known.json").read_bytes())
    planted = {(code, url) for code, urls in known["findings"].items() for url in urls}
    assert planted, "nothing is planted"
    found = duckdb.execute(
        f"select finding.code, url from (select url, unnest(findings) as finding from {files}) where finding.code in ?",
        [list(known["findings"])],
    ).fetchall()
    assert {(code, url) for code, url in found if url in set(known["pages"])} == planted
    # The queries of the guide.
    guide = (ROOT / "docs/many-machines.md").read_text(encoding="utf-8")
    queries = [sql for sql in re.findall(r"```sql\n(.*?)```", guide, re.DOTALL) if "'audited/*.parquet'" in sql]
    assert queries
    for sql in queries:
        assert duckdb.execute(sql.replace("'audited/*.parquet'", files)).fetchall(), sql
    taken = time.process_time() - begin
    figures.add("DuckDB, queries over that Parquet", len(pages), taken, f"{len(planted)} findings as planted")


def test_costs(core: str, pages: list[MadePage], tmp_path: Path) -> None:
    """Prints CPU time beside the program's own core. Nothing depends on the speed of this machine."""
    rounds = 5
    corpus = Path(os.environ.get("SITE_AUDIT_SHARED", ROOT.parent / "shared")) / "corpus"
    real = [path.read_bytes() for path in sorted(corpus.glob("*.html"))]
    if not real:
        print(f"\npassed over: no pages in {corpus}; made pages are measured")
    html = real or [page.html for page in pages[:COSTING]]
    costed = [MadePage(f"https://example.com/{number}", page) for number, page in enumerate(html)]
    index = made.write_index(costed, tmp_path, None)
    lines = of_core(core, "costs", str(index), milliseconds(), str(rounds), str(len(costed))).splitlines()
    own = {name: [int(line.split()[2]) for line in lines if line.split()[1] == name] for name in ("quick", "proven")}
    table = pa.table({"url": [page.url for page in costed], "html": pa.array(html, pa.binary())})
    mean = sum(map(len, html)) / len(html) / 1000
    print(f"\n{len(html)} pages, {mean:.0f} KB in the mean; medians of {rounds} rounds, CPU time of one core")
    for name, fixes in (("quick", False), ("proven", True)):
        taken = []
        for _ in range(rounds):
            begin = time.process_time()
            audited = site_audit.audit_batch(table, fixes=fixes, threads=1, at=AT)
            taken.append((time.process_time() - begin) / len(html) * 1e6)
            assert audited["error"].null_count == len(html)
        package, program = statistics.median(taken), statistics.median(own[name])
        print(
            f"{name}: program {program:.0f} us a page, {1e6 / program:.0f} pages/s; "
            f"package {package:.0f} us, {1e6 / package:.0f} pages/s; ratio {program / package:.2f}"
        )
