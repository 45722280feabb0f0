"""The way to the data sets: they are no part of the library, and read only when a command asks."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Another package of the name datasets has none of these.
NEEDED = ("from_csv", "from_npz", "source")


def data_sets() -> Any:
    """The package `datasets` of MAVR Lab; ValueError with a sentence where it is not there."""
    try:
        module = import_module("datasets")
    except ImportError:
        module = None
    if not all(hasattr(module, name) for name in NEEDED):
        raise ValueError(
            "this command reads data with the package datasets of MAVR Lab, which is not there; "
            "run it from the folder of MAVR Lab"
        )
    return module
