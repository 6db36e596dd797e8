"""Runs the examples on engines of other projects, and compares each result with that of one machine.

`cargo xtask distributed` installs what they need. A worker of the Ray cluster is killed while it audits.
"""

from __future__ import annotations

import io
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import duckdb
import one_machine
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import site_audit
import warc
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
AT = datetime(2026, 11, 23, 12, tzinfo=timezone.utc)
#: WARC files that are made, each with every page.
FILES = 12
Rows = dict[str, dict[str, Any]]


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of HTML pages: the corpus, or pages of our own where it is not there."""
    corpus = Path(os.environ.get("SITE_AUDIT_SHARED", ROOT.parent / "shared")) / "corpus"
    folder = tmp_path_factory.mktemp("sources")
    pages = [path.read_bytes() for path in sorted(corpus.glob("*.html"))]
    if not pages:
        print(f"passed over: no pages in {corpus}; pages of our own are audited")
        text = b"<p>Bread made of manioc flour and cheese.</p>\n"
        pages = [b"<!doctype html><title>Bread</title>" + text * (50 * number) for number in range(100)]
    for number, page in enumerate(pages):
        (folder / f"{number:03}.html").write_bytes(page)
    return folder


@pytest.fixture(scope="session")
def warcs(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """WARC files: every page, an image, and a page that is gone."""
    folder = tmp_path_factory.mktemp("warcs")
    pages = [path.read_bytes() for path in sorted(sources.iterdir())]
    made = []
    for file in range(FILES):
        path = folder / f"archive-{file:02}.warc.gz"
        with open(path, "wb") as stream:
            writer = WARCWriter(stream, gzip=True)
            for number, page in enumerate(pages):
                write(writer, f"https://example.com/{file}/{number}", "200 OK", "text/html", page)
            write(writer, f"https://example.com/{file}/a.png", "200 OK", "image/png", b"\x89PNG")
            write(writer, f"https://example.com/{file}/gone", "404 Not Found", "text/html", b"<title>Gone</title>")
        made.append(str(path))
    return made


def write(writer: WARCWriter, url: str, status: str, kind: str, body: bytes) -> None:
    headers = StatusAndHeaders(status, [("Content-Type", kind), ("X-Robots-Tag", "all")], protocol="HTTP/1.1")
    writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=headers))


@pytest.fixture(scope="session")
def expected(warcs: list[str], tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """What one machine says of the files."""
    folder = tmp_path_factory.mktemp("one-machine")
    for path in warcs:
        one_machine.audit_file(path, str(folder), site_audit.Auditor(at=AT))
    return rows(folder)


@pytest.fixture(scope="session")
def pages(warcs: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages as tables, without headers."""
    folder = tmp_path_factory.mktemp("pages")
    for path in warcs[:4]:
        table = pa.Table.from_batches(warc.pages(path)).drop(["headers"])
        pq.write_table(table, folder / f"{Path(path).name}.parquet", row_group_size=64)
    return folder


@pytest.fixture(scope="session")
def expected_of_tables(pages: Path) -> Rows:
    tables = [site_audit.audit_batch(pq.read_table(path), at=AT) for path in sorted(pages.iterdir())]
    return {row["url"]: row for table in tables for row in table.to_pylist()}


