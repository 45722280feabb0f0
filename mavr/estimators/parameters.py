"""Parameters of the estimators, derived from the declarations of `mavr.settings`.

An estimator's keywords are the settings of a graph, the parameters of all registered similarities,
what its method uses, and its own. They are looked up when asked for: a similarity that is
registered later has its parameter in every estimator.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping, Set
from dataclasses import dataclass, fields, replace
from textwrap import wrap
from typing import Any

from mavr.declarations import one_of
from mavr.estimators import words
from mavr.methods import METHODS
from mavr.settings import (
    Choice,
    Declared,
    Flag,
    GraphSpec,
    Number,
    Parameters,
    Proportions,
    declarations,
    scale_parameters,
    shortened,
)

# Words for fields that are named after their place or symbol.
WORDS = {"power": "laplacian_power", "P": "class_relation"}


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
    names = {WORDS.get(field, field) for field in declared} | set(estimator.own)
    found = {}
    for field, about in declared.items():
        parameter = _declared(field, about, estimator.defaults, names)
        found[parameter.name] = parameter
    for name, own in estimator.own.items():
        default = estimator.defaults.get(name, own.default)
        found[name] = Parameter(name, "", None, default, own.type, own.help)
    return found


def _declared(
    field: str, about: Declared | None, defaults: Mapping[str, Any], names: Set[str]
) -> Parameter:
    name = WORDS.get(field, field)
    # Sentences about a value name the keyword, and what else stands for it.
    about = None if about is None else replace(about, name=name)
    if isinstance(about, Number | Proportions):
        about = replace(about, names=words.names_of(name, names))
    default = defaults.get(name, about.usual if about else None)
    help = words.help_of(name, names) or (about.help if about else "")
    return Parameter(name, field, about, default, words.type_of(name, names) or _type(about), help)


def _type(about: Declared | None) -> str:
    if isinstance(about, Flag):
        return "bool"
    if isinstance(about, Choice):
        return "str"
    kind = "int" if isinstance(about, Number) and about.whole else "float"
    return one_of([kind, *(f'"{name}"' for name in getattr(about, "names", ()))])


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
            _check_names(owner, signature, positional, keywords)
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


def _check_names(
    owner: Any, signature: inspect.Signature, positional: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    """Say which parameter is meant where a name is none, or is missing."""
    known = list(signature.parameters)[1:]
    for name in set(keywords) - set(known):
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(known)}"
        raise TypeError(f"{owner.__name__}() got an unexpected keyword argument {name!r}; {hint}")
    if len(positional) > 1:
        raise TypeError(
            f"{owner.__name__}() takes one positional argument, {known[0]}, got "
            f"{shortened(positional[1])} after it; name the parameter, as in n_neighbors=12"
        )
