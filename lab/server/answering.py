"""Processes that answer boards, so that drags of many visitors do not share one interpreter.

The server sends what is asked as one pickle through a pipe of its own, and gets back the frame that
the browser is sent. A process knows no files of visitors: it is asked about made data alone. One
that dies, or takes too long, is ended and replaced, and the server answers by itself meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path

# At most; one at first, another when somebody has to wait.
COUNT = max(1, min(4, os.cpu_count() or 1))
# An answer takes milliseconds; the first of a graph some more, and a process that has just started
# has to load everything.
PATIENCE, START_PATIENCE = 5.0, 120.0
# Megabytes of graphs that each may keep.
MEMORY_MB = 192
ROOT = Path(__file__).resolve().parents[2]
PROCESS = "lab.server.solver_process"
SIZE = 4
READY = b"ready"


class Answering:
    """A few processes, first come, first served."""

    def __init__(self, count: int = COUNT) -> None:
        self._count = count
        self._free: asyncio.Queue[Process] = asyncio.Queue()
        self._all: set[Process] = set()
        self._starting: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Have the first process started; until it is ready nobody is there to `ask`."""
        self._start_one()

    @property
    def ready(self) -> bool:
        return bool(self._all)

    async def ask(self, request: bytes) -> bytes | None:
        """The frame for a request; None where a process failed at it."""
        if self._free.empty() and len(self._all) + len(self._starting) < self._count:
            self._start_one()
        process = await self._free.get()
        try:
            frame = await asyncio.wait_for(_exchange(process, request), PATIENCE)
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            self._drop(process)
            self._start_one()
            return None
        self._free.put_nowait(process)
        return frame

    def close(self) -> None:
        """End the processes."""
        for task in self._starting:
            task.cancel()
        for process in list(self._all):
            self._drop(process)

    def _start_one(self) -> None:
        task = asyncio.get_running_loop().create_task(self._started())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _started(self) -> None:
        environment = os.environ | {"MAVR_MEMORY_MB": str(MEMORY_MB)}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", PROCESS, stdin=PIPE, stdout=PIPE, env=environment, cwd=ROOT
        )
        try:
            assert process.stdout is not None
            await asyncio.wait_for(process.stdout.readexactly(len(READY)), START_PATIENCE)
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # Without it the server answers by itself.
            with suppress(ProcessLookupError):
                process.kill()
            return
        self._all.add(process)
        self._free.put_nowait(process)

    def _drop(self, process: Process) -> None:
        self._all.discard(process)
        with suppress(ProcessLookupError):
            process.kill()


async def _exchange(process: Process, request: bytes) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(len(request).to_bytes(SIZE, "little") + request)
    await process.stdin.drain()
    size = int.from_bytes(await process.stdout.readexactly(SIZE), "little")
    return await process.stdout.readexactly(size)
