"""The address bar: links are opened, our own are not, and a late one undoes nothing."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from lab import address
from lab.address import ECHO_SECONDS, Address
from tests.lab.driver import App


class Bar(dict):
    """Streamlit's query parameters, as the browser last reported them."""

    def to_dict(self):
        return dict(self)

    def show(self, **query):
        self.clear()
        self.update(query)


@pytest.fixture
def bar(monkeypatch):
    bar, clock = Bar(), SimpleNamespace(now=100.0)
    bar.clock = clock
    monkeypatch.setattr(address.st, "query_params", bar)
    monkeypatch.setattr(address.time, "monotonic", lambda: clock.now)
    return bar


def test_a_link_is_opened_once_and_a_bare_address_never(bar):
    page = Address()
    assert page.opened() is None
    bar.show(a="1")
    assert page.opened() == {"a": "1"}
    assert page.opened() is None


def test_what_we_wrote_is_no_link(bar):
    page = Address()
    page.set({"a": "2"})
    bar.show(a="2")
    assert page.opened() is None


def test_an_address_that_comes_late_is_not_read(bar):
    page = Address()
    page.set({"a": "1"})
    page.set({"a": "2"})
    bar.show(a="1")  # sent by the browser before it heard of the second
    assert page.opened() is None
    assert page.query == {"a": "2"}


def test_the_link_that_streamlit_goes_on_telling_undoes_nothing(bar):
    page = Address()
    bar.show(a="1")
    assert page.opened() == {"a": "1"}
    page.set({"a": "2"})
    # The browser shows our address, but Streamlit tells the one of the first load.
    bar.clock.now += 10 * ECHO_SECONDS
    assert page.opened() is None
    assert page.opened(backs=1) == {"a": "1"}
    assert page.opened(backs=1) is None
    page.set({"a": "3"})
    assert page.opened(backs=1) is None
    assert page.opened(backs=2) == {"a": "1"}  # at once, too


def test_the_same_address_later_is_the_back_button(bar):
    page = Address()
    page.set({"a": "1"})
    page.set({"a": "2"})
    bar.clock.now += ECHO_SECONDS + 1
    bar.show(a="1")
    assert page.opened() == {"a": "1"}


def test_the_bar_is_told_the_link_in_every_run():
    """Also after another page, which has an address of its own."""
    app = App("playground", {"data": "smile", "gamma": "3"})
    link = app.link()
    assert "data=smile" in link
    assert "gamma=3" in link
    app.test.query_params.clear()
    app.test.switch_page("../pages/guide.py").run()
    app.test.query_params.clear()
    app.test.switch_page("../pages/playground.py").run()
    assert app.link() == link
    assert app.view.data.name == "smile"
