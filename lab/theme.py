"""Colours and marks of the classes: told apart by colour-blind eyes, by shape too."""

from __future__ import annotations

# Okabe and Ito's colours, the strongest first, yellow (weak on white) darkened; then Tol's muted
# ones for sets with many classes.
CLASS_COLORS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#882255",
    "#B8A800",
    "#44AA99",
    "#332288",
    "#AA4499",
    "#117733",
)
# Methods are not classes: colours that no class has.
LEFT_COLOR = "#7A5CC4"
RIGHT_COLOR = "#A9812F"
METHOD_COLORS = (LEFT_COLOR, RIGHT_COLOR, "#2E8B8B", "#B8527A", "#5B7FD6", "#7D8A3C")
NEUTRAL = "#8a8f99"
FAINT = "rgba(128,128,128,0.25)"
# Of the words in a chart.
FONT_SIZE = 12


def class_color(j: int) -> str:
    return CLASS_COLORS[j % len(CLASS_COLORS)]


# Plotly's layout shared by the small charts: no boxes, thin lines, figures that line up.
def chart_layout(height: int, **more: object) -> dict[str, object]:
    layout: dict[str, object] = {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "showlegend": False,
        "font": {"size": FONT_SIZE},
        "hoverlabel": {"font": {"size": FONT_SIZE}},
        "dragmode": False,
    }
    return layout | more
