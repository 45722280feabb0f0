"""`python -m mavr bench`: what things cost, with peers timed beside us in one run.

A section is a function that returns a list of `Line`; a new one is one entry of SECTIONS.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from mavr.commands.bench import browser, core, defaults, digits, figure, map, scale, unequal
from mavr.commands.bench.browser import plane
from mavr.commands.bench.timing import Line

SECTIONS: dict[str, Callable[[], Iterable[Line]]] = {
    "core": core.lines,
    "defaults": defaults.lines,
    "digits": digits.lines,
    "figure": figure.lines,
    "map": map.lines,
    "scale": scale.lines,
    "unequal": unequal.lines,
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`bench` with its options."""
    parser = subparsers.add_parser(
        "bench",
        help="time the solver and its peers",
        description="Time the solver and its peers side by side and print the ratios.",
    )
    parser.add_argument(
        "--section",
        action="append",
        choices=sorted([*SECTIONS, "board"]),
        help="run this section only; may be given again (default: all)",
    )
    parser.add_argument(
        "--data",
        nargs="+",
        type=Path,
        default=[],
        metavar="NPZ",
        help="files with X and y that the sections defaults, scale and unequal compare on as well",
    )
    parser.add_argument(
        "--sets",
        nargs="*",
        metavar="NAME",
        help="of the sets that need no file, those that the section defaults compares on "
        "(default: all)",
    )
    parser.add_argument(
        "--points",
        type=int,
        default=64_000,
        metavar="N",
        help="largest number of points in the plane of the section scale (default: 64000)",
    )
    parser.add_argument(
        "--browser",
        action="store_true",
        help="time board and map in a real browser instead (needs the development requirements)",
    )
    parser.add_argument(
        "--clicks",
        type=int,
        default=browser.CLICKS,
        metavar="N",
        help=f"clicks on each page in the browser (default: {browser.CLICKS})",
    )
    parser.set_defaults(run=run_command)


def _lines(
    name: str, section: Callable[..., Iterable[Line]], arguments: argparse.Namespace
) -> Iterable[Line]:
    """The lines of a section, with the options that it reads."""
    if name == "defaults":
        return section(arguments.data, arguments.sets)
    if name == "scale":
        return section(arguments.data, arguments.points)
    return section(arguments.data) if name == "unequal" else section()


def run_command(arguments: argparse.Namespace) -> int:
    """Print every line as it is asked for; exit code 1 if a bound is not met."""
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    met = True
    chosen: Mapping[str, Callable[..., Iterable[Line]]] = SECTIONS
    if arguments.browser:
        chosen = {"board": partial(browser.lines, arguments.clicks), "map": plane.lines}
    for name in arguments.section or chosen:
        if name not in chosen:
            how = "without" if arguments.browser else "with"
            raise ValueError(f"the section {name} is timed {how} --browser only")
        print(f"\n{name}\n")
        print(f"{'what':<70} {'value':>12} {'required':>12}  met")
        for line in _lines(name, chosen[name], arguments):
            print(line, flush=True)
            met = met and line.met
    return 0 if met else 1
