"""Theorem 1: many classes are one long vector, and the spectrum is one of products."""

from __future__ import annotations

import numpy as np
import streamlit as st

from lab.theory import take
from lab.theory.figures import volumes
from lab.theory.parts import beside, choice, number, numbers, slider
from mavr import laplacian, relations
from mavr.theory import kronecker


@st.fragment
def draw() -> None:
    with beside("classes") as right:
        graph = choice(
            "Graph of Q", "graph", {"path": "path", "ring": "ring", "star": "star"}, "path"
        )
        n = int(slider("Points n", "n", (2, 6), 4, whole=True))
        names = {"two": "two classes", "P5": "P5 of the paper", "P1": "P1 of the paper"}
        relation = choice("Class relation P", "relation", names, "two")
        if relation == "two":
            coupling = slider(
                "How much the two classes repel",
                "coupling",
                (-0.9, 0.9),
                0.5,
                "Negative: they attract. Between −1 and 1, so that P is positive definite.",
            )
            P, made = kronecker.two_classes(coupling), f"kronecker.two_classes({coupling!r})"
        else:
            P = np.array(relations.PAPER[relation])
            made = f'np.array(mavr.relations.PAPER["{relation}"])'
    Q = np.asarray(laplacian(kronecker.GRAPHS[graph](n), "unnormalized"))
    product = kronecker.product(P, Q)
    H = np.random.default_rng(0).standard_normal((n, len(P)))
    by_trace, by_vector = kronecker.volume_both_ways(P, Q, H)
    with right:
        matrices = (("P", P), ("Q", Q), (f"P ⊗ Q, {len(P) * n} × {len(P) * n}", product.K))
        charts = []
        for column, (name, M) in zip(st.columns([1, 1, 1.3]), matrices, strict=True):
            with column:
                st.caption(name)
                title = f"The matrix {name}"
                charts.append(take.chart(volumes.heat(M), f"heat.{name[:5]}", title, title))
        figure, alt = volumes.products(product), "Eigenvalues and products"
        charts.append(take.chart(figure, "products", "Eigenvalues", alt))
        rows = [
            ["eigenvalues against products, largest difference", number(product.mismatch, 1)],
            ["V of a random H by the trace", f"{by_trace:.6f}"],
            ["V of the same H by the long vector", f"{by_vector:.6f}"],
        ]
        numbers(rows, ["checked here", ""])
        take.export("classes", charts, P=made, graph=graph, n=n)
