"""Settings for every test. Tests share code by its full name: ``from tests import oracles``."""

from __future__ import annotations

import os
import tempfile

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from sklearn.datasets import make_moons

# Finished samplings of a test run are nobody else's; servers that tests start inherit it.
_CACHE = tempfile.TemporaryDirectory(prefix="mavr-tests-")
os.environ["MAVR_CACHE"] = _CACHE.name

# No deadlines: a busy machine is not a bug. The default run tries the same problems each time, so
# that a commit either passes or does not; `pytest --hypothesis-profile=explore` looks for new ones.
settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", settings.get_profile("repeatable"), derandomize=False)
# `make edges`: thousands of new inputs for every edge of the app.
settings.register_profile("full", settings.get_profile("explore"), max_examples=1000)
settings.load_profile("repeatable")


@pytest.fixture(scope="module")
def moons():
    """Points of two moons, their classes, and four labels of each."""
    X, y = make_moons(120, noise=0.03, random_state=3)
    partial = np.full(120, -1)
    for j in (0, 1):
        partial[np.flatnonzero(y == j)[:4]] = j
    return X, y, partial
