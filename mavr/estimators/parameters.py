"""Parameters of the estimators, derived from the declarations of `mavr.settings`.

An estimator's keywords are the settings of a graph, the parameters of all registered similarities,
what its method uses, and its own. They are looked up when asked for: a similarity that is
registered later has its parameter in every estimator.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from textwrap import wrap
from typing import Any

from mavr.estimators.automatic import REACH
from mavr.methods import METHODS
from mavr.settings import (
    Choice,
    Declared,
    Flag,
    GraphSpec,
    Number,
    Parameters,
    declarations,
    scale_parameters,
)

# Words for fields that are named after their place or symbol.
WORDS = {"power": "laplacian_power", "P": "class_relation"}
# What an estimator means differently from a setting.
HELP = {
    "similarity": "What makes two points neighbours on the graph: the name of a registered "
    'similarity, "precomputed", or a function of two sets of points, as in '
    "`sklearn.metrics.pairwise`.",
    "width": "Width of a self-tuned similarity in units of the local scales; smaller keeps dense "
    'and sparse regions further apart. "auto" is 0.3; but with "knn", `laplacian_power="auto"` and '
    "at most 5,000 points that have more than four dimensions, as their neighbours see them, it is "
    "0.5, unless `MAVRClassifier` has fewer held-out labels wrong with 0.3.",
    "laplacian_power": "Q = L^p. Above 1, responses are smooth in a stricter sense, and nothing "
    'spikes at a label. "auto" is 2 where `width="auto"` is 0.5, else 1.',
    "gamma": "Weight of the volume term: larger means smoother responses. "
    f'"auto" is {REACH:g} n / l for n points, l of them labelled; "degree" is (n / l)^1.5 / 100 d, '
    'd the mean degree of a point, for hundreds of points per label; with fewer use "auto". Where '
    "Q is a power p > 1 of an unnormalized Laplacian, d^p divides both.",
    "tau": 'Norm of the responses. "auto" is the square root of the number of labelled points, '
    "None leaves them unconstrained.",
    "class_prior": "Proportions that the balance term pulls the classes' totals to, in the order "
    'of `classes` if that is given, else of `classes_`. None is equal proportions; "labels" '
    "estimates them from y: those of the labels, shrunk towards equal ones as far as chance "
    "explains that they differ; equal ones if a class has no label. "
    '"auto", of `MAVRClassifier` alone, is "labels" unless all classes have equally many labels, '
    "at least two, on at most 5,000 points without `tau` or `class_relation`: then the proportions "
    "that a first answer finds, shrunk towards equal ones the more the fewer labels there are, and "
    "each label weighs as much as its class.",
    "class_relation": "P, symmetric positive definite; None is the identity. Its rows are in the "
    "order of `classes` if that is given, else of `classes_`.",
}
TYPES = {
    "similarity": "str or callable",
    "width": 'float or "auto"',
    "laplacian_power": 'int or "auto"',
    "gamma": 'float, "auto" or "degree"',
    "tau": 'float, "auto" or None',
    "class_prior": '(c,) array, "auto", "labels" or None',
    "class_relation": "(c, c) array or None",
}


@dataclass(frozen=True)
class Own:
    """A parameter that only estimators have: its default, type and help."""

    default: Any
    type: str
    help: str


@dataclass(frozen=True)
class Parameter:
    """One keyword of an estimator.

    Attributes
    ----------
    name : the keyword.
    field : its name in `GraphSpec` or `Parameters`, "" if it is the estimator's own.
    about : its declaration, under the keyword's name; None if there is none.
    default, type, help : for the signature and for a reader.
    """

    name: str
    field: str
    about: Declared | None
    default: Any
    type: str
    help: str


def parameters_of(estimator: Any) -> dict[str, Parameter]:
    """The parameters of an estimator's class by name, `similarity` first."""
    graph = {k: v for k, v in declarations(GraphSpec).items() if k not in estimator.without}
    declared: dict[str, Declared | None] = {"similarity": graph.pop("similarity")}
    declared |= scale_parameters() | graph
    method = declarations(Parameters)
    uses = METHODS[estimator.method].uses
    declared |= {f.name: method.get(f.name) for f in fields(Parameters) if f.name in uses}
    found = {}
    for field, about in declared.items():
        parameter = _declared(field, about, estimator.defaults)
        found[parameter.name] = parameter
    for name, own in estimator.own.items():
        default = estimator.defaults.get(name, own.default)
        found[name] = Parameter(name, "", None, default, own.type, own.help)
    return found


def _declared(field: str, about: Declared | None, defaults: Mapping[str, Any]) -> Parameter:
    name = WORDS.get(field, field)
    # Sentences about a value name the keyword.
    about = None if about is None else replace(about, name=name)
    default = defaults.get(name, about.usual if about else None)
    help = HELP.get(name) or (about.help if about else "")
    return Parameter(name, field, about, default, TYPES.get(name) or _type(about), help)


def _type(about: Declared | None) -> str:
    if isinstance(about, Flag):
        return "bool"
    if isinstance(about, Choice):
        return "str"
    return "int" if isinstance(about, Number) and about.whole else "float"


def section(estimator: Any) -> str:
    """The Parameters section of a docstring, indented as a class has it."""
    lines = ["Parameters", "----------"]
    for p in parameters_of(estimator).values():
        lines.append(f"{p.name} : {p.type}, default {p.default!r}")
        wrapped = wrap(p.help, 87, break_long_words=False, break_on_hyphens=False)
        lines += [f"    {line}" for line in wrapped]
    return "\n    ".join(lines)


class Initializer:
    """`__init__` of all estimators: it stores what it is given, untouched.

    Each look at it makes the function anew, so that its signature is always that of the class it
    is looked up in, with the parameters there are by then.
    """

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        # Some versions of `inspect` bind a class to its own `__init__`.
        owner = instance if isinstance(instance, type) else owner
        signature = _signature(owner)

        def __init__(self: Any, *positional: Any, **keywords: Any) -> None:
            bound = signature.bind(self, *positional, **keywords)
            bound.apply_defaults()
            for name, value in list(bound.arguments.items())[1:]:
                setattr(self, name, value)

        __init__.__signature__ = signature  # type: ignore[attr-defined]
        __init__.__qualname__ = f"{owner.__qualname__}.__init__"
        __init__.__module__ = owner.__module__
        return __init__ if instance is None else __init__.__get__(instance, owner)


def _signature(owner: Any) -> inspect.Signature:
    kind = inspect.Parameter
    found = [kind("self", kind.POSITIONAL_OR_KEYWORD)]
    for p in parameters_of(owner).values():
        how = kind.POSITIONAL_OR_KEYWORD if p.name == "similarity" else kind.KEYWORD_ONLY
        found.append(kind(p.name, how, default=p.default))
    return inspect.Signature(found)
