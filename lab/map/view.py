"""Everything the map shows, as one frozen object, and its link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lab.board.view import CODEC as BOARD
from lab.board.view import View, fresh_view
from lab.data import Data
from lab.link import Codec, Part, Query, choice, declared_parts, put_at, read_number
from lab.map.axes import AxisView
from mavr.settings import shortened, write_number


@dataclass(frozen=True)
class Quantity:
    """What is shown as colour.

    Attributes
    ----------
    word : its name; {method} stands for the method.
    number : of the cells' numbers; "" for what the browser counts itself.
    kind : "share" for a percentage, "number", or "logarithmic".
    best : "low", "high", or "" where neither is better.
    blind : needs no true class, and may serve to choose a setting.
    """

    word: str
    number: str
    help: str
    kind: str = "share"
    best: str = ""
    blind: bool = False


QUANTITIES: Mapping[str, Quantity] = {
    "error": Quantity("Error", "error", "Share of the unlabelled points with a wrong class.",
                      best="low"),
    "difference": Quantity("Error difference", "", "Error of the left method minus that of "
                           "the right one.", kind="signed"),
    "disagree": Quantity("Disagreement", "", "Share of the points that the two methods answer "
                         "differently."),
    "tied": Quantity("Ties", "tied", "Share of the points whose best classes are equal."),
    "largest": Quantity("Largest class", "largest", "Share of the points in the largest class: 100 "
                        "% is a collapse."),
    "margin": Quantity("Margin", "margin", "Mean of (best − second) / (best + second) response."),
    "effective": Quantity("Equivalent γ of LGC", "effective", "With P = I and no balance, "
                          "MAVR predicts as LGC with this γ: γ/(−ρ). Its effective α is γ/(1 + γ).",
                          kind="logarithmic"),
    "volume": Quantity("Volume", "volume", "tr(HᵀQHP)/‖H‖²: small means smooth responses.",
                       kind="logarithmic"),
    "loo_error": Quantity("Leave-one-out error", "loo_error", "Share of the given labels that the "
                          "others get wrong, ρ fixed.", best="low", blind=True),
    "loo_margin": Quantity("Leave-one-out margin", "loo_margin", "Mean margin of the given labels "
                           "when each is left out, −1 to 1.", kind="number", best="high",
                           blind=True),
    "entropy": Quantity("Response entropy", "entropy", "Mean entropy of a point's "
                        "responses: 0 is sure, 100 % undecided.", best="low", blind=True),
    "stability": Quantity("Stability", "stability", "Share of the points that keep their class "
                          "when one label is left out.", best="high", blind=True),
    "evidence": Quantity("Evidence", "evidence", "Log-density of the labels in the Gaussian model "
                         "whose posterior mean the responses are, per label and class.",
                         kind="number", best="high", blind=True),
    "cut": Quantity("Cut of the classes", "cut", "Normalised cut: similarity that the "
                    "borders between classes cut through.", kind="number", best="low", blind=True),
}  # fmt: skip
ACROSS, UPWARDS = AxisView("gamma"), AxisView("sigma")
SIDES = {"left": "Left", "right": "Right"}


@dataclass(frozen=True)
class MapView:
    """A board's view, two axes, and what is shown as colour, of which method."""

    board: View = field(default_factory=View)
    x: AxisView = ACROSS
    y: AxisView = UPWARDS
    show: str = choice(
        "show",
        "Colour",
        "What the colour of a setting stands for.",
        {name: q.word for name, q in QUANTITIES.items()},
        "error",
    )
    side: str = choice(
        "side", "Of", "The method whose numbers and regions are shown.", SIDES, "left"
    )


def scale_axis(view: View) -> str:
    """The first parameter of the similarity in use: σ or k."""
    return view.setting.graph.about.parameters[0].name


def map_of(board: View) -> MapView:
    """A first map of what a board shows: smoothness and scale of the graph."""
    return MapView(replace(board, shade=False), y=AxisView(scale_axis(board)))


def fresh_map() -> MapView:
    return map_of(fresh_view(Data(seed=43)))


def _inner(part: Part[View]) -> Part[MapView]:
    return Part(
        part.names,
        lambda view, own: replace(view, board=part.read(view.board, own)),
        lambda view: part.write(view.board),
    )


def _axis_part(field_name: str) -> Part[MapView]:
    names = (field_name, f"{field_name}.low", f"{field_name}.high")

    def read(view: MapView, own: Query) -> MapView:
        axis: AxisView = getattr(view, field_name)
        name = own.get(names[0], axis.name)
        if len(name) > 20:
            raise ValueError(f"the axis {shortened(name)} is not known here")
        ends = [read_number(key, own[key]) if key in own else None for key in names[1:]]
        return put_at(view, (field_name,), AxisView(name, *ends))

    def write(view: MapView) -> dict[str, str]:
        axis: AxisView = getattr(view, field_name)
        found = {names[0]: axis.name}
        for key, value in zip(names[1:], (axis.low, axis.high), strict=True):
            if value is not None:
                found[key] = write_number(value)
        return found

    return Part(lambda: names, read, write)


CODEC: Codec[MapView] = Codec(
    MapView,
    (
        *map(_inner, BOARD.parts),
        _axis_part("x"),
        _axis_part("y"),
        *declared_parts(MapView),
    ),
    always=BOARD.always | {"x", "y", "shade"},
    older=BOARD.older,
    base=lambda query: map_of(BOARD.read(query)[0]),
)
