"""What leans on the internals of others: a failure here means that the ground has moved."""

from __future__ import annotations

import os
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
import streamlit
from joblib.externals.loky import ProcessPoolExecutor

from lab.server import pool, refresh
from lab.server.memory import keep_freed_memory

STATIC = Path(streamlit.__file__).parent / "static"


def test_loky_says_whether_a_pool_can_take_work():
    one = ProcessPoolExecutor(1)
    try:
        assert one._flags.broken is None or one._flags.broken is False
        assert pool.usable(one)
        with pytest.raises(BrokenProcessPool):
            one.submit(os._exit, 1).result(60)
        assert not pool.usable(one), "loky no longer marks a broken pool in _flags"
    finally:
        one.shutdown(wait=True, kill_workers=True)


def test_a_pool_that_was_shut_down_is_not_used_again():
    one = ProcessPoolExecutor(1)
    one.shutdown(wait=True)
    assert not pool.usable(one), "loky no longer marks a closed pool in _flags"


def test_workers_outlive_a_crash_and_give_way():
    workers = pool.Workers(1)
    try:
        with pytest.raises(BrokenProcessPool):
            workers.submit(os._exit, 1).result(60)
        assert workers.submit(os.nice, 0).result(60) >= os.nice(0) + pool.NICENESS
        if Path("/proc/self/autogroup").exists():
            said = workers.submit(Path.read_text, Path("/proc/self/autogroup")).result(60)
            assert said.strip().endswith(f"nice {pool.NICENESS}")
        assert workers.submit(_kept, None).result(60) == [keep_freed_memory()]
    finally:
        workers.close()


def _kept(_: object) -> list[bool]:
    # Once in each process: the worker has called it when it started.
    return [keep_freed_memory() and keep_freed_memory.cache_info().misses == 1]


def test_streamlit_still_says_whether_a_page_is_idle():
    wanted = ("data-test-script-state", "notRunning")
    script = (refresh.HERE / "refresh.js").read_text(encoding="utf-8")
    assert "testScriptState" in script
    assert wanted[1] in script
    for word in wanted:
        found = any(word in path.read_text(encoding="utf-8") for path in STATIC.rglob("*.js"))
        assert found, f"Streamlit's page no longer has {word}: lab/server/refresh.js waits for ever"
