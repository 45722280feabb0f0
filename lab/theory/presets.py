"""Settings of the Accuracy section that its own buttons and the errata share."""

from __future__ import annotations

from typing import Any

Values = dict[str, Any]

# Eq. (20) without gamma.
FAILS_FREE: Values = {"example": "one", "kind": "free", "gamma4": 99.0, "noise": 0.0}
# E|Y|^2 = 0.9803 <= 1: one labelled position, noise in both.
FAILS_AT_TAU: Values = {
    "example": "two",
    "kind": "tau",
    "gamma4": 99.0,
    "noise": 0.01,
    "tau4": 1.0,
    "angle4": 0.3,
    "labelled": 1,
}
# A small C: C / gamma <= 2 lam_1, the supremum is at lam_1.
SQUARE_ROOT: Values = {"example": "one", "kind": "tau", "gamma4": 99.0, "noise": 0.0, "tau4": 1.0}
# E|Y|^2 = 0.8^2 + 0.6^2 = 1, tau = 0.5.
MEAN_OF_MAXIMUM: Values = {
    "example": "flat",
    "kind": "tau",
    "gamma4": 99.0,
    "noise": 0.6,
    "tau4": 0.625,
}
