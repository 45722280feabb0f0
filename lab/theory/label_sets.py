"""Label sets from responses, Section 3.2: which labels a point has, and why T_h matters."""

from __future__ import annotations

import numpy as np
import streamlit as st

import datasets
from lab.export.code import graph_arguments
from lab.theory import take
from lab.theory.figures import bounds
from lab.theory.parts import beside, choice, judge, numbers, slider
from lab.theory.source import graph
from mavr.settings import Setting
from mavr.solvers.spectrum import spectrum_of
from mavr.theory import label_sets

CODES = {"denied": "−1, 0, 1", "affirmed": "0, 1"}
THRESHOLDS = {"zero": "preset, 0", "common": "learned, one", "each": "learned, one per label"}
T_CODE = {"zero": "np.zeros(3)", "common": "np.full(3, found.common)", "each": "found.learned"}
LEARNED = "Largest F1 on the labelled points, each seen without its own labels."


@st.fragment
def draw() -> None:
    with beside("sets") as right:
        st.caption("As printed in Section 3.2, without number.")
        code = choice("Entries of Y", "code", CODES, "affirmed")
        how = choice("Threshold", "threshold", THRESHOLDS, "zero", LEARNED)
        gamma = slider("Smoothness γ", "gamma.sets", (0.1, 99.0), 1.0, log=True)
    data = datasets.multilabel(150, seed=0)
    setting = data.setting or Setting()
    sets = np.asarray(data.Y) > 0
    Y = label_sets.coded(sets, data.labelled, denied=code == "denied")
    spectrum = spectrum_of(graph("discs.150", setting.graph, data.X))
    found = label_sets.respond(spectrum, Y, gamma, float(np.sqrt(len(data.labelled))))
    thresholds = {
        "zero": np.zeros(sets.shape[1]),
        "common": np.full(sets.shape[1], found.common),
        "each": found.learned,
    }
    with right:
        count = len(data.labelled)
        st.caption(f"Three overlapping discs, {data.n} points, {count} labelled; P = I")
        figure = bounds.responses(found.H, sets, data.class_names, thresholds[how].tolist())
        alt = "Responses to every label and the threshold"
        drawn = take.chart(figure, "responses", "Responses", alt)
        rows = []
        for name, word in THRESHOLDS.items():
            s = label_sets.score(label_sets.predict(found.H, thresholds[name]), sets)
            row = [f"{s.mean_size:.2f}", f"{100 * s.hamming:.1f} %", f"{s.f1:.3f}"]
            rows.append([word, *row])
        rows.append(["the truth", f"{sets.sum(axis=1).mean():.2f}", "", ""])
        numbers(rows, ["threshold", "labels per point", "wrong entries", "F1"])
        judge(
            not label_sets.predict(found.H, thresholds[how]).all(),
            "Points get different label sets.",
            "Every response is positive: **every point gets every label**.",
        )
        given = {"denied": code == "denied", "graph": graph_arguments(setting.graph)}
        take.export("sets", [drawn], gamma=gamma, T=T_CODE[how], **given)
