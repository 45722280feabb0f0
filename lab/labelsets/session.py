"""One user's state on the multi-label page; the link takes precedence when one is opened."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import streamlit as st

from lab.address import Address
from lab.labelsets import cache
from lab.labelsets.labels import OWN, History, Labels
from lab.labelsets.view import TOY, LabelView, from_query, to_query
from lab.session import forget_widgets, uploads

PAGE = "multilabel"
# Widgets whose key is the name of a field of the view. What a page does not show keeps its value.
WIDGETS = (
    "n",
    "seed",
    "similarity",
    "sigma",
    "n_neighbors",
    "laplacian",
    "standardise",
    "gamma",
    "constrained",
    "tau",
    "balance",
    "strength",
    "rule",
    "per_label",
    "shown",
    "errors",
)


@dataclass
class LabelSession:
    """have : the points the browser holds; draft : a P being edited, not admissible yet."""

    view: LabelView = field(default_factory=LabelView)
    history: History = field(default_factory=History)
    address: Address = field(default_factory=Address)
    ack: int = 0
    step: int = 0
    have: str | None = None
    draft: np.ndarray | None = None
    problems: list[str] = field(default_factory=list)

    def key(self, name: str) -> str:
        return f"{PAGE}.{name}"

    def put(self, labels: Labels) -> None:
        self.history = self.history.put(labels)
        self.change(labels=self.history.now)

    def change(self, **fields: Any) -> None:
        self.view = replace(self.view, **fields)

    def show(self, view: LabelView) -> None:
        """Another view altogether: a link, another data set."""
        self.view = view
        self.history = History(view.labels)
        self.draft = None
        forget_widgets(PAGE)

    def read(self) -> None:
        """Every widget that is shown, into the view."""
        state = {name: st.session_state.get(self.key(name)) for name in WIDGETS}
        self.change(**{name: value for name, value in state.items() if value is not None})

    def save_link(self) -> None:
        self.address.write(to_query(self.view))


def open_session() -> LabelSession:
    name = f"session.{PAGE}"
    session: LabelSession | None = st.session_state.get(name)
    if session is None:
        session = LabelSession()
        st.session_state[name] = session
    if (query := session.address.opened()) is not None:
        view, session.problems = from_query(query)
        session.show(view)
    for widget in WIDGETS:
        st.session_state.setdefault(session.key(widget), getattr(session.view, widget))
    return session


def fresh_view(data: str, n: int = 300, seed: int = 0) -> LabelView:
    """A data set in the setting that suits it."""
    view = LabelView(data=data, n=n, seed=seed)
    source = cache.dataset(view, uploads())
    if data == TOY:
        return view
    # Of points in many dimensions a label is learned from neighbours, on one scale; these values
    # did well on the emotions data (docs/multilabel.md).
    view = replace(view, gamma=9.0, rule="learned", per_label=True)
    if source.X.shape[1] > 2:
        view = replace(view, similarity="knn", n_neighbors=10, standardise=True)
    return replace(view, labels=Labels(share=OWN if len(source.labelled) else 0.3))
