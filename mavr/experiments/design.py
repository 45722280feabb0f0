"""One setting of an experiment: data, labels, graph and parameters; no method, no sampling."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from mavr.experiments.source import IntArray, Sample, Source, true_classes
from mavr.settings import (
    GraphSpec,
    Number,
    Parameters,
    Setting,
    checked,
    declarations,
    declared,
    scale_parameters,
    shortened,
)

LABELS = Number(
    "n_labelled",
    "Labels",
    "l",
    "Number of labelled points.",
    1,
    100_000,
    3,
    shown=(2, 20),
    logarithmic=False,
    whole=True,
)


@dataclass(frozen=True)
class Design:
    """One setting of an experiment, small enough to hash, to send and to put in a link.

    Attributes
    ----------
    source : where the points come from.
    arguments : (name, value) pairs for the source; what is not in it is usual.
    setting : graph and parameters; tau is a multiple of sqrt(l).
    n_labelled, how : number of labels, and how they are drawn, one of `source.draws`.
    """

    source: Source
    arguments: tuple[tuple[str, float], ...] = ()
    setting: Setting = field(default_factory=Setting)
    n_labelled: int = declared(LABELS)
    how: str = "balanced"

    def __post_init__(self) -> None:
        checked(self)
        if self.how not in self.source.draws:
            raise ValueError(
                f"how must be one of {', '.join(self.source.draws)}, got {shortened(self.how)}"
            )
        known = {about.name: about for about in self.source.arguments}
        values = {n: about.usual for n, about in known.items() if about.usual is not None}
        for name, value in self.arguments:
            if name not in known:
                raise ValueError(
                    f"{self.source.title} has no argument {name!r}; it has {', '.join(known)}"
                )
            values[name] = known[name].check(value)
        object.__setattr__(self, "arguments", tuple(sorted(values.items())))

    def having(self, **values: Any) -> Design:
        """The design with some factors, or other settings, changed.

        Parameters
        ----------
        values : fields of the design, arguments of its source, parameters, settings of the graph.
        """
        own = {f.name for f in fields(self)}
        arguments = {about.name for about in self.source.arguments} - own
        set_here = {k: v for k, v in values.items() if k in own}
        given = {k: v for k, v in values.items() if k in arguments}
        rest = {k: v for k, v in values.items() if k not in own | arguments}
        design = replace(self, **set_here)
        return replace(
            design,
            arguments=tuple((dict(design.arguments) | given).items()),
            setting=design.setting.having(**rest),
        )

    def sample(self, seed: int) -> Sample:
        """Points of one sampling, with their true classes."""
        sample = self.source(seed, **dict(self.arguments))
        true_classes(self.source, sample)
        return sample

    def labelled(self, y: IntArray, seed: int) -> IntArray:
        """Indices of the labelled points of one sampling."""
        return self.source.labelled(y, self.n_labelled, self.how, seed)

    @property
    def graph_key(self) -> tuple[Any, ...]:
        """Equal for designs with the same points and the same graph at the same seed."""
        return (self.source, self.arguments, self.setting.graph.key)


def factors(source: Source) -> dict[str, Number]:
    """Everything that can vary with this source.

    Parameters
    ----------
    source : where the points come from.

    Returns
    -------
    dict of the declarations by name: arguments of the source first, then the number of labels, the
    parameters, the settings of the graph.
    """
    found = {about.name: about for about in source.arguments}
    found |= {LABELS.name: LABELS} | _numbers(Parameters) | scale_parameters()
    return found | _numbers(GraphSpec)


def on_one_graph(factor: str) -> bool:
    """Whether the factor leaves the graph as it is, so that one decomposition serves all."""
    return factor == LABELS.name or factor in _numbers(Parameters)


def _numbers(settings: type) -> dict[str, Number]:
    return {n: about for n, about in declarations(settings).items() if isinstance(about, Number)}
