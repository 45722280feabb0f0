"""Open a page without a browser, and say what its own components would say."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "lab" / "dashboard.py"
SECONDS = 60


class App:
    """One visitor. `page` is the name of a file in pages/, `query` the parameters of a link."""

    def __init__(self, page: str = "playground", query: dict[str, str] | None = None) -> None:
        self.name = page
        self.test = AppTest.from_file(str(SCRIPT), default_timeout=SECONDS)
        if page != "playground":
            # A page is known once the frame has run: the first run is of the first page.
            self.test.run()
            self.test.switch_page(f"../pages/{page}.py")
        for name, text in (query or {}).items():
            self.test.query_params[name] = text
        self.test.run()
        self._said: dict[str, dict[str, Any]] = {}
        self._seq = 0
        # What was said of the last change.
        self.sentences: list[str] = []

    def go(self, page: str, query: dict[str, str]) -> None:
        """The same visitor opens a link to a page."""
        self.name = page
        self.test.switch_page(f"../pages/{page}.py")
        self.test.query_params.clear()
        for name, text in query.items():
            self.test.query_params[name] = text
        self.test.run()

    @property
    def state(self) -> Any:
        """The page's own state, a `lab.page.Page`."""
        return self.test.session_state[f"page.{self.name}"]

    @property
    def view(self) -> Any:
        return self.state.view

    def components(self, name: str) -> list[Any]:
        """Elements of one kind of component."""
        found = self.test.get("bidi_component")
        return [e for e in found if e.proto.component_name == f"mavr_{name}"]

    def board(self) -> dict[str, Any]:
        """What the board was sent last."""
        return self.picture("board")

    def picture(self, name: str) -> dict[str, Any]:
        """What the one component of this kind was sent last."""
        (element,) = self.components(name)
        return dict(json.loads(element.proto.json))

    def sliders(self) -> dict[str, dict[str, Any]]:
        """Every slider by its name in the link."""
        groups = [json.loads(e.proto.json)["sliders"] for e in self.components("sliders")]
        return {s["link"]: s for group in groups for s in group}

    def link(self) -> str:
        """What the address bar is told to show."""
        (element,) = self.components("address")
        return str(json.loads(element.proto.json)["search"])

    def problems(self) -> list[str]:
        """What is said of the link."""
        return [text for text in self.warnings() if text.startswith("The link")]

    def warnings(self) -> list[str]:
        return [w.value for w in self.test.warning]

    def slide(self, **values: Any) -> None:
        """Move sliders of the sidebar, as the component says it when the hand rests."""
        self.change({name: str(value) for name, value in values.items()})

    def change(self, changes: dict[str, str]) -> None:
        group = next(
            e
            for e in self.components("sliders")
            if {s["link"] for s in json.loads(e.proto.json)["sliders"]} >= set(changes)
        )
        self._say(group, "sent", {"seq": self._next(), "changes": changes})

    def relate(self, text: str) -> None:
        """Edit P: rows as a link has them."""
        (editor,) = self.components("relation")
        self._say(editor, "sent", {"seq": self._next(), "changes": {"P": text}})

    def tell(self, *events: dict[str, Any], have: str | None = None) -> None:
        """Events of the board, numbered after the last one that it was told of."""
        board, known = self.components("board")[0], self.board()
        numbered = [
            {"seq": known["ack"] + 1 + k, "base": known["base"], **e} for k, e in enumerate(events)
        ]
        self._say(board, "events", {"have": have, "list": numbered})

    def say(self, component: str, name: str, value: Any) -> None:
        """Anything at all, as a hostile browser would say it."""
        self._say(self.components(component)[0], name, value)

    def _next(self) -> int:
        self._seq = max(self._seq, self.board()["changed"]) + 1
        return self._seq

    def at_once(self, gamma: str, P: str, *, first: str) -> None:
        """A slider and P's editor, both heard of in one run; `first` was moved first."""
        order = {"gamma": 1, "P": 2} if first == "gamma" else {"P": 1, "gamma": 2}
        base = self._next()
        sliders, editor = self.components("sliders")[0], self.components("relation")[0]
        told = {"seq": base + order["P"], "changes": {"P": P}}
        self._said[editor.proto.id] = {"sent": told}
        told = {"seq": base + order["gamma"], "changes": {"gamma": gamma}}
        self._say(sliders, "sent", told)
        self._seq = base + 2

    def _say(self, element: Any, name: str, value: Any) -> None:
        self._said[element.proto.id] = {name: value}
        states = self._states()
        self.test._run(states)
        assert not self.test.exception
        self.sentences = self.warnings()
        # A change runs only the fragments that it concerns; here the whole page is looked at.
        shown = self._states()
        known = {widget.id for widget in shown.widgets}
        shown.widgets.extend(widget for widget in states.widgets if widget.id not in known)
        self.test._run(shown)
        assert not self.test.exception

    def _states(self) -> WidgetStates:
        """What the browser sends with a run: every widget, and what the components said."""
        states = self.test._tree.get_widget_states()
        # Streamlit's tests know no components of this kind: their states are added by hand.
        for id, said in self._said.items():
            states.widgets.append(WidgetState(id=id, json_value=json.dumps(said)))
        return states


def decoded(text: str | None, kind: str) -> np.ndarray:
    """An array of a picture."""
    assert text is not None
    return np.frombuffer(base64.b64decode(text), kind)


def labels(board: dict[str, Any]) -> dict[int, int]:
    """The labels of a board of classes."""
    given = decoded(board["labels"], "i1")
    return {int(i): int(given[i]) for i in np.flatnonzero(given >= 0)}


def same_picture(a: dict[str, Any], b: dict[str, Any]) -> None:
    """Both boards show the same classes, flags and shades."""
    for name in ("labels", "alive", "names", "bounds", "base", "link"):
        assert a[name] == b[name], name
    for left, right in zip(a["panels"], b["panels"], strict=True):
        for name in ("title", "pred", "flags", "conf", "grid", "H"):
            assert left[name] == right[name], name
