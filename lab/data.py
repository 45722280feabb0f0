"""Which data set a view shows, its part of a link, and the set itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import datasets
from datasets import DataError, Dataset, Generator
from lab.cache import CACHE
from lab.link import LinkError, Part, Path, declared_parts, get_at, put_at, read_value
from mavr.settings import Number, declared, shortened

FILE = "file:"
NOT_HERE = (
    "This view belongs to a file that was not uploaded here. Upload the same file in the sidebar, "
    "and the labels and settings of the link apply to it."
)
SEED = Number(
    "seed", "Draw seed", "", "Another seed draws another sample and other labels.", 0, 99_999, 0,
    logarithmic=False, whole=True,
)  # fmt: skip
HIDDEN = Number(
    "unknown", "Class without labels", "", "One label for every class but this one.", -1, 999, -1,
    link="hidden", logarithmic=False, whole=True,
)  # fmt: skip
LABEL_SETS = Generator(
    "Overlapping discs",
    datasets.multilabel,
    (Number("n", "Points", "", "Number of points.", 60, 1200, 300, logarithmic=False, whole=True),),
    "Three discs that overlap; a point's labels are the discs it is in.",
)
GENERATORS: Mapping[str, Generator] = {**datasets.GENERATORS, "multilabel": LABEL_SETS}


@dataclass(frozen=True)
class Data:
    """A data set, enough to make it again.

    Attributes
    ----------
    name : of a generator, or "file:" and a digest.
    params : (name, value) pairs of its sliders that are not at their usual place.
    seed : of the sample.
    unknown : the class that `datasets.all_but_one` hides, -1 for none.
    """

    name: str = "three_circles"
    params: tuple[tuple[str, float], ...] = ()
    seed: int = declared(SEED)
    unknown: int = declared(HIDDEN)

    @property
    def uploaded(self) -> bool:
        return self.name.startswith(FILE)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The declarations of its sliders."""
        return () if self.uploaded else GENERATORS[self.name].params

    @property
    def values(self) -> dict[str, Any]:
        """Every parameter with its value."""
        return {p.name: p.usual for p in self.numbers} | dict(self.params)

    def having(self, **params: Any) -> Data:
        """The set with some parameters changed."""
        usual = {p.name: p.usual for p in self.numbers}
        values = {k: v for k, v in (self.values | params).items() if v != usual.get(k)}
        return replace(self, params=tuple(sorted(values.items())))


def data_parts(path: Path, names: tuple[str, ...] = tuple(GENERATORS)) -> tuple[Part[Any], ...]:
    """The parts of a link that say which data set: `data`, its parameters `p.*`, `seed`, …"""

    def read_name(view: Any, own: Mapping[str, str]) -> Any:
        name = own["data"]
        if name not in names and not is_file_name(name):
            raise LinkError(f"the data set {shortened(name)} is not known here")
        return put_at(view, path, replace(get_at(view, path), name=name, params=()))

    def read_params(view: Any, own: Mapping[str, str]) -> Any:
        data: Data = get_at(view, path)
        return put_at(view, path, data.having(**read_params_of(data.numbers, own)))

    def write_params(view: Any) -> dict[str, str]:
        data: Data = get_at(view, path)
        known = {p.name: p for p in data.numbers}
        return {f"p.{name}": known[name].write(value) for name, value in data.params}

    return (
        Part(lambda: ("data",), read_name, lambda view: {"data": get_at(view, path).name}),
        Part(lambda: ("p.",), read_params, write_params),
        *declared_parts(Data, path),
    )


def read_params_of(numbers: Iterable[Number], own: Mapping[str, str]) -> dict[str, Any]:
    """The parameters `p.*` of a link, of those that a data set has."""
    known = {f"p.{p.name}": p for p in numbers}
    for key in own:
        if key not in known:
            raise LinkError(f"this data set has no parameter {shortened(key[2:])}")
    return {known[key].name: read_value(known[key], text) for key, text in own.items()}


def is_file_name(name: str) -> bool:
    """Whether a name is that of an uploaded file."""
    digest = name.removeprefix(FILE)
    return name.startswith(FILE) and len(digest) == 16 and digest.isascii() and digest.isalnum()


def load(data: Data, uploads: Mapping[str, Dataset]) -> Dataset:
    """The data set; a file must be among this visitor's uploads. Raises DataError."""
    if data.uploaded:
        if data.name not in uploads:
            raise DataError(NOT_HERE)
        return _hidden(uploads[data.name], data.unknown)
    make = GENERATORS[data.name].function
    return CACHE.get(
        ("data", data), lambda: _hidden(make(seed=data.seed, **data.values), data.unknown)
    )


def _hidden(data: Dataset, unknown: int) -> Dataset:
    if 0 <= unknown < data.n_classes and data.y is not None:
        return datasets.all_but_one(data, unknown)
    return data


def title(name: str, uploads: Mapping[str, Dataset]) -> str:
    """What a select box calls a data set."""
    if name in GENERATORS:
        return GENERATORS[name].title
    return uploads[name].name if name in uploads else "a file not uploaded yet"
