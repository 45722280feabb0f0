"""The live channel without a browser: answers, refusals, and the server that survives them."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from starlette.websockets import WebSocket

from lab.board.answers import compute
from lab.board.face import Classes
from lab.board.picture import as_frame
from lab.board.scene import COARSE_GRID, GRID
from lab.board.view import fresh_view
from lab.data import Data
from lab.history import History
from lab.server import live
from lab.server.answering import Answering
from lab.server.live import Known, Refused, Ticket, answer, respond, same_origin
from lab.sets.face import Sets
from lab.sets.view import LabelView

FACE = Classes()


@pytest.fixture(autouse=True)
def answered_here(monkeypatch):
    """Processes beside the server have tests of their own."""
    monkeypatch.setattr(live, "ANSWERING", Answering(count=0))


def message(token="", seq=1, changes=None, events=(), have=None, **more):
    return {
        "token": token,
        "seq": seq,
        "changes": changes or {},
        "events": list(events),
        "have": have,
        **more,
    }


@pytest.fixture(scope="module")
def view():
    return fresh_view(Data("three_circles", (("n", 90),), 3))


@pytest.fixture
def known(view):
    return Known(History(view), 0, FACE, {})


def label(view, seq, i, j):
    return {"seq": seq, "base": FACE.base(view), "op": "label", "indices": [i], "class": j}


def same(found, expected):
    """A picture of the channel is the one that the script would send."""
    for name, value in expected.items():
        if name == "panels":
            for a, b in zip(found[name], value, strict=True):
                for part in ("pred", "conf", "flags", "H", "grid"):
                    np.testing.assert_array_equal(a[part], b[part])
        elif isinstance(value, np.ndarray):
            np.testing.assert_array_equal(found[name], value)
        elif name != "below":  # it holds the time that the solve took
            assert found[name] == value, name


def picture(view, have=None):
    return FACE.picture(view, FACE.compute(view, {}, coarse=True), have)


def test_a_change_is_answered_with_the_picture_of_that_view(known, view):
    found = answer(known, message(changes={"gamma": "5", "sigma": "0.4"}))
    same(found, picture(replace(view, setting=view.setting.having(gamma=5.0, sigma=0.4))))
    # The view itself stays the script's.
    assert known.history.now == view


def test_the_frame_stays_while_a_hand_drags_a_point_out_of_it(known, view):
    event = {"seq": 1, "base": FACE.base(view), "op": "move", "indices": [4], "x": 90.0, "y": 1.0}
    found = answer(known, message(events=[event]))
    assert found["points"][4].tolist() == [90.0, 1.0]
    assert "bounds" not in found
    # The script's picture, when the hand rests, shows the point.
    after = replace(view, marks=replace(view.marks, moved=((4, 90.0, 1.0),)))
    assert picture(after)["bounds"][1] > 80.0 > 40.0 > picture(view)["bounds"][1]
    assert "bounds" in answer(known, message(changes={"gamma": "5"}))


def test_what_was_solved_under_the_hand_is_only_shaded_again_at_rest(known, view, monkeypatch):
    after = replace(view, setting=view.setting.having(gamma=6.5))
    plain = compute(after, {})
    answer(known, message(changes={"gamma": "6.5"}))
    monkeypatch.setattr("lab.board.face.compute", None)
    found = FACE.picture(after, FACE.compute(after, {}), None)
    same(found, FACE.picture(after, plain, None))
    assert found["grid_shape"] == [GRID] * 2


def test_shades_are_coarse_and_those_of_their_colours(known, view):
    found = answer(known, message(changes={"gamma": "5", "sigma": "0.4"}))
    after = replace(view, setting=view.setting.having(gamma=5.0, sigma=0.4))
    same(found, FACE.picture(after, FACE.compute(after, {}, coarse=True), None))
    result = FACE.compute(after, {})
    fine = FACE.picture(after, result, None)
    assert (found["grid_shape"], fine["grid_shape"]) == ([COARSE_GRID] * 2, [GRID] * 2)
    x0, x1, y0, y1 = found["grid_bounds"]
    X = found["points"].astype(float)
    for shown, exact, of in zip(found["panels"], fine["panels"], result.answers, strict=True):
        np.testing.assert_array_equal(shown["pred"], exact["pred"])
        # By hand: a cell has the class that the weighted shares of the points around it vote for.
        grid = shown["grid"].reshape(COARSE_GRID, COARSE_GRID)
        share = of.solution.H / of.solution.H.sum(axis=1, keepdims=True)
        share[of.solution.ties | of.solution.unreached] = 0
        for row, column in np.ndindex(grid.shape):
            if row % 7 or column % 5:
                continue
            x = x0 + (column + 0.5) * (x1 - x0) / COARSE_GRID
            y = y1 - (row + 0.5) * (y1 - y0) / COARSE_GRID
            d2 = ((X - (x, y)) ** 2).sum(axis=1)
            near = np.argsort(d2)[:12]
            votes = np.exp((d2.min() - d2[near]) / (2 * 0.4**2)) @ share[near]
            best = np.sort(votes)[-2:]
            if best[1] - best[0] > 1e-4 * best[1]:
                assert grid[row, column] == votes.argmax(), (row, column)


def test_events_are_answered_on_top_of_what_the_script_knows(known, view):
    events = [label(view, 2, 6, 2), label(view, 1, 5, 1)]
    found = answer(known, message(events=events))
    marks = replace(
        view.marks, labels=tuple(sorted({**dict(view.marks.labels), 5: 1, 6: 2}.items()))
    )
    same(found, picture(replace(view, marks=marks)))
    assert found["applied"] == 2
    assert found["can_undo"]
    # Events that the script has applied already are not applied again.
    assert answer(replace(known, ack=2), message(events=events))["applied"] == 2
    assert not answer(replace(known, ack=2), message(events=events))["can_undo"]


def test_undo_is_answered_too(known, view):
    history = History(view).put(replace(view, left="lgc"))
    undo = {"seq": 1, "base": FACE.base(view), "op": "undo", "indices": []}
    found = answer(Known(history, 0, FACE, {}), message(events=[undo]))
    same(found, picture(view))
    assert found["can_redo"]


def test_points_are_sent_once(known, view):
    first = answer(known, message())
    again = answer(known, message(have=first["pid"]))
    assert first["points"] is not None
    assert again["points"] is None
    assert len(as_frame(again)) < len(as_frame(first))


@pytest.mark.parametrize("changes", [{"gamma": "-1"}, {"P": "1~2_2~1"}, {"sigma": "9" * 4000}])
def test_what_cannot_be_used_is_a_sentence(known, changes):
    found = answer(known, message(changes=changes))
    assert set(found) == {"problem"}
    assert "must" in found["problem"]


def test_what_would_take_long_waits_for_the_script(known):
    assert answer(known, message(changes={"p.n": "2500"})) == {"wait": True}


def test_label_sets_are_answered_by_the_same_channel():
    view, face = LabelView(), Sets()
    found = answer(Known(History(view), 0, face, {}), message(changes={"T": "0.02"}))
    expected = face.compute(replace(view, thresholds=(0.02,)), {})
    np.testing.assert_array_equal(
        found["panels"][0]["state"] & 1, expected.answers[0].has.astype("u1")
    )


def test_a_frame_is_a_header_and_arrays(known):
    found = answer(known, message())
    raw = as_frame(found | {"seq": 7})
    size = int.from_bytes(raw[:4], "little")
    header = json.loads(raw[4 : 4 + size])
    assert header["seq"] == 7
    at, length = header["panels"][0]["pred"]["$"]
    body = raw[4 + size :]
    pred = np.frombuffer(body[at : at + length], "i1")
    np.testing.assert_array_equal(pred, found["panels"][0]["pred"])
    assert length == 90


# Tokens.


@pytest.fixture
def sessions(monkeypatch):
    """Sessions that are under way, as the runtime would know them."""
    active: set[str] = set()
    runtime = SimpleNamespace(is_active_session=active.__contains__)
    monkeypatch.setattr(live.st.runtime, "get_instance", lambda: runtime)
    monkeypatch.setattr(live.st.runtime, "exists", lambda: True)
    return active


def offered(monkeypatch, sessions, session, known):
    context = SimpleNamespace(session_id=session)
    monkeypatch.setattr(live, "get_script_run_ctx", lambda: context)
    sessions.add(session)
    ticket = Ticket()
    assert live.offer(ticket, known) == {"token": ticket.token, "path": "/live"}
    return ticket


def test_a_token_lets_its_holder_ask(monkeypatch, sessions, known):
    ticket = offered(monkeypatch, sessions, "one", known)
    found = respond(json.dumps(message(ticket.token, seq=9)))
    assert found["seq"] == 9
    assert found["kind"] == "classes"


def test_a_token_dies_with_its_session(monkeypatch, sessions, known):
    ticket = offered(monkeypatch, sessions, "one", known)
    text = json.dumps(message(ticket.token))
    sessions.discard("one")
    with pytest.raises(Refused, match="session has ended"):
        respond(text)
    sessions.add("one")
    del ticket
    with pytest.raises(Refused, match="not known"):
        respond(text)


def test_nobody_guesses_a_token(monkeypatch, sessions, known):
    ticket = offered(monkeypatch, sessions, "one", known)
    assert len({Ticket().token for _ in range(100)}) == 100
    assert len(ticket.token) >= 24
    for wrong in (
        "",
        ticket.token[:-1],
        ticket.token + "x",
        ticket.token.swapcase(),
        Ticket().token,
    ):
        with pytest.raises(Refused):
            respond(json.dumps(message(wrong)))


def test_two_sessions_do_not_see_each_other(monkeypatch, sessions, known, view):
    mine = offered(monkeypatch, sessions, "one", known)
    others = replace(view, setting=view.setting.having(gamma=3.0))
    theirs = offered(monkeypatch, sessions, "two", Known(History(others), 0, FACE, {}))
    same(respond(json.dumps(message(mine.token))), picture(view))
    same(respond(json.dumps(message(theirs.token))), picture(others))


def test_no_ticket_without_a_server(known):
    assert live.offer(Ticket(), known) is None


# Messages that no page of ours sends.

DEEP = "[" * 50_000 + "]" * 50_000
HOSTILE = [
    "",
    "null",
    "3",
    "[]",
    "{}",
    '"text"',
    "{",
    DEEP,
    '{"token": ' + DEEP + "}",
    json.dumps(message(token=3)),
    json.dumps(message(seq="1")),
    json.dumps(message(seq=True)),
    json.dumps(message(seq=1.5)),
    json.dumps(message(have=3)),
    json.dumps(message() | {"changes": ["gamma"]}),
    json.dumps(message() | {"events": {}}),
    json.dumps(message(changes={"gamma": 5})),
    json.dumps(message(changes={"gamma": "9" * 5000})),
    json.dumps(message(changes={f"x{k}": "1" for k in range(100)})),
    json.dumps(message(events=[3])),
    json.dumps(message(events=[{"seq": "1"}])),
    json.dumps(message(events=[{"seq": 1}] * 3000)),
    json.dumps({"token": "x"}),
    '{"seq": 1e999, "token": "x", "changes": {}, "events": [], "have": null}',
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_strange_message_is_refused(sessions, text):
    with pytest.raises(Refused):
        respond(text)


EVENTS = [
    {"op": []},
    {"op": {}, "base": {}},
    {"op": "label"},
    {"op": "label", "indices": [10**30], "class": 0},
    {"op": "label", "indices": [[]], "class": []},
    {"op": "move", "indices": [0], "x": 1e400, "y": None},
    {"op": "add", "x": "1", "y": "2", "class": 0},
    {"op": "undo", "base": None},
    {"op": "set", "index": 1e300, "label": 0, "value": 1},
    {"op": "set", "index": 0, "label": 0, "value": []},
]


@pytest.mark.parametrize("face", [FACE, Sets()], ids=["classes", "sets"])
@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_a_strange_event_changes_nothing(view, face, event):
    now = view if face is FACE else LabelView()
    sent = {"seq": 1, "base": face.base(now), **event}
    found = answer(Known(History(now), 0, face, {}), message(events=[sent]))
    assert "problem" not in found
    assert not found["can_undo"]


@pytest.mark.parametrize(
    "changes", [{"nothing": "1"}, {"": ""}, {"p.": "1"}, {"T.x": "1"}, {"data": "digits"}]
)
@pytest.mark.parametrize("face", [FACE, Sets()], ids=["classes", "sets"])
def test_a_strange_change_is_a_picture_or_a_sentence(view, face, changes):
    now = view if face is FACE else LabelView()
    found = answer(Known(History(now), 0, face, {}), message(changes=changes))
    assert {"kind", "problem", "wait"} & set(found)


@pytest.mark.parametrize(
    ("origin", "host", "good"),
    [
        (None, "lab.example", True),
        ("https://lab.example", "lab.example", True),
        ("http://localhost:8501", "localhost:8501", True),
        ("http://localhost:8502", "localhost:8501", False),
        ("https://evil.example", "lab.example", False),
        ("https://lab.example.evil.example", "lab.example", False),
        ("https://lab.example@evil.example", "lab.example", False),
        ("null", "lab.example", False),
        ("", "lab.example", False),
        ("http://[", "lab.example", False),
        ("https://lab.example", None, False),
    ],
)
def test_only_pages_of_this_server_may_ask(origin, host, good):
    assert same_origin(origin, host) is good


# The socket itself.


def talk(*messages, origin=None):
    """Open a connection, say things, and leave: what the server did."""
    headers = [(b"host", b"lab.example")] + ([(b"origin", origin.encode())] if origin else [])
    said = [{"type": "websocket.connect"}, *messages, {"type": "websocket.disconnect"}]
    done = []

    async def receive():
        return said.pop(0)

    async def send(what):
        done.append(what)

    asyncio.run(live.channel(WebSocket({"type": "websocket", "headers": headers}, receive, send)))
    return done


def text(what):
    return {"type": "websocket.receive", "text": what}


def header(sent):
    size = int.from_bytes(sent["bytes"][:4], "little")
    return json.loads(sent["bytes"][4 : 4 + size])


@pytest.mark.parametrize("what", HOSTILE, ids=range(len(HOSTILE)))
def test_a_connection_that_says_nonsense_is_closed(sessions, what):
    accepted, end = talk(text(what))
    assert accepted["type"] == "websocket.accept"
    assert (end["type"], end["code"]) == ("websocket.close", live.POLICY)


@pytest.mark.parametrize(
    "what", [{"text": "x" * (live.MAX_MESSAGE + 1)}, {"bytes": b"\x00" * 9}], ids=["large", "bytes"]
)
def test_what_is_too_large_or_binary_is_closed(sessions, what):
    _, end = talk({"type": "websocket.receive", **what})
    assert end["code"] == live.TOO_BIG


def test_a_foreign_page_is_not_let_in():
    (end,) = talk(text("x"), origin="https://evil.example")
    assert (end["type"], end["code"]) == ("websocket.close", live.POLICY)


def test_the_server_answers_after_all_of_it(monkeypatch, sessions, known):
    ticket = offered(monkeypatch, sessions, "one", known)
    for what in HOSTILE:
        talk(text(what))
    asked = [text(json.dumps(message(ticket.token, k, {"gamma": str(k)}))) for k in (1, 2, 3)]
    _, *answers = talk(*asked, origin="https://lab.example")
    assert [header(a)["seq"] for a in answers] == [1, 2, 3]
    assert not live._open


def test_there_is_an_end_to_connections(monkeypatch):
    monkeypatch.setattr(live, "MAX_CONNECTIONS", 0)
    (end,) = talk()
    assert end["code"] == live.TRY_LATER


def test_a_connection_has_to_keep_to_a_rate(monkeypatch, sessions, known):
    ticket = offered(monkeypatch, sessions, "one", known)
    monkeypatch.setattr(live, "MAX_RATE", 20)
    asked = text(json.dumps(message(ticket.token)))
    talk(asked)
    start = time.monotonic()
    talk(*[asked] * 6)
    assert time.monotonic() - start >= 6 / 20


def test_after_a_fault_of_ours_the_script_answers(monkeypatch, sessions, known):
    """The connection lives on; the board takes Streamlit's way, which says sorry."""

    def broken(*_):
        raise RuntimeError("a fault of ours")

    ticket = offered(monkeypatch, sessions, "one", known)
    asked = text(json.dumps(message(ticket.token)))
    monkeypatch.setattr(Classes, "compute", broken)
    _, *answers = talk(asked, asked)
    assert [header(a).get("wait") for a in answers] == [True, True]
