"""Finished samplings on disk: a server that is started again goes on from them.

One SQLite file of plain JSON in the cache folder of the user: reading it runs nothing. A sampling
is found by the digest of its task, of the code that computes it and of the files that it reads. It
is a cache: where it cannot be read or written, the app runs without it and says so.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import astuple, fields
from functools import cache
from pathlib import Path
from typing import Any

import mavr
from mavr.experiments import Measurement, Row

KINDS: dict[str, type] = {"row": Row, "measurement": Measurement}
# About 25,000 samplings of the paper's figure.
MAX_BYTES = 256 << 20
TIMES_BETWEEN_CHECKS = 100
FOLDER = "MAVR_CACHE"


def folder() -> Path:
    """Where the file lies: `MAVR_CACHE`, or a folder in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get(FOLDER) or Path(base) / "mavr-lab")


@cache
def code_digest() -> str:
    """Names the code: another version may answer otherwise."""
    found = hashlib.sha256()
    for path in sorted(Path(mavr.__file__).parent.rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def key_of(task: Any) -> str:
    """Names a task, the code and the files that it reads."""
    text = repr(task)
    stamps = []
    for path in re.findall(r"Stored\(path='([^']*)'\)", text):
        try:
            status = os.stat(path)
        except OSError:
            continue
        stamps.append((status.st_size, status.st_mtime_ns))
    return hashlib.sha256(f"{code_digest()} {stamps} {text}".encode()).hexdigest()


class Disk:
    """Rows of finished samplings in a file. problem : what it could not do, a sentence, or ""."""

    def __init__(self, place: Path | None = None, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self.problem = ""
        self._place = place
        self._lock = threading.Lock()
        self._base: sqlite3.Connection | None = None
        self._puts = 0

    def get(self, task: Any) -> list[Any] | None:
        """The rows of a task; None if they are not there or not to be read."""
        found = self._try(lambda base: base.execute(
            "SELECT kind, rows FROM samplings WHERE key = ?", (key_of(task),)).fetchone()
        )  # fmt: skip
        return None if found is None else _read(*found)

    def put(self, task: Any, rows: list[Any]) -> None:
        """Keep the rows of a task, if they are of a known kind."""
        kind = next((k for k, c in KINDS.items() if rows and all(type(r) is c for r in rows)), None)
        if kind is None:
            return
        # NumPy's numbers as Python's.
        text = json.dumps([astuple(row) for row in rows], default=lambda value: value.item())

        def write(base: sqlite3.Connection) -> None:
            with base:
                base.execute(
                    "INSERT OR REPLACE INTO samplings VALUES (?, ?, ?)", (key_of(task), kind, text)
                )
            self._puts += 1
            if self._puts % TIMES_BETWEEN_CHECKS == 1:
                self._trim(base)

        self._try(write)

    def close(self) -> None:
        with self._lock:
            self._shut()

    def _shut(self) -> None:
        if self._base is not None:
            self._base.close()
        self._base = None

    def _try(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        with self._lock:
            if self.problem and self._base is None:
                return None
            try:
                self._base = self._base or self._opened()
                return work(self._base)
            except sqlite3.DatabaseError as error:
                return self._after(error)
            except OSError as error:
                return self._give_up(error)

    def _after(self, error: sqlite3.DatabaseError) -> None:
        """A file that is in use is asked again later, one that is damaged is begun anew."""
        text = str(error)
        if "locked" in text or "busy" in text:
            return
        if not ("malformed" in text or "not a database" in text or "no such" in text):
            return self._give_up(error)
        self._shut()
        try:
            (self._folder() / "samplings.sqlite").unlink(missing_ok=True)
            self._base = self._opened()
            self.problem = "The file of finished repeats was damaged and was begun anew."
        except (OSError, sqlite3.DatabaseError) as again:
            self._give_up(again)

    def _give_up(self, error: Exception) -> None:
        self._shut()
        reason = getattr(error, "strerror", None) or str(error)
        self.problem = (
            f"Finished repeats are not kept on disk ({reason}): after a restart of the server "
            "they are computed again."
        )

    def _folder(self) -> Path:
        return self._place or folder()

    def _opened(self) -> sqlite3.Connection:
        self._folder().mkdir(parents=True, exist_ok=True)
        path = self._folder() / "samplings.sqlite"
        base = sqlite3.connect(path, timeout=2, check_same_thread=False)
        with base:
            base.execute(
                "CREATE TABLE IF NOT EXISTS samplings (key TEXT PRIMARY KEY, kind TEXT, rows TEXT)"
            )
        return base

    def _trim(self, base: sqlite3.Connection) -> None:
        """The oldest third goes when there are too many bytes."""
        (used,) = base.execute("SELECT COALESCE(SUM(LENGTH(rows)), 0) FROM samplings").fetchone()
        if used > self.max_bytes:
            with base:
                base.execute(
                    "DELETE FROM samplings WHERE rowid IN (SELECT rowid FROM samplings "
                    "ORDER BY rowid LIMIT (SELECT COUNT(*) / 3 + 1 FROM samplings))"
                )


def _read(kind: str, text: str) -> list[Any] | None:
    """Rows from their text; None where it is not what `put` wrote."""
    try:
        made = KINDS[kind]
        names = [field.name for field in fields(made)]
        return [made(**dict(zip(names, values, strict=True))) for values in json.loads(text)]
    except (KeyError, ValueError, TypeError):
        return None
