"""Theorem 2: the secular equation of the current problem, its poles, the root finder's steps."""

from __future__ import annotations

import numpy as np
import streamlit as st

from lab.plot import Figure, minus
from lab.server import refresh
from lab.theory import take
from lab.theory.figures import roots
from lab.theory.parts import beside, choice, key, number, numbers
from lab.theory.source import Source, current
from mavr.solvers.secular import Root
from mavr.theory import root as theory
from mavr.theory.root import Secular

MS_PER_STEP = 800


def draw() -> None:
    source = current()
    with beside("root") as right:
        st.caption(f"Computed for {source.title}. {source.note}")
        gamma, tau = source.sliders()
        start = choice(
            "The root finder starts",
            "start",
            {"pole": "near the pole", "left": "at ρ₀"},
            "pole",
            "Newton's method on 1/‖H‖, which is nearly straight. From the side of the pole every "
            "step moves the same way; from ρ₀ the first one may jump across.",
        )
        s = theory.secular(source.spectrum, source.Y, source.P, gamma, tau)
        found = s.find(from_left=start == "left")
        _numbers(source, s, found, gamma)
    with right:
        # Another problem starts at its first step.
        name = f"{source.digest}.{gamma}.{tau}.{start}"
        if st.session_state.get(key("stepped")) != name:
            st.session_state[key("stepped")] = name
            st.session_state[key("shown")] = 1
        st.fragment(_steps)(s, found)
        st.caption(
            "The same norm over all ρ: dashed lines are poles, the shaded part is Theorem 2's "
            "interval, g is positive where the curve is above 0."
        )
        alt = "The norm over rho, with poles, interval and root"
        poles = take.chart(roots.poles_figure(s, s.root), "poles", "Poles", alt)
        _slopes(s)
        steps = take.Chart("steps", "Steps", lambda: take.figure_table(_figure(s, found)))
        given = {"gamma": gamma, "tau": tau, "from_left": start == "left"}
        take.export("root", [steps, poles], source, **given)


def _numbers(source: Source, s: Secular, found: Root, gamma: float) -> None:
    low, high = s.interval
    alpha = number(theory.effective_alpha(gamma, s.root)) if source.unrelated else "–"
    rows = [
        ["interval from ρ₀", number(low)],
        ["to the first pole touched", number(high)],
        ["its number k₀", str(s.first + 1)],
        ["root ρ", minus(f"{s.root:.6g}")],
        ["steps", str(len(found.steps))],
        ["effective α of LGC", alpha],
    ]
    numbers(rows, ["Theorem 2", ""])


def _slopes(s: Secular) -> None:
    """The derivative of g where it matters, right and as printed."""
    st.caption(
        "The proof of Theorem 2 needs g′ > 0 left of the pole. It prints g′, without number, with "
        "−τ², which a derivative does not have; far to the left that is negative, while g rises."
    )
    places = (("the root", s.root), ("ρ₀", s.interval[0]), ("ten times as far", s.far_left))
    rows = []
    for name, rho in places:
        step = 1e-5 * (s.interval[1] - rho)
        ends = s.g([rho - step, rho + step])
        difference = float(ends[1] - ends[0]) / (2 * step)
        values = (rho, s.slope(rho), difference, s.printed_slope(rho))
        rows.append([f"at {name}", *(minus(f"{v:.4g}") for v in values)])
    numbers(rows, ["derivative of g", "ρ", "g′(ρ)", "by differences", "as printed"])


def _show(step: int, playing: bool | None = None) -> None:
    """Go to a step; playing : begin or end to go on by itself, None for as it is."""
    st.session_state[key("shown")] = step
    if playing is not None:
        st.session_state[key("playing")] = playing


def _buttons(shown: int, total: int, playing: bool) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        last = shown >= total
        for word, icon, off, args in (
            ("Play", "play_arrow", playing, (1 if last else shown, True)),
            ("Step", "skip_next", last, (shown + 1, False)),
            ("Reset", "replay", False, (1, False)),
        ):
            look, name = f":material/{icon}:", key(word.lower())
            st.button(word, key=name, icon=look, disabled=off, on_click=_show, args=args)
        st.markdown(f"step {shown} of {total}")


def _shown(found: Root) -> int:
    """How many steps are in the picture."""
    return min(int(st.session_state.get(key("shown"), 1)), len(found.steps))


def _figure(s: Secular, found: Root) -> Figure:
    return roots.norm_steps(s, found.steps, _shown(found))


def _steps(s: Secular, found: Root) -> None:
    """Play, step, reset; the picture and the table of the steps shown so far."""
    total = len(found.steps)
    if st.session_state.get(key("playing")) and refresh.came(key("pulse")):
        _show(int(st.session_state.get(key("shown"), 1)) + 1)
    shown = _shown(found)
    playing = bool(st.session_state.get(key("playing"))) and shown < total
    st.session_state[key("playing")] = playing
    _buttons(shown, total, playing)
    refresh.look_again(key("pulse"), MS_PER_STEP if playing else None)
    alt = "Norm of H against the distance to the pole, with the steps of the root finder"
    take.chart(_figure(s, found), "steps", "Steps", alt)
    top = float(s.poles[s.first])
    rhos = [top - d for d in found.steps[:shown]]
    off = s.norm(np.array(rhos)) / s.tau - 1
    rows = [
        [f"{k + 1}", minus(f"{r:.9g}"), number(e, 2)]
        for k, (r, e) in enumerate(zip(rhos, off, strict=True))
    ]
    numbers(rows, ["step", "ρ", "‖H‖/τ − 1"])
