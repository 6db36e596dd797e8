"""Pages whose findings are known: read from a folder with an index, and written as the files that the examples take."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

#: Response headers of pages in WARC files.
HEADERS = [("Content-Type", "text/html"), ("X-Robots-Tag", "all")]


@dataclass(frozen=True)
class MadePage:
    """A page that was made."""

    url: str
    html: bytes
    status: int = 200


def read(folder: Path) -> list[MadePage]:
    """The pages of a folder, in the order of its index."""
    index = json.loads((folder / "index.json").read_bytes())
    return [MadePage(page["url"], (folder / page["file"]).read_bytes(), page["status"]) for page in index]


def write_index(pages: Sequence[MadePage], folder: Path, headers: Sequence[tuple[str, str]] | None) -> Path:
    """Writes pages and their index, which the program's own core reads; `headers` of each response, where they are known."""
    index = []
    for number, page in enumerate(pages):
        name = f"{number:06}.html"
        (folder / name).write_bytes(page.html)
        index.append({"url": page.url, "file": name, "status": page.status, "headers": headers})
    path = folder / "index.json"
    path.write_text(json.dumps(index))
    return path


def write_warcs(pages: Sequence[MadePage], folder: Path, files: int) -> list[str]:
    """Writes pages as so many WARC files. Each has an image too, which is no page."""
    paths = []
    for number in range(files):
        path = folder / f"archive-{number:02}.warc.gz"
        with open(path, "wb") as stream:
            writer = WARCWriter(stream, gzip=True)
            for page in pages[number::files]:
                reason = "OK" if page.status == 200 else "Not Found"
                _write(writer, page.url, f"{page.status} {reason}", HEADERS, page.html)
            _write(writer, f"http://example.com/{number}.png", "200 OK", [("Content-Type", "image/png")], b"\x89PNG")
        paths.append(str(path))
    return paths


def _write(writer: WARCWriter, url: str, status: str, headers: list[tuple[str, str]], body: bytes) -> None:
    head = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
    writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=head))


def write_tables(pages: Sequence[MadePage], folder: Path, files: int) -> None:
    """Writes pages as so many Parquet files, without headers."""
    for number in range(files):
        part = pages[number::files]
        columns = {
            "url": pa.array([page.url for page in part], pa.string()),
            "html": pa.array([page.html for page in part], pa.binary()),
            "status": pa.array([page.status for page in part], pa.int32()),
        }
        pq.write_table(pa.table(columns), folder / f"pages-{number:02}.parquet", row_group_size=64)
