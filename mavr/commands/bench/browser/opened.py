"""A Chromium beside what it visits, for as long as lines are measured."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from typing import Any

from mavr.commands.bench.timing import Line

# From a browser and the addresses of the scripts that are served, the lines.
Measure = Callable[..., AsyncIterator[Line]]


def measured(measure: Measure, *scripts: str) -> Iterator[Line]:
    """The lines of a measurement, as they come."""
    found = _opened(measure, scripts)
    with asyncio.Runner() as runner:
        while (line := runner.run(anext(found, None))) is not None:
            yield line


async def _opened(measure: Measure, scripts: tuple[str, ...]) -> AsyncIterator[Line]:
    playwright = import_module("playwright.async_api")
    chromium, serve = import_module("tools.ensure_chromium"), import_module("tools.serve")
    executable = chromium.find()
    if executable is None:
        raise ValueError(chromium.WHAT_TO_INSTALL)
    with ExitStack() as stack:
        urls: list[Any] = [stack.enter_context(serve.served(script)) for script in scripts]
        async with playwright.async_playwright() as p:
            browser = await p.chromium.launch(executable_path=executable, args=serve.CHROMIUM_FLAGS)
            async for line in measure(browser, *urls):
                yield line
            await browser.close()
