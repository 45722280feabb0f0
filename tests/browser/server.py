"""The app served by a process of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 60


def read_log(log: Path, start: int = 0) -> str:
    return log.read_bytes()[start:].decode(errors="replace")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def wait_until_healthy(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not is_healthy(url):
        if server.poll() is not None:
            pytest.fail(f"the server ended with status {server.returncode}:\n{read_log(log)}")
        if time.monotonic() > deadline:
            stop_server(server)
            pytest.fail(f"the server did not answer within {START_SECONDS} s:\n{read_log(log)}")
        time.sleep(0.1)


def start_server(port: int, log: Path) -> subprocess.Popen[bytes]:
    """Serve the app on a port of this machine, and wait until it answers."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    options = {
        "server.headless": "true",
        "server.address": "127.0.0.1",
        "server.port": port,
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    command += [f"--{name}={value}" for name, value in options.items()]
    with log.open("ab") as output:
        server = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    wait_until_healthy(f"http://127.0.0.1:{port}", server, log)
    return server


def stop_server(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
