"""Where lessons come from: those of the lab, a folder of its host, a visitor's upload."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import streamlit as st

from lab.lessons.reader import Lesson, LessonError, read_lesson

OURS = Path(__file__).parent / "files"
FOLDER = "MAVR_LESSONS"
MAX_UPLOADED = 8
# The order of a course: later ones use words of earlier ones.
ORDER = (
    "transduction",
    "smoothness",
    "balance",
    "volume",
    "alpha",
    "classes-without-labels",
    "ties",
    "digits",
)


@dataclass
class Shelf:
    """Lessons by name, and a sentence for each file of the host's folder that cannot be used."""

    lessons: dict[str, Lesson] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


@cache
def ours() -> Mapping[str, Lesson]:
    """The lab's own lessons in their order."""
    return {name: read_lesson((OURS / f"{name}.md").read_bytes(), name) for name in ORDER}


def folder() -> Path:
    """The host's folder: of the environment, or `lessons` beside app.py."""
    given = os.environ.get(FOLDER)
    return Path(given) if given else Path(__file__).resolve().parents[2] / "lessons"


def read_folder(where: Path) -> Shelf:
    """Every lesson of a folder in the order of the file names; a bad one is told, not fatal."""
    shelf = Shelf()
    try:
        files = sorted(where.glob("*.md"))
    except OSError:
        files = []
    for file in files:
        stat = file.stat()
        read = _read_file(file, stat.st_mtime_ns, stat.st_size)
        if isinstance(read, str):
            shelf.problems.append(f"The lesson {file.name} cannot be used. {read}")
        else:
            shelf.lessons[read.name] = read
    return shelf


@cache
def _read_file(file: Path, changed: int, size: int) -> Lesson | str:
    """A lesson, or why it cannot be used; read again when the file has changed."""
    try:
        return read_lesson(file.read_bytes(), f"here-{file.stem}")
    except (LessonError, OSError) as error:
        return str(error)


def uploaded() -> dict[str, Lesson]:
    """Lessons of this visitor."""
    found: dict[str, Lesson] = st.session_state.setdefault("lessons.uploaded", {})
    return found


def add(content: bytes) -> Lesson:
    """Read a visitor's lesson and keep it. Raises LessonError."""
    lesson = read_lesson(content, "own-" + hashlib.sha256(content).hexdigest()[:12])
    kept = uploaded()
    kept[lesson.name] = lesson
    while len(kept) > MAX_UPLOADED:
        del kept[next(iter(kept))]
    return lesson


def shelf() -> Shelf:
    """All lessons that a visitor can open."""
    here = read_folder(folder())
    return Shelf({**ours(), **here.lessons, **uploaded()}, here.problems)
