"""Pages of WARC files, the format of web archives, as batches of Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from warcio.archiveiterator import ArchiveIterator

#: What `site_audit.audit_batch` reads.
PAGES = pa.schema(
    [
        ("url", pa.string()),
        ("html", pa.binary()),
        ("status", pa.int32()),
        ("headers", pa.map_(pa.string(), pa.string())),
    ]
)
#: Bytes that an audit reads of a page, and one more, so that a longer one is known to be cut.
PAGE_BYTES = 2_097_152 + 1
#: Pages of a batch, and the bytes of HTML after which one ends earlier: what a task holds in memory.
BATCH_ROWS, BATCH_BYTES = 512, 32 * 1024 * 1024


def status(code: str) -> int:
    """The number of a status; 0 where it is none, which gives the page a row with an error."""
    return int(code) if len(code) == 3 and code.isascii() and code.isdigit() else 0


def pages(path: str | Path) -> Iterator[pa.RecordBatch]:
    """HTML responses of a WARC file, compressed or not, in their order."""
    rows: list[dict[str, object]] = []
    size = 0
    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            response = record.http_headers
            if record.rec_type != "response" or response is None:
                continue
            if not response.get_header("content-type", "text/html").lower().startswith(("text/html", "application/xhtml")):
                continue
            # Transfer and content codings are undone.
            html = record.content_stream().read(PAGE_BYTES)
            url = record.rec_headers.get_header("WARC-Target-URI")
            code = status(response.get_statuscode())
            rows.append({"url": url, "html": html, "status": code, "headers": response.headers})
            size += len(html)
            if len(rows) == BATCH_ROWS or size >= BATCH_BYTES:
                yield pa.RecordBatch.from_pylist(rows, PAGES)
                rows, size = [], 0
    if rows:
        yield pa.RecordBatch.from_pylist(rows, PAGES)