def rows(folder: Path) -> Rows:
    """The rows of all files by URL; no URL is there twice."""
    found = [row for path in sorted(folder.glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    by_url = {row["url"]: row for row in found}
    assert len(by_url) == len(found)
    return by_url


class Cluster:
    """A Ray cluster on this machine: a head without work, and two workers of one core each."""

    def __init__(self, log: Path) -> None:
        self.log = log
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

    def kill(self, name: str) -> None:
        """Kills a node with every process of it, as a machine that loses power."""
        for process in reversed(descendants(self.nodes[name].pid)):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.nodes.pop(name).wait()


def descendants(process: int) -> list[int]:
    """A process and those that it started, directly or not."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, place = [process], 0
    while place < len(found):
        found.extend(parents.get(found[place], []))
        place += 1
    return found


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    import on_ray
    import ray

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
        for name in list(cluster.nodes):
            cluster.kill(name)


def test_ray_with_a_worker_that_is_killed(
    cluster: Cluster, warcs: list[str], expected: Rows, tmp_path: Path
) -> None:
    import on_ray
    import ray

    auditor = site_audit.Auditor(threads=1, at=AT)
    done: dict[str, str] = {}
    lost = None
    for path, count, machine in on_ray.audit_files(warcs, str(tmp_path), auditor):
        done[path] = machine
        assert count == pq.read_metadata(tmp_path / f"{Path(path).name}.parquet").num_rows
        begun = {tuple(marker.name.removeprefix(".begun-").rsplit("-", 1)) for marker in tmp_path.glob(".begun-*")}
        left = {(name, other) for name, other in begun if str(Path(warcs[0]).parent / name) not in done}
        working = sorted({other for _, other in left})
        if lost is None and len(done) >= 2 and len(working) == 2:
            # A machine other than the one that has just ended a file, so that it is in the middle of one.
            lost = next(other for other in working if other != machine)
            name = next(node["NodeName"] for node in ray.nodes() if node["NodeID"] == lost)
            cluster.kill(name)
    assert lost is not None
    assert sorted(done) == sorted(warcs)
    assert rows(tmp_path) == expected
    begun_by = [marker.name.removeprefix(".begun-").rsplit("-", 1) for marker in tmp_path.glob(".begun-*")]
    assert len(begun_by) > len(warcs), "the file that the lost worker had begun is begun again"
    print(f"\nray: {len(expected)} pages of {len(warcs)} files, {len(begun_by) - len(warcs)} begun twice after the kill")
    sql = f"select count(*), count(distinct url), count(*) filter (error is not null) from '{tmp_path}/*.parquet'"
    assert duckdb.execute(sql).fetchall() == [(len(expected), len(expected), 0)]


def run(name: str, *arguments: str, **environment: str) -> str:
    """Runs an example as a user does."""
    settings = {**os.environ, "PYSPARK_PYTHON": sys.executable, "DO_NOT_TRACK": "true", **environment}
    command = [sys.executable, str(HERE / name), *arguments]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_program_for_one_machine(warcs: list[str], expected: Rows, tmp_path: Path) -> None:
    printed = run("one_machine.py", str(tmp_path), *warcs[:2])
    found = rows(tmp_path)
    assert printed.split()[0] == str(len(found))
    assert found == {url: expected[url] for url in found}


def test_daft_on_one_machine(pages: Path, expected_of_tables: Rows, tmp_path: Path) -> None:
    printed = run("on_daft.py", f"{pages}/*.parquet", str(tmp_path))
    assert rows(tmp_path) == expected_of_tables
    assert printed.split()[-2:] == [str(len(expected_of_tables)), "pages"]


def test_daft_on_ray(cluster: Cluster, pages: Path, expected_of_tables: Rows, tmp_path: Path) -> None:
    run("on_daft.py", f"{pages}/*.parquet", str(tmp_path), RAY_ADDRESS=cluster.address)
    assert rows(tmp_path) == expected_of_tables


def test_spark(pages: Path, expected_of_tables: Rows, tmp_path: Path) -> None:
    printed = run("on_spark.py", str(pages), str(tmp_path / "audited"))
    found = rows(tmp_path / "audited")
    assert found == expected_of_tables
    assert f"{len(found)} pages" in printed


def test_what_a_page_costs(sources: Path) -> None:
    """Prints CPU time beside the program's own core. Nothing depends on the speed of this machine."""
    rounds = 5
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target/python/cargo"))
    command = ["cargo", "run", "--quiet", "--release", "--locked", "--example", "core", "--manifest-path"]
    command += [str(HERE.parent / "Cargo.toml"), "--", str(sources), str(rounds)]
    environment = {**os.environ, "CARGO_TARGET_DIR": target}
    lines = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    core = {name: [int(line.split()[2]) for line in lines if line.split()[1] == name] for name in ("quick", "proven")}
    html = [path.read_bytes() for path in sorted(sources.iterdir())]
    urls = [f"https://example.com/{number}" for number in range(len(html))]
    table = pa.table({"url": urls, "html": pa.array(html, pa.binary())})
    mean = sum(map(len, html)) / len(html) / 1000
    print(f"\n{len(html)} pages, {mean:.0f} KB in the mean; medians of {rounds} rounds, CPU time of one core")
    for name, fixes in (("quick", False), ("proven", True)):
        taken = []
        for _ in range(rounds):
            begin = time.process_time()
            audited = site_audit.audit_batch(table, fixes=fixes, threads=1, at=AT)
            taken.append((time.process_time() - begin) / len(html) * 1e6)
            assert audited["error"].null_count == len(html)
        package, program = statistics.median(taken), statistics.median(core[name])
        print(
            f"{name}: program {program:.0f} us a page, {1e6 / program:.0f} pages/s; "
            f"package {package:.0f} us, {1e6 / package:.0f} pages/s; ratio {program / package:.2f}"
        )
