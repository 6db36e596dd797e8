"""Audits WARC files on one machine: one Parquet file for each, written when it is whole.

python one_machine.py FOLDER FILE.warc.gz...
"""

from __future__ import annotations

import os
import sys
from datetime import datetime, timezone
from pathlib import Path

import pyarrow.parquet as pq
import site_audit
import warc


def audit_file(path: str, folder: str, auditor: site_audit.Auditor) -> int:
    """Audits a WARC file into `folder/NAME.parquet` and returns the number of its pages.

    Idempotent: the file appears whole, under the name of its source, however often the work is begun.
    """
    target = Path(folder) / f"{Path(path).name}.parquet"
    if target.exists():
        return int(pq.read_metadata(target).num_rows)
    # Two attempts of one task may run at once: each has a file of its own. Readers of *.parquet pass it over.
    unfinished = Path(folder) / f".{target.name}.{os.getpid()}"
    rows = 0
    with pq.ParquetWriter(unfinished, auditor.schema, compression="zstd") as writer:
        for batch in auditor.stream(warc.pages(path)):
            writer.write_batch(batch)
            rows += batch.num_rows
    os.replace(unfinished, target)
    return rows


def main(folder: str, *paths: str) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    auditor = site_audit.Auditor(at=datetime.now(timezone.utc))
    print(sum(audit_file(path, folder, auditor) for path in paths), "pages")


if __name__ == "__main__":
    main(*sys.argv[1:])
