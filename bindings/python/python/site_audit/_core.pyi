from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, final

import pyarrow

from .types import Check, Finding, Fix, Format, Language, Pages, Patch

__all__ = [
    "AuditError",
    "CATALOG_VERSION",
    "Report",
    "__version__",
    "audit",
    "audit_batch",
    "audit_batches",
    "batch_schema",
    "checks",
]

__version__: str
CATALOG_VERSION: str

class AuditError(ValueError):
    """The page can't be audited; the message says why and what to do."""

@final
class Report:
    """The report of an audited page. Immutable; can be pickled."""

    @property
    def url(self) -> str:
        """The URL of the page."""
    @property
    def score(self) -> int:
        """0 to 100."""
    @property
    def findings(self) -> list[Finding]:
        """Findings, most to least severe."""
    @property
    def fixes(self) -> list[Fix]:
        """One fix for each finding."""
    @property
    def patch(self) -> Patch:
        """All fixes together."""
    @property
    def summary(self) -> dict[str, Any] | None:
        """What the page declares; ``None`` where it is not HTML."""
    @property
    def counts(self) -> dict[str, int]:
        """Findings per severity."""
    @property
    def coverage(self) -> dict[str, Any]:
        """Which checks were measured, and why others were not."""
    def apply(self) -> str | bytes:
        """The page with the patch applied, of the type that was audited.

        Files of the patch (``patch["arquivos"]``) are for the host's root and not part of the page.
        Raises AuditError where the page is over the size limit.
        """
    def to_json(self) -> str:
        """The report as ``site-audit audit --html FILE --format json`` prints it."""
    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
    def render(self, format: Format) -> str:
        """The report in a format of ``site-audit audit --format``."""
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...
    @staticmethod
    def _unpickled(state: bytes) -> Report: ...

def audit(
    html: bytes | str,
    url: str,
    headers: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
    status: int = 200,
    robots: str | None = None,
    lang: Language = "en",
    *,
    at: datetime | None = None,
) -> Report:
    """Audits a page, as ``site-audit audit --html`` does. Nothing is fetched.

    html: the page as received. A ``str`` is audited as UTF-8, so prefer bytes. At most 2,097,152 bytes are read.
    url: absolute http(s) URL of at most 2,048 bytes, at which the page is or will be published.
    headers: response headers, at most 100 with 65,536 bytes. Without them, checks on headers are not measured. Content
        codings have to be decoded already.
    status: HTTP status of the response, 100 to 999.
    robots: text of the site's robots.txt, at most 512,000 bytes.
    lang: language of messages.
    at: time of the audit; now by default.

    Raises AuditError (a ValueError) where a value is not valid or over its limit.
    """

def audit_batch(
    pages: Pages,
    *,
    lang: Language = "en",
    fixes: bool = False,
    report: bool = False,
    threads: int | None = None,
    at: datetime | None = None,
) -> pyarrow.Table:
    """Audits a table of pages and returns a table with a row for each, in the same order.

    Columns that are read: ``url`` and ``html``, and where they are there ``status``, ``headers`` (a map or a list of
    pairs) and ``robots``. The result has the columns of :func:`batch_schema`. A page that can't be audited has its reason
    in ``error``; the others are audited.

    fixes: prove ready fixes, as :func:`audit` does. Takes about three times the CPU time.
    report: add the column ``report``, the report as JSON; with ``fixes`` the same text as ``Report.to_json()``.
    threads: 1 or more, of which at most 256 are started; one for each core by default. The interpreter's lock is released.
    at: time of the audits; now by default.
    """

def audit_batches(
    pages: Pages,
    *,
    lang: Language = "en",
    fixes: bool = False,
    report: bool = False,
    threads: int | None = None,
    at: datetime | None = None,
) -> pyarrow.RecordBatchReader:
    """Audits pages as the result is read, 128 rows at a time: memory does not grow with their number.

    Arguments and columns are those of :func:`audit_batch`.
    """

def batch_schema(*, report: bool = False) -> pyarrow.Schema:
    """The schema of audited tables."""

def checks(lang: Language = "en") -> list[Check]:
    """Every check of the catalog, as ``site-audit checks --format json`` lists them."""
