"""About ten lines of Python that compute a view's picture with the library."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

import numpy as np

from datasets import Dataset
from lab.board.scene import Scene, scene_of
from lab.board.view import View
from lab.data import GENERATORS, Data, load
from lab.export.script import script
from lab.sets.answers import parameters
from lab.sets.labels import given
from lab.sets.view import MAX_POINTS, LabelView, preset, source_of
from mavr.methods import METHODS, prior_of
from mavr.settings import GraphSpec, Parameters, Rows, declarations

Files = Mapping[str, Dataset]
Lines = list[str]


def classes_code(view: View, files: Files) -> str:
    """Code for a board of classes; it leaves `left` and `right`, two solutions."""
    scene = scene_of(view, files)
    c = scene.n_classes
    painted = scene.paintable and scene.marks.painted
    return script(
        [
            *problem_code(view, files),
            *_relation(view, c),
            _run("left", view.left, view.parameters(c), c),
            _run("right", view.right, view.parameters(c, right=True), c),
            *_split(view),
            _figure(view, "X" if painted else "data.points"),
        ]
    )


def problem_code(view: View, files: Files) -> Lines:
    """Lines that leave `labels` and `graph`, for code that goes on from there."""
    scene = scene_of(view, files)
    painted = scene.paintable and scene.marks.painted
    return [
        *data_lines(view.data, files),
        *(_painted(scene) if painted else []),
        f"labels = {_given(scene)}  # point: class",
        f"graph = mavr.make_graph({'X' if painted else 'data.X'}"
        f"{graph_arguments(view.setting.graph)})",
    ]


def data_lines(data: Data, files: Files, free: Collection[str] = ()) -> Lines:
    """The data set; free : parameters whose values are variables of their names."""
    if data.uploaded:
        name = load(data, files).name
        read = "from_npz" if name.lower().endswith(".npz") else "from_csv"
        lines = [f"data = datasets.{read}({name!r})"]
    else:
        made = GENERATORS[data.name].function
        first = [repr(a) for a in made.args] if isinstance(made, partial) else []
        made = made.func if isinstance(made, partial) else made
        values = {k: v for k, v in data.values.items() if v is not None} | {"seed": data.seed}
        keywords = [f"{k}={k}" if k in free else f"{k}={v!r}" for k, v in values.items()]
        lines = [f"data = datasets.{made.__name__}({', '.join(first + keywords)})"]
    if data.unknown >= 0:
        lines.append(f"data = datasets.all_but_one(data, {data.unknown})")
    return lines


def painted_places(scene: Scene) -> Lines:
    """X, all points with what was moved and added."""
    lines = ["X = np.array(data.X)"]
    if moved := [row for row in scene.marks.moved if row[0] < scene.data.n]:
        lines.append(f"X[{[i for i, _, _ in moved]}] = {[[x, y] for _, x, y in moved]}")
    if scene.marks.added:
        lines.append(f"X = np.vstack([X, {[[x, y] for x, y, _ in scene.marks.added]}])")
    return lines


def _painted(scene: Scene) -> Lines:
    """X, the points that are left."""
    gone = np.flatnonzero(~scene.alive).tolist()
    deleted = [f"X = np.delete(X, {gone}, axis=0)"] if gone else []
    return [*painted_places(scene), *deleted]


def _given(scene: Scene) -> dict[int, int]:
    """The labelled points that are left, as they are numbered then, with their classes."""
    labels = scene.labels[scene.alive]
    return {int(i): int(labels[i]) for i in np.flatnonzero(labels >= 0)}


def graph_arguments(spec: GraphSpec) -> str:
    """The arguments of `mavr.make_graph` after the points."""
    values = {k: v for k, v in spec.arguments.items()}
    for name, about in declarations(GraphSpec).items():
        if name != "similarity" and getattr(spec, name) != about.usual:
            values[name] = getattr(spec, name)
    return "".join([f", {spec.similarity!r}", *(f", {k}={v!r}" for k, v in values.items())])


def _relation(view: View, c: int) -> Lines:
    P = view.parameters(c).P
    used = "P" in METHODS[view.left].uses | METHODS[view.right].uses
    return [f"P = {_matrix(P)}"] if used and P is not None and not _is_identity(P) else []


def _run(name: str, method: str, p: Parameters, c: int) -> str:
    uses = METHODS[method].uses
    keywords = []
    for key, about in declarations(Parameters).items():
        value = getattr(p, key)
        if key in uses and (value != about.usual or key == "gamma"):
            keywords.append(f", {key}={value!r}")
    if "P" in uses and p.P is not None and not _is_identity(p.P):
        keywords.append(", P=P")
    return f'{name} = mavr.transduce(graph, labels, {c}, "{method}"{"".join(keywords)})'


def _matrix(P: Rows) -> str:
    return repr([[int(v) if v == int(v) else v for v in row] for row in P])


def _is_identity(P: Rows) -> bool:
    return bool((np.eye(len(P)) == np.array(P)).all())


def _split(view: View) -> Lines:
    if not view.split:
        return []
    return [
        f"groups = split_ties(left, graph.W, {view.data.seed})  # None where nothing is tied",
        "if groups is not None:",
        "    left = replace(left, labels=groups, ties=np.zeros_like(left.ties))",
    ]


def _figure(view: View, places: str) -> str:
    """The two panels."""
    left, right = METHODS[view.left].title, METHODS[view.right].title
    right = right if right != left else f"{right}, right"
    return f'picture("picture.svg", {places}, labels, {{{left!r}: left, {right!r}: right}})'


def sets_code(view: LabelView, files: Files) -> str:
    """Code for a board of label sets; it leaves `has`, which labels each point has."""
    data = source_of(view, files)
    Y = given(data, view.labels)
    labelled = np.flatnonzero(Y.any(axis=1)).tolist()
    # Of a large file only some points are shown, drawn in proportion to their label sets.
    file = load(view.data, files)
    large = view.data.uploaded and file.n > MAX_POINTS
    of_classes = large and file.Y is None
    p = parameters(view, data.n_classes)
    own = view.relation == "own" and p.P is not None and len(p.P) == data.n_classes
    scaled = view.standardise
    tau = "" if p.tau == declarations(Parameters)["tau"].usual else f", tau={p.tau!r}"
    balance = f", balance={p.balance!r}" if p.balance else ""
    prior = prior_of(p, Y.astype(float))
    balance += "" if prior is None else f", class_prior={tuple(prior.tolist())!r}"
    relation = f"np.array({_matrix(p.P)})" if own and p.P else f"co_occurrence(Y, {view.strength})"
    panels = ", ".join(
        f"{name!r}: np.where(has[:, {j}], {j}, -1)" for j, name in enumerate(data.class_names)
    )
    lines = [
        *data_lines(view.data, files),
        *(_as_sets(file.n_classes) if of_classes else []),
        *([f"data = datasets.subset(data, {MAX_POINTS})"] if large else []),
        *(["X = StandardScaler().fit_transform(data.X)"] if scaled else []),
        f"Y, labelled = np.zeros((data.n, {data.n_classes})), {labelled}",
        f"Y[labelled] = {Y[labelled].tolist()}  # 1 has it, -1 has it not",
        f"graph = mavr.make_graph({'X' if scaled else 'data.X'}"
        f"{graph_arguments(view.setting.graph)})",
        f"P = {relation}",
        f"solution = mavr.transduce(graph, Y, P=P, gamma={p.gamma!r}{tau}{balance})",
        *_thresholds(view, data.n_classes, "" if prior is None else f", {prior.tolist()!r}"),
        "has = (solution.H >= T) & ~solution.unreached[:, None]",
        f'picture("picture.svg", {_places(view, data)}, labelled, {{{panels}}})',
    ]
    return script(lines)


def _as_sets(n_classes: int) -> Lines:
    """Classes as label sets: a class is a set of one."""
    return [
        f"one = np.arange({n_classes}) == data.y[:, None]",
        "sets = np.where(data.y[:, None] < 0, datasets.UNKNOWN, one).astype(np.int8)",
        "data = replace(data, y=None, Y=sets)",
    ]


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
        "spectrum = spectrum_of(graph)",
        f"held_out = left_out(spectrum, solution, Y, P, {p.gamma!r}, {p.balance!r}{prior})",
        f'T = THRESHOLDS["{view.rule}"](held_out, Y[labelled], solution.H[rest], {view.per_label})',
    ]
