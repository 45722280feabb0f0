"""The address bar: links are opened, our own are not, and a late one undoes nothing."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from lab import address
from lab.address import ECHO_SECONDS, Address


class Bar(dict):
    """Streamlit's query parameters, as the browser last reported or we last wrote them."""

    def to_dict(self):
        return dict(self)

    def from_dict(self, query):
        self.clear()
        self.update(query)


@pytest.fixture
def bar(monkeypatch):
    bar = Bar()
    clock = SimpleNamespace(now=100.0)
    bar.clock = clock
    monkeypatch.setattr(address.st, "query_params", bar)
    monkeypatch.setattr(address.time, "monotonic", lambda: clock.now)
    return bar


def test_a_link_is_opened_once_and_a_bare_address_never(bar):
    page = Address()
    assert page.opened() is None
    bar.from_dict({"a": "1"})
    assert page.opened() == {"a": "1"}
    assert page.opened() is None


def test_what_we_wrote_is_no_link(bar):
    page = Address()
    page.write({"a": "2"})
    assert bar == {"a": "2"}
    assert page.opened() is None


def test_an_address_that_comes_late_is_not_read_and_is_put_right(bar):
    page = Address()
    page.write({"a": "1"})
    page.write({"a": "2"})
    bar.from_dict({"a": "1"})  # sent by the browser before it heard of the second
    assert page.opened() is None
    page.write({"a": "2"})
    assert bar == {"a": "2"}


def test_the_same_address_later_is_the_back_button(bar):
    page = Address()
    page.write({"a": "1"})
    page.write({"a": "2"})
    bar.clock.now += ECHO_SECONDS + 1
    bar.from_dict({"a": "1"})
    assert page.opened() == {"a": "1"}


def test_a_page_that_is_come_back_to_has_its_link_again(bar):
    page = Address()
    page.write({"a": "1"})
    bar.clear()
    assert page.opened() is None
    page.write({"a": "1"})
    assert bar == {"a": "1"}
