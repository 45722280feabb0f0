"""The cache: bounded in bytes, the least recently used goes first, one maker for all who wait."""

from __future__ import annotations

import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from lab import cache as caches
from lab.cache import CACHE, MB, RECENT, Cache, budget, fitting, hold, size
from mavr.graphs.graph import graph_of
from mavr.settings import GraphSpec
from mavr.solvers.spectrum import spectrum_of


def block(kilobytes: int) -> np.ndarray:
    return np.zeros(1024 * kilobytes, dtype=np.uint8)


def never() -> None:
    raise AssertionError("made although it is there")


def test_what_was_made_is_not_made_again():
    cache = Cache(1 << 20)
    made = cache.get("a", lambda: block(1))
    assert cache.get("a", never) is made
    assert cache.find("a") is made
    assert cache.find("b") is None


def test_the_least_recently_used_goes_first():
    cache = Cache(10 * 1024)
    for name in "abc":
        cache.get(name, lambda: block(3))
    cache.get("a", never)
    cache.get("d", lambda: block(3))
    assert cache.find("b") is None
    assert [n for n in "acd" if cache.find(n) is not None] == ["a", "c", "d"]
    assert cache.nbytes <= 10 * 1024


def test_bytes_count_and_not_values():
    cache = Cache(10 * 1024)
    for k in range(200):
        cache.get(k, lambda: np.zeros(1))
    assert cache.find(0) is not None
    cache.get("large", lambda: block(10))
    assert cache.find("large") is not None
    assert cache.nbytes <= 10 * 1024


def test_what_is_too_large_for_all_is_kept_while_it_is_the_newest():
    cache = Cache(1024)
    made = cache.get("huge", lambda: block(64))
    assert cache.get("huge", never) is made
    cache.get("small", lambda: block(1))
    assert cache.find("huge") is None


def test_a_value_that_grew_is_weighed_anew():
    """A graph gets its spectrum after it came."""
    cache = Cache(64 * 1024)
    grown = cache.get("graph", lambda: SimpleNamespace(W=block(1)))
    grown.spectrum = block(80)
    cache.get("next", lambda: block(1))
    assert cache.find("graph") is None


def test_a_graph_counts_its_spectrum():
    graph = graph_of(GraphSpec(), np.random.default_rng(0).normal(size=(60, 2)))
    bare = size(graph)
    assert bare >= 60 * 60 * 8
    spectrum_of(graph)
    assert size(graph) >= bare + 60 * 60 * 8


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.zeros(10), 80),
        (SimpleNamespace(a=np.zeros(10), b=SimpleNamespace(c=np.zeros(1))), 88),
        (sp.csr_array(np.eye(4)), 4 * 8 + 4 * 4 + 5 * 4),
        ("text", 0),
    ],
)
def test_sizes(value, expected):
    assert size(value) == expected


def test_who_asks_for_what_is_being_made_waits_for_it():
    cache, made = Cache(1 << 20), []
    start = threading.Barrier(8)

    def make() -> np.ndarray:
        time.sleep(0.05)
        made.append(1)
        return block(1)

    def ask(_: int) -> np.ndarray:
        start.wait()
        return cache.get("one", make)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert len(made) == 1
    assert all(f is found[0] for f in found)


def test_different_values_are_made_at_the_same_time():
    cache, both = Cache(1 << 20), threading.Barrier(2, timeout=10)

    def ask(name: str) -> int:
        # Each waits inside its maker for the other's.
        return cache.get(name, both.wait)

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(ask, "ab")) == [0, 1]


def test_a_maker_that_fails_is_tried_again_and_holds_nobody_up():
    cache = Cache(1 << 20)

    def fail() -> None:
        raise ValueError("no such thing")

    for _ in range(2):
        with pytest.raises(ValueError, match="no such thing"):
            cache.get("a", fail)
    assert cache.get("a", lambda: 3) == 3


def test_many_at_once_stay_within_the_bound():
    cache = Cache(20 * 1024)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: cache.get(k % 30, lambda: block(2)), range(600)))
    assert cache.nbytes <= 20 * 1024


def test_what_grew_long_ago_is_weighed_within_a_few_others():
    cache = Cache(200 * 1024)
    grown = [cache.get(k, lambda: SimpleNamespace(W=block(1))) for k in range(40)]
    for value in grown:
        value.spectrum = block(40)
    for k in range(40, 60):
        cache.get(k, lambda: block(1))
    assert cache.nbytes <= 200 * 1024


# The budget.


@pytest.fixture
def files(monkeypatch):
    """Nobody else's files, and 100 MB."""
    monkeypatch.setenv("MAVR_MEMORY_MB", "100")
    monkeypatch.setattr(caches, "_HELD", caches.WeakSet())


class File:
    def __init__(self, megabytes: int) -> None:
        self.X = np.zeros(megabytes * MB, dtype=np.uint8)


def file(megabytes: int) -> File:
    return File(megabytes)


def test_the_budget_is_a_setting(monkeypatch):
    monkeypatch.delenv("MAVR_MEMORY_MB", raising=False)
    assert budget() == 2 << 30
    for text, expected in (("512", 512), ("0", 2048), ("many", 2048), ("-5", 2048), ("²", 2048)):
        monkeypatch.setenv("MAVR_MEMORY_MB", text)
        assert budget() == expected << 20
    monkeypatch.setenv("MAVR_MEMORY_MB", "300")
    assert CACHE.max_bytes + RECENT.max_bytes + caches.held() == 300 << 20


def test_files_and_caches_share_the_budget(files):
    before, mine = CACHE.max_bytes, file(30)
    hold(mine)
    assert CACHE.max_bytes == before - 30 * MB
    with pytest.raises(MemoryError, match="takes 30 MB, and 30 of 100 MB are in use"):
        hold(file(30))
    del mine
    gc.collect()
    # It went with its session.
    assert CACHE.max_bytes == before
    hold(file(30))


def test_a_request_that_does_not_fit_is_a_sentence(files):
    fitting(20 * MB, "20 points")
    with pytest.raises(ValueError, match="9000 points take 80 MB of memory, and 100 MB are"):
        fitting(80 * MB, "9000 points")
