"""Audits a table of pages on Spark with mapInArrow.

spark-submit on_spark.py PAGES.parquet AUDITED.parquet

The table has the columns `url` and `html`, and may have `status`, `headers` and `robots`.
"""

from __future__ import annotations

import sys
from datetime import datetime, timezone

import site_audit
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema


def audited(pages: DataFrame, auditor: site_audit.Auditor) -> DataFrame:
    """A row for each page. A task holds one batch of spark.sql.execution.arrow.maxRecordsPerBatch pages."""
    return pages.mapInArrow(auditor.stream, from_arrow_schema(auditor.schema))


def session() -> SparkSession:
    """Batches of 256 pages: the default of 10,000 is for rows that are smaller than pages."""
    builder = SparkSession.builder.appName("site-audit")
    return builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "256").getOrCreate()


def main(source: str, target: str) -> None:
    spark = session()
    auditor = site_audit.Auditor(threads=1, at=datetime.now(timezone.utc))
    audited(spark.read.parquet(source), auditor).write.mode("overwrite").parquet(target)
    print(spark.read.parquet(target).count(), "pages")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
