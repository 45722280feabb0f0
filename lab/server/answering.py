"""Processes that answer boards, so that drags of many visitors do not share one interpreter.

The server sends what is asked as one pickle through a pipe of its own, and gets back the frame that
the browser is sent. A process knows no files of visitors: it is asked about made data alone. One
that dies, or takes too long, is ended and replaced, and the server answers by itself meanwhile.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from select import select
from subprocess import PIPE, Popen

COUNT = max(1, min(4, os.cpu_count() or 1))
# An answer takes milliseconds, the first of a graph some more; a process that has just started has
# to load everything.
PATIENCE, START_PATIENCE = 5.0, 120.0
# Pages that were opened before the processes were there, whose graphs each of them makes first.
EARLY = 4
# Megabytes of graphs that each may keep.
MEMORY_MB = 192
ROOT = Path(__file__).resolve().parents[2]
PROCESS = "lab.server.solver_process"
SIZE = 4
READY = b"ready"


class Answering:
    """A few processes; threads may share it."""

    def __init__(self, count: int = COUNT) -> None:
        self.count = count
        # The last that answered is the next: it has the graph.
        self._free: list[Popen[bytes]] = []
        self._waiting: deque[Future[Popen[bytes]]] = deque()
        self._lock = threading.Lock()
        self._all: set[Popen[bytes]] = set()
        self._early: deque[bytes] = deque(maxlen=EARLY)
        self._starting = threading.Lock()

    @property
    def ready(self) -> int:
        """How many processes are there."""
        return len(self._all)

    def start(self) -> None:
        """Have processes started that are not there, one after the other, in the background."""
        if self.ready < self.count and not self._starting.locked():
            threading.Thread(target=self._start, name="answering", daemon=True).start()

    def prepare(self, request: bytes) -> None:
        """What a page shows, asked before the hand moves; kept where no process is there yet."""
        if self.ask(request) is None:
            self._early.append(request)

    def ask(self, request: bytes) -> bytes | None:
        """The frame for a request; None where the server has to answer by itself."""
        process = self._taken() if self.ready else None
        if process is None:
            return None
        try:
            frame = _exchange(process, request)
        except OSError:
            self._drop(process)
            self.start()
            return None
        self._give(process)
        return frame

    def close(self) -> None:
        """End the processes."""
        self.count = 0
        with self._starting:
            for process in list(self._all):
                self._drop(process)

    def _taken(self) -> Popen[bytes] | None:
        """A process that is free; None if there is none for too long.

        Who asks first has the first, as no queue of Python's promises: a thread that gives a
        process back and asks again would be quicker than one that has to be woken.
        """
        mine: Future[Popen[bytes]] = Future()
        with self._lock:
            if self._free:
                return self._free.pop()
            self._waiting.append(mine)
        try:
            return mine.result(PATIENCE)
        except TimeoutError:
            with self._lock:
                if mine in self._waiting:
                    self._waiting.remove(mine)
                    return None
            return mine.result()

    def _give(self, process: Popen[bytes]) -> None:
        """To who has waited longest."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set_result(process)
            else:
                self._free.append(process)

    def _start(self) -> None:
        with self._starting:
            while self.ready < self.count:
                process = _started()
                if process is None:
                    return
                try:
                    for request in list(self._early):
                        _exchange(process, request)
                except OSError:  # one of them ended it: nobody waits for them
                    self._early.clear()
                    _ended(process)
                    continue
                self._all.add(process)
                self._give(process)

    def _drop(self, process: Popen[bytes]) -> None:
        self._all.discard(process)
        _ended(process)


def _started() -> Popen[bytes] | None:
    """A process that is ready; None where that fails, and the server answers by itself."""
    command, environment = [sys.executable, "-m", PROCESS], {"MAVR_MEMORY_MB": str(MEMORY_MB)}
    try:
        process = Popen(
            command, stdin=PIPE, stdout=PIPE, env=os.environ | environment, cwd=ROOT, bufsize=0
        )
    except OSError:
        return None
    try:
        _read(process, len(READY), START_PATIENCE)
    except OSError:
        _ended(process)
        return None
    return process


def _ended(process: Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for end in (process.stdin, process.stdout):
        with suppress(OSError):
            if end is not None:
                end.close()


def _exchange(process: Popen[bytes], request: bytes) -> bytes:
    assert process.stdin is not None
    message = len(request).to_bytes(SIZE, "little") + request
    if process.stdin.write(message) != len(message):
        raise OSError("the pipe is full")
    return _read(process, int.from_bytes(_read(process, SIZE, PATIENCE), "little"), PATIENCE)


def _read(process: Popen[bytes], size: int, seconds: float) -> bytes:
    """So many bytes of what it writes. Raises OSError if it ends or is silent for so long."""
    assert process.stdout is not None
    found = bytearray()
    while len(found) < size:
        if not select([process.stdout], [], [], seconds)[0]:
            raise TimeoutError("the process does not answer")
        part = process.stdout.read(size - len(found))
        if not part:
            raise BrokenPipeError("the process has ended")
        found += part
    return bytes(found)
