"""A page whose whole state is one frozen view: opened from a link, kept in the session, saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import streamlit as st

from lab.address import Address

V = TypeVar("V")


class PageState(Generic[V]):
    """fresh : makes the default view; read, write : from and to the parameters of a link."""

    def __init__(
        self,
        page: str,
        fresh: Callable[[], V],
        read: Callable[[Mapping[str, str]], tuple[V, list[str]]],
        write: Callable[[V], dict[str, str]],
    ) -> None:
        self.page, self._fresh, self._read, self._write = page, fresh, read, write

    def key(self, name: str) -> str:
        return f"{self.page}.{name}"

    def open(self) -> tuple[V, list[str]]:
        """The view of this visit: of the link if there is one, else of the last visit."""
        problems: list[str] = []
        if self.key("view") not in st.session_state:
            st.session_state[self.key("view")] = self._fresh()
        if (query := self._address.opened()) is not None:
            view, problems = self._read(query)
            self.show(view)
        return st.session_state[self.key("view")], problems

    @property
    def _address(self) -> Address:
        address: Address = st.session_state.setdefault(self.key("address"), Address())
        return address

    def show(self, view: V) -> None:
        """Another view altogether: widgets take their values from it."""
        for key in [k for k in st.session_state if str(k).startswith(self.key("w."))]:
            del st.session_state[key]
        st.session_state[self.key("view")] = view

    def save(self, view: V) -> None:
        st.session_state[self.key("view")] = view
        self._address.write(self._write(view))

    def widget(
        self, widget: Callable[..., Any], view: V, name: str, *args: Any, **more: Any
    ) -> Any:
        """A widget that begins with the view's value."""
        key = self.key(f"w.{name}")
        value = getattr(view, name)
        st.session_state.setdefault(key, list(value) if isinstance(value, tuple) else value)
        return widget(*args, key=key, **more)
