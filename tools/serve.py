"""A Streamlit server of our own on a free port, for tests and benchmarks."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools import ensure_chromium

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 120
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(
    script: str, port: int, log: Path | None = None, options: Mapping[str, object] | None = None
) -> subprocess.Popen[bytes]:
    """Start serving a script of this repository on localhost, with further options of Streamlit."""
    all_options = {
        "server.headless": "true",
        "server.address": "127.0.0.1",
        "server.port": port,
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        **(options or {}),
    }
    command = [sys.executable, "-m", "streamlit", "run", script]
    command += [f"--{name}={value}" for name, value in all_options.items()]
    with open(log or "/dev/null", "ab") as output:
        return subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)


def wait_until_healthy(url: str, server: subprocess.Popen[bytes]) -> None:
    """Return when the server answers; ValueError if it ends or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while not _is_healthy(url):
        if server.poll() is not None:
            raise ValueError(f"the server ended with status {server.returncode}")
        if time.monotonic() > deadline:
            raise ValueError(f"the server did not answer at {url} within {START_SECONDS} s")
        time.sleep(0.1)


def _is_healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def stop(server: subprocess.Popen[bytes]) -> None:
    """End a server, by force if it does not go."""
    server.terminate()
    try:
        server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


@contextmanager
def chromium(**more: Any) -> Iterator[Any]:
    """A browser of our own; more : what Playwright launches it with beside."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = ensure_chromium.find()
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS, **more)
        yield browser
        browser.close()


@contextmanager
def served(script: str) -> Iterator[str]:
    """The address of a script while it is served."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    server = start(script, port)
    try:
        wait_until_healthy(url, server)
        yield url
    finally:
        stop(server)
