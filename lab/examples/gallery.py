"""The panels of the paper's serendipity figure, "all but one known" variants, and outliers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from lab.board.answers import compute
from lab.board.view import View, fresh_view
from lab.cache import CACHE
from lab.data import Data
from lab.examples import thumbnail
from lab.examples.presets import marked, same
from lab.page import Page
from lab.scripts import TEXT, made
from mavr import relations

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Panel:
    """title and what the paper, or we, say it shows; P by name, "" for the set's own; unknown :
    class hidden, or -1."""

    title: str
    lesson: str
    data: str
    relation: str
    unknown: int = -1

    def view(self) -> View:
        view = fresh_view(Data(self.data, unknown=self.unknown))
        if self.relation:
            P = None if self.relation == "I" else relations.PAPER[self.relation]
            view = replace(view, setting=view.setting.having(P=P))
        left = "lgc" if self.relation == "I" else view.left
        right = "mavr" if left == "lgc" else "lgc"
        # Tied classes are drawn split in the figure, as the paper's are; the page says so.
        return replace(view, left=left, right=right, split=self.relation in ("P4", "P5", "P6"))


PANELS: dict[str, Panel] = {
    "1-I": Panel(
        "LGC: ring 4 is given away",
        "LGC has no fourth class: ring 4 is shared out between rings 2 and 3, which are known.",
        "rings",
        "I",
    ),
    "1-P1": Panel(
        "Ring 4 joins ring 3",
        "P1: class 4 is repelled by class 3 alone, and ring 4 joins ring 3.",
        "rings",
        "P1",
    ),
    "1-P2": Panel(
        "Ring 4 joins ring 2",
        "P2: class 4 is repelled by class 2 alone, and ring 4 joins ring 2.",
        "rings",
        "P2",
    ),
    "1-P3": Panel(
        "Ring 4 is its own class",
        "P3: class 4 is repelled by classes 2 and 3, and ring 4 is a class of its own.",
        "rings",
        "P3",
    ),
    "2-P4": Panel(
        "One label, four rings",
        "P4, one label on ring 1: three classes are to be found, and two of them tie.",
        "rings_one",
        "P4",
    ),
    "3-P5": Panel("Smile, one label", "P5: a smile with one label, on an eye.", "smile", "P5"),
    "4-P5": Panel(
        "Blobs, one label", "P5: two blobs in a background, one label.", "blobs_background", "P5"
    ),
    "5-P6": Panel("Bars, one label", "P6: four bars, one label.", "bars", "P6"),
    "5i-P5": Panel(
        "Disc and rings, one label",
        "P5, the conference version's set: a disc in two rings, one label.",
        "disc_rings",
        "P5",
    ),
    "2-but": Panel(
        "Rings, the first unknown", "Three rings known, the first to be found.", "rings_one", "", 0
    ),
    "3-but": Panel("Smile, an eye unknown", "Every shape known but the left eye.", "smile", "", 0),
    "4-but": Panel(
        "Background unknown",
        "The background is the class without a label.",
        "blobs_background",
        "",
        2,
    ),
    "5-but": Panel(
        "Bars, the first unknown", "Three bars known, the first to be found.", "bars", "", 0
    ),
    "5i-but": Panel("Disc unknown", "Both rings known, the disc to be found.", "disc_rings", "", 0),
    "outliers": Panel(
        "Outliers are a class",
        "One label, on the disc: “a special label of outliers” is the class without any. Our set.",
        "disc_outliers",
        "",
    ),
}


def picture(name: str) -> str:
    """The panel's picture as SVG, computed like the large one; cached."""

    def drawn() -> str:
        result = compute(replace(PANELS[name].view(), shade=False), {})
        return thumbnail.svg(result.scene, result.left)

    return CACHE.get(("picture", name), drawn)


@dataclass
class LastPanel:
    """The panel that was shown last; its lesson stays, marked, while one changes it."""

    name: str | None = None

    def sentence(self, now: View) -> str | None:
        """Its lesson; None for a view of other points."""
        self.name = shown(now) or self.name
        then = None if self.name is None else panel_view(self.name)
        if self.name is None or then is None or then.data != now.data:
            return None
        return f"**{PANELS[self.name].lesson}** {marked(same(now, then))}"


def ready() -> bool:
    """Whether every picture is there at once."""
    return all(CACHE.find(("picture", name)) is not None for name in PANELS)


def shown(view: View) -> str | None:
    """The panel that a view is, if it is one."""
    return next((name for name in PANELS if panel_view(name) == view), None)


def panel_view(name: str) -> View:
    """The view of a panel; cached."""
    return CACHE.get(("panel", name), lambda: PANELS[name].view())


def gallery(page: Page[View]) -> None:
    """All panels as pictures; one that is clicked is opened."""
    key = page.key("gallery")

    def opened() -> None:
        name = (st.session_state.get(key) or {}).get("open")
        if name in PANELS:
            page.show(panel_view(name))

    html = '<div class="gallery" role="group" aria-label="Panels of the figure"></div>'
    component = made("gallery", TEXT, HERE / "gallery.css", HERE / "gallery.js", html=html)
    panels = [
        {"name": name, "title": p.title, "lesson": p.lesson, "svg": picture(name)}
        for name, p in PANELS.items()
    ]
    data = {"panels": panels, "key": "1", "shown": shown(page.view)}
    component(key=key, data=data, on_open_change=opened)
