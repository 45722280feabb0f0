"""A process that answers boards (`lab.server.answering`): requests on stdin, frames on stdout."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from lab.server.answering import READY, SIZE
from lab.server.live import framed
from lab.server.startup import tune_process


def serve(requests: BinaryIO, frames: BinaryIO, answer: Callable[[Any], bytes]) -> None:
    """Answer until the server closes its end, as it also does when it is killed."""
    frames.write(READY)
    frames.flush()
    while len(size := requests.read(SIZE)) == SIZE:
        frame = answer(pickle.loads(requests.read(int.from_bytes(size, "little"))))
        frames.write(len(frame).to_bytes(SIZE, "little") + frame)
        frames.flush()


def main() -> None:
    """Requests from stdin; what anything prints must not get between the frames."""
    frames = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    tune_process()
    serve(sys.stdin.buffer, frames, framed)


if __name__ == "__main__":
    main()
