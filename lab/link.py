"""Links: the one codec between a frozen view and the parameters of an address.

A codec is a list of parts. A part knows its names in the link, how to write a view's values and how
to read them back, with a range for each. Most parts are derived from the declarations in
`mavr.settings`; a text that cannot be read becomes a sentence and leaves the view as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import nan
from typing import Any, Generic, TypeVar

from lab.text import ONE_THING
from mavr import relations
from mavr.settings import (
    Choice,
    Flag,
    GraphSpec,
    Parameters,
    Rows,
    declarations,
    declared,
    frozen_rows,
    scale_parameters,
    shortened,
    write_number,
)

V = TypeVar("V")
Query = Mapping[str, str]
Path = tuple[str, ...]

MAX_TEXT = 200_000
MAX_INDEX = 10_000_000
# Largest size of a coordinate.
MAX_COORDINATE = 1e12
# Classes of a P.
MAX_RELATED = 16


class LinkError(ValueError):
    """A part of a link that cannot be used; the message is a sentence for the page."""


@dataclass(frozen=True)
class Part(Generic[V]):
    """Some parameters of a link.

    Attributes
    ----------
    names : of its parameters; one that ends with a dot stands for all that begin with it.
    read : (view, own parameters) -> view; raises ValueError with a sentence.
    write : view -> own parameters, all of them.
    """

    names: Callable[[], Iterable[str]]
    read: Callable[[V, Query], V]
    write: Callable[[V], dict[str, str]]

    def own(self, query: Query) -> dict[str, str]:
        """The parameters of a link that belong to this part."""
        names = list(self.names())
        families = tuple(name for name in names if name.endswith(".")) or ("\0",)
        return {k: t for k, t in query.items() if k in names or k.startswith(families)}


@dataclass(frozen=True)
class Codec(Generic[V]):
    """Views to links and back.

    Attributes
    ----------
    fresh : the view of a bare link.
    parts : in the order of reading.
    always : names that are written even where they say nothing new.
    older : turns a link of an earlier version into one of today's.
    base : the view that a link changes; it may depend on the link. A fresh one where not given.
    """

    fresh: Callable[[], V]
    parts: tuple[Part[V], ...]
    always: frozenset[str] = frozenset({"data"})
    older: Callable[[dict[str, str]], dict[str, str]] = lambda query: query
    base: Callable[[Query], V] | None = None

    def read(self, query: Query) -> tuple[V, list[str]]:
        """The view a link means, and a sentence for each part that could not be used."""
        query = self.older({k: t for k, t in query.items() if len(t) <= MAX_TEXT})
        view = self.base(query) if self.base else self.fresh()
        problems = []
        for part in self.parts:
            own = part.own(query)
            if not own:
                continue
            try:
                view = part.read(view, own)
            except ValueError as error:
                problems.append(not_followed(str(error)))
        return view, problems

    def write(self, view: V) -> dict[str, str]:
        """The link of a view: what differs from a fresh one."""
        usual = self._usual
        return {k: t for k, t in self._all(view).items() if k in self.always or usual.get(k) != t}

    @cached_property
    def _usual(self) -> dict[str, str]:
        return self._all(self.fresh())

    def names(self) -> list[str]:
        """Every name that a link may have."""
        return [name for part in self.parts for name in part.names()]

    def unknown(self, query: Query) -> list[str]:
        """Names in a link that no part has."""
        known = {name for part in self.parts for name in part.own(query)}
        return [name for name in query if name not in known]

    def _all(self, view: V) -> dict[str, str]:
        return {key: text for part in self.parts for key, text in part.write(view).items()}


def flag(name: str, word: str, help: str, usual: bool = False, link: str = "") -> Any:
    """A field of a view: yes or no."""
    return declared(Flag(name, word, help, usual, link=link))


def choice(name: str, word: str, help: str, options: Mapping[str, str], usual: str) -> Any:
    """A field of a view: one of several names, each with its title."""
    return declared(Choice(name, word, help, lambda: options, usual))


def not_followed(what: str) -> str:
    """The sentence for what of a link could not be followed."""
    return f"{ONE_THING}{what}."


def read_value(about: Any, text: str) -> Any:
    """The value of a setting in a link; a sentence about it has the page's word for the setting."""
    try:
        return about.read(text)
    except ValueError as error:
        said = str(error).removeprefix(about.name)
        raise LinkError(f"{about.label}{said}".replace("None", "none")) from None


def get_at(view: Any, path: Path) -> Any:
    """The value at a path of attributes."""
    for name in path:
        view = getattr(view, name)
    return view


def put_at(view: V, path: Path, value: Any) -> V:
    """The frozen view with another value at a path of attributes."""
    if not path:
        return value
    inner = put_at(getattr(view, path[0]), path[1:], value)
    return replace(view, **{path[0]: inner})  # type: ignore[type-var]


