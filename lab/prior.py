"""The proportions that the balance term heeds: equal ones, estimated ones, or one's own."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lab.board.view import fitted
from lab.link import get_at
from lab.page import Page
from lab.text import plain
from mavr.settings import CLASS_PRIOR

KINDS = {"equal": "Equal", "labels": "From labels", "own": "Own"}
PATH = "setting.parameters.class_prior"


def prior_control(page: Page[Any], n_classes: int, path: str = PATH, *, own: bool = True) -> None:
    """Which proportions, and where they are one's own a field for them.

    path : of the proportions in the view; own : whether one's own are offered.
    """
    parameters = get_at(page.view, tuple(path.split(".")[:-1]))
    now = fitted(parameters.class_prior, n_classes)
    priors = {"equal": None, "labels": "labels", "own": (1.0,) * n_classes}
    kinds = [kind for kind in KINDS if own or kind in ("equal", _kind(now), "labels")]
    page.widget(
        st.segmented_control, "prior", _kind(now),
        lambda kind: page.change(path, priors[kind]), CLASS_PRIOR.label, kinds,
        format_func=KINDS.get, required=True, help=CLASS_PRIOR.help,
    )  # fmt: skip
    if isinstance(now, tuple):
        page.widget(
            st.text_input, "prior.own", CLASS_PRIOR.write(now).replace("~", " : "),
            lambda text: _read(page, path, text, n_classes), "One number for each class",
        )  # fmt: skip
    if problem := st.session_state.pop(page.key("prior.problem"), None):
        st.error(plain(problem), icon=":material/error:")
    right = page.view.second.balance if getattr(page.view, "own", False) else 0.0
    if now is not None and not (parameters.balance or right):
        st.caption("Without effect while balance is 0.")


def _kind(prior: Any) -> str:
    if isinstance(prior, tuple):
        return "own"
    return "labels" if prior else "equal"


def _read(page: Page[Any], path: str, text: str, n_classes: int) -> None:
    try:
        prior = CLASS_PRIOR.read(text)
        if isinstance(prior, tuple) and len(prior) != n_classes:
            raise ValueError(f"There are {n_classes} classes, and {len(prior)} numbers were given")
    except ValueError as error:
        st.session_state[page.key("prior.problem")] = f"{error}."
        return
    page.change(path, prior)
