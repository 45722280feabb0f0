"""A process that answers boards (`lab.server.answering`): requests on stdin, frames on stdout."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from threadpoolctl import threadpool_limits

from lab.board.asked import framed
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


def main() -> None:
    """Requests from stdin; what anything prints must not get between the frames."""
    frames = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    keep_freed_memory()
    gc.freeze()
    # Answers leave few cycles behind: looking for them after every thousand objects is in vain.
    gc.set_threshold(100_000, 20, 20)
    threadpool_limits(1, user_api="blas")
    serve(sys.stdin.buffer, frames, framed)


if __name__ == "__main__":
    main()
