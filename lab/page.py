"""One visitor's state of one page: the view with its history, and its link.

The view comes from the link when a page is opened by one, otherwise from the last visit. It is the
only owner of what is shown: widgets are filled from it in every run, and hand their changes to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lab.address import Address, backs
from lab.history import History
from lab.link import Codec, get_at, put_at
from lab.text import together

# Parameters of a lesson link that are no part of the view (lab/lessons/link.py).
OF_A_LESSON = ("keep", "note")

V = TypeVar("V")
K = TypeVar("K")


class Page(Generic[V]):
    """name : prefix of its widgets' keys; problems : sentences about the link, shown once."""

    def __init__(self, name: str, codec: Codec[V], view: V) -> None:
        self.name, self.codec = name, codec
        self.history = History(view)
        self.problems: list[str] = []
        # What a lesson link says beside the view: a note, and which controls stay.
        self.lesson: dict[str, str] = {}
        self._address = Address()
        self._kept: dict[type, Any] = {}

    @property
    def view(self) -> V:
        return self.history.now

    def key(self, name: str) -> str:
        """The key of a widget."""
        return f"{self.name}.{name}"

    def change(self, path: str, value: Any) -> None:
        """Another value at a dotted path of the view."""
        self.put(put_at(self.view, tuple(path.split(".")), value))

    def put(self, view: V) -> None:
        """A changed view: one step that undo takes back."""
        self.history = self.history.put(view)

    def show(self, view: V) -> None:
        """Another view altogether, an example or another data set: Back leads away from it."""
        self.put(view)
        self._address.set(self.codec.write(view) | self.lesson, push=True)

    def keep(self, make: type[K]) -> K:
        """What else is remembered for this visitor and page, by its type."""
        found: K = self._kept.setdefault(make, make())
        return found

    def link(self) -> dict[str, str]:
        """The parameters of the view's link."""
        return self.codec.write(self.view)

    def save_link(self) -> None:
        """Let the address bar show the view's link."""
        self._address.set(self.link() | self.lesson)
        self._address.write(self.key("address"))

    def follow_link(self, unplaced: Callable[[V], list[str]] | None = None) -> None:
        """Take the view of a link that was opened or gone back to.

        unplaced : sentences on what of a view has no place in its data set.
        """
        pressed = backs(self.key("back"))
        if (query := self._address.opened(pressed)) is not None:
            view, self.problems = self.codec.read(query)
            self.lesson = {name: query[name] for name in OF_A_LESSON if name in query}
            self.problems += unplaced(view) if unplaced else []
            self.history = History(view)

    def show_problems(self) -> None:
        """What of the link could not be followed, once."""
        # A place of their own: a board below them would be made anew when they go.
        with st.container():
            for words in together(self.problems):
                st.warning(words, icon=":material/link_off:")
        self.problems = []

    def widget(
        self,
        widget: Callable[..., Any],
        name: str,
        value: Any,
        adopt: Callable[[Any], None],
        *args: Any,
        **more: Any,
    ) -> Any:
        """A Streamlit widget that shows `value` and hands a change to `adopt`."""
        key = self.key(name)
        # Set only where it differs: a value that is set again would be sent to the browser again.
        if st.session_state.get(key, _NOTHING) != value:
            st.session_state[key] = value
        options = args[1] if len(args) > 1 and isinstance(args[1], list | range) else None
        return widget(*args, key=key, on_change=_adopted, args=(key, adopt, options), **more)

    def field(self, widget: Callable[..., Any], path: str, *args: Any, **more: Any) -> Any:
        """A Streamlit widget of what stands at a dotted path of the view."""
        value = get_at(self.view, tuple(path.split(".")))
        return self.widget(widget, path, value, partial(self.change, path), *args, **more)


_NOTHING = object()


@contextmanager
def heading(name: str) -> Iterator[None]:
    """A page's title, and in the same line, where it fits, what is drawn inside."""
    with st.container(key="page_head", horizontal=True, vertical_alignment="center", gap="small"):
        st.title(name, anchor=False, width="content")
        yield


def line() -> DeltaGenerator:
    """A place for a sentence below the title that the board's part of the page may change."""
    with st.container(key="page_line"):
        return st.empty()


def _adopted(key: str, adopt: Callable[[Any], None], options: list[Any] | range | None) -> None:
    value = st.session_state[key]
    # A browser that has not heard of new options yet sends the words of an old one.
    if options is None or value is None or isinstance(value, list) or value in options:
        adopt(value)


def open_page(
    name: str,
    codec: Codec[V],
    default: Callable[[], V] | None = None,
    unplaced: Callable[[V], list[str]] | None = None,
) -> Page[V]:
    """This visitor's page; a link that was opened or gone back to takes precedence."""
    key = f"page.{name}"
    page: Page[V] | None = st.session_state.get(key)
    if page is None:
        page = Page(name, codec, (default or codec.fresh)())
        st.session_state[key] = page
    page.follow_link(unplaced)
    return page
