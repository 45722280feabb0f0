"""Find a Chromium for the browser tests, or install one: ``python -m tools.ensure_chromium``.

A browser that is already there is used. Otherwise the Debian package is installed when that is
possible (as root, with apt-get), and failing that the build that Playwright brings.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

WHAT_TO_INSTALL = (
    "The browser tests need Chromium, and none was found. Install the Debian package "
    "(apt-get install chromium), Google Chrome, or Playwright's own build "
    "(.venv/bin/python -m playwright install --with-deps chromium)."
)


def runs(executable: str) -> bool:
    """Whether the program starts: Ubuntu has a chromium-browser that only refers to a snap."""
    try:
        answer = subprocess.run([executable, "--version"], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0


def find() -> str | None:
    """Path of a Chromium that starts: the system's, else Playwright's, else None."""
    for name in NAMES:
        path = shutil.which(name)
        if path and runs(path):
            return path
    return find_playwrights_own()


def find_playwrights_own() -> str | None:
    # A process of its own, so that no Playwright loop is left running in the caller's.
    program = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as p: print(p.chromium.executable_path)"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    path = answer.stdout.strip()
    return path if answer.returncode == 0 and Path(path).is_file() and runs(path) else None


def succeeds(*command: str) -> bool:
    print("+", *command, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, env=environment).returncode == 0


def install() -> None:
    """Try the Debian package, then Playwright's own build; ``find`` tells whether it helped."""
    is_root = os.geteuid() == 0
    if is_root and shutil.which("apt-get"):
        # A failed update may leave lists that still serve.
        succeeds("apt-get", "update", "-q")
        package = ("install", "-y", "-q", "--no-install-recommends", "chromium")
        if succeeds("apt-get", *package) and find():
            return
    # As root Playwright may also install the shared libraries that its build needs.
    with_libraries = ("--with-deps",) if is_root and shutil.which("apt-get") else ()
    succeeds(sys.executable, "-m", "playwright", "install", *with_libraries, "chromium")


def main() -> int:
    path = find()
    if path is None:
        install()
        path = find()
    if path is None:
        print(WHAT_TO_INSTALL, file=sys.stderr)
        return 1
    print(f"Browser tests use {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
