"""Audits a table of pages with Daft, on the Ray cluster of RAY_ADDRESS or on this machine alone.

RAY_ADDRESS=HOST:PORT python on_daft.py 'PAGES/*.parquet' AUDITED

The table has the columns `url` and `html`, and may have `status`.
"""

from __future__ import annotations

import os
import sys
from datetime import datetime, timezone

import daft
import pyarrow as pa
import site_audit

#: Pages of one call: what a worker holds in memory.
CALL_ROWS = 256


def audited(pages: daft.DataFrame, auditor: site_audit.Auditor) -> daft.DataFrame:
    """A row for each page."""
    rows = pa.struct(list(auditor.schema))
    columns = [name for name in ("url", "html", "status") if name in pages.column_names]

    @daft.func.batch(return_dtype=daft.DataType.from_arrow_type(rows), unnest=True, batch_size=CALL_ROWS)
    def audit(*values: daft.Series) -> pa.Array:
        table = pa.table({name: value.to_arrow() for name, value in zip(columns, values, strict=True)})
        return pa.chunked_array(auditor(table).to_struct_array()).combine_chunks()

    return pages.select(audit(*(pages[name] for name in columns)))


def main(source: str, target: str) -> None:
    if address := os.environ.get("RAY_ADDRESS"):
        daft.set_runner_ray(address)
    auditor = site_audit.Auditor(threads=1, at=datetime.now(timezone.utc))
    audited(daft.read_parquet(source), auditor).write_parquet(target, write_mode="overwrite")
    print(daft.read_parquet(f"{target}/*.parquet").count_rows(), "pages")


if __name__ == "__main__":
    main(*sys.argv[1:])
