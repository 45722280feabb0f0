"""What the sections share: paragraph beside picture, sliders that remember, presets, numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from lab.scripts import source
from lab.tables import table
from lab.text import number as number
from lab.theory import slide
from lab.theory.address import link
from mavr.settings import Number

PREFIX = "theory."
TEXTS = Path(__file__).parent / "texts"


def key(name: str) -> str:
    return PREFIX + name


def put(values: Mapping[str, Any]) -> None:
    """Set controls, from a preset or an erratum; for callbacks."""
    for name, value in values.items():
        st.session_state[key(name)] = value


@dataclass(frozen=True)
class Text:
    """What a file of `texts` says."""

    title: str
    words: str
    formula: str


def told(name: str) -> Text:
    """A text by name: its heading, its paragraphs, and the formula at its end, if there is one."""
    title, _, rest = source(TEXTS / f"{name}.md").partition("\n")
    words, _, formula = rest.partition("\n$$\n")
    return Text(title, words, formula.rstrip("$\n"))


@contextmanager
def beside(name: str) -> Iterator[Any]:
    """A text, then its formula and the controls drawn inside, beside a picture.

    Yields the picture's place.

    style.css puts the three where they belong on wide and on narrow screens.
    """
    text = told(name)
    with st.container(key="theory_beside"):
        with st.container(key="theory_words"):
            st.markdown(text.title)
            st.markdown(text.words)
        controls = st.container(key="theory_controls")
        picture = st.container(key="theory_picture")
        with controls:
            if text.formula:
                st.latex(text.formula)
            yield picture


def slider(
    label: str,
    name: str,
    ends: tuple[float, float],
    start: float,
    help: str = "",
    *,
    log: bool = False,
    zero: bool = False,
    whole: bool = False,
) -> float:
    """A slider that keeps its place when another section is looked at.

    The section follows while it is moved.

    Parameters
    ----------
    log : equal steps are equal ratios; zero : with 0 below the lower end.
    """
    full = key(name)
    if (wanted := link().number(name, (0.0, *ends) if zero else ends, label)) is not None:
        st.session_state[full] = wanted
    st.session_state.setdefault(full, start)
    value = float(st.session_state[full])
    # What a preset or the Playground says may lie beyond the ends; 0 has no place on a scale of
    # ratios.
    reached = [*ends, *(v for v in (value, start) if v or not log)]
    about = Number(
        name, label, "", help, min(reached), max(reached), start,
        logarithmic=log, whole=whole, zero=zero,
    )  # fmt: skip
    chosen = slide.draw(full, about, float(start))
    link().say(name, chosen, float(start))
    return chosen


def choice(label: str, name: str, options: Mapping[Any, str], start: Any, help: str = "") -> Any:
    """One of a few, as a row of buttons."""
    full = key(name)
    if (wanted := link().one_of(name, options, label)) is not None:
        st.session_state[full] = wanted
    # What another choice offered may not be offered any more.
    if st.session_state.get(full) not in options:
        st.session_state[full] = start
    chosen = st.segmented_control(
        label,
        list(options),
        key=full,
        format_func=lambda k: options[k],
        help=help or None,
        required=True,
        persist_state="session",
    )
    chosen = start if chosen is None else chosen
    link().say(name, chosen, start)
    return chosen


def presets(name: str, choices: Mapping[str, tuple[str, Mapping[str, Any]]]) -> None:
    """Buttons in a row; each sets some controls."""
    with st.container(horizontal=True, gap="small"):
        for label, (tip, values) in choices.items():
            st.button(
                label, key=key(f"{name}.preset.{label}"), help=tip, on_click=put, args=(values,)
            )


def numbers(rows: Sequence[Sequence[str]], head: Sequence[str], tips: Sequence[str] = ()) -> None:
    st.html(table([list(r) for r in rows], list(head), list(tips) or None))


def judge(holds: bool, good: str, bad: str) -> None:
    """The sentence for what holds, or for what does not."""
    say(good if holds else bad, f":material/{'check' if holds else 'warning'}:", holds)


def say(text: str, icon: str, good: bool | None = None) -> None:
    """One sentence that sums up what the picture shows."""
    show: Callable[..., Any] = st.info if good is None else st.success if good else st.warning
    show(text, icon=icon)
