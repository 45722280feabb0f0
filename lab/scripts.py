"""JavaScript of the boards: it comes once with the page, not again with every answer.

Streamlit sends a component's source with each change of its data. A board's code is long and its
answers are short, so the code is a component of its own that never changes, and what is sent with
an answer is only the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent
# What several components use: a picture saved as a file, an axis marked, a text in markup.
SAVE, TICKS, TEXT = (HERE / f"{name}.js" for name in ("save", "ticks", "text"))


@cache
def source(*paths: Path) -> str:
    """The files one after the other."""
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def offer(name: str, paths: Sequence[Path]) -> None:
    """Bring a board's code into the page, outside of fragments; it defines a function `show`."""
    register = (
        f'\n(window.__mavrCode ??= {{}})["{name}"] = show;\nexport default function () {{}}\n'
    )
    component = st.components.v2.component(f"mavr_code_{name}", js=source(*paths) + register)
    with st.container(key=f"unseen_code_{name}"):
        component(key=f"code.{name}")


def made(name: str, *files: Path, html: str | None = None) -> Any:
    """The mounting function of a component of some files; its HTML may be given as text."""
    parts: dict[str, Any] = {"html": html} if html else {}
    for kind in {file.suffix for file in files}:
        parts[kind[1:]] = source(*(file for file in files if file.suffix == kind))
    return st.components.v2.component(f"mavr_{name}", **parts)


def unseen(file: Path, key: str, **more: Any) -> None:
    """Mount a component that is a script alone."""
    with st.container(key=f"unseen_{key.replace('.', '_')}"):
        made(file.stem, file)(key=key, **more)


def component(folder: Path, *before: Path) -> Any:
    """The small component that lies in a folder, its files named alike; before : what they use."""
    own = (folder / f"{folder.name}.{kind}" for kind in ("html", "css", "js"))
    return made(folder.name, *before, *own)


def board(name: str, html: Path, css: Sequence[Path]) -> Any:
    """The mounting function of a board whose code `offer` brings."""
    call = source(HERE / "call.js").replace("NAME", name)
    return st.components.v2.component(f"mavr_{name}", html=source(html), css=source(*css), js=call)
