"""Serendipity: classes without a single label, the paper's figure live."""

from __future__ import annotations

import numpy as np
import streamlit as st

from lab import board, controls, figures, thumbnail
from lab.entry import require_app
from lab.gallery import PANELS
from lab.marks import History
from lab.measures import measure, tie_sentences
from lab.numbers import number, percent, table
from lab.scene import TIE
from lab.session import Session, open_session
from mavr.solvers.spectrum import spectrum_of, state_of

SETS = ("rings", "rings_one", "smile", "blobs_background", "bars", "disc_rings")
PER_ROW = 7

require_app()
session = open_session("serendipity", lambda: PANELS["1-P3"].view())


@st.cache_data(max_entries=32, show_spinner="Computing the pictures …")
def picture(name: str) -> str:
    """The panel's picture, computed like the large one."""
    temporary = Session("gallery", PANELS[name].view(), History())
    result = board.compute(temporary)
    return thumbnail.svg(result.scene, result.left) if result else ""


def gallery(session: Session) -> None:
    names = list(PANELS)
    for start in range(0, len(names), PER_ROW):
        for column, name in zip(st.columns(PER_ROW), names[start : start + PER_ROW], strict=False):
            with column:
                st.image(picture(name), width=84)
                st.button(
                    PANELS[name].title,
                    key=f"open.{name}",
                    help=PANELS[name].lesson,
                    type="tertiary",
                    width="stretch",
                    on_click=lambda name=name: session.show(PANELS[name].view()),
                )


def ties(session: Session, result: board.Result) -> None:
    left = result.left
    if not left.n_tied:
        return
    words = " ".join(tie_sentences(left.solution.interchangeable, result.scene.names))
    if not words:
        words = "Their two best classes differ by less than rounding."
    st.info(f"{left.n_tied} points are tied. {words}", icon=":material/balance:")
    if left.solution.interchangeable:
        st.toggle(
            "Split the tie by clustering",
            key=session.key("split"),
            on_change=split,
            args=(session,),
            help="Our addition, not the paper's: the tied points are clustered into as many groups "
            "as there are interchangeable classes, by spectral clustering on the same graph.",
        )


def measures(result: board.Result) -> None:
    scene = result.scene
    if scene.truth is None:
        st.caption("Shown when the true classes are known.")
        return
    alive = scene.alive
    known = sorted({int(j) for j in scene.labels[alive] if j >= 0})
    rows = []
    for a in result.answers:
        tied = (a.flags & TIE).astype(bool)[alive]
        pred = a.pred[alive].astype(np.int64)
        m = measure(scene.truth[alive], pred, tied, known, scene.n_classes)
        rand = "–" if m.rand is None else number(m.rand)
        rows.append([a.title, percent(m.known_error), percent(m.unknown_accuracy), rand])
    head = ["", "error, known", "found, unknown", "Rand"]
    tips = [
        "",
        "Wrong points among those of classes that have a label.",
        "Right points among those of classes without a label, under the best matching of colours.",
        "Adjusted Rand index: agreement with the true classes; 1 is perfect, 0 is chance.",
    ]
    st.html(table(rows, head, tips))


def totals(result: board.Result) -> None:
    """Sum of the responses per class: what balance makes equal."""
    rows = [
        [a.title, *(number(float(total)) for total in a.solution.H.sum(axis=0))]
        for a in result.answers
    ]
    st.html(table(rows, ["", *result.scene.names]))


def details(session: Session, result: board.Result) -> None:
    ties(session, result)
    with st.container(key="below"):
        relation, found, gap = st.columns([1.25, 1.2, 1], gap="medium")
    with relation:
        board.relation_editor(session, result.scene)
    with found:
        st.markdown(
            "#### What was found",
            help="Unknown classes have no label; their colours are matched to the true "
            "classes in the best way. A tied point counts as undecided.",
        )
        measures(result)
        st.markdown(
            "#### Total response per class",
            help="The class-balance term makes these more equal.",
        )
        totals(result)
    with gap:
        st.markdown(
            "#### How many classes?",
            help="The lowest eigenvalues of Q: a jump after the k-th suggests k groups. The "
            "dotted line marks the number of classes in use.",
        )
        if hasattr(state_of(result.graph), "lam"):
            figure = figures.eigengap_figure(spectrum_of(result.graph).lam, result.scene.n_classes)
            board.chart(figure, session.key("gap"), "Lowest eigenvalues of the Laplacian")


def third(session: Session) -> tuple[str, ...]:
    """A third method to compare with: LGC with balance, unless it is one of the two."""
    shown = (session.view.left, session.view.right)
    return ("lgc",) if "lgc_balanced" in shown else ("lgc_balanced",)


def split(session: Session) -> None:
    session.set("split")
    board.again(session)


st.title("Serendipity", anchor=False)
st.caption(
    "Some classes have no label at all. P says how they relate to the labelled ones, the class-"
    "balance term makes room for them. Open a panel of the paper's figure, then change anything."
)
with st.container(key="gallery"):
    gallery(session)
for sentence in session.problems:
    st.warning(sentence, icon=":material/link_off:")
session.problems = []
controls.sidebar(session, SETS, hide_a_class=True)
board.live(session, details, third(session), max_height=300)
