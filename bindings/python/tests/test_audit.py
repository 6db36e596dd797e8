"""Audits of one page: equal to the program's, and never more than an exception for what can't be audited."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import site_audit
from conftest import BREAD, HOSTILE, LATIN, URL, Program, moment

AT = datetime(2026, 11, 23, 12, tzinfo=timezone.utc)


def codes(report: site_audit.Report) -> set[str]:
    return {finding["code"] for finding in report.findings}


def assert_same(program: Program, page: bytes, lang: str = "en") -> None:
    printed = program.audit(page, "--format", "json", "--lang", lang)
    at = moment(json.loads(printed)["created_at"])
    report = site_audit.audit(page, URL, lang=lang, at=at)  # type: ignore[arg-type]
    assert report.to_json() == printed
    assert report.to_dict() == json.loads(printed)


@pytest.mark.parametrize("lang", ["en", "pt-BR"])
@pytest.mark.parametrize("page", [BREAD, LATIN], ids=["utf-8", "latin-1"])
def test_a_report_is_that_of_the_program(program: Program, page: bytes, lang: str) -> None:
    assert_same(program, page, lang)


@pytest.mark.parametrize("page", HOSTILE, ids=[f"hostile-{number}" for number in range(len(HOSTILE))])
def test_a_report_of_hostile_bytes_is_that_of_the_program(program: Program, page: bytes) -> None:
    assert_same(program, page)


def test_reports_of_real_pages_are_those_of_the_program(program: Program, corpus: list[Path]) -> None:
    for path in corpus[::8]:
        assert_same(program, path.read_bytes())


def test_other_formats_are_those_of_the_program(program: Program) -> None:
    report = site_audit.audit(BREAD, URL, at=AT)
    for format in ("text", "markdown", "csv"):
        assert report.render(format) == program.audit(BREAD, "--format", format), format
    assert json.loads(report.render("sarif"))["version"] == "2.1.0"
    assert report.render("junit").startswith("<?xml")
    with pytest.raises(ValueError, match="format"):
        report.render("pdf")  # type: ignore[arg-type]


def test_the_catalog_is_that_of_the_program(program: Program) -> None:
    assert site_audit.checks() == json.loads(program.run("checks", "--format", "json"))
    assert site_audit.checks("pt-BR") == json.loads(program.run("checks", "--format", "json", "--lang", "pt-BR"))
    assert {check["code"] for check in site_audit.checks()} >= codes(site_audit.audit(BREAD, URL))


def test_parts_of_a_report_are_those_of_its_json() -> None:
    report = site_audit.audit(BREAD, URL, at=AT)
    whole = report.to_dict()
    assert report.url == whole["url"] == URL
    assert report.score == whole["score"] < 100
    assert report.findings == whole["issues"]
    assert report.fixes == whole["fixes"]
    assert report.patch == whole["patch"]
    assert report.summary == whole["summary"]
    assert report.counts == whole["counts"]
    assert report.coverage == whole["coverage"]
    assert whole["created_at"] == "2026-11-23T12:00:00.000Z"
    assert "example.com/bread" in repr(report)


@pytest.mark.parametrize("page", [BREAD, LATIN], ids=["utf-8", "latin-1"])
def test_a_patch_is_applied_to_the_bytes_of_the_page(page: bytes) -> None:
    report = site_audit.audit(page, URL)
    patched = report.apply()
    assert isinstance(patched, bytes)
    ready = {fix["code"] for fix in report.fixes if fix["classe"] == "deterministico"}
    assert ready
    again = site_audit.audit(patched, URL)
    assert not ready & codes(again)
    assert again.score > report.score
    assert again.summary is not None
    assert again.summary["title"] == "Pão de queijo"
    assert site_audit.audit(patched, URL).apply() == patched


def test_a_patch_of_text_is_text() -> None:
    text = site_audit.audit(BREAD.decode(), URL).apply()
    assert isinstance(text, str)
    assert text.encode() == site_audit.audit(BREAD, URL).apply()


def test_what_is_no_page_has_no_patch() -> None:
    plain = site_audit.audit(b"Bread", URL, {"Content-Type": "text/plain"})
    assert plain.apply() == b"Bread"
    assert plain.summary is None or plain.summary["title"] is None


def test_headers_status_and_robots_are_judged() -> None:
    plain = site_audit.audit(BREAD, URL)
    noindex = site_audit.audit(BREAD, URL, headers={"X-Robots-Tag": "noindex", "Content-Type": "text/html"})
    assert "noindex_header" in codes(noindex) - codes(plain)
    pairs = site_audit.audit(BREAD, URL, headers=[("x-robots-tag", "noindex"), ("content-type", "text/html")])
    assert codes(pairs) == codes(noindex)
    blocked = site_audit.audit(BREAD, URL, robots="User-agent: *\nDisallow: /")
    assert "robots_txt_blocks_page" in codes(blocked) - codes(plain)
    missing = site_audit.audit(BREAD, URL, None, 404)
    assert "http_status_client_error" in codes(missing) - codes(plain)


def test_messages_are_in_the_language() -> None:
    english, portuguese = (site_audit.audit(BREAD, URL, lang=lang).findings for lang in ("en", "pt-BR"))
    assert [finding["code"] for finding in english] == [finding["code"] for finding in portuguese]
    assert english[0]["message"] != portuguese[0]["message"]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"url": "/bread"}, "url"),
    ({"url": "ftp://example.com/"}, "url"),
    ({"url": "https://me@example.com/"}, "url"),
    ({"url": "https://example.com/" + "a" * 2048}, "url"),
    ({"status": 99}, "status"),
    ({"status": 1000}, "status"),
    ({"status": -(2**63)}, "status"),
    ({"headers": {"a b": "c"}}, "headers"),
    ({"headers": {"a": "b\r\nc: d"}}, "headers"),
    ({"headers": {"a": "b" * 65_536}}, "headers"),
    ({"headers": [("a", "b")] * 101}, "headers"),
    ({"robots": "a" * 512_001}, "robots_txt"),
]


@pytest.mark.parametrize(("given", "named"), BAD)
def test_bad_values_are_named(given: dict[str, Any], named: str) -> None:
    with pytest.raises(site_audit.AuditError, match=named) as error:
        site_audit.audit(**{"html": BREAD, "url": URL, **given})
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize(
    "given",
    [{"html": None}, {"html": 1}, {"url": 1}, {"status": "200"}, {"headers": 1}, {"headers": ["ab c"]}, {"robots": b"a"}],
)
def test_values_of_another_type_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        site_audit.audit(**{"html": BREAD, "url": URL, **given})


def test_other_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="lang"):
        site_audit.audit(BREAD, URL, lang="xx")  # type: ignore[arg-type]
    with pytest.raises(OverflowError):
        site_audit.audit(BREAD, URL, None, 2**64)
    with pytest.raises(UnicodeEncodeError):
        site_audit.audit("\ud800", URL)
    with pytest.raises(AttributeError):
        site_audit.audit(BREAD, URL, at="today")  # type: ignore[arg-type]


def test_a_page_over_the_limit_is_cut_and_told() -> None:
    page = b"<!doctype html><title>a</title>" + b"a" * 2_097_152
    report = site_audit.audit(page, URL)
    assert report.to_dict()["htmlTruncated"] is True
    with pytest.raises(site_audit.AuditError, match="limit"):
        report.apply()
    assert site_audit.audit(page[:2_097_152], URL).to_dict()["htmlTruncated"] is False


def test_a_report_is_pickled_and_copied() -> None:
    for html in (BREAD, LATIN, BREAD.decode()):
        report = site_audit.audit(html, URL, {"a": "b"}, lang="pt-BR", at=AT)
        for other in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
            assert other == report
            assert other.to_json() == report.to_json()
            assert other.apply() == report.apply()
    assert site_audit.audit(BREAD, URL, at=AT) != site_audit.audit(LATIN, URL, at=AT)
    assert site_audit.audit(BREAD, URL, at=AT) != "report"
    with pytest.raises(ValueError):
        site_audit.Report._unpickled(b"{}")
    with pytest.raises(AttributeError):
        report.score = 100  # type: ignore[misc]
