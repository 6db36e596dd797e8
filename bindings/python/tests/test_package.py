"""What is installed: metadata, types, and stubs that say what the module has."""

from __future__ import annotations

import doctest
import importlib.metadata
import inspect
import subprocess
import sys
from pathlib import Path

import site_audit
from conftest import Program

HERE = Path(__file__).parent
CONFIG = HERE.parent / "pyproject.toml"


def test_the_wheel_says_what_it_is(program: Program) -> None:
    metadata = importlib.metadata.metadata("site-audit")
    assert metadata["Name"] == "site-audit"
    assert metadata["Version"] == site_audit.__version__ == program.run("--version").split()[1]
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert importlib.metadata.requires("site-audit") == ["pyarrow>=15"]
    wheel = importlib.metadata.distribution("site-audit").read_text("WHEEL")
    assert wheel is not None
    # One wheel for every Python from 3.10 on.
    assert "Tag: cp310-abi3-" in wheel
    files = {str(path) for path in importlib.metadata.files("site-audit") or []}
    assert {"site_audit/py.typed", "site_audit/types.py", "site_audit/_core.pyi", "site_audit/_core.abi3.so"} <= files
    assert site_audit.CATALOG_VERSION == site_audit.audit(b"", "https://example.com/").coverage["catalog"]


def test_everything_public_is_explained() -> None:
    for name in site_audit.__all__:
        assert inspect.getdoc(getattr(site_audit, name)), name
    for name, member in inspect.getmembers(site_audit.Report):
        assert name.startswith("_") or inspect.getdoc(member), name


def test_stubs_are_those_of_the_module() -> None:
    check([sys.executable, "-m", "mypy.stubtest", "--mypy-config-file", str(CONFIG), "site_audit._core"])


def test_tests_have_the_types_of_the_stubs() -> None:
    check([sys.executable, "-m", "mypy", "--config-file", str(CONFIG), "--cache-dir", "/dev/null", str(HERE)])


def check(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_example_of_the_docstring_runs() -> None:
    source = inspect.getdoc(site_audit)
    assert source is not None
    examples = doctest.DocTestParser().get_examples(source)
    assert len(examples) == 5
    scope: dict[str, object] = {}
    for example in examples:
        exec(example.source, scope)
    assert isinstance(scope["better"], bytes)
