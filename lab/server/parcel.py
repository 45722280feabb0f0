"""What a process hands to the server: its arrays lie in a file, which the server maps.

Through a pipe a graph of 3,000 points would be copied several times with the interpreter's lock
held, and nobody else would be answered for half a second.
"""

from __future__ import annotations

import mmap
import pickle
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Arrays begin at multiples of this many bytes, as NumPy's own do.
ALIGNED = 64


@dataclass(frozen=True)
class Parcel:
    """A pickle without its arrays, and where they lie: a file, and (start, size) of each."""

    head: bytes
    path: str
    places: tuple[tuple[int, int], ...]


def packed(value: Any, path: str) -> Parcel:
    """A value, its arrays written to a file; where that fails they are in the pickle."""
    arrays: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=arrays.append)
    places, end = [], 0
    for array in arrays:
        places.append((end, array.raw().nbytes))
        end += -(-array.raw().nbytes // ALIGNED) * ALIGNED
    try:
        with open(path, "wb") as file:
            for array, (start, _) in zip(arrays, places, strict=True):
                file.seek(start)
                file.write(array.raw())
            file.truncate(end)
    except OSError:  # a full disk, for one
        return Parcel(pickle.dumps(value, protocol=5), path, ())
    return Parcel(head, path, tuple(places))


def opened(parcel: Parcel) -> Any:
    """The value. Its arrays are the server's own: what is written to them stays here."""
    size = Path(parcel.path).stat().st_size if parcel.places else 0
    if not size:
        return pickle.loads(parcel.head, buffers=[b""] * len(parcel.places))
    with open(parcel.path, "rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY))
    return pickle.loads(parcel.head, buffers=[whole[a : a + n] for a, n in parcel.places])


def discard(path: str) -> None:
    """Remove the file; arrays that were opened from it stay good."""
    with suppress(OSError):
        Path(path).unlink()
