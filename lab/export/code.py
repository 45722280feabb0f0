"""About ten lines of Python that compute a view's picture with the library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from datasets import Dataset
from lab.board.scene import Scene, scene_of
from lab.board.view import View
from lab.data import GENERATORS, Data, load
from lab.sets.answers import parameters
from lab.sets.labels import given
from lab.sets.view import MAX_POINTS, LabelView, preset, source_of
from mavr.methods import METHODS, prior_of
from mavr.settings import GraphSpec, Parameters, Rows, declarations

Files = Mapping[str, Dataset]
Lines = list[str]

WIDTH = 96


def classes_code(view: View, files: Files) -> str:
    """Code for a board of classes; it leaves `left` and `right`, two solutions."""
    scene = scene_of(view, files)
    c = scene.n_classes
    lines = [
        *(["from dataclasses import replace", ""] if view.split else []),
        "import numpy as np",
        "import plotly.express as px",
        "",
        "import datasets",
        "from mavr import METHODS",
        "from mavr.graphs.graph import graph_of",
        "from mavr.settings import GraphSpec, Parameters",
        *(["from mavr.ties import split_ties"] if view.split else []),
        "",
        *_data(view.data, files),
        *_points(scene),
        *_labels(scene),
        f"graph = graph_of({_graph(view.setting.graph)}, X)",
        *_relation(view, c),
        _run("left", view.left, view.parameters(c)),
        _run("right", view.right, view.parameters(c, right=True)),
        *_split(view),
        *_figure(view, scene),
    ]
    return "\n".join(line for long in lines for line in _wrapped(long)) + "\n"


def _data(data: Data, files: Files) -> Lines:
    """The data set."""
    if data.uploaded:
        name = load(data, files).name
        read = "from_npz" if name.lower().endswith(".npz") else "from_csv"
        lines = [f"data = datasets.{read}({name!r})"]
    else:
        made = GENERATORS[data.name].function
        first = [repr(a) for a in made.args] if isinstance(made, partial) else []
        made = made.func if isinstance(made, partial) else made
        values = {k: v for k, v in data.values.items() if v is not None} | {"seed": data.seed}
        keywords = [f"{name}={value!r}" for name, value in values.items()]
        lines = [f"data = datasets.{made.__name__}({', '.join(first + keywords)})"]
    if data.unknown >= 0:
        lines.append(f"data = datasets.all_but_one(data, {data.unknown})")
    return lines


def _points(scene: Scene) -> Lines:
    """X, the features, and `places`, where the points are drawn; with what was painted."""
    if not (scene.paintable and scene.marks.painted):
        same = "data.X" if scene.paintable else "data.points"
        return [f"X, places = data.X, {same}"]
    lines = ["X = np.array(data.X)"]
    moved = [row for row in scene.marks.moved if row[0] < scene.data.n]
    if moved:
        lines.append(f"X[{[i for i, _, _ in moved]}] = {[[x, y] for _, x, y in moved]}")
    if scene.marks.added:
        lines.append(f"X = np.vstack([X, {[[x, y] for x, y, _ in scene.marks.added]}])")
    lines.append(f"Y = np.zeros((len(X), {scene.n_classes}))")
    return lines


def _labels(scene: Scene) -> Lines:
    """Y, and the points that are left where some were deleted."""
    painted = scene.paintable and scene.marks.painted
    lines = [] if painted else [f"Y = np.zeros((data.n, {scene.n_classes}))"]
    at = np.flatnonzero(scene.labels >= 0)
    rows, classes = at.tolist(), scene.labels[at].tolist()
    lines.append(f"Y[{rows}, {classes}] = 1  # the labelled points, and their classes")
    gone = np.flatnonzero(~scene.alive).tolist()
    if gone:
        lines.append(f"X, Y = np.delete(X, {gone}, axis=0), np.delete(Y, {gone}, axis=0)")
    return [*lines, *(["places = X"] if painted else [])]


def _graph(spec: GraphSpec) -> str:
    values = {k: v for k, v in spec.arguments.items()}
    for name, about in declarations(GraphSpec).items():
        if name != "similarity" and getattr(spec, name) != about.usual:
            values[name] = getattr(spec, name)
    more = "".join(f", {name}={value!r}" for name, value in values.items())
    return f"GraphSpec.of({spec.similarity!r}{more})"


def _relation(view: View, c: int) -> Lines:
    P = view.parameters(c).P
    used = "P" in METHODS[view.left].uses | METHODS[view.right].uses
    return [f"P = {_matrix(P)}"] if used and P is not None and not _is_identity(P) else []


def _run(name: str, method: str, p: Parameters) -> str:
    uses = METHODS[method].uses
    keywords = []
    for key, about in declarations(Parameters).items():
        value = getattr(p, key)
        if key in uses and (value != about.usual or key == "gamma"):
            keywords.append(f"{key}={value!r}")
    if "P" in uses and p.P is not None and not _is_identity(p.P):
        keywords.append("P=P")
    return f'{name} = METHODS["{method}"].run(graph, Y, Parameters({", ".join(keywords)}))'


def _matrix(P: Rows) -> str:
    return repr([[int(v) if v == int(v) else v for v in row] for row in P])


def _is_identity(P: Rows) -> bool:
    return bool((np.eye(len(P)) == np.array(P)).all())


def _split(view: View) -> Lines:
    if not view.split:
        return []
    return [
        f"labels = split_ties(left, graph.W, {view.data.seed})  # None where nothing is tied",
        "if labels is not None:",
        "    left = replace(left, labels=labels, ties=np.zeros_like(left.ties))",
    ]


def _figure(view: View, scene: Scene) -> Lines:
    """The classes of the points in words, and the two panels."""
    left, right = METHODS[view.left].title, METHODS[view.right].title
    right = right if right != left else f"{right}, right"
    return [
        f"names, both = np.array({[*scene.names]!r}), (left, right)",
        'said = [np.where(s.ties, "tied", names[s.labels]) for s in both]',
        'said = [np.where(s.unreached, "unreached", t) for s, t in zip(both, said)]',
        f"panel = np.repeat({[left, right]!r}, len(places))",
        "x, y = np.tile(places, (2, 1)).T",
        "figure = px.scatter(x=x, y=y, color=np.concatenate(said), facet_col=panel)",
        'figure.write_html("picture.html")',
    ]


def sets_code(view: LabelView, files: Files) -> str:
    """Code for a board of label sets; it leaves `has`, which labels each point has."""
    data = source_of(view, files)
    Y = given(data, view.labels)
    p = parameters(view, data.n_classes)
    own = view.relation == "own" and p.P is not None and len(p.P) == data.n_classes
    scaled = "StandardScaler().fit_transform(data.X)" if view.standardise else "data.X"
    hand = view.rule == "preset"
    balance = f", balance={p.balance!r}" if p.balance else ""
    prior = prior_of(p, Y.astype(float))
    balance += "" if prior is None else f", prior={prior.tolist()!r}"
    size = "" if p.tau is None else f", tau={p.tau!r} * np.sqrt(len(labelled))"
    relation = f"np.array({_matrix(p.P)})" if own and p.P else f"co_occurrence(Y, {view.strength})"
    from_library = ["THRESHOLDS"] * (not hand) + ["co_occurrence"] * (not own)
    lines = [
        *_standard_library(view, files),
        "import numpy as np",
        "import plotly.express as px",
        *(["from sklearn.preprocessing import StandardScaler"] if view.standardise else []),
        "",
        "import datasets",
        "import mavr",
        "from mavr.graphs.graph import graph_of",
        *([f"from mavr.multilabel import {', '.join(from_library)}"] if from_library else []),
        "from mavr.settings import GraphSpec",
        *([] if hand else ["from mavr.solvers.leave_one_out import left_out"]),
        "from mavr.solvers.spectrum import spectrum_of",
        "",
        *_data(view.data, files),
        *_whole_file(view, files),
        f"X = {scaled}",
        f"Y, labelled = np.zeros((data.n, {data.n_classes})), {_indices(Y)}",
        f"Y[labelled] = {Y[Y.any(axis=1)].tolist()}  # 1 has it, -1 has it not",
        f"spectrum = spectrum_of(graph_of({_graph(view.setting.graph)}, X))",
        f"P = {relation}",
        f"solution = mavr.solve(spectrum, Y, P, gamma={p.gamma!r}{size}{balance})",
        *_thresholds(view, data.n_classes, "" if prior is None else f", {prior.tolist()!r}"),
        "has = (solution.H >= T) & ~solution.unreached[:, None]",
        f"names = np.array({[*data.class_names]!r})",
        'said = [" + ".join(names[row]) or "none" for row in has]',
        f"x, y = {_places(view, data)}.T",
        'px.scatter(x=x, y=y, color=said).write_html("picture.html")',
    ]
    return "\n".join(line for long in lines for line in _wrapped(long)) + "\n"


def _indices(Y: Any) -> str:
    return repr(np.flatnonzero(Y.any(axis=1)).tolist())


def _large(view: LabelView, files: Files) -> Dataset | None:
    """A file of which only some points are shown."""
    file = load(view.data, files)
    return file if view.data.uploaded and file.n > MAX_POINTS else None


def _standard_library(view: LabelView, files: Files) -> Lines:
    file = _large(view, files)
    return ["from dataclasses import replace", ""] if file is not None and file.Y is None else []


def _whole_file(view: LabelView, files: Files) -> Lines:
    """A large file is drawn from, in proportion to its label sets; a class is a set of one."""
    file = _large(view, files)
    if file is None:
        return []
    lines = []
    if file.Y is None:
        lines = [
            f"one = np.arange({file.n_classes}) == data.y[:, None]",
            "sets = np.where(data.y[:, None] < 0, datasets.UNKNOWN, one).astype(np.int8)",
            "data = replace(data, y=None, Y=sets)",
        ]
    return [*lines, f"data = datasets.subset(data, {MAX_POINTS})"]


def _places(view: LabelView, data: Dataset) -> str:
    """Where the points are drawn: in the plane itself, or on their main axes."""
    if data.X.shape[1] <= 2 or not view.standardise:
        return "data.points"
    return "datasets.model.plane(X)"


def _thresholds(view: LabelView, c: int, prior: str) -> Lines:
    if view.rule == "preset":
        return [f"T = np.array({preset(view, c).tolist()!r})"]
    p = view.setting.parameters
    return [
        "rest = ~Y.any(axis=1) & ~solution.unreached",
        "rest = rest if rest.any() else Y.any(axis=1)",
        f"held_out = left_out(spectrum, solution, Y, P, {p.gamma!r}, {p.balance!r}{prior})",
        f'T = THRESHOLDS["{view.rule}"](held_out, Y[labelled], solution.H[rest], {view.per_label})',
    ]


def _wrapped(line: str) -> Lines:
    """A long line of numbers, broken after commas inside of its brackets."""
    if len(line) <= WIDTH:
        return [line]
    parts: Lines = [""]
    for piece in _pieces(line):
        if len(parts[-1]) + len(piece) > WIDTH and parts[-1].strip():
            parts[-1] = parts[-1].rstrip()
            parts.append("    ")
            piece = piece.lstrip()
        parts[-1] += piece
    return parts


def _pieces(line: str) -> Iterable[str]:
    """Cut after each comma that stands inside of brackets and outside of texts and comments."""
    depth, start, quote = 0, 0, ""
    for at, char in enumerate(line):
        if quote:
            # A quote that is escaped does not end the text.
            if char == quote and (len(line[:at]) - len(line[:at].rstrip("\\"))) % 2 == 0:
                quote = ""
        elif char in "'\"":
            quote = char
        elif char == "#":
            break
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth:
            yield line[start : at + 1]
            start = at + 1
    yield line[start:]
