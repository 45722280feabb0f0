"""The numerical library knows nothing of the dashboard (docs/architecture.md)."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ("mavr", "datasets")
FORBIDDEN = {"streamlit", "plotly", "pages", "app"}
FILES = sorted(path for package in LIBRARY for path in (ROOT / package).rglob("*.py"))


def imported_roots(source: str) -> Iterator[str]:
    """Top-level names of every absolute import, wherever in the file it stands.

    >>> list(imported_roots("def f():\\n import plotly.io as a\\n from numpy.linalg import norm"))
    ['plotly', 'numpy']
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module).split(".")[0]


def test_there_are_files_to_check():
    assert {path.parent.name for path in FILES} >= set(LIBRARY)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_imports_the_dashboard(path):
    assert not FORBIDDEN.intersection(imported_roots(path.read_text(encoding="utf-8")))


def test_importing_the_library_loads_no_dashboard():
    program = """
import importlib, pkgutil, sys
import mavr, datasets
for package in (mavr, datasets):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
print(*sorted({"streamlit", "plotly"}.intersection(sys.modules)))
"""
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == ""
