"""Lessons from plain files: front matter, then steps.

    ---
    title: Smoothness and γ
    about: What one number does.
    minutes: 5
    ---

    ## Too little
    start: data=three_circles&seed=43&gamma=1
    controls: gamma
    check: error-below 10
    solution: data=three_circles&seed=43&gamma=1000
    hint: Further to the right.

    Text of at most sixty words.

    Do: Drag γ until fewer than 10 % are wrong.

docs/lessons.md is the whole description.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import isfinite
from urllib.parse import parse_qsl

from lab.board.view import CODEC, View
from lab.lessons.checks import CHECKS, Asked
from lab.lessons.controls import known_controls
from lab.link import as_number
from mavr.settings import shortened

MAX_BYTES = 200_000
MAX_STEPS = 30
MAX_WORDS = 60
FRONT = ("title", "about", "minutes")
OF_A_STEP = ("start", "controls", "check", "solution", "hint", "seen")
NEEDED = ("start", "check", "solution", "hint")
FENCE, STEP, DO = "---", "## ", "Do:"


class LessonError(ValueError):
    """A lesson that cannot be used; the message names the line and says what to do."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f"Line {line}: {sentence}")
        self.line = line


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes
    ----------
    text, do : what is told, and what is to be done; Markdown.
    start, solution : views before and after.
    controls : names of what stands beside the board.
    checks : all must pass.
    hint, seen : what helps, and what is said when it is done.
    """

    title: str
    text: str
    do: str
    start: View
    solution: View
    controls: tuple[str, ...]
    checks: tuple[Asked, ...]
    hint: str
    seen: str = ""


@dataclass(frozen=True)
class Lesson:
    """name : in links and in the browser's memory."""

    name: str
    title: str
    about: str
    minutes: int
    steps: tuple[Step, ...] = field(repr=False)

    def after(self, at: int) -> tuple[str | None, int]:
        """Where the step after one is; after the last one, all lessons."""
        return (self.name, at + 1) if at + 1 < len(self.steps) else (None, 0)


@dataclass
class _Draft:
    """A step as it is written; each value with the number of its line."""

    title: str
    line: int
    values: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    body: list[str] = field(default_factory=list)
    open: bool = True


def read_lesson(content: bytes | str, name: str) -> Lesson:
    """A lesson from the content of its file. Raises LessonError."""
    lines = _lines(content)
    front, start = _front(lines)
    drafts = _drafts(lines, start)
    if not drafts:
        raise LessonError(
            len(lines) or 1, "The lesson has no step. A step begins with ## and a title."
        )
    if len(drafts) > MAX_STEPS:
        raise LessonError(
            drafts[MAX_STEPS].line, f"The lesson has {len(drafts)} steps; {MAX_STEPS} is the most."
        )
    steps = tuple(map(_step, drafts))
    return Lesson(name, front["title"], front.get("about", ""), int(front.get("minutes", 5)), steps)


