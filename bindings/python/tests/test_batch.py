"""Audits of tables: the reports of single pages, whatever the types of the columns, in bounded memory."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import site_audit
from conftest import BREAD, HOSTILE, LATIN, URL

AT = datetime(2026, 11, 23, 12, tzinfo=timezone.utc)
PAGES = [BREAD, LATIN, *HOSTILE]


def table(pages: list[bytes], **columns: Any) -> pa.Table:
    urls = [f"https://example.com/{number}" for number in range(len(pages))]
    return pa.table({"url": urls, "html": pa.array(pages, pa.binary()), **columns})


def test_rows_are_the_reports_of_single_pages() -> None:
    audited = site_audit.audit_batch(table(PAGES), fixes=True, report=True, at=AT)
    assert audited.schema == site_audit.batch_schema(report=True)
    rows = audited.to_pylist()
    assert len(rows) == len(PAGES)
    for number, (page, row) in enumerate(zip(PAGES, rows, strict=True)):
        report = site_audit.audit(page, f"https://example.com/{number}", at=AT)
        assert row["url"] == report.url
        assert row["report"] == report.to_json()
        assert row["error"] is None
        assert (row["score"], row["status"]) == (report.score, None)
        assert row["searchable"] == report.to_dict()["searchable"]["state"]
        assert [row["errors"], row["warnings"], row["notes"]] == list(report.counts.values())
        for found, finding, fix in zip(row["findings"], report.findings, report.fixes, strict=True):
            first: dict[str, Any] = dict(finding.get("evidence", [{}])[0])
            expected = {key: first.get(key) for key in ("line", "selector", "snippet")}
            expected |= {key: finding[key] for key in ("code", "severity", "impact", "points", "message")}
            readiness = {"deterministico": "ready", "molde": "template", "sem_patch": "decision"}
            assert found == {**expected, "fix": readiness[fix["classe"]]}


def test_without_fixes_findings_stay_and_none_is_ready() -> None:
    proven, quick = (site_audit.audit_batch(table(PAGES), fixes=fixes, at=AT) for fixes in (True, False))
    assert quick.schema == site_audit.batch_schema()

    def ready(audited: pa.Table) -> list[str]:
        return [found["code"] for row in audited.to_pylist() for found in row["findings"] if found["fix"] == "ready"]

    assert ready(proven) and not ready(quick)
    assert proven.drop(["findings"]) == quick.drop(["findings"])


TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
BYTES = [pa.binary(), pa.large_binary(), pa.binary_view()]


@pytest.mark.parametrize("kind", TEXTS + BYTES, ids=str)
def test_a_page_may_be_text_or_bytes_of_any_type(kind: pa.DataType) -> None:
    html = pa.array([BREAD.decode() if kind in TEXTS else BREAD, None], kind)
    for url in TEXTS:
        audited = site_audit.audit_batch(pa.table({"url": pa.array([URL, URL], url), "html": html}), at=AT).to_pylist()
        assert audited[0]["score"] == site_audit.audit(BREAD, URL).score
        assert (audited[1]["score"], audited[1]["error"]) == (None, "html: is null")


@pytest.mark.parametrize("kind", [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint16(), pa.uint64()], ids=str)
def test_a_status_may_be_any_integer(kind: pa.DataType) -> None:
    status = pa.array([100 if kind == pa.int8() else 404, None, 7], kind)
    rows = site_audit.audit_batch(table([BREAD] * 3, status=status), at=AT).to_pylist()
    assert [row["status"] for row in rows] == status.to_pylist()
    assert rows[0]["score"] is not None and rows[1]["score"] is not None
    assert rows[2]["score"] is None and "status" in rows[2]["error"]


@pytest.mark.parametrize(
    "kind",
    [
        pa.map_(pa.string(), pa.string()),
        pa.map_(pa.large_string(), pa.string()),
        pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())])),
        pa.large_list(pa.struct([("name", pa.string()), ("value", pa.large_string())])),
    ],
    ids=str,
)
def test_headers_are_a_map_or_pairs(kind: pa.DataType) -> None:
    given: list[Any] = [[("X-Robots-Tag", "noindex"), ("Content-Type", "text/html")], None, [], [("a b", "c")]]
    if not pa.types.is_map(kind):
        given = [pairs and [{"name": name, "value": value} for name, value in pairs] for pairs in given]
    rows = site_audit.audit_batch(table([BREAD] * 4, headers=pa.array(given, kind)), at=AT).to_pylist()
    codes = [{found["code"] for found in row["findings"]} for row in rows]
    assert "noindex_header" in codes[0] and "noindex_header" not in codes[1] | codes[2]
    # Known to be empty is another thing than unknown.
    assert codes[1] != codes[2]
    assert rows[3]["error"] == "headers.a b: is not a valid HTTP header"


def test_robots_are_judged() -> None:
    robots = ["User-agent: *\nDisallow: /", None, "a" * 512_001]
    rows = site_audit.audit_batch(table([BREAD] * 3, robots=robots), at=AT).to_pylist()
    codes = [{found["code"] for found in row["findings"]} for row in rows]
    assert "robots_txt_blocks_page" in codes[0] and "robots_txt_blocks_page" not in codes[1]
    assert "robots_txt" in rows[2]["error"]


def test_what_cannot_be_audited_is_a_value_of_its_row() -> None:
    urls = [URL, "/bread", None, "https://example.com/" + "ã" * 2048, URL]
    pages = pa.table({"url": pa.array(urls, pa.string()), "html": pa.array([BREAD] * 4 + [None], pa.binary())})
    rows = site_audit.audit_batch(pages, lang="pt-BR").to_pylist()
    assert [row["error"] is None for row in rows] == [True, False, False, False, False]
    assert "URL http ou https absoluta" in rows[1]["error"]
    assert (rows[2]["error"], rows[4]["error"]) == ("url: é nulo", "html: é nulo")
    assert len(rows[3]["url"].encode()) <= 2048 and urls[3].startswith(rows[3]["url"])  # type: ignore[union-attr]
    for row in rows[1:]:
        assert (row["score"], row["searchable"], row["errors"], row["findings"]) == (None, None, None, [])


def test_tables_of_other_columns_are_refused() -> None:
    for given in (
        {"html": [BREAD]},
        {"url": [URL]},
        {"url": [1], "html": [BREAD]},
        {"url": [URL], "html": [1.5]},
        {"url": [URL], "html": [BREAD], "status": ["200"]},
        {"url": [URL], "html": [BREAD], "headers": ["a: b"]},
        {"url": [URL], "html": [BREAD], "robots": [b"a"]},
    ):
        for pages in (pa.table(given), pa.table(given).slice(1)):
            with pytest.raises(ValueError, match="column"):
                site_audit.audit_batch(pages)
    others: list[Any] = [None, [], {"url": [URL], "html": [BREAD]}, pa.array([1])]
    for other in others:
        with pytest.raises((TypeError, ValueError)):
            site_audit.audit_batch(other)
    with pytest.raises(ValueError, match="threads"):
        site_audit.audit_batch(table([BREAD]), threads=0)
    with pytest.raises(ValueError, match="lang"):
        site_audit.audit_batch(table([BREAD]), lang="xx")  # type: ignore[arg-type]


def test_text_that_is_no_utf8_is_refused() -> None:
    offsets, data = pa.py_buffer(b"\x00\x00\x00\x00\x02\x00\x00\x00"), pa.py_buffer(b"\xff\xfe")
    broken = pa.StringArray.from_buffers(1, offsets, data)
    with pytest.raises(ValueError):
        site_audit.audit_batch(pa.table({"url": broken, "html": pa.array([BREAD])}))


def test_tables_in_parts_and_of_other_libraries() -> None:
    whole = table([BREAD, LATIN] * 100)
    expected = site_audit.audit_batch(whole, at=AT)
    assert expected.num_rows == 200
    parts = pa.concat_tables([whole.slice(0, 3), whole.slice(3, 150), whole.slice(153)])
    assert site_audit.audit_batch(parts, at=AT).combine_chunks() == expected.combine_chunks()
    [batch] = whole.to_batches()
    assert site_audit.audit_batch(batch, at=AT) == expected
    assert site_audit.audit_batch(batch.slice(5, 10), at=AT).combine_chunks() == expected.slice(5, 10).combine_chunks()
    relation: Any = duckdb.sql("select url, html, 200 as status from whole order by url")
    rows = site_audit.audit_batch(relation, at=AT).to_pylist()
    by_url = sorted(expected.to_pylist(), key=lambda row: row["url"])
    assert [row["findings"] for row in rows] == [row["findings"] for row in by_url]
    assert {row["status"] for row in rows} == {200}
    empty = site_audit.audit_batch(whole.slice(0, 0), report=True)
    assert (empty.num_rows, empty.schema) == (0, site_audit.batch_schema(report=True))


def test_any_number_of_threads_gives_the_same_rows() -> None:
    pages = table([BREAD] * 100 + PAGES * 2)
    expected = site_audit.audit_batch(pages, threads=1, at=AT)
    for threads in (2, 7, 10_000):
        assert site_audit.audit_batch(pages, threads=threads, at=AT) == expected
    results: list[pa.Table] = []
    callers = [
        threading.Thread(target=lambda: results.append(site_audit.audit_batch(pages, threads=2, at=AT))) for _ in range(4)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert results == [expected] * 4


def test_other_threads_run_meanwhile() -> None:
    ended, turns = threading.Event(), [0]

    def count() -> None:
        while not ended.wait(0.0001):
            turns[0] += 1

    interval = sys.getswitchinterval()
    counter = threading.Thread(target=count)
    counter.start()
    # Only who gives the lock of the interpreter away lets the other thread count.
    sys.setswitchinterval(600)
    try:
        before = turns[0]
        site_audit.audit_batch(table([BREAD] * 500), threads=1)
        after = turns[0]
    finally:
        sys.setswitchinterval(interval)
        ended.set()
        counter.join()
    assert after > before


def test_a_stream_is_audited_as_it_is_read() -> None:
    read: list[int] = []

    def batches() -> Iterator[pa.RecordBatch]:
        for number in range(20):
            read.append(number)
            yield table([BREAD] * 5).to_batches()[0]

    schema = table([BREAD]).schema
    reader = site_audit.audit_batches(pa.RecordBatchReader.from_batches(schema, batches()), at=AT)
    assert (reader.schema, read) == (site_audit.batch_schema(), [])
    first = reader.read_next_batch()
    assert (first.num_rows, read) == (5, [0])
    assert reader.read_all().num_rows == 95
    long = site_audit.audit_batches(table([b"<p>a"] * 300))
    assert [batch.num_rows for batch in long] == [128, 128, 44]


def test_an_error_of_the_source_is_raised() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield table([BREAD]).to_batches()[0]
        raise OSError("the disk is gone")

    schema = table([BREAD]).schema
    with pytest.raises(Exception, match="the disk is gone"):
        site_audit.audit_batch(pa.RecordBatchReader.from_batches(schema, batches()))
    reader = site_audit.audit_batches(pa.RecordBatchReader.from_batches(schema, batches()))
    assert reader.read_next_batch().num_rows == 1
    with pytest.raises(Exception, match="the disk is gone"):
        reader.read_next_batch()


#: Audits 10,000 pages of a stream and prints by how many KiB its memory grew after the first 2,000.
STREAM = """
import resource, sys
import pyarrow as pa, site_audit
PAGE = b"<!doctype html><title>a</title>" + b"<p>Bread made of manioc flour and cheese.</p>" * 80
def batches():
    for first in range(0, 10_000, 500):
        urls = [f"https://example.com/{number}" for number in range(first, first + 500)]
        yield pa.record_batch({"url": urls, "html": pa.array([PAGE + url.encode() for url in urls])})