def declared_parts(
    cls: type, path: Path = (), only: Iterable[str] | None = None, suffix: str = ""
) -> tuple[Part[Any], ...]:
    """A part for each declared field of the dataclass that stands at `path` of a view."""
    return tuple(
        text_part(about.link + suffix, (*path, name), partial(read_value, about), about.write)
        for name, about in declarations(cls).items()
        if only is None or name in only
    )


def text_part(
    link: str,
    path: Path,
    read: Callable[[str], Any],
    write: Callable[[Any], str],
    empty: bool = False,
) -> Part[Any]:
    """One parameter for what stands at `path` of a view; empty : whether such a text is written."""

    def written(view: Any) -> dict[str, str]:
        text = write(get_at(view, path))
        return {link: text} if text or empty else {}

    return Part(lambda: (link,), lambda view, own: put_at(view, path, read(own[link])), written)


def several_part(link: str, known: Iterable[str]) -> Part[Any]:
    """A field of names, one or more of those known, joined by dashes; in the order of the known."""

    def read(text: str) -> tuple[str, ...]:
        wanted = text.split("-")
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise LinkError(
                f"{link} must be some of {', '.join(known)}, got {shortened(unknown[0])}"
            )
        return tuple(name for name in known if name in wanted)

    return text_part(link, (link,), read, "-".join)


def setting_parts(path: Path) -> tuple[Part[Any], ...]:
    """The parts of a `Setting`: its graph, its parameters, and P row by row: ``1~0.5_0.5~1``."""
    parameters = (*path, "parameters")
    return (
        *_graph_parts((*path, "graph")),
        *declared_parts(Parameters, parameters),
        text_part("P", (*parameters, "P"), read_relation, lambda P: write_rows(P or ())),
    )


def _graph_parts(path: Path) -> tuple[Part[Any], ...]:
    """The parts of a `GraphSpec`: its fields, and the parameters of every similarity."""

    def read(view: Any, own: Query) -> Any:
        spec: GraphSpec = get_at(view, path)
        for name, about in scale_parameters().items():
            if about.link in own:
                spec = spec.having(**{name: read_value(about, own[about.link])})
        return put_at(view, path, spec)

    def write(view: Any) -> dict[str, str]:
        spec: GraphSpec = get_at(view, path)
        known = scale_parameters()
        # The similarity's own, and what was set for others; the rest is usual.
        names = {*spec.arguments, *dict(spec.scales)} & set(known)
        return {known[n].link: known[n].write(spec.value(n)) for n in sorted(names)}

    scales: Part[Any] = Part(lambda: [p.link for p in scale_parameters().values()], read, write)
    return (*declared_parts(GraphSpec, path), scales)


def read_relation(text: str) -> Rows:
    """P from a link, symmetric and positive definite."""
    rows = read_rows("P", text)
    if not rows or any(len(row) != len(rows) for row in rows) or len(rows) > MAX_RELATED:
        raise LinkError(f"P must be a square matrix of at most {MAX_RELATED} classes")
    try:
        return frozen_rows(relations.check(rows, len(rows)))
    except ValueError:
        low = relations.eigenvalues(rows)[0]
        raise LinkError(
            f"P must be symmetric and positive definite; its smallest eigenvalue is {low:.3g}"
        ) from None


def write_rows(rows: Iterable[Iterable[float]]) -> str:
    """A table of numbers as one text."""
    return "_".join("~".join(write_number(v) for v in row) for row in rows)


def read_rows(name: str, text: str, width: int | None = None) -> list[list[float]]:
    """A table of numbers, each row of `width` where that is given."""
    rows = [[read_number(name, v) for v in row.split("~")] for row in text.split("_") if row]
    if width is not None and any(len(row) != width for row in rows):
        raise LinkError(f"{name} must have {width} numbers")
    return rows


def as_number(text: str) -> float:
    """The number that a text says; nan where it says none, or goes on and on."""
    try:
        return float(text) if len(text) <= 40 else nan
    except ValueError:
        return nan


def read_number(name: str, text: str) -> float:
    """A finite number that a coordinate or an entry of P may have."""
    value = as_number(text)
    if not abs(value) <= MAX_COORDINATE:
        raise LinkError(f"{name} must hold numbers, got {shortened(text)}")
    return value


def read_whole(name: str, text: str, most: int = MAX_INDEX) -> int:
    """A whole number from 0 to `most`."""
    if not (text.isascii() and text.isdigit() and len(text) <= 12 and int(text) <= most):
        raise LinkError(f"{name} must be a whole number of at most {most}, got {shortened(text)}")
    return int(text)
