"""A process that answers boards (`lab.server.answering`): requests on stdin, frames on stdout."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, BinaryIO

from threadpoolctl import threadpool_limits

from lab.board.asked import Asked, framed
from lab.board.face import Classes
from lab.board.marks import labelled
from lab.board.view import fresh_view
from lab.data import Data
from lab.server.answering import READY, SIZE
from lab.server.memory import keep_freed_memory


def serve(requests: BinaryIO, frames: BinaryIO, answer: Callable[[Any], bytes]) -> None:
    """Answer until the server closes its end, as it also does when it is killed."""
    frames.write(READY)
    frames.flush()
    while len(size := requests.read(SIZE)) == SIZE:
        frame = answer(pickle.loads(requests.read(int.from_bytes(size, "little"))))
        frames.write(len(frame).to_bytes(SIZE, "little") + frame)
        frames.flush()


def rehearse() -> None:
    """A picture, and clicks on it: what runs for the first time takes five times as long."""
    view = fresh_view(Data())
    for clicks in range(4):
        clicked = replace(view, marks=labelled(view.marks, list(range(clicks)), 0))
        framed(Asked(Classes(), clicked, {}, None, {}))


def main() -> None:
    """Requests from stdin; what anything prints must not get between the frames."""
    frames = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    keep_freed_memory()
    # Answers leave few cycles behind: looking for them after every thousand objects is in vain.
    gc.set_threshold(100_000, 20, 20)
    threadpool_limits(1, user_api="blas")
    rehearse()
    gc.freeze()
    serve(sys.stdin.buffer, frames, framed)


if __name__ == "__main__":
    main()
