"""What a visitor does: label, drag, move a slider, edit P, run a small sweep. Times in seconds."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from time import perf_counter

from mavr.commands.load.visitor import Visitor

PLAYGROUND = ("", "data=three_circles&seed=43&shade=1")
SWEEP = ("error_curves", "figure=own&data=two_moons&factor=n_labelled&steps=2&samplings=5&seed={}")
# A hand rests so long before the script hears of a change; and moves of a drag come so often.
REST, MOVE, MOVES = 0.25, 0.033, 8

# A kind of answer and how long it took.
Times = list[tuple[str, float]]


async def label(visitor: Visitor, draw: random.Random) -> Times:
    """Click a point: the picture through the live channel, then the script with all the rest."""
    board = visitor.components["board"].data
    ack = board["ack"] + 1
    event = {"seq": ack, "base": board["base"], "op": "label", "class": draw.randrange(3)}
    event["indices"] = [draw.randrange(300)]
    took = await visitor.ask({}, [event])
    await asyncio.sleep(REST)
    start = perf_counter()
    await visitor.tell("board", "events", {"have": board["pid"], "list": [event]})
    await visitor.until(lambda: visitor.components["board"].data["ack"] >= ack)
    return [("click, picture", took), ("click, script", perf_counter() - start)]


async def drag(visitor: Visitor, draw: random.Random) -> Times:
    """Drag γ: a picture for every move, and the script when the hand rests."""
    times, gamma = [], 99.0
    for _ in range(MOVES):
        gamma *= draw.uniform(0.8, 1.25)
        times.append(("drag, picture", await visitor.ask({"gamma": f"{gamma:.3g}"}, [])))
        await asyncio.sleep(MOVE)
    return [*times, ("slider, script", await _settle(visitor, "slider.gamma", "gamma", gamma))]


async def width(visitor: Visitor, draw: random.Random) -> Times:
    """Another σ: another graph, decomposed anew."""
    sigma = draw.uniform(0.4, 0.6)
    took = await visitor.ask({"sigma": f"{sigma:.3g}"}, [])
    script = await _settle(visitor, "slider.sigma", "sigma", sigma)
    return [("σ, picture", took), ("slider, script", script)]


async def relation(visitor: Visitor, draw: random.Random) -> Times:
    """Another entry of P."""
    v = f"{draw.uniform(-0.4, 0.4):.2f}"
    P = f"1~{v}~0_{v}~1~0_0~0~1"
    took = await visitor.ask({"P": P}, [])
    await asyncio.sleep(REST)
    return [("P, picture", took), ("P, script", await _sent(visitor, "relation", {"P": P}))]


async def sweep(visitor: Visitor, draw: random.Random) -> Times:
    """A small experiment, watched until it is done; then back to the board."""
    page, query = SWEEP
    opened = await visitor.open(page, query.format(draw.randrange(90)))
    start = perf_counter()
    while (wait := visitor.components["refresh"].data["wait"]) is not None:
        await asyncio.sleep(wait / 1000)
        look = visitor.components["refresh"].data["look"]
        await visitor.tell("refresh", "look", look + 1)
        await visitor.until(lambda look=look: visitor.components["refresh"].data["look"] > look)  # type: ignore[misc]
    done = perf_counter() - start
    back = await visitor.open(*PLAYGROUND)
    return [("page opened", opened), ("sweep, all samplings", done), ("page opened", back)]


# With how often each is done.
ACTIONS: dict[Callable[[Visitor, random.Random], Awaitable[Times]], float] = {
    label: 10,
    drag: 4,
    width: 2,
    relation: 2,
    sweep: 0.5,
}


async def _settle(visitor: Visitor, place: str, name: str, value: float) -> float:
    await asyncio.sleep(REST)
    return await _sent(visitor, place, {name: f"{value:.3g}"})


async def _sent(visitor: Visitor, place: str, changes: dict[str, str]) -> float:
    seq = visitor.components["board"].data["changed"] + 1
    start = perf_counter()
    await visitor.tell(place, "sent", {"seq": seq, "changes": changes})
    await visitor.until(lambda: visitor.components["board"].data["changed"] >= seq)
    return perf_counter() - start
