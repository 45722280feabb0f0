"""Generated views and links for tests of the codecs."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from lab.board.marks import Marks
from lab.board.view import View
from lab.data import GENERATORS, Data
from lab.sets.labels import TELL_NAMES, Labels
from lab.sets.view import RELATIONS, RULES, TOY, LabelView
from mavr.methods import METHODS
from mavr.settings import (
    SIMILARITIES,
    GraphSpec,
    Number,
    Parameters,
    Proportions,
    Setting,
    declarations,
    scale_parameters,
)


def numbers(about: Number) -> st.SearchStrategy:
    """Values that a declaration allows, its ends and special values among them."""
    if about.whole:
        found = st.integers(int(about.low), int(about.high))
    else:
        found = st.floats(about.low, about.high, allow_nan=False)
    special = [about.low, about.high, *([0.0] * about.zero)]
    values = found | st.sampled_from([int(v) if about.whole else float(v) for v in special])
    return values | st.none() if about.none else values


def relations(c: int) -> st.SearchStrategy:
    """None, or a positive definite matrix."""

    def made(seed: int) -> tuple[tuple[float, ...], ...]:
        A = np.random.default_rng(seed).normal(size=(c, c))
        return tuple(map(tuple, (A @ A.T + 0.1 * np.eye(c)).tolist()))

    return st.none() | st.integers(0, 999).map(made)


shares = st.sampled_from([None, "labels"]) | st.lists(
    st.floats(0, 1e12), min_size=1, max_size=12
).filter(any).map(tuple)
settings = st.builds(
    Setting,
    st.builds(
        GraphSpec,
        similarity=st.sampled_from(sorted(SIMILARITIES)),
        scales=st.fixed_dictionaries(
            {}, optional={name: numbers(about) for name, about in scale_parameters().items()}
        ).map(lambda d: tuple(d.items())),
        self_loops=st.booleans(),
        laplacian=st.sampled_from(["normalized", "unnormalized"]),
        power=st.integers(1, 4),
    ),
    st.builds(
        Parameters,
        P=st.integers(1, 5).flatmap(relations),
        **{
            name: shares if isinstance(about, Proportions) else numbers(about)
            for name, about in declarations(Parameters).items()
        },
    ),
)


def data(names: tuple[str, ...]) -> st.SearchStrategy[Data]:
    def of(name: str) -> st.SearchStrategy[Data]:
        own = {p.name: numbers(p) for p in GENERATORS[name].params}
        seeds, hidden = st.integers(0, 99_999), st.integers(-1, 3)
        return st.builds(
            lambda seed, unknown, params: Data(name, (), seed, unknown).having(**params),
            seeds,
            hidden,
            st.fixed_dictionaries({}, optional=own),
        )

    return st.sampled_from(names).flatmap(of) | st.just(Data("file:0123456789abcdef"))


places = st.floats(-1e12, 1e12, allow_nan=False)
points = st.integers(0, 10_000_000)
marks = st.builds(
    Marks,
    labels=st.dictionaries(points, st.integers(0, 999), max_size=9).map(
        lambda d: tuple(sorted(d.items()))
    ),
    added=st.lists(st.tuples(places, places, st.integers(-1, 11)), max_size=3).map(tuple),
    moved=st.lists(st.tuples(points, places, places), max_size=3).map(tuple),
    deleted=st.sets(points, max_size=4).map(lambda s: tuple(sorted(s))),
    extra=st.integers(0, 12),
)
_second = {name: declarations(Parameters)[name] for name in ("gamma", "tau", "balance")}
views = st.builds(
    View,
    data=data(tuple(GENERATORS)),
    marks=marks,
    setting=settings,
    left=st.sampled_from(sorted(METHODS)),
    right=st.sampled_from(sorted(METHODS)),
    second=st.builds(Parameters, **{name: numbers(about) for name, about in _second.items()}),
    **{n: st.booleans() for n in ("own", "shade", "errors", "disagree", "suggest", "split")},
)
rows = st.dictionaries(
    points, st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=16).map(tuple), max_size=5
).map(lambda d: tuple(sorted(d.items())))
label_views = st.builds(
    LabelView,
    data=data((TOY,)),
    labels=st.builds(
        Labels,
        share=st.floats(-1, 1),
        draw=st.integers(0, 99_999),
        tells=st.sampled_from(sorted(TELL_NAMES)),
        rows=rows,
    ),
    setting=settings,
    relation=st.sampled_from(sorted(RELATIONS)),
    strength=st.floats(0, 0.95),
    rule=st.sampled_from(sorted(RULES)),
    thresholds=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=16).map(tuple),
    **{n: st.booleans() for n in ("standardise", "per_label", "identity", "errors")},
)

# Texts of a link: what no page writes, and what one might.
HOSTILE = (
    "",
    " ",
    "-1",
    "-5",
    "0",
    "1e400",
    "-inf",
    "nan",
    "none",
    "None",
    "².0",
    "١٢.0",
    "1.0_",
    "3.12",
    "1~2_3",
    "1~2_2~1",
    "1~nan_nan~1",
    "0~0_0~0",
    "4294967296",
    "99999999999999999999",
    "9" * 5000,
    "0." + "0" * 5000 + "1",
    "1_" * 4000,
    "~" * 3000,
    "\x00",
    "\ud7ff",
    "file:0123456789abcdef",
    "file:../../../etc/passwd",
    "<script>alert(1)</script>",
    "[a](javascript:alert(1))",
    "$\\frac{1}{0}$",
    "three_circles",
    "multilabel",
    "rings",
    "digits",
    "knn",
    "lgc",
    "0.5~0.5~99_1e308~-1e308~0",
    "5.0_5.1_5.2",
    "9999999.0",
    "True",
)
PLAUSIBLE = (
    "1",
    "2",
    "3",
    "7",
    "0.5",
    "1e-9",
    "1e9",
    "100",
    "5.0_100.1_200.2",
    "5.0",
    "1~0_0~1",
    "1~0.5~0_0.5~1~0_0~0~1",
    "0~1~0",
    "2_3_4",
    "0.5~0.5~1",
    "5~0.25~0.25",
    "5.10x",
    "gaussian",
    "local_scaling",
    "cosine",
    "smile",
    "two_moons",
    "unequal_blobs",
    "mavr",
    "unconstrained",
    "laprls",
    "learned",
    "frequency",
    "own",
    "unnormalized",
)


def links(names: list[str]) -> st.SearchStrategy[dict[str, str]]:
    """Links with names of a codec; a name that ends with a dot stands for a family."""
    family = st.sampled_from(["n", "noise", "0", "15", "16", "-1", "x", "²"])
    known = st.sampled_from(names)
    name = known.flatmap(lambda n: family.map(n.__add__) if n.endswith(".") else st.just(n))
    text = st.sampled_from(HOSTILE) | st.sampled_from(PLAUSIBLE) | st.text(max_size=20)
    return st.dictionaries(name, text, min_size=1, max_size=6)
