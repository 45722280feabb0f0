"""`python -m mavr load`: many visitors at once, over the real protocol, on this machine only.

The command serves the app itself, on a free port of the loopback, and ends it. One visitor comes
first, so that many are compared with one in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from importlib import import_module

from mavr.commands.load.actions import ACTIONS, PLAYGROUND
from mavr.commands.load.report import (
    Measured,
    processor_seconds,
    processor_seconds_beside,
    resident,
)
from mavr.commands.load.visitor import Unanswered, Visitor

RANGES = (("sessions", 1, 200), ("seconds", 1, 1200), ("think", 0, 60))
# Required: times the p95 of one visitor, and megabytes of a session.
SLOWER, EACH_MB = 3.0, 2.0
# Visitors arrive one after the other within so many seconds.
ARRIVAL = 5.0
# Ended sessions are kept for a while, so that a visitor can come back to them.
KEPT_SECONDS = 40.0


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`load` with its options."""
    parser = subparsers.add_parser(
        "load",
        help="drive many sessions of the app at once",
        description="Serve the app on this machine and drive many sessions of it at once.",
    )
    parser.add_argument("--sessions", type=int, default=50, help="at once (default: 50)")
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: 60)")
    parser.add_argument("--think", type=float, default=2, help="seconds between actions (2)")
    parser.add_argument("--seed", type=int, default=0, help="of what the visitors do (0)")
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Print what one visitor meets, then what many do; exit code 1 if a bound is not met."""
    for name, low, high in RANGES:
        if not low <= getattr(arguments, name) <= high:
            raise ValueError(f"--{name} must be {low} to {high}, got {getattr(arguments, name):g}")
    try:
        serve = import_module("tools.serve")
        import_module("streamlit"), import_module("websockets")
    except ModuleNotFoundError as error:
        raise ValueError(f"load needs the app's checkout and requirements: {error}") from None
    port = serve.free_port()
    server = serve.start("app.py", port, options={"server.disconnectedSessionTTL": 10})
    try:
        url = f"http://127.0.0.1:{port}"
        serve.wait_until_healthy(url, server)
        return asyncio.run(_measure(url, server.pid, arguments))
    finally:
        serve.stop(server)


async def _measure(url: str, process: int, arguments: argparse.Namespace) -> int:
    # The server gets every page ready after the first visit.
    first = Visitor(url)
    await first.open(*PLAYGROUND)
    await asyncio.sleep(8)
    await first.close()
    think, seed = arguments.think, arguments.seed
    print(f"one session, {think:g} s think time", flush=True)
    alone, _ = await crowd(url, 1, min(20.0, arguments.seconds), think, seed, process)
    print("\n".join(alone.lines()), flush=True)
    each, left = await come_and_go(url, arguments.sessions, process)
    print(f"\n{arguments.sessions} sessions, {think:g} s think time", flush=True)
    before = resident(process)
    many, peak = await crowd(url, arguments.sessions, arguments.seconds, think, seed + 1, process)
    print("\n".join(many.lines()), flush=True)
    await asyncio.sleep(KEPT_SECONDS)
    slower = many.p95 / alone.p95
    print(
        f"p95: {slower:.2f} times that of one session\n"
        f"memory: {before:.0f} MB before, {peak:.0f} MB at most, {resident(process):.0f} MB after "
        "they left, graphs that are kept included\n"
        f"{arguments.sessions} sessions that come and go: {each:.2f} MB each, of which "
        f"{left:.2f} MB stay"
    )
    checks = {
        "no error": not (alone.errors or many.errors),
        f"p95 at most {SLOWER:g} times that of one session": slower <= SLOWER,
        f"less than {EACH_MB:g} MB a session": not each >= EACH_MB,
        "memory comes back": not left > max(0.25 * each, 0.2),
    }
    for name, met in checks.items():
        print(f"{name:<60}{'yes' if met else 'NO'}")
    return 0 if all(checks.values()) else 1


async def come_and_go(
    url: str, sessions: int, process: int, kept: float = KEPT_SECONDS
) -> tuple[float, float]:
    """Megabytes of a session that has opened a page, and of those what stays when it has left.

    All open the same view, so that no graph or answer of theirs comes in between.
    """
    before = resident(process)
    visitors = [Visitor(url) for _ in range(sessions)]
    for visitor in visitors:
        await visitor.open(*PLAYGROUND)
    open_ = resident(process)
    for visitor in visitors:
        await visitor.close()
    await asyncio.sleep(kept)
    return (open_ - before) / sessions, (resident(process) - before) / sessions


async def crowd(
    url: str, sessions: int, seconds: float, think: float, seed: int, process: int
) -> tuple[Measured, float]:
    """So many visitors for so long; what they met, and the most memory of the server."""
    found, start = Measured(), time.monotonic()
    used, beside = processor_seconds(process), processor_seconds_beside(process)
    arrival = min(ARRIVAL, seconds / 4) if sessions > 1 else 0.0
    peak = resident(process)
    everybody = asyncio.gather(
        *(
            _visit(url, found, arrival * k / sessions, start + seconds, think, seed * 1000 + k)
            for k in range(sessions)
        )
    )
    while not everybody.done():
        await asyncio.wait([everybody], timeout=0.5)
        peak = max(peak, resident(process))
    await everybody
    found.seconds = time.monotonic() - start
    found.processor = processor_seconds(process) - used
    found.beside = max(0.0, processor_seconds_beside(process) - beside)
    return found, peak


async def _visit(
    url: str, found: Measured, wait: float, end: float, think: float, seed: int
) -> None:
    draw, visitor = random.Random(seed), Visitor(url)
    await asyncio.sleep(wait)
    try:
        found.add([("page opened", await visitor.open(*PLAYGROUND))])
        while time.monotonic() < end:
            await asyncio.sleep(think * draw.uniform(0.5, 1.5))
            (action,) = draw.choices(list(ACTIONS), weights=list(ACTIONS.values()))
            found.add(await action(visitor, draw))
    except (Unanswered, OSError, TimeoutError) as error:
        found.errors.append(f"{type(error).__name__}: {error}")
    finally:
        await visitor.close()
