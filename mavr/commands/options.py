"""Options of the command line, derived from the declarations of `mavr.settings`."""

from __future__ import annotations

import argparse

from mavr.settings import (
    Choice,
    Declared,
    Flag,
    GraphSpec,
    Parameters,
    Proportions,
    Setting,
    declarations,
    scale_parameters,
)


def setting_declarations() -> dict[str, Declared]:
    """Everything of a `Setting` that one word can say, by name."""
    return declarations(GraphSpec) | scale_parameters() | declarations(Parameters)


def add_setting(parser: argparse.ArgumentParser, usual: Setting) -> None:
    """An option for each of them; what is not given is as in `usual`."""
    group = parser.add_argument_group("graph and parameters")
    for name, about in setting_declarations().items():
        option = "--" + name.replace("_", "-")
        said = f"{about.label}. {about.help} ({_values(about, name, usual)})".replace("%", "%%")
        if isinstance(about, Flag):
            group.add_argument(option, dest=name, action="store_true", default=None, help=said)
        else:
            group.add_argument(option, dest=name, metavar=_metavar(about), help=said)


def read_setting(arguments: argparse.Namespace, usual: Setting) -> Setting:
    """The setting that the options mean; ValueError says what is wrong with one."""
    values = {}
    for name, about in setting_declarations().items():
        given = getattr(arguments, name)
        if given is not None:
            values[name] = given if isinstance(about, Flag) else about.read(given)
    return usual.having(**values)


def _metavar(about: Declared) -> str:
    if isinstance(about, Proportions):
        return "SHARES"
    return "NAME" if isinstance(about, Choice) else "NUMBER"


def _values(about: Declared, name: str, usual: Setting) -> str:
    if isinstance(about, Flag):
        return "default: no"
    if isinstance(about, Choice):
        return f"{', '.join(about.options())}; default: {getattr(usual.graph, name)}"
    if isinstance(about, Proportions):
        return f"equal, labels, or numbers as in 1:3:9; default: {about.write(about.usual)}"
    return f"{about.range.replace('None', 'none')}; default: {about.write(about.usual)}"