schema = pa.schema([("url", pa.string()), ("html", pa.binary())])
rows, early = 0, 0
for batch in site_audit.audit_batches(pa.RecordBatchReader.from_batches(schema, batches())):
    rows += batch.num_rows
    assert batch["error"].null_count == batch.num_rows
    if rows <= 2_000:
        early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - early)
"""


def test_memory_does_not_grow_with_the_number_of_pages() -> None:
    done = subprocess.run([sys.executable, "-c", STREAM], capture_output=True, text=True, check=True)
    rows, grown = map(int, done.stdout.split())
    assert rows == 10_000
    # The pages that are left then take 28 MB.
    assert grown < 14 * 1024


def test_settings_are_a_value_that_travels() -> None:
    auditor = site_audit.Auditor(lang="pt-BR", fixes=True, report=True, threads=1, at=AT)
    there = pickle.loads(pickle.dumps(auditor))
    assert there == auditor == copy.copy(auditor) and hash(there) == hash(auditor)
    pages = table(PAGES)
    expected = site_audit.audit_batch(pages, lang="pt-BR", fixes=True, report=True, at=AT)
    assert there(pages) == expected
    assert there.schema == expected.schema
    streamed = pa.Table.from_batches(there.stream(pages.to_batches(max_chunksize=5)))
    assert streamed.combine_chunks() == expected.combine_chunks()
    with pytest.raises(AttributeError):
        auditor.lang = "en"  # type: ignore[misc]


def test_batches_of_real_pages_are_whole(corpus: list[Path]) -> None:
    pages = [path.read_bytes() for path in corpus]
    audited = site_audit.audit_batch(table(pages), at=AT)
    assert audited["error"].null_count == len(pages)
    for number in range(0, len(pages), 40):
        report = site_audit.audit(pages[number], f"https://example.com/{number}", at=AT)
        assert audited["score"][number].as_py() == report.score
