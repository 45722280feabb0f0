"""The app served by a process of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools import serve


def read_log(log: Path, start: int = 0) -> str:
    return log.read_bytes()[start:].decode(errors="replace")


def start_server(port: int, log: Path) -> subprocess.Popen[bytes]:
    """Serve the app on a port of this machine, and wait until it answers."""
    server = serve.start("app.py", port, log)
    try:
        serve.wait_until_healthy(f"http://127.0.0.1:{port}", server)
    except ValueError as error:
        serve.stop(server)
        pytest.fail(f"{error}:\n{read_log(log)}")
    return server
