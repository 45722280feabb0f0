"""One at a time, a moving hand first, and nobody for ever."""

from __future__ import annotations

import threading
import time

from streamlit.runtime.scriptrunner import script_runner

from lab.server import turns
from lab.server.turns import LONGEST, PATIENCE, Turns
from tests.lab.driver import App


def begun(line: Turns, done: list[str], name: str, first: bool = False) -> threading.Thread:
    """Somebody who waits for a turn, and is in the queue when this returns."""

    def work() -> None:
        with line.turn(first):
            done.append(name)

    before = sum(map(len, line._queues))
    thread = threading.Thread(target=work)
    thread.start()
    while sum(map(len, line._queues)) == before and thread.is_alive():
        time.sleep(0.0005)
    return thread


def test_one_at_a_time_and_a_moving_hand_first():
    # However slow the machine: nobody's turn takes too long here.
    line, done = Turns(longest=60, patience=60), []
    with line.turn():
        waiting = [begun(line, done, name, name == "hand") for name in ("a", "b", "hand")]
        assert done == []
    for thread in waiting:
        thread.join(5)
    assert done == ["hand", "a", "b"]
    assert line._now is None


def test_who_takes_long_is_not_waited_for():
    line, done = Turns(), []
    with line.turn():
        start = time.monotonic()
        begun(line, done, "a").join(30)
        assert time.monotonic() - start >= LONGEST
        assert done == ["a"]
        # The long one has lost its turn: its end gives nobody else's away.
        with line.turn():
            assert line._now is not None
    assert line._now is None


def test_nobody_waits_for_ever_behind_those_who_go_first():
    line, done = Turns(), []
    stop = threading.Event()

    def hand() -> None:
        while not stop.is_set():
            with line.turn(first=True):
                time.sleep(0.005)

    hands = [threading.Thread(target=hand) for _ in range(3)]
    for thread in hands:
        thread.start()
    time.sleep(0.05)
    begun(line, done, "script").join(120 * PATIENCE)
    stop.set()
    for thread in hands:
        thread.join(5)
    assert done == ["script"]


def test_a_fault_ends_a_turn():
    line = Turns()
    try:
        with line.turn():
            raise ValueError
    except ValueError:
        pass
    assert line._now is None


def test_every_run_of_a_script_takes_a_turn(monkeypatch):
    """Fails loudly where Streamlit runs its scripts by another function."""
    run = script_runner.exec_func_with_error_handling
    plain_run = getattr(run, "in_turn", run)
    monkeypatch.setattr(script_runner, "exec_func_with_error_handling", plain_run)
    line, taken = Turns(), []
    whole = line.turn
    monkeypatch.setattr(line, "turn", lambda *first: (taken.append(first), whole(*first))[1])
    monkeypatch.setattr(turns, "TURNS", line)
    turns.take_turns()
    turns.take_turns()
    app = App()
    assert len(taken) == 1
    app.tell({"op": "label", "indices": [5], "class": 1})
    assert len(taken) > 1
    assert not app.test.exception
