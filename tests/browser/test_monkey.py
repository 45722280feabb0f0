"""The seeded monkey for a short while, and every page under the Content-Security-Policy."""

from __future__ import annotations

import time

import pytest

from tools.monkey import PAGES, Monkey


def walk(page, app_url, seed: int, seconds: float, least: int) -> Monkey:
    monkey, end = Monkey(page, app_url, seed), time.monotonic() + seconds
    monkey.open("")
    steps = 0
    while (time.monotonic() < end or steps < least) and not monkey.faults:
        monkey.step()
        steps += 1
    return monkey


def test_a_short_walk_finds_nothing(page, app_url):
    monkey = walk(page, app_url, 1, 5, 5)
    assert monkey.faults == []


@pytest.mark.thorough
def test_every_page_works_under_the_policy_and_asks_no_other_host(page, app_url):
    """Refusals of the policy are told on the console, which the monkey hears."""
    monkey = Monkey(page, app_url, 0)
    for path in PAGES:
        monkey.open(path)
        page.wait_for_timeout(500)
    assert monkey.faults == []
    policy = page.request.get(app_url).headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "object-src 'none'" in policy
