"""The app without a browser: pages run, the server is set up once, faults are sentences."""

from __future__ import annotations

import asyncio
import gc
import platform
import threading

import numpy as np
import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import NewSession
from streamlit.runtime import app_session
from streamlit.runtime.app_session import _populate_theme_msg
from threadpoolctl import threadpool_info

import app as server
from lab.cache import CACHE, RECENT
from lab.examples.gallery import PANELS
from lab.server import errors, memory, startup, theme
from lab.server.theme import Remembered
from lab.text import plain, remedy
from tests.lab.driver import ROOT, App, same_picture


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # A collection after every rerun costs more than the rerun.
        ("runner.postScriptGC", False),
        # Looking for changed files costs every run of a script.
        ("server.fileWatcherType", "none"),
        ("client.showErrorDetails", "none"),
        ("browser.gatherUsageStats", False),
    ],
)
def test_the_server_is_set_up(name, value):
    assert config.get_config_options(force_reparse=True)[name].value == value


def test_every_page_is_a_file_and_every_file_a_page():
    source = (ROOT / "lab" / "dashboard.py").read_text(encoding="utf-8")
    files = {path.stem for path in (ROOT / "pages").glob("*.py")}
    assert all(f'"{name}": (' in source for name in files)


def test_no_pages_lie_beside_the_script():
    """Streamlit would take each of them for a page of its own."""
    assert not (ROOT / "lab" / "pages").exists()


def test_the_app_has_the_live_channel():
    assert isinstance(server.app, type(server.st.App("lab/dashboard.py")))
    assert "/live" in {route.path for route in [server.ROUTE]}


@pytest.mark.parametrize("page", ["serendipity", "multilabel", "guide"])
def test_a_page_runs(page):
    app = App(page)
    assert not app.test.exception
    assert app.test.title[0].value == {"multilabel": "Multi-label"}.get(page, page.capitalize())


@pytest.mark.parametrize("name", ["1-P1", "2-P4", "3-P5", "outliers"])
def test_a_panel_of_the_gallery_has_a_link(name):
    view = PANELS[name].view()
    app = App("serendipity", {"data": "rings"})
    app.state.show(view)
    app.test.run()
    same_picture(app.board(), App("serendipity", app.board()["link"]).board())


def test_two_visitors_have_views_of_their_own():
    one, two = App(), App()
    one.slide(gamma=5)
    assert one.view.setting.parameters.gamma == 5.0
    assert two.view.setting.parameters.gamma == 99.0
    assert one.board()["live"]["token"] != two.board()["live"]["token"]


def test_pages_of_one_visitor_have_views_and_tokens_of_their_own():
    app = App()
    app.slide(gamma=5)
    token = app.board()["live"]["token"]
    app.test.query_params.clear()
    app.test.switch_page("../pages/serendipity.py").run()
    assert app.board()["live"]["token"] != token
    assert app.test.session_state["page.serendipity"].view.setting.parameters.gamma == 99.0


def test_a_fault_is_a_sentence_and_goes_to_the_log(monkeypatch, caplog):
    said = []
    monkeypatch.setattr(errors.st, "error", lambda text, **_: said.append(text))
    assert errors.say_sorry(RuntimeError("secret")) is True
    assert said == [errors.SENTENCE]
    assert "secret" in caplog.text


@pytest.mark.parametrize("error", [np.linalg.LinAlgError("no"), MemoryError("5 GiB")])
@pytest.mark.parametrize("page", ["playground", "multilabel"])
def test_a_computation_that_fails_is_a_sentence_and_the_session_lives(page, error, monkeypatch):
    """LAPACK gives up, or memory is refused: the remedy is said, and the next run answers."""
    app = App(page)

    def fail(*args):
        raise error

    CACHE.clear()
    RECENT.clear()
    with monkeypatch.context() as patch:
        patch.setattr("lab.board.scene.build_graph", fail)
        patch.setattr("lab.sets.answers.build_graph", fail)
        app.change({"k": "9"} if page == "multilabel" else {"sigma": "0.4321"})
        assert [plain(remedy(error))] == [e.value for e in app.test.error]
    app.test.run()
    assert not app.test.error
    assert app.board()["panels"]


def test_a_server_starts_and_ends(monkeypatch):
    """In its order: the process is tuned, the rest is loaded beside, no process is left over."""
    done = []
    monkeypatch.setattr(startup, "tune_process", lambda: done.append("tuned"))
    monkeypatch.setattr(startup, "_get_ready", lambda: done.append("ready"))
    monkeypatch.setattr(startup, "close_workers", lambda: done.append("closed"))

    async def live():
        async with startup.lifespan(None):
            for thread in threading.enumerate():
                if thread.name == "get-ready":
                    thread.join(5)
            assert "closed" not in done

    asyncio.run(live())
    assert sorted(done[:2]) == ["ready", "tuned"]
    assert done[0] == "tuned"
    assert done[-1] == "closed"


def test_the_process_of_a_server_is_tuned():
    before = gc.get_freeze_count()
    startup.tune_process()
    assert gc.get_freeze_count() > before
    blas = [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]
    assert blas
    assert set(blas) == {1}
    gc.unfreeze()


def test_every_run_is_told_the_theme_that_streamlit_reads_once(monkeypatch):
    """Fails loudly where Streamlit writes its theme in another place or from other sections."""
    own, read = Remembered(_populate_theme_msg), []

    def told(populate):
        msg = NewSession()
        populate(msg.custom_theme)
        for section in (c.value for c in config.CustomThemeCategories):
            part = msg.custom_theme
            for name in section.split("."):
                part = getattr(part, name)
            populate(part, f"theme.{section}")
        return msg

    expected = told(_populate_theme_msg)
    assert expected.custom_theme.light.primary_color == "#33639a"
    assert told(own) == expected
    monkeypatch.setattr(config, "get_options_for_section", read.append)
    assert told(own) == expected
    assert read == []
    theme.remember()
    theme.remember()
    assert isinstance(app_session._populate_theme_msg, Remembered)
    assert app_session._populate_theme_msg._populate is _populate_theme_msg


def test_the_c_library_keeps_freed_memory():
    """Fails loudly where mallopt is no longer what it was."""
    assert memory.keep_freed_memory() == (platform.libc_ver()[0] == "glibc")
