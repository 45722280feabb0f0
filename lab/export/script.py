"""Lines of Python as a script: the imports of what they use come first, long lines are broken."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator

WIDTH = 96
# What a script of ours may use, in the order of its imports: modules, and names in them.
KNOWN = {
    "dataclasses": "replace",
    "numpy as np": "",
    "sklearn.preprocessing": "StandardScaler",
    "datasets": "Generated",
    "mavr": "",
    "mavr.commands.svg": "picture",
    "mavr.experiments": "Benchmark Design Sweep paper_panels run run_benchmark summarise "
    "summarise_benchmark",
    "mavr.experiments.benchmark": "PANELS",
    "mavr.experiments.grid": "Axis Points answer_cells solve_grid",
    "mavr.multilabel": "THRESHOLDS co_occurrence",
    "mavr.settings": "GraphSpec Parameters Setting",
    "mavr.solvers.leave_one_out": "left_out",
    "mavr.solvers.spectrum": "spectrum_of",
    "mavr.theory": "accuracy hard kronecker label_sets links losses pitfalls root stability truth "
    "volume",
    "mavr.ties": "split_ties",
}


def script(lines: Iterable[str]) -> str:
    """A script that begins with the imports of what its lines use."""
    lines = list(lines)
    names = [n for n in ast.walk(ast.parse("\n".join(lines))) if isinstance(n, ast.Name)]
    used = {n.id for n in names} - {n.id for n in names if isinstance(n.ctx, ast.Store)}
    shown = [short for line in lines for short in _wrapped(line)]
    return "\n".join([*_imports(used), "", *shown, ""])


def _imports(used: set[str]) -> Iterator[str]:
    for module, names in KNOWN.items():
        if module.rpartition(" ")[2] in used:
            yield f"import {module}"
        if wanted := [name for name in names.split() if name in used]:
            yield f"from {module} import {', '.join(wanted)}"


def _wrapped(line: str) -> list[str]:
    """A long line of numbers, broken after commas inside of its brackets."""
    if len(line) <= WIDTH:
        return [line]
    parts = [""]
    for piece in _pieces(line):
        if len(parts[-1]) + len(piece) > WIDTH and parts[-1].strip():
            parts[-1] = parts[-1].rstrip()
            parts.append("    ")
            piece = piece.lstrip()
        parts[-1] += piece
    return parts


def _pieces(line: str) -> Iterator[str]:
    """Cut after each comma that stands inside of brackets."""
    depth, start = 0, 0
    for kind, text, _, (_, end), _ in tokenize.generate_tokens(io.StringIO(line).readline):
        if kind == tokenize.OP:
            depth += (text in "([{") - (text in ")]}")
            if text == "," and depth:
                yield line[start:end]
                start = end
    yield line[start:]
