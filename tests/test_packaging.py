"""The wheel holds the library alone, and its requirements are ranges."""

from __future__ import annotations

import email
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
# Everything that a careless pattern could pack is there to be packed.
COPIED = ("mavr", "datasets", "lab", "pages", "tools")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

USE = """
import importlib, importlib.util, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import mavr
assert mavr.__file__.startswith(sys.argv[1]), mavr.__file__
failed = {}
for module in pkgutil.walk_packages(mavr.__path__, "mavr."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            failed[module.name] = str(error)
assert not failed, failed
loaded = {"datasets", "lab", "pages", "streamlit", "plotly"}.intersection(sys.modules)
assert not loaded, loaded
import numpy as np
X = np.array([[0.0, 0.0], [0.1, 0.0], [3.0, 0.0], [3.1, 0.0]])
found = mavr.MAVRClassifier("gaussian", sigma=0.5).fit(X, [0, -1, 1, -1])
print(*found.transduction_)
"""


def pins(name: str) -> dict[str, str]:
    """Versions that a list of requirements pins, by name."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", text, re.M))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel built without network from a copy: building in place leaves folders behind."""
    folder = tmp_path_factory.mktemp("wheel")
    source, built = folder / "source", folder / "built"
    source.mkdir()
    for name in COPIED:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "app.py"):
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    answer = subprocess.run(
        [*command, "--no-index", "--disable-pip-version-check", "-w", str(built), str(source)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    (found,) = built.glob("*.whl")
    return found


def test_the_wheel_holds_the_library_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    roots = {name.split("/")[0] for name in names}
    (info,) = {root for root in roots if root.endswith(".dist-info")}
    assert roots == {"mavr", info}
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read(f"{info}/top_level.txt").decode().split() == ["mavr"]


def test_the_wheel_holds_all_of_the_library(wheel):
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("mavr/")}
    files = (path for path in (ROOT / "mavr").rglob("*") if path.is_file())
    kept = {str(p.relative_to(ROOT)) for p in files if "__pycache__" not in p.parts}
    assert packed == kept


def test_the_wheel_works_from_an_empty_folder(wheel, tmp_path):
    installed, empty = tmp_path / "installed", tmp_path / "empty"
    empty.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    answer = subprocess.run(
        [sys.executable, "-I", "-c", USE, str(installed)],
        cwd=empty,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.split() == ["0", "0", "1", "1"]


def test_the_wheel_requires_ranges(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        lines = email.message_from_bytes(archive.read(name)).get_all("Requires-Dist")
    found = [Requirement(line) for line in lines or []]
    plain = {r.name for r in found if r.marker is None}
    assert plain == {"numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl"}
    extra = {r.name for r in found if r.marker is not None and r.marker.evaluate({"extra": "app"})}
    assert extra == {"streamlit", "plotly"}
    for requirement in found:
        assert all(s.operator not in ("==", "===") for s in requirement.specifier), requirement


def test_the_pins_lie_in_the_ranges():
    declared = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["app"]]
    ranges = {r.name: r.specifier for r in map(Requirement, declared)}
    pinned = pins("requirements.txt")
    assert set(pinned) == set(ranges)
    for name, version in pinned.items():
        assert version in ranges[name], name


def test_the_tools_for_the_wheel_are_in_the_development_list():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (needed,) = map(Requirement, tomllib.loads(text)["build-system"]["requires"])
    assert pins("requirements-dev.txt")[needed.name] in needed.specifier


def test_every_pin_of_the_app_is_locked_with_hashes():
    """requirements-locked.txt is made anew when requirements.txt changes."""
    text = (ROOT / "requirements-locked.txt").read_text(encoding="utf-8").replace("\\\n", "")
    locked = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(locked) >= 30
    assert all("--hash=sha256:" in line and "==" in line.split()[0] for line in locked)
    found = dict(line.split()[0].split("==") for line in locked)
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, version = line.split("==")
            assert found[name] == version
