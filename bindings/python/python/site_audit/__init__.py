"""Technical SEO audits of HTML: the pure core of Site Audit, without any network.

>>> import site_audit
>>> report = site_audit.audit(b"<!doctype html><title>Bread</title>", "https://example.com/bread")
>>> report.score
>>> [finding["code"] for finding in report.findings]
>>> better = report.apply()

:func:`audit` judges one page, :func:`audit_batch` a table of Arrow, :func:`audit_batches` a stream of tables.
:class:`Auditor` holds the settings of a batch and can be pickled, for Ray, Spark and Daft.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ._core import (
    CATALOG_VERSION,
    AuditError,
    Report,
    __version__,
    audit,
    audit_batch,
    audit_batches,
    batch_schema,
    checks,
)

if TYPE_CHECKING:
    import pyarrow

    from .types import Language, Pages

__all__ = [
    "CATALOG_VERSION",
    "AuditError",
    "Auditor",
    "Report",
    "__version__",
    "audit",
    "audit_batch",
    "audit_batches",
    "batch_schema",
    "checks",
]


@dataclass(frozen=True)
class Auditor:
    """Settings of :func:`audit_batch`, as a value that can be pickled and called.

    Engines that spread work over machines run one task for each core: use ``threads=1`` there, and set ``at``, so that a
    task that is run again gives the same result.
    """

    lang: Language = "en"
    """Language of messages: ``"en"`` or ``"pt-BR"``."""
    fixes: bool = False
    """Prove ready fixes, as :func:`audit` does. Takes about three times the CPU time."""
    report: bool = False
    """Add the column ``report``: the whole report of each page as JSON."""
    threads: int | None = None
    """Threads of one call; ``None`` for one for each core."""
    at: datetime | None = None
    """Time of the audits; ``None`` for the time of each call."""

    def __call__(self, pages: Pages) -> pyarrow.Table:
        """Audits a table of pages, as :func:`audit_batch` does."""
        return audit_batch(
            pages, lang=self.lang, fixes=self.fixes, report=self.report, threads=self.threads, at=self.at
        )

    def stream(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Audits batches one by one: the function that ``mapInArrow`` of PySpark takes."""
        for batch in batches:
            yield from self(batch).to_batches()

    @property
    def schema(self) -> pyarrow.Schema:
        """The schema of what a call returns."""
        return batch_schema(report=self.report)
