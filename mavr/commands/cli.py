"""The command line: `python -m mavr fit|reproduce|bench|load`.

Every command is a module with `add_parser(subparsers)`, whose parser sets `run`: a function from
the parsed arguments to an exit code. Bad input ends with one sentence and exit code 2.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

# In the order of the help. A new command is one line.
COMMANDS = (
    "mavr.commands.fit",
    "mavr.commands.reproduce",
    "mavr.commands.bench",
    "mavr.commands.load",
)


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top = argparse.ArgumentParser(
        prog="python -m mavr",
        description="Transductive learning with multi-class volume approximation.",
    )
    subparsers = top.add_subparsers(metavar="command", required=True)
    for name in COMMANDS:
        import_module(name).add_parser(subparsers)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    arguments = parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except (ValueError, OSError) as error:
        # The module behind the command, without its package: its name to the user.
        name = str(arguments.run.__module__).removeprefix("mavr.commands.")
        print(f"{name}: {_sentence(error)}", file=sys.stderr)
        return 2


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())
