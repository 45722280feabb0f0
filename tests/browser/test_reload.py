"""What a reload must not lose."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.canvas_driver import Canvas

CSV = "x,y,label\n" + "\n".join(f"{k % 9},{k // 9},{'a' if k < 20 else 'b'}" for k in range(45))


@pytest.mark.thorough
def test_a_file_is_still_there_after_a_reload(open_page, tmp_path):
    file = tmp_path / "points.csv"
    file.write_text(CSV, encoding="utf-8")
    page = open_page()
    Canvas(page)
    page.locator('[data-testid="stSidebar"] input[type="file"]').set_input_files(file)
    page.wait_for_url("**data=file**")
    canvas = Canvas(page)
    canvas.rest()
    before = canvas.points()
    assert len(before) == 2 * 45
    page.reload()
    canvas = Canvas(page)
    assert canvas.points() == before
    expect(page.get_by_text("not uploaded here")).to_have_count(0)
