"""The Parquet tables of a site run, read by those for whom they are written, and the queries of the guide."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ROOT, Program

SITE = {
    "/": '<a href="/bread">Bread</a> <a href="/cake">Cake</a> <a href="/gone">Gone</a>',
    "/bread": '<p>Bread of manioc flour.</p> <a href="/">Home</a>',
    "/cake": '<p>Cake of carrots.</p> <a href="/bread" rel="nofollow">Bread</a>',
}

TEXT, WHOLE, DECIMAL, FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()
#: The columns that docs/many-machines.md lists.
TABLES = {
    "pages": {
        "url": TEXT,
        "answer": TEXT,
        "status": WHOLE,
        "score": WHOLE,
        "depth": WHOLE,
        "rank": DECIMAL,
        "indexable": FLAG,
        "title": TEXT,
        "h1": TEXT,
        "lang": TEXT,
        "canonical": TEXT,
        "links_in": WHOLE,
        "links_out": WHOLE,
        "template": TEXT,
    },
    "links": {"source": TEXT, "target": TEXT, "text": TEXT, "nofollow": FLAG, "target_answer": TEXT},
    "findings": {"url": TEXT, "severity": TEXT, "code": TEXT, "message": TEXT, "scope": TEXT},
    "templates": {"template": TEXT, "example": TEXT, "pages": WHOLE, "score": WHOLE, "gain": DECIMAL},
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = SITE.get(self.path)
        name = self.path.strip("/") or "home"
        page = f"<!doctype html><html lang=en><title>The page {name}</title><h1>About {name}</h1>{body}</html>"
        content = page.encode() if body else b"no such page"
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8" if body else "text/plain")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def run(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a run over a small site."""
    folder = tmp_path_factory.mktemp("run")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener = threading.Thread(target=server.serve_forever)
    listener.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/"
        command = [program.path, "site", url, "--allow-private", "--parquet", "--out", str(folder / "site-audit-example.com")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
    finally:
        server.shutdown()
        listener.join()
        server.server_close()
    yield folder


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_columns_of_the_guide(run: Path, name: str) -> None:
    path = run / "site-audit-example.com" / f"{name}.parquet"
    table = pq.read_table(path)
    assert dict(zip(table.schema.names, table.schema.types, strict=True)) == TABLES[name]
    described = duckdb.execute(f"describe select * from '{path}'").fetchall()
    kinds = {TEXT: "VARCHAR", WHOLE: "BIGINT", DECIMAL: "DOUBLE", FLAG: "BOOLEAN"}
    assert [(column, kind) for column, kind, *_ in described] == [
        (column, kinds[kind]) for column, kind in TABLES[name].items()
    ]
    assert duckdb.execute(f"from '{path}'").fetchall() == [tuple(row.values()) for row in table.to_pylist()]
    guide = (ROOT / "docs/many-machines.md").read_text()
    row = next(line for line in guide.splitlines() if line.startswith(f"| `{name}.parquet` |"))
    assert [column.strip(" `") for column in row.split("|")[2].split(",")] == list(TABLES[name])


def test_tables_hold_what_the_run_says(run: Path) -> None:
    folder = run / "site-audit-example.com"
    pages = {row["url"]: row for row in pq.read_table(folder / "pages.parquet").to_pylist()}
    lines = [json.loads(line) for line in (folder / "pages.jsonl").read_text().splitlines()]
    assert {line["url"] for line in lines} <= set(pages)
    assert sorted(row["status"] for row in pages.values()) == [200, 200, 200, 404]
    links = pq.read_table(folder / "links.parquet").to_pylist()
    assert sum(row["nofollow"] for row in links) == 1
    findings = pq.read_table(folder / "findings.parquet").to_pylist()
    assert any(row["code"] == "broken_internal_link" for row in findings)


def blocks(guide: Path, language: str) -> list[str]:
    """The code of a guide in a language."""
    parts = guide.read_text().split("```")
    return [part.removeprefix(language + "\n") for part in parts[1::2] if part.startswith(language + "\n")]


def test_the_queries_of_the_guide_run(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import site_audit
    from conftest import BREAD, LATIN

    (run / "audited").mkdir()
    urls = ["https://example.com/1", "https://example.com/2", "https://example.com/3"]
    pages = pa.table({"url": urls, "html": pa.array([BREAD, LATIN, None], pa.binary())})
    pq.write_table(site_audit.audit_batch(pages), run / "audited" / "part.parquet")
    monkeypatch.chdir(run)
    queries = blocks(ROOT / "docs/many-machines.md", "sql")
    assert len(queries) >= 4
    for query in queries:
        rows = duckdb.execute(query).fetchall()
        assert rows, query


def test_the_programs_of_the_package_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from conftest import BREAD

    monkeypatch.chdir(tmp_path)
    Path("index.html").write_bytes(BREAD)
    pages = pa.table({"url": ["https://example.com/a", "/b"], "html": pa.array([BREAD, BREAD], pa.binary())})
    pq.write_table(pages, "pages.parquet")
    programs = blocks(ROOT / "docs/python.md", "python")
    assert programs
    scope: dict[str, object] = {}
    for source in programs:
        exec(compile(source, "docs/python.md", "exec"), scope)
    assert pq.read_table("audited.parquet").num_rows == 2
