"""Experiments in the background, and what the pages that run them share."""

from __future__ import annotations

from functools import cache

from lab.jobs.disk import Disk
from lab.jobs.job import Results
from lab.server.pool import Workers


@cache
def shared() -> tuple[Workers, Results]:
    """Processes and finished samplings, for all visitors and pages."""
    return Workers(), Results(disk=Disk())
