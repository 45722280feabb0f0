"""The board of an answer as one SVG picture in print quality."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np

from lab.board.answers import DISAGREE, TIE, UNREACHED, WRONG
from lab.board.answers import Answer as ClassAnswer
from lab.board.answers import Result as ClassResult
from lab.board.frame import bounds_of
from lab.board.scene import Scene
from lab.board.view import CODEC as CLASSES
from lab.board.view import View
from lab.data import GENERATORS
from lab.export import svg
from lab.sets.answers import Answer as SetAnswer
from lab.sets.answers import Result as SetResult
from lab.sets.labels import signs
from lab.sets.view import CODEC as SETS
from lab.sets.view import LabelView
from lab.text import short
from lab.theme import LEFT_COLOR, class_color
from mavr.settings import Setting

SIDE, GAP, PAD, HEAD, ROW = 400, 20, 20, 34, 26
RADIUS = 4.0


@dataclass(frozen=True)
class Frame:
    """A panel: its corner on the picture, and how the plane lies in it."""

    x: float
    y: float
    side: float
    bounds: tuple[float, float, float, float]

    @property
    def scale(self) -> float:
        x0, x1, y0, y1 = self.bounds
        return 0.92 * self.side / max(x1 - x0, y1 - y0, 1e-9)

    def at(self, points: np.ndarray) -> np.ndarray:
        """Places of points on the picture."""
        x0, x1, y0, y1 = self.bounds
        middle, corner = np.array([x0 + x1, y0 + y1]) / 2, np.array([self.x, self.y])
        return np.asarray((points - middle) * self.scale * [1, -1] + corner + self.side / 2)

    def drawn(self, name: str, inside: Iterable[str]) -> str:
        """The panel with what lies in it, cut at its edge."""
        box = f'x="{self.x:g}" y="{self.y:g}" width="{self.side:g}" height="{self.side:g}" rx="8"'
        return (
            f'<clipPath id="{name}"><rect {box}/></clipPath><g clip-path="url(#{name})">'
            f'{"".join(inside)}</g><rect {box} fill="none" stroke="{svg.LINE}"/>'
        )

    def headed(self, title: str, more: str) -> str:
        return svg.text(self.x, self.y - 10, title, 15, font_weight="600") + svg.text(
            self.x + self.side, self.y - 10, more, 13, text_anchor="end", fill="#555"
        )


def classes_svg(view: View, result: ClassResult) -> str:
    """Labels, left and right method side by side; below, the classes and marks, and the setting."""
    scene, answers = result.scene, result.answers[:2]
    frames = [
        Frame(PAD + k * (SIDE + GAP), PAD + HEAD, SIDE, scene.bounds)
        for k in range(1 + len(answers))
    ]
    at = frames[0].at(scene.points)
    labelled = int((scene.labels >= 0).sum())
    given = [
        svg.disc(x, y, 0.8 * RADIUS, svg.fill(svg.QUIET))
        for x, y in at[scene.alive & (scene.labels < 0)]
    ]
    body = [
        frames[0].headed("Labels", f"{labelled} of {int(scene.alive.sum())} points"),
        frames[0].drawn("p0", [*given, *_given(scene, frames[0])]),
    ]
    for k, (frame, a) in enumerate(zip(frames[1:], answers, strict=True), 1):
        tied = [f"{a.n_tied} tied"] if a.n_tied else []
        wrong = [] if a.error is None else [f"{100 * a.error:.1f} % wrong"]
        body.append(frame.headed(a.title, ", ".join(wrong + tied)))
        inside = [*_shades(view, result, a, frame), *_answers(view, result, a, frame)]
        body.append(frame.drawn(f"p{k}", [*inside, *_given(scene, frame)]))
    width = 2 * PAD + len(frames) * SIDE + (len(frames) - 1) * GAP
    y = PAD + HEAD + SIDE + ROW
    legend, y = _legend(_class_keys(view, result), width, y)
    words = _words(view.data.name, scene.data.name, view.setting)
    body += [*legend, svg.text(PAD, y + ROW, words, 12, fill="#666")]
    title = ", ".join(a.title for a in answers) or "Labels"
    link = urlencode(CLASSES.write(view))
    return svg.document(width, y + ROW + PAD, title, f"MAVR Lab, ?{link}", body)


def _given(scene: Scene, frame: Frame) -> list[str]:
    at = frame.at(scene.points)
    return [
        svg.labelled(int(scene.labels[i]), float(at[i, 0]), float(at[i, 1]), RADIUS)
        for i in np.flatnonzero(scene.labels >= 0)
    ]


def _shades(view: View, result: ClassResult, a: ClassAnswer, frame: Frame) -> list[str]:
    if not (view.shade and result.plane is not None and a.grid is not None):
        return []
    x0, x1, y0, y1 = result.plane.bounds
    (left, top), (right, bottom) = frame.at(np.array([[x0, y1], [x1, y0]]))
    box = (left, top, right - left, bottom - top)
    return [svg.shading(a.grid, result.plane.shape, box)]


def _answers(view: View, result: ClassResult, a: ClassAnswer, frame: Frame) -> Iterable[str]:
    scene, at = result.scene, frame.at(result.scene.points)
    for i in np.flatnonzero(scene.alive & (scene.labels < 0)):
        (x, y), flags, j = at[i], int(a.flags[i]), int(a.pred[i])
        if flags & UNREACHED:
            yield svg.disc(x, y, 0.8 * RADIUS, svg.outline(svg.QUIET, 1.2))
        elif flags & TIE:
            yield svg.hatched(x, y, RADIUS)
        else:
            shade = 0.38 + 0.62 * a.confidence[i] / 255
            yield svg.mark(j, x, y, RADIUS, svg.fill(svg.faded(class_color(j), shade)))
        if view.errors and flags & WRONG:
            yield svg.disc(x, y, RADIUS + 2.6, svg.outline(svg.INK, 1.3))
        if view.disagree and flags & DISAGREE:
            yield svg.disc(x, y, RADIUS + 5, svg.outline(LEFT_COLOR, 1.6))


Key = tuple[str, str]


def _class_keys(view: View, result: ClassResult) -> list[Key]:
    """Mark, drawn around 0, and word of everything that occurs."""
    flags = np.bitwise_or.reduce([a.flags for a in result.answers[:2]] or [np.zeros(1, "u1")])
    seen = int(np.bitwise_or.reduce(flags))
    keys = [
        (svg.mark(j, 0, 0, 1.3 * RADIUS, svg.fill(class_color(j))), name)
        for j, name in enumerate(result.scene.names)
    ]
    keys.append((svg.mark(0, 0, 0, 1.4 * RADIUS, svg.outline(svg.INK, 1.6)), "labelled"))
    if seen & TIE:
        keys.append((svg.hatched(0, 0, 1.2 * RADIUS), "tied"))
    if seen & UNREACHED:
        keys.append((svg.disc(0, 0, RADIUS, svg.outline(svg.QUIET, 1.2)), "no label connected"))
    if seen & WRONG and view.errors:
        dot = svg.disc(0, 0, 2, svg.fill(svg.QUIET))
        keys.append((dot + svg.disc(0, 0, 6, svg.outline(svg.INK, 1.3)), "wrong"))
    if seen & DISAGREE and view.disagree:
        keys.append((svg.disc(0, 0, 7, svg.outline(LEFT_COLOR, 1.6)), "the methods disagree"))
    return keys


def _legend(keys: Iterable[Key], width: float, y: float) -> tuple[list[str], float]:
    """Marks and words from left to right, in as many rows as they need; where they end."""
    parts, x = [], float(PAD)
    for drawn, word in keys:
        # About the width of a letter at this size; a legend need not be exact.
        wide = 34 + 7.2 * len(word)
        if x + wide > width - PAD and x > PAD:
            x, y = float(PAD), y + ROW
        parts.append(f'<g transform="translate({x + 8:g},{y:g})">{drawn}</g>')
        parts.append(svg.text(x + 20, y + 4.5, word, 13))
        x += wide
    return parts, y


def _words(name: str, title: str, setting: Setting) -> str:
    """The setting in one line."""
    p, spec = setting.parameters, setting.graph
    words = [GENERATORS[name].title if name in GENERATORS else title, f"γ = {short(p.gamma)}"]
    words += [] if p.tau is None else [f"τ = {short(p.tau)}√l"]
    words += [f"γ′ = {short(p.balance)}"] if p.balance else []
    words += [f"proportions {_shares(p.class_prior)}"] if p.balance and p.class_prior else []
    scales = [f"{a.symbol or a.word} = {short(spec.value(a.name))}" for a in spec.about.parameters]
    return " · ".join([*words, spec.about.title, *scales, f"{spec.laplacian} Laplacian"])


def _shares(prior: tuple[float, ...] | str | None) -> str:
    """Proportions in words."""
    return "as labelled" if isinstance(prior, str) else " : ".join(map(short, prior or ()))


def sets_svg(view: LabelView, result: SetResult) -> str:
    """Label sets with P and with P = I as pies, then the responses of each label."""
    bounds = bounds_of(result.places)
    width = 2 * PAD + 2 * SIDE + GAP
    body = []
    for k, a in enumerate(result.answers):
        frame = Frame(PAD + k * (SIDE + GAP), PAD + HEAD, SIDE, bounds)
        score = f"macro F1 {100 * a.scores['macro']:.1f} %" if a.scores else ""
        body += [frame.headed(a.title, score), frame.drawn(f"p{k}", _sets(view, result, a, frame))]
    y = PAD + HEAD + SIDE + ROW
    names = result.data.class_names
    keys = [(svg.disc(0, 0, 5, svg.fill(class_color(j))), name) for j, name in enumerate(names)]
    keys += [(svg.disc(0, 0, 6, svg.outline(svg.INK, 1.6)), "labelled"),
             (svg.cross(0, 0, 9), "no label")]  # fmt: skip
    if any(a.n_undecided for a in result.answers):
        keys.append((svg.hatched(0, 0, 5), "undecided"))
    if any(a.n_unreached for a in result.answers):
        keys.append((svg.disc(0, 0, 4, svg.outline(svg.QUIET, 1.2)), "no label connected"))
    legend, y = _legend(keys, width, y)
    body += legend
    if result.answers:
        single, y = _responses(view, result, bounds, width, y + ROW)
        body += single
    words = _words(view.data.name, result.data.name, view.setting)
    body.append(svg.text(PAD, y + ROW, words, 12, fill="#666"))
    link = urlencode(SETS.write(view))
    return svg.document(width, y + ROW + PAD, "Label sets", f"MAVR Lab, ?{link}", body)


def _sets(view: LabelView, result: SetResult, a: SetAnswer, frame: Frame) -> Iterable[str]:
    wrong = a.wrong(signs(result.data))
    for i, (x, y) in enumerate(frame.at(result.places)):
        has = np.flatnonzero(a.has[i] & ~a.undecided[i])
        parts = len(has) + int(a.undecided[i].sum())
        if a.solution.unreached[i]:
            yield svg.disc(x, y, 0.8 * RADIUS, svg.outline(svg.QUIET, 1.2))
        elif a.undecided[i].any():
            yield svg.hatched(x, y, RADIUS)
        elif not len(has):
            yield svg.cross(x, y, RADIUS)
        for k, j in enumerate(has):
            yield svg.sector(x, y, RADIUS * 1.1, k, parts, svg.fill(class_color(int(j))))
        if result.given[i].any():
            yield svg.disc(x, y, RADIUS + 2.4, svg.outline(svg.INK, 1.6))
        if view.errors and wrong[i]:
            yield svg.disc(x, y, RADIUS + 5, svg.outline(svg.INK, 1.0))


def _responses(
    view: LabelView, result: SetResult, bounds: tuple[float, float, float, float],
    width: float, y: float,
) -> tuple[list[str], float]:  # fmt: skip
    """A small panel per label: coloured above its threshold, grey below; where they end."""
    a, names = result.answers[int(view.identity)], result.data.class_names
    across = min(max(len(names), 2), 4)
    side = (width - 2 * PAD - (across - 1) * GAP) / across
    body = []
    for j, name in enumerate(names):
        row, column = divmod(j, across)
        corner = (PAD + column * (side + GAP), y + HEAD + row * (side + HEAD + GAP))
        frame = Frame(*corner, side, bounds)
        from_T = np.where(np.isfinite(a.T[j]), a.solution.H[:, j] - a.T[j], -np.sign(a.T[j]))
        # The few labelled points respond far more than all others: they would set the scale.
        others = np.abs(from_T[~result.given.any(axis=1) & ~a.solution.unreached])
        most = float(np.quantile(others, 0.98)) if len(others) else 1.0
        inside = []
        for (px, py), h in zip(frame.at(result.places), from_T, strict=True):
            color = class_color(j) if h >= 0 else "#6e7682"
            shade = 0.15 + 0.85 * min(abs(float(h)) / (most or 1.0), 1.0)
            inside.append(svg.disc(px, py, 0.7 * RADIUS, svg.fill(svg.faded(color, shade))))
        body += [frame.headed(name, a.title), frame.drawn(f"r{j}", inside)]
    rows = -(-len(names) // across)
    return body, y + rows * (side + HEAD) + (rows - 1) * GAP + 4
