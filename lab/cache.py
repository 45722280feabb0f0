"""The app's one cache: values by small frozen keys, shared by all visitors, bounded in bytes."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from enum import Enum
from itertools import islice
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
import scipy.sparse as sp

T = TypeVar("T")

MB = 1 << 20
# Megabytes for all data sets, graphs, answers and uploads together, and where to set them.
BUDGET_MB, SETTING = 2048, "MAVR_MEMORY_MB"

# Values that are measured again when one comes: they may have grown, and measuring all takes long.
MEASURED_AGAIN = 2


class Cache:
    """Least recently used values go first. Who asks for what is being made waits for it."""

    def __init__(self, max_bytes: int | Callable[[], int], growing: bool = True) -> None:
        """growing : whether values may be larger later than when they came."""
        self._max_bytes, self._again = max_bytes, MEASURED_AGAIN if growing else 0
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        # Those measured longest ago first.
        self._sizes: OrderedDict[Hashable, int] = OrderedDict()
        self._total = 0
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, made now if it is not there."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                found: T = self._values[key]
                return found
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._values:
                    found = self._values[key]
                    return found
            try:
                value = make()
            finally:
                with self._lock:
                    self._making.pop(key, None)
            self.put(key, value)
            return value

    def put(self, key: Hashable, value: Any) -> None:
        """Keep a value that was made elsewhere."""
        measured = size(value)
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            self._note(key, measured)
            self._trim()

    def find(self, key: Hashable) -> Any | None:
        """The value of a key if it is there."""
        with self._lock:
            return self._values.get(key)

    @property
    def nbytes(self) -> int:
        """Memory held now; values may have grown since they came."""
        with self._lock:
            return sum(map(size, self._values.values()))

    @property
    def max_bytes(self) -> int:
        return self._max_bytes if isinstance(self._max_bytes, int) else self._max_bytes()

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._sizes.clear()
            self._total = 0

    def _note(self, key: Hashable, measured: int) -> None:
        self._total += measured - self._sizes.pop(key, 0)
        self._sizes[key] = measured

    def _trim(self) -> None:
        for key in list(islice(self._sizes, self._again)):
            self._note(key, size(self._values[key]))
        # The newest stays, whatever its size: somebody is waiting for it.
        while self._total > self.max_bytes and len(self._values) > 1:
            key, _ = self._values.popitem(last=False)
            self._total -= self._sizes.pop(key)


def size(value: Any) -> int:
    """Bytes of the arrays in a value: its `nbytes`, or those of its parts and attributes."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if sp.issparse(value):
        return int(value.data.nbytes + value.indices.nbytes + value.indptr.nbytes)
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    if isinstance(value, tuple | list):
        return sum(map(size, value))
    if isinstance(value, type | Enum):  # they lead to all of Python
        return 0
    return sum(size(part) for part in getattr(value, "__dict__", {}).values())


def budget() -> int:
    """Bytes for everything that is kept for visitors: `MAVR_MEMORY_MB`, else 2 GB."""
    text = os.environ.get(SETTING, "")
    return (int(text) if text.isascii() and text.isdigit() and int(text) else BUDGET_MB) * MB


# Files of visitors, each for as long as a session has it.
_HELD: WeakSet[Any] = WeakSet()


def held() -> int:
    """Bytes of all visitors' files."""
    return sum(map(size, list(_HELD)))


def hold(file: Any) -> None:
    """Count a file of a visitor. Raises MemoryError with a sentence if it does not fit."""
    used, own = held(), size(file)
    if used + own > budget() * FILES_SHARE:
        raise MemoryError(
            f"this file takes {own / MB:.0f} MB, and {used / MB:.0f} of {budget() / MB:.0f} MB are "
            f"in use; try a smaller one, or later, or start the server with more {SETTING}"
        )
    _HELD.add(file)


def fitting(wanted: int, what: str) -> None:
    """Raises ValueError, a sentence, if something takes too much of the memory."""
    if wanted > budget() * GRAPH_SHARE:
        raise ValueError(
            f"{what} take {wanted / MB:.0f} MB of memory, and {budget() / MB:.0f} MB are for all "
            f"visitors; choose fewer, or start the server with more {SETTING}"
        )


# One graph has at most this share.
GRAPH_SHARE = 0.5
# Files have at most this share of the memory: without graphs nothing is shown of them.
FILES_SHARE = 0.5
# What the live channel has just answered, the script shows; and many open the same first view.
RECENT = Cache(lambda: budget() // 16, growing=False)
CACHE = Cache(lambda: budget() - budget() // 16 - held())
