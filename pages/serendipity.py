"""Serendipity: classes without a single label, the paper's figure live."""

from __future__ import annotations

import numpy as np
import streamlit as st

from lab import controls
from lab.board import details, stage
from lab.board.answers import TIE, Result
from lab.board.face import Classes
from lab.board.far import spectrum_at_hand
from lab.board.measures import measure
from lab.board.unplaced import unplaced
from lab.board.view import CODEC, View
from lab.charts import chart, eigengap_figure
from lab.examples.gallery import LastPanel, gallery, panel_view, ready
from lab.export.menu import CLASSES, menu
from lab.lessons.controls import offered
from lab.lessons.link import lesson_link, lesson_page
from lab.page import Page, heading, line, open_page
from lab.tables import table
from lab.text import number, percent
from lab.uploads import uploads
from mavr.settings import declarations

INTRODUCTION = (
    "Some classes have no label at all. P says which classes repel each other; where most classes "
    "have no label, the class-balance term makes room for them. Open a picture, then change "
    "anything."
)
SETS = (
    "rings", "rings_one", "smile", "blobs_background", "bars", "disc_rings", "disc_outliers",
)  # fmt: skip


def found(result: Result) -> None:
    scene = result.scene
    if scene.truth is None:
        st.caption("Shown when the true classes are known.")
        return
    alive = scene.alive
    known = sorted({int(j) for j in scene.labels[alive] if j >= 0})
    rows = []
    for a in result.answers:
        tied = (a.flags & TIE).astype(bool)[alive]
        m = measure(
            scene.truth[alive], a.pred[alive].astype(np.int64), tied, known, scene.n_classes
        )
        rand = "–" if m.rand is None else number(m.rand)
        rows.append([a.title, percent(m.known_error), percent(m.unknown_accuracy), rand])
    head = ["", "error on labelled classes", "unlabelled classes found", "Rand index"]
    tips = [
        "",
        "Wrong points among those of classes that have a label.",
        "Right points among those of classes without a label, under the best matching of colours.",
        "Adjusted Rand index: agreement with the true classes; 1 is perfect, 0 is chance.",
    ]
    st.html(table(rows, head, tips))


def totals(result: Result) -> None:
    """Sum of the responses per class: what balance makes equal."""
    rows = [
        [a.title, *(number(float(total)) for total in a.solution.H.sum(axis=0))]
        for a in result.answers
    ]
    st.html(table(rows, ["", *result.scene.names]))


def split(page: Page[View]) -> None:
    def adopt(value: bool) -> None:
        page.change("split", value)
        stage.again(page)

    about = declarations(View)["split"]
    page.widget(st.toggle, "split", page.view.split, adopt, about.label, help=about.help)


def below(page: Page[View], result: Result) -> None:
    face = face_of(page.view)
    if details.explain_ties(result) and result.left.solution.interchangeable:
        split(page)
    with st.container(key="below"):
        relation, measures, gap = st.columns([1.25, 1.2, 1], gap="medium")
    with relation:
        details.relation_editor(page, face, result)
    with measures:
        st.markdown(
            "## What was found",
            help="Classes without labels: their colours are matched to the true classes in the "
            "best way. A tied point counts as undecided.",
        )
        found(result)
        st.markdown(
            "## Total response per class", help="The class-balance term makes these more equal."
        )
        totals(result)
    with gap:
        st.markdown(
            "## How many classes?",
            help="The lowest eigenvalues of Q: a jump after the k-th suggests k groups. The "
            "dotted line marks the number of classes in use.",
        )
        spectrum = spectrum_at_hand(page.view, result.scene)
        if spectrum is not None:
            figure = eigengap_figure(spectrum.lam, result.scene.n_classes)
            chart(figure, page.key("gap"), "Lowest eigenvalues of the Laplacian")


def face_of(view: View) -> Classes:
    """With a third method to compare with: LGC with balance, unless it is one of the two."""
    third = "lgc" if "lgc_balanced" in (view.left, view.right) else "lgc_balanced"
    return Classes(also=(third,), max_height=300)


page = open_page(
    "serendipity", CODEC, lambda: panel_view("1-P3"), lambda view: unplaced(view, uploads())
)
if lesson_page(page, face_of(page.view)):
    st.stop()
with heading("Serendipity"):
    st.space("stretch")
    lesson_link(page, offered)
    menu(page, face_of(page.view), CLASSES)
said = line()


def tell(page: Page[View]) -> None:
    said.caption(page.keep(LastPanel).sentence(page.view) or INTRODUCTION)


tell(page)
page.show_problems()
controls.sidebar(page, face_of(page.view), SETS, hide_a_class=True)
# Its place is kept while it is empty: a container that holds nothing is not drawn.
pictures = st.container(key="place_gallery").empty()
if at_once := ready():
    with pictures:
        gallery(page)
else:
    pictures.html("<i></i>")
stage.draw(page, face_of(page.view), below, tell=tell)
# On a new server the pictures take a moment: the board comes first then, though it stands below.
if not at_once:
    with pictures:
        gallery(page)