def _lines(content: bytes | str) -> list[str]:
    text = content if isinstance(content, str) else _decoded(content)
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _decoded(content: bytes) -> str:
    if len(content) > MAX_BYTES:
        raise LessonError(1, "The file is larger than 200 kB; a lesson is a short text.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise LessonError(line, "The file is not text in UTF-8. Save it as such.") from None


def _front(lines: list[str]) -> tuple[dict[str, str], int]:
    """Title and more, and the line after them."""
    if lines[0].strip() != FENCE:
        raise LessonError(1, "A lesson begins with a line ---, then title: and its title.")
    found: dict[str, str] = {}
    for at, line in enumerate(lines[1:], 2):
        if line.strip() == FENCE:
            if not found.get("title"):
                raise LessonError(at, "The lesson has no title. Write title: and a few words.")
            return found, at
        if not line.strip():
            continue
        key, value = _pair(at, line, FRONT)
        whole = value.isascii() and value.isdigit() and 1 <= int(value[:4]) <= 240
        if key == "minutes" and not whole:
            what = f"minutes must be a whole number from 1 to 240, got {shortened(value)}."
            raise LessonError(at, what)
        found[key] = value
    raise LessonError(len(lines), "The lines after the first --- must end with another ---.")


def _pair(at: int, line: str, known: tuple[str, ...]) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    key = key.strip()
    if not colon or key not in known:
        raise LessonError(
            at, f"{shortened(line.strip())} is not known here. Known are {', '.join(known)}, each "
            "followed by a colon. A blank line ends them.",
        )  # fmt: skip
    return key, value.strip()


def _drafts(lines: list[str], start: int) -> list[_Draft]:
    """Steps as they are written; `start` lines are read."""
    drafts: list[_Draft] = []
    for at, line in enumerate(lines[start:], start + 1):
        if line.startswith(STEP):
            drafts.append(_Draft(line[len(STEP) :].strip(), at))
        elif not drafts:
            if line.strip():
                raise LessonError(at, "A step begins with ## and a title before anything else.")
        elif drafts[-1].open and line.strip():
            key, value = _pair(at, line, OF_A_STEP)
            given = drafts[-1].values.setdefault(key, [])
            if given and key != "check":
                raise LessonError(at, f"{key} is given twice in this step.")
            given.append((at, value))
        else:
            drafts[-1].open = drafts[-1].open and not drafts[-1].values
            drafts[-1].body.append(line)
    return drafts


def _step(draft: _Draft) -> Step:
    if not draft.title:
        raise LessonError(draft.line, "The step has no title. Write one after ##.")
    for key in NEEDED:
        if not draft.values.get(key, [(0, "")])[0][1]:
            raise LessonError(draft.line, f"The step needs a line {key}: with a value.")
    text, do = _body(draft)
    return Step(
        draft.title,
        text,
        do,
        start=_view(*draft.values["start"][0]),
        solution=_view(*draft.values["solution"][0]),
        controls=_controls(draft),
        checks=tuple(_check(at, value) for at, value in draft.values["check"]),
        hint=draft.values["hint"][0][1],
        seen=draft.values.get("seen", [(0, "")])[0][1],
    )


def _body(draft: _Draft) -> tuple[str, str]:
    """The text, and what is to be done: the paragraph that begins with Do:."""
    whole = "\n".join(draft.body).strip()
    words = len(re.findall(r"\S+", whole))
    if words > MAX_WORDS:
        raise LessonError(
            draft.line, f"The text of this step has {words} words; {MAX_WORDS} is the most."
        )
    text, _, do = ("\n" + whole).partition("\n" + DO)
    if not do.strip():
        raise LessonError(draft.line, "The step says nothing to do. Write a line Do: and what.")
    return text.strip(), do.strip()


def _view(at: int, text: str) -> View:
    """The view of a link: all of it, or what follows the question mark."""
    query = dict(parse_qsl(text.rpartition("?")[2], keep_blank_values=True))
    unknown = CODEC.unknown(query)
    if unknown or not query:
        what = shortened(unknown[0] if unknown else text)
        raise LessonError(at, f"{what} is no part of a link. Copy the link of a Playground view.")
    if query.get("data", "").startswith("file:"):
        raise LessonError(at, "The view is of an uploaded file, which others do not have.")
    try:
        view, problems = CODEC.read(query)
    except ValueError as error:
        raise LessonError(at, f"The view cannot be made: {error}.") from None
    if problems:
        raise LessonError(at, problems[0].replace("The link was not followed", "The link is wrong"))
    return view


def _controls(draft: _Draft) -> tuple[str, ...]:
    at, text = draft.values.get("controls", [(draft.line, "")])[0]
    names = tuple(filter(None, (name.strip() for name in text.split(","))))
    known = known_controls()
    for name in names:
        if name not in known:
            raise LessonError(
                at, f"There is no control {shortened(name)}. There are {', '.join(known)}."
            )
    return names


def _check(at: int, text: str) -> Asked:
    name, _, number = text.partition(" ")
    if name not in CHECKS:
        raise LessonError(
            at, f"There is no check {shortened(name)}. There are {', '.join(CHECKS)}."
        )
    if not CHECKS[name].number:
        if number.strip():
            raise LessonError(at, f"The check {name} takes no number, got {shortened(number)}.")
        return Asked(name)
    value = as_number(number)
    if not isfinite(value):
        raise LessonError(
            at, f"The check {name} needs a number ({CHECKS[name].number}), got {shortened(number)}."
        )
    return Asked(name, value)
