"""One user's state on one page: the view, its history, what the browser has acknowledged.

The view comes from the link when a page is opened by one, otherwise from the last visit. After that
the controls and the canvas change it, and the link follows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import streamlit as st

import datasets
from datasets import Dataset
from lab import cache
from lab.address import Address
from lab.marks import History, Marks, labelled
from lab.view import View, from_query, to_query

MAX_UPLOADS = 4


@dataclass
class Session:
    """page : prefix of its widget keys; draft : a P being edited that is not admissible yet."""

    page: str
    view: View
    history: History
    address: Address = field(default_factory=Address)
    ack: int = 0
    step: int = 0
    draft: np.ndarray | None = None
    curve: list[dict[str, Any]] = field(default_factory=list)
    curve_of: str = ""
    problems: list[str] = field(default_factory=list)
    # What the board last computed (lab.board.Result), for the parts of the page that follow it.
    result: Any = None

    def key(self, name: str) -> str:
        return f"{self.page}.{name}"

    def put(self, marks: Marks) -> None:
        self.history = self.history.put(marks)
        self.view = replace(self.view, marks=self.history.now)

    def show(self, view: View) -> None:
        """Another view altogether: a preset, a link, another data set."""
        self.view = view
        self.history = History(view.marks)
        self.draft = None
        self.curve = []
        forget_widgets(self.page)

    def set(self, name: str) -> None:
        """Take one widget's value into the view."""
        self.view = replace(self.view, **{name: st.session_state[self.key(name)]})

    def save_link(self) -> None:
        """Write the view into the address bar."""
        self.address.write(to_query(self.view))


def open_session(page: str, default: Callable[[], View]) -> Session:
    """This page's session; a link that was opened or gone back to takes precedence."""
    name = f"session.{page}"
    session: Session | None = st.session_state.get(name)
    if session is None:
        session = Session(page, View(), History())
        st.session_state[name] = session
        if not st.query_params.to_dict():
            session.show(default())
    if (query := session.address.opened()) is not None:
        view, session.problems = from_query(query)
        if "labels" not in query:
            view = with_default_labels(view, query)
        session.show(view)
    seed_widgets(session)
    return session


def with_default_labels(view: View, query: dict[str, str]) -> View:
    """A link that names a data set only means its own setting and labels."""
    if view.data.startswith("file:"):
        return view
    fresh = fresh_view(view.data, dict(view.params), view.seed, view.unknown)
    named, _ = from_query(query | {"labels": ""})
    changed = {
        f: getattr(named, f)
        for f in View.__dataclass_fields__
        if getattr(named, f) != getattr(View(), f)
    }
    changed.pop("marks", None)
    return replace(fresh, **changed)


def uploads() -> dict[str, Dataset]:
    """Files of this session, the newest last."""
    store: dict[str, Dataset] = st.session_state.setdefault("uploads", {})
    return store


def add_upload(content: bytes, filename: str) -> str:
    """Read a file and remember it; its name in a view. Raises DataError."""
    digest = "file:" + hashlib.sha256(content).hexdigest()[:16]
    store = uploads()
    if digest not in store:
        reader = datasets.from_npz if filename.lower().endswith(".npz") else datasets.from_csv
        store[digest] = _read(reader, content, filename)
        while len(store) > MAX_UPLOADS:
            del store[next(iter(store))]
    return digest


def _read(reader: Callable[..., Dataset], content: bytes, filename: str) -> Dataset:
    import io

    if reader is datasets.from_csv:
        return reader(content, name=filename)
    return reader(io.BytesIO(content), name=filename)


def fresh_view(
    data: str, params: dict[str, float] | None = None, seed: int = 0, unknown: int = -1
) -> View:
    """A data set in its own setting, with its own labels or one drawn per class."""
    view = View(data=data, params=tuple(sorted((params or {}).items())), seed=seed, unknown=unknown)
    source = cache.dataset(view, uploads())
    s = source.setting
    if s is not None:
        view = replace(
            view,
            similarity=s.graph.similarity,
            sigma=s.graph.value("sigma"),
            n_neighbors=s.graph.value("n_neighbors"),
            laplacian=s.graph.laplacian,
            gamma=s.parameters.gamma,
            tau=1.0 if s.parameters.tau is None else s.parameters.tau,
            left="unconstrained" if s.parameters.tau is None else "mavr",
            balance=s.parameters.balance,
            P=s.parameters.P,
        )
    elif source.X.shape[1] != 2:
        view = replace(view, similarity="knn", n_neighbors=10)
    else:
        view = replace(view, similarity="local_scaling")
    return replace(view, marks=own_labels(source, seed))


def own_labels(source: Dataset, seed: int) -> Marks:
    """The labels a set comes with; one drawn per class where it gives none or all."""
    if source.y is None:
        return Marks()
    given = source.labelled
    if len(given) == 0 or len(given) == source.n:
        classes = np.unique(source.y[source.y >= 0])
        if not len(classes):
            return Marks()
        given = datasets.draw_labels(source.y, len(classes), "balanced", seed)
    return Marks(labels=tuple((int(i), int(source.y[i])) for i in given))


def draw(session: Session, count: int, how: str, seed: int, withheld: list[int]) -> None:
    """New labels at random in place of all others."""
    scene = cache.scene(session.view, uploads())
    if scene.truth is None:
        raise datasets.DataError(
            "This data set has no true classes to draw labels from; click points."
        )
    y = np.where(scene.alive, scene.truth, -1)
    drawn = datasets.draw_labels(y, count, how, seed, withheld)
    marks = replace(session.view.marks, labels=())
    for j in np.unique(y[drawn]):
        marks = labelled(marks, [int(i) for i in drawn[y[drawn] == j]], int(j))
    session.put(marks)


# Widgets are filled from the view when they have no value: at the first visit, after a preset, and
# when the page is opened again (Streamlit drops the state of widgets that were not shown).
WIDGET_FIELDS = (
    "data",
    "seed",
    "similarity",
    "sigma",
    "n_neighbors",
    "laplacian",
    "left",
    "right",
    "gamma",
    "tau",
    "balance",
    "own",
    "gamma_2",
    "tau_2",
    "balance_2",
    "lambda_A",
    "lambda_I",
    "shade",
    "errors",
    "disagree",
    "suggest",
    "split",
)


def seed_widgets(session: Session) -> None:
    for name in WIDGET_FIELDS:
        st.session_state.setdefault(session.key(name), getattr(session.view, name))


def forget_widgets(page: str) -> None:
    for key in [k for k in st.session_state if isinstance(k, str) and k.startswith(f"{page}.")]:
        # The components' own states stay: they hold the numbers of events already applied.
        if not key.endswith((".board", ".matrix", ".acks")):
            del st.session_state[key]
