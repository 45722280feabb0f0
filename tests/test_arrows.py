"""Every arrow between the parts, proved from the source (docs/architecture.md).

mavr <- datasets <- lab <- pages, inside mavr settings <- graphs <- solvers <- methods <-
estimators <- experiments <- commands with theory beside the estimators, and no cycle anywhere.
Imports inside functions count; those for the type checker alone do not.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parent.parent
# Each may import itself and those before it.
PARTS = ("mavr", "datasets", "lab", "pages")
DASHBOARD = {"streamlit", "plotly"}
# All that a data set needs of the library: it contains settings, and is solved by others.
OF_MAVR_IN_DATASETS = {"mavr.settings", "mavr.relations"}

# They import one another at most; ties, what equal responses mean, is asked by solvers already.
GROUND = {"arrays", "declarations", "settings", "validation", "relations", "labels", "ties"}
SOLVING = GROUND | {"graphs", "solvers"}
METHODS = {"methods", "least_squares", "multilabel", "collapse", "transduction"}
# Rooms of mavr, and those that each may import beside itself.
ROOMS: dict[str, set[str]] = {
    **dict.fromkeys(GROUND, GROUND),
    "graphs": GROUND,
    "solvers": GROUND | {"graphs"},
    **dict.fromkeys(METHODS, SOLVING | METHODS),
    "theory": SOLVING | METHODS,
    "estimators": SOLVING | METHODS,
    "experiments": SOLVING | METHODS | {"estimators"},
    "commands": SOLVING | METHODS | {"estimators", "experiments", "theory"},
    # What `import mavr` offers, and `python -m mavr`.
    "__init__": SOLVING | METHODS | {"estimators"},
    "__main__": {"commands"},
}


@dataclass(frozen=True)
class Import:
    """One imported name as it is written, and whether a function imports it."""

    target: str
    inside: bool


def imports(source: str, package: str = "") -> Iterator[Import]:
    """Every import of a module; `package` is what its relative imports start from.

    >>> list(imports("import a.b\\nif TYPE_CHECKING:\\n import c\\ndef f():\\n from d import e"))
    [Import(target='a.b', inside=False), Import(target='d.e', inside=True)]
    >>> list(imports("from . import a\\nfrom ..b import c", "p.q"))
    [Import(target='p.q.a', inside=False), Import(target='p.b.c', inside=False)]
    """
    yield from _imports(ast.parse(source), package, False)


def _imports(node: ast.AST, package: str, inside: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, inside) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) + 1 - node.level]
        start = ".".join([*(above if node.level else []), *([node.module] if node.module else [])])
        yield from (Import(f"{start}.{alias.name}", inside) for alias in node.names)
    elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        for child in node.orelse:
            yield from _imports(child, package, inside)
    else:
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from _imports(child, package, inside)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).parent.parts)


FILES = {module_name(path): path for part in PARTS for path in sorted((ROOT / part).rglob("*.py"))}
FOUND = {
    name: tuple(imports(path.read_text(encoding="utf-8"), package_of(path)))
    for name, path in FILES.items()
}


def module_of(target: str, modules: Mapping[str, object]) -> str:
    """The module that an imported name belongs to; the name itself where it is none of ours.

    >>> module_of("mavr.settings.Number", {"mavr": 0, "mavr.settings": 0})
    'mavr.settings'
    """
    name = target
    while name not in modules and "." in name:
        name = name.rpartition(".")[0]
    return name if name in modules else target


def room(module: str) -> str:
    """The part of mavr that a module is in."""
    return module.split(".")[1] if "." in module else "__init__"


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of modules that import one another, by strongly connected components.

    >>> cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"e"}})
    [['a', 'b', 'c'], ['e']]
    """
    names = sorted(graph)
    at = {name: i for i, name in enumerate(names)}
    edges = [(at[a], at[b]) for a in names for b in graph[a]]
    rows, columns = zip(*edges, strict=True) if edges else ((), ())
    ones = [1] * len(edges)
    matrix = coo_array((ones, (rows, columns)), shape=(len(names), len(names)))
    count, member = connected_components(matrix, directed=True, connection="strong")
    groups = [[n for n in names if member[at[n]] == k] for k in range(count)]
    return sorted(g for g in groups if len(g) > 1 or g[0] in graph[g[0]])


def against(part: str) -> list[str]:
    """Imports of a part that go against the arrows between the parts."""
    later = {*PARTS[PARTS.index(part) + 1 :], "app"}
    if part in ("mavr", "datasets"):
        later |= DASHBOARD
    return [
        f"{name} imports {i.target}"
        for name, found in FOUND.items()
        if name.split(".")[0] == part
        for i in found
        if i.target.split(".")[0] in later and not _allowed(name, i)
    ]


def _allowed(name: str, found: Import) -> bool:
    """Commands read files and make data sets, but without them they still start."""
    of_datasets = found.target.split(".")[0] == "datasets"
    return of_datasets and found.inside and name.startswith("mavr.commands.")


def test_there_are_files_to_check():
    for part in PARTS:
        assert any(name.split(".")[0] == part for name in FILES), part
    assert {room(name) for name in FILES if name.split(".")[0] == "mavr"} >= {"graphs", "solvers"}
    assert sum(len(found) for found in FOUND.values()) > 500


@pytest.mark.parametrize("part", PARTS)
def test_no_part_imports_a_later_one(part):
    assert against(part) == []


def test_data_sets_know_settings_and_relations_alone():
    wrong = {
        f"{name} imports {i.target}"
        for name, found in FOUND.items()
        if name.split(".")[0] == "datasets"
        for i in found
        if i.target.split(".")[0] == "mavr"
        and module_of(i.target, FILES) not in OF_MAVR_IN_DATASETS
    }
    assert wrong == set()


def test_every_module_of_the_library_has_a_room():
    rooms = {room(name) for name in FILES if name.split(".")[0] == "mavr"}
    assert rooms - set(ROOMS) == set(), "say in ROOMS what the new one may import"


@pytest.mark.parametrize("inner", sorted(ROOMS))
def test_no_room_of_the_library_imports_a_later_one(inner):
    may = ROOMS[inner] | {inner}
    wrong = [
        f"{name} imports {module_of(i.target, FILES)}"
        for name, found in FOUND.items()
        if name.split(".")[0] == "mavr" and room(name) == inner
        for i in found
        if i.target.split(".")[0] == "mavr" and room(module_of(i.target, FILES)) not in may
    ]
    assert wrong == []


def test_no_modules_import_one_another():
    graph = {
        name: {module_of(i.target, FILES) for i in found} & FILES.keys()
        for name, found in FOUND.items()
    }
    assert cycles(graph) == []


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
