"""What a browser asks of a board, answered in the server or beside it. No Streamlit here."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.board.face import Face
from lab.board.picture import Picture, as_frame
from lab.text import FAILURES, remedy


@dataclass(frozen=True, eq=False)
class Asked:
    """What the picture is asked of; also : what the browser is told beside it."""

    face: Face[Any]
    view: Any
    files: Mapping[str, Any]
    have: str | None
    also: Picture

    def picture(self) -> Picture:
        """The answer: a picture, or {"problem": a sentence}."""
        try:
            result = self.face.compute(self.view, self.files, coarse=True)
        except FAILURES as error:
            return {"problem": remedy(error)}
        found = self.face.picture(self.view, result, self.have) | self.also
        if found.get("painted"):
            # Nothing moves under the hand but what it moves: the frame is that of the script, which
            # answers when the hand rests.
            del found["bounds"]
        return found


def made(found: Asked | Picture) -> Picture:
    """The answer itself."""
    return found.picture() if isinstance(found, Asked) else found


def framed(found: Asked | Picture) -> bytes:
    """The answer as one frame, whatever happens."""
    try:
        return as_frame(made(found))
    except Exception as error:
        return failed(error)


def failed(error: Exception) -> bytes:
    """The edge of the server: the board waits for the script, whose fault becomes a sentence."""
    logging.getLogger("mavr.lab").error("The live channel failed", exc_info=error)
    return as_frame({"wait": True})
