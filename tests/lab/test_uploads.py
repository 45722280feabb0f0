"""Files of one visitor: read once, few are kept, faults are sentences."""

from __future__ import annotations

import io
import re
from concurrent.futures import BrokenExecutor, Future

import numpy as np
import pytest

from datasets import DataError, Dataset
from lab import uploads
from lab.data import Data, is_file_name, load, title
from lab.server.pool import Workers
from lab.server.visitor import Shelf, cookie, known
from tests.lab.driver import App

CSV = b"a,b,label\n0,0,x\n1,1,y\n2,2,\n3,3,\n"


@pytest.fixture
def store(monkeypatch):
    """This visitor's session."""
    session: dict = {}
    monkeypatch.setattr(uploads.st, "session_state", session)
    return session


def test_a_file_has_a_name_of_its_own(store):
    name = uploads.add_upload(CSV, "points.csv")
    assert is_file_name(name)
    assert uploads.add_upload(CSV, "again.csv") == name
    assert title(name, uploads.uploads()) == "points.csv"
    data = load(Data(name), uploads.uploads())
    assert (data.n, data.class_names) == (4, ("x", "y"))


def test_an_archive_is_read_as_one(store):
    file = io.BytesIO()
    np.savez(file, X=np.eye(4), y=[0, 1, 0, 1])
    assert load(Data(uploads.add_upload(file.getvalue(), "D.NPZ")), uploads.uploads()).n == 4


def test_few_files_are_kept_the_newest(store):
    names = [uploads.add_upload(CSV + b"4,4,\n" * k, f"{k}.csv") for k in range(6)]
    assert list(uploads.uploads()) == names[-uploads.MAX_UPLOADS :]


def test_a_broken_file_is_a_sentence_and_is_not_kept(store):
    with pytest.raises(DataError, match="oops"):
        uploads.add_upload(b"a,b\n1,2\n3,oops\n4,5\n6,7\n", "broken.csv")
    assert not uploads.uploads()


@pytest.fixture
def elsewhere(monkeypatch):
    """Every file counts as large; workers of this test alone."""
    workers = Workers(1)
    monkeypatch.setattr(uploads, "MAX_READ_HERE", 10)
    monkeypatch.setattr(uploads, "shared", lambda: (workers, None))
    yield workers
    workers.close()


def test_a_large_file_is_read_in_another_process(store, elsewhere, monkeypatch):
    here = uploads._read((CSV, "points.csv"))[0]
    # Only this process would notice.
    monkeypatch.setattr(uploads.datasets, "from_csv", None)
    found = uploads.uploads()[uploads.add_upload(CSV, "points.csv")]
    np.testing.assert_array_equal(found.X, here.X)
    assert (found.name, found.class_names) == (here.name, here.class_names)
    assert not found.X.flags.writeable
    with pytest.raises(DataError, match="oops"):
        uploads.add_upload(b"a,b\n1,2\n3,oops\n4,5\n6,7\n", "broken.csv")


def test_a_file_that_ends_its_process_is_a_sentence(store, elsewhere, monkeypatch):
    broken = Future()
    broken.set_exception(BrokenExecutor("killed"))
    monkeypatch.setattr(elsewhere, "submit_alone", lambda work, task: broken)
    with pytest.raises(DataError, match="try a smaller file"):
        uploads.add_upload(CSV, "points.csv")


def test_a_file_that_does_not_fit_into_the_memory_is_a_sentence(store, monkeypatch):
    monkeypatch.setattr(uploads, "hold", lambda file: (_ for _ in ()).throw(MemoryError("full")))
    with pytest.raises(DataError, match=r"points\.csv: full"):
        uploads.add_upload(CSV, "points.csv")
    assert not uploads.uploads()


def test_a_file_of_another_visitor_is_not_here():
    with pytest.raises(DataError, match="not uploaded here"):
        load(Data("file:0123456789abcdef"), {})


@pytest.mark.parametrize(
    "name",
    ["file:", "file:../etc", "file:0123456789abcde²", "0123456789abcdef", "file:0123 56789abcdef"],
)
def test_other_names_are_no_files(name):
    assert not is_file_name(name)


def test_a_hidden_class_has_no_label_and_keeps_its_place():
    data = Dataset("d", np.arange(12.0).reshape(6, 2), [0, 0, 1, 1, 2, 2], ("a", "b", "c"))
    name = "file:0123456789abcdef"
    hidden = load(Data(name, unknown=1), {name: data})
    assert hidden.class_names == data.class_names
    assert sorted(hidden.y[hidden.labelled].tolist()) == [0, 2]
    assert load(Data(name, unknown=7), {name: data}) is data


@pytest.mark.parametrize("page", ["playground", "serendipity", "multilabel"])
def test_names_in_a_file_are_never_markup(page):
    evil = "<img src=x onerror=alert(1)>**x**"
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (20, 2)), rng.normal(4, 1, (20, 2))])
    names = (evil, evil + "2", evil + "3")
    y = np.repeat([0, 1], 20)
    data = Dataset(evil, X, y, names, note=evil)
    name = "file:0000000000000e71"
    app = App()
    app.test.session_state["uploads"] = {name: data}
    app.go(page, {"data": name, "labels": "0.10x" if page == "multilabel" else "0.0_20.1"})
    assert not app.test.exception
    assert app.components("board")
    shown = (*app.test.markdown, *app.test.caption, *app.test.info, *app.test.warning,
             *app.test.error)  # fmt: skip
    for element in shown:
        assert not re.search(r"(?<!\\)(<img|\*\*x)", element.value)


def test_a_browser_that_comes_back_finds_its_files(monkeypatch):
    shelf = Shelf()
    monkeypatch.setattr(uploads, "SHELF", shelf)
    who = "one"
    monkeypatch.setattr(uploads, "visitor", lambda: who)
    monkeypatch.setattr(uploads.st, "session_state", {})
    name = uploads.add_upload(CSV, "points.csv")
    monkeypatch.setattr(uploads.st, "session_state", {})
    assert list(uploads.uploads()) == [name]
    who = "another"
    monkeypatch.setattr(uploads.st, "session_state", {})
    assert not uploads.uploads()


def test_a_browser_without_a_cookie_is_nobody():
    shelf = Shelf()
    shelf.put("", {"a": np.zeros(3)})
    assert shelf.files("") == {}


def test_the_shelf_is_bounded_and_the_oldest_visitor_goes_first():
    shelf = Shelf(max_bytes=2000)
    for who in "abc":
        shelf.put(who, {"x": np.zeros(100)})
        shelf.files("a")
    assert [who for who in "abc" if shelf.files(who)] == ["a", "c"]


def test_a_cookie_is_new_every_time_and_recognised():
    first, second = cookie(), cookie()
    assert first != second
    assert b"HttpOnly" in first
    assert known([(b"cookie", b"x=1; " + first.split(b";")[0])])
    assert not known([(b"cookie", b"x=1"), (b"accept", b"*/*")])
