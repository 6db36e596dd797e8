"""What tests share: the program to compare with, pages of our own, and the corpus where it is there."""

from __future__ import annotations

import os
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

#: A page with errors, warnings and ready fixes.
BREAD = b"""<!doctype html>
<html>
<head>
<meta charset="utf-8">
<title>P\xc3\xa3o de queijo</title>
<link rel="canonical" href="/bread">
</head>
<body>
<h1>P\xc3\xa3o</h1>
<h1>Queijo</h1>
<p>Bread made of manioc flour and cheese, baked in the morning.</p>
<img src="bread.png">
<a href="/oven"><img src="oven.png" alt=""></a>
</body>
</html>
"""

#: The same in another encoding, which it declares.
LATIN = BREAD.decode().replace('charset="utf-8"', 'charset="iso-8859-1"').encode("iso-8859-1")

#: Bytes that no page should have.
HOSTILE = [
    b"",
    b"\x00" * 1000,
    b"\xff\xfe\x00<",
    b"<" * 5000,
    b"<div>" * 50_000,
    b"<!--" + b"-" * 5000,
    b'<a href="\xf0\x9f' * 500,
    b"<script type=application/ld+json>" + b"[" * 20_000,
    b"<meta charset=utf-16><title>\x1b[2J</title>",
    bytes(range(256)) * 100,
]

URL = "https://example.com/bread"


class Program:
    """The program `site-audit`, whose answers the package has to give."""

    def __init__(self, path: str) -> None:
        self.path = path

    def run(self, *arguments: str, page: bytes = b"") -> str:
        """Standard output of a command that succeeds."""
        done = subprocess.run([self.path, *arguments], input=page, capture_output=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def audit(self, page: bytes, *arguments: str, url: str = URL) -> str:
        """What it prints of a page."""
        return self.run("audit", "--html", "-", "--url", url, *arguments, page=page)


@pytest.fixture(scope="session")
def program() -> Program:
    path = os.environ.get("SITE_AUDIT_TEST_PROGRAM")
    if path is None:
        pytest.fail("SITE_AUDIT_TEST_PROGRAM names the program to compare with; cargo xtask python sets it")
    return Program(path)


@pytest.fixture(scope="session")
def corpus() -> list[Path]:
    """Real pages, where they are there."""
    folder = Path(os.environ.get("SITE_AUDIT_SHARED", ROOT.parent / "shared")) / "corpus"
    pages = sorted(folder.glob("*.html"))
    if not pages:
        print(f"passed over: no pages in {folder}")
        pytest.skip(f"no pages in {folder}")
    return pages


def moment(created_at: str) -> datetime:
    """The time that a report names."""
    return datetime.fromisoformat(created_at.replace("Z", "+00:00"))
