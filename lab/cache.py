"""The app's one cache: values by small frozen keys, shared by all visitors, bounded in bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from enum import Enum
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

T = TypeVar("T")

# For all data sets, graphs and shadings together.
BUDGET = 2 << 30


class Cache:
    """Least recently used values go first. Who asks for what is being made waits for it."""

    def __init__(self, max_bytes: int = BUDGET) -> None:
        self.max_bytes = max_bytes
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
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
            with self._lock:
                self._values[key] = value
                self._trim()
            return value

    def find(self, key: Hashable) -> Any | None:
        """The value of a key if it is there."""
        with self._lock:
            return self._values.get(key)

    @property
    def nbytes(self) -> int:
        """Memory held now; values may have grown since they came."""
        with self._lock:
            return sum(map(size, self._values.values()))

    def clear(self) -> None:
        with self._lock:
            self._values.clear()

    def _trim(self) -> None:
        sizes = {key: size(value) for key, value in self._values.items()}
        total = sum(sizes.values())
        # The newest stays, whatever its size: somebody is waiting for it.
        for key in list(self._values)[:-1]:
            if total <= self.max_bytes:
                return
            total -= sizes[key]
            del self._values[key]


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


CACHE = Cache()
