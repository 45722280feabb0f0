"""What a visitor wrote is shown as text; numbers are written one way."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.text import JOINER, duration, near_one, number, percent, plain, short

MARKUP = (
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    ":red[x] :material/delete: $x^2$",
    "**bold** _it_ ~~no~~ `code`",
    "# head",
    "1. one",
    "=== | a | b |",
    "&lt;b&gt;",
    "a\n\n# b",
    "\\*",
    "www.a.org HTTPS://a.b me@a.org",
)


@given(st.text() | st.sampled_from(MARKUP))
def test_nothing_that_a_visitor_wrote_becomes_markup(text):
    """Markdown shows an escaped mark as it is, and without marks it has nothing to go by."""
    written = plain(text)
    bare = re.sub(r"\\([!-/:-@\[-`{-~])", "", written)
    assert not set(bare) & set(string.punctuation)
    assert "\n" not in written
    seen = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", written)
    assert seen.replace(JOINER, "") == " ".join(text.split()).replace(JOINER, "")
    # What makes a link of an address without any mark: www., http:// and @.
    assert not re.search(r"www\.|https?:|@(?!\u2060)", seen, re.IGNORECASE)


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.2264, "−0.226"), (float("nan"), "–"), (float("inf"), "–"), (1234, "1,230")],
)
def test_numbers_have_three_digits_and_a_true_minus(value, text):
    assert number(value) == text


def test_numbers_have_powers_of_ten():
    assert [number(v) for v in (-4.13e-5, 1e-16, 1e9)] == ["−4.13·10⁻⁵", "10⁻¹⁶", "10⁹"]
    assert [number(v, 1) for v in (0, 4.4e-16, 20)] == ["0", "4·10⁻¹⁶", "20"]


def test_shares_times_and_settings():
    assert [percent(v) for v in (None, 0.0, 0.0741)] == ["–", "0.0 %", "7.4 %"]
    assert [duration(s) for s in (0.0021, 0.25, 12, 600)] == ["2.1 ms", "250 ms", "12 s", "10 min"]
    shown = [short(v) for v in (0, 0.5, 99, 1e-6, 2e9, -0.02)]
    assert shown == ["0", "0.5", "99", "1.0e-6", "2.0e9", "-0.02"]


def test_what_is_nearly_1_is_not_written_as_1():
    said = [near_one(v) for v in (0.99, 0.9977, 0.99998, 0.9999981, 1 - 2e-7, 1 - 1.6e-15)]
    assert said == ["0.99", "0.998", "0.999980", "0.9999981", "1 − 2.0e−7", "1 − 1.6e−15"]
    assert near_one(1.0) == "1"
