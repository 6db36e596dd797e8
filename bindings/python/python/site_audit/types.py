"""Types of what the package takes and returns: the names of the API of Site Audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

Language: TypeAlias = Literal["en", "pt-BR"]
Format: TypeAlias = Literal["text", "json", "markdown", "csv", "sarif", "junit"]
Severity: TypeAlias = Literal["error", "warn", "info"]


class ArrowStream(Protocol):
    """A table or reader of any library of Arrow: pyarrow, polars, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object:
        """A capsule of the C stream interface."""


class ArrowArray(Protocol):
    """A record batch of any library of Arrow."""

    def __arrow_c_array__(self, requested_schema: object | None = None, /) -> tuple[object, object]:
        """Capsules of the C data interface."""


Pages: TypeAlias = ArrowStream | ArrowArray
"""Tables, record batches and readers of pyarrow are among them."""


class Evidence(TypedDict, total=False):
    """One place where a finding shows."""

    selector: str
    url: str
    snippet: str
    line: int
    column: int
    endLine: int
    endColumn: int
    offset: int
    length: int


class Finding(TypedDict):
    """What a check found."""

    severity: Severity
    code: str
    message: str
    values: NotRequired[dict[str, int | str]]
    evidence: NotRequired[list[Evidence]]
    impact: NotRequired[Literal["indexing", "rendering", "rich_result", "sharing", "use", "hygiene"]]
    points: int
    causes: list[str]
    partOf: NotRequired[str]
    parts: NotRequired[list[str]]


class Fix(TypedDict):
    """What makes a finding go away."""

    code: str
    severity: Severity
    classe: Literal["deterministico", "molde", "sem_patch"]
    alvo: Literal["head", "corpo", "img", "arquivo", "pagina"]
    snippet: str | None
    arquivo: dict[str, str] | None
    fonte: str | None
    nota: str | None
    edits: list[dict[str, Any]]
    where: NotRequired[dict[str, str]]


class Patch(TypedDict):
    """All fixes of a report together."""

    url: str | None
    head: str
    arquivos: list[dict[str, str]]
    edicoes: list[dict[str, Any]]
    moldes: list[dict[str, Any]]
    sem_patch: list[dict[str, str]]
    resumo: dict[str, int]
    como_aplicar: str


class Check(TypedDict):
    """A check of the catalog."""

    code: str
    severity: Severity
    impact: str
    category: str
    family: str
    title: str
    why: str
    how: str
    rule: str
    thresholds: list[dict[str, Any]]
    reference: str
    fix: dict[str, str]
    not_measured: list[dict[str, str]]
    since: str
