"""The Theory page: drag, step, presets, errata."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

SECTIONS = (
    ("Volume", "The large volume principle"),
    ("Three points", "Three points, and why volume is approximated"),
    ("Many classes", "Many classes: P ⊗ Q (Theorem 1)"),
    ("Two classes", "Two classes are the binary case"),
    ("Label sets", "Label sets"),
    ("Losses", "Four losses"),
    ("The root ρ", "The root ρ (Theorem 2)"),
    ("Hard case", "The hard case"),
    ("Stability", "Stability (Theorem 3)"),
    ("Accuracy", "Accuracy (Theorem 4)"),
    ("Other methods", "Links to other methods"),
    ("Pitfalls", "Responses from eigenvectors"),
    ("Errata", "What differs from the paper"),
)


def settled(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def go_to(page: Page, section: str) -> None:
    page.get_by_role("radio", name=section, exact=True).click()
    expect(page.get_by_role("heading", name=dict(SECTIONS)[section], exact=True)).to_be_visible()
    settled(page)


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """From one place of the plane to another, with the mouse."""
    svg = page.locator(".ellipse svg")
    places = [svg.evaluate("(svg, p) => svg.mavr.pixel(...p)", list(p)) for p in (start, end)]
    page.mouse.move(*places[0])
    page.mouse.down()
    middle = [(a + b) / 2 for a, b in zip(*places, strict=True)]
    page.mouse.move(*middle)
    page.mouse.move(*places[1])
    page.mouse.up()


@pytest.mark.thorough
def test_every_section_opens(open_page):
    page = open_page("theory")
    for section, _ in SECTIONS:
        go_to(page, section)
        if section != "Errata":
            expect(page.locator(".numbers").first).to_be_visible()


def test_dragging_h_changes_its_class_and_volume(open_page):
    page = open_page("theory")
    row = page.locator(".numbers tr").filter(has_text="h in")
    expect(row).to_contain_text("h in + +")
    before = row.inner_text()
    drag(page, (0.9, 1.1), (-1.2, 0.8))
    expect(row).to_contain_text("h in − +")
    assert row.inner_text() != before
    expect(page.get_by_text("smaller area: the principle prefers the others")).to_be_visible()
    # The picture keeps what was dragged.
    state = page.locator(".ellipse svg").evaluate("svg => svg.mavr.view.state")
    assert state["hx"] == pytest.approx(-1.2, abs=0.05)
    assert state["hy"] == pytest.approx(0.8, abs=0.05)


@pytest.mark.thorough
def test_dragging_an_axis_changes_its_eigenvalue_and_the_angle(open_page):
    page = open_page("theory")
    go_to(page, "Volume")
    page.get_by_role("button", name="Round").click()
    areas = page.locator(".numbers tr").filter(has_text="exact area")
    expect(areas).to_contain_text(re.compile(r"0\.785\s*0\.785\s*0\.785\s*0\.785"))
    # The end of v1 from (1, 0) to the diagonal, 1.6 from the centre: lam = 1 / 1.6^2.
    drag(page, (1.0, 0.0), (1.6 / 2**0.5, 1.6 / 2**0.5))
    expect(areas).not_to_contain_text("0.785")
    expect(page.get_by_role("textbox", name="Angle of v₁")).to_have_value(
        re.compile(r"^4[45](\.\d)?$")
    )
    values = [float(v) for v in re.findall(r"\d+\.\d+", areas.inner_text())]
    assert values[0] == values[2] > values[1] == values[3]
    assert values[4] == pytest.approx(3.14159 * 1.6, abs=0.03)


def test_pictures_follow_a_slider_under_the_hand(open_page):
    page = open_page("theory")
    go_to(page, "Volume")
    slider = page.get_by_role("slider", name="Eigenvalue λ₁ of Q")
    outline, numbers = page.locator(".ellipse .outline"), page.locator(".numbers").first
    drawn, said, address = outline.get_attribute("d"), numbers.inner_text(), page.url
    box = slider.bounding_box()
    x, y = box["x"] + 8, box["y"] + box["height"] / 2
    start = x + float(slider.input_value()) / 600 * (box["width"] - 16)
    page.mouse.move(start, y)
    page.mouse.down()
    page.mouse.move(x + 0.8 * (box["width"] - 16), y, steps=6)
    # The button is still down: the browser's picture and the script's numbers have moved.
    expect(outline).not_to_have_attribute("d", drawn)
    expect(numbers).not_to_have_text(said)
    held = float(slider.get_attribute("aria-valuetext"))
    page.mouse.up()
    page.wait_for_url(lambda url: f"lam1={held:g}" in url)
    assert page.url != address
    expect(slider).to_have_attribute("aria-valuetext", f"{held:g}")


def typed(page: Page, label: str, text: str) -> None:
    """The exact value of a slider, typed."""
    field = page.get_by_role("textbox", name=label)
    field.fill(text)
    field.press("Enter")


def test_a_slider_takes_exact_numbers_keys_and_the_wheel(open_page):
    page = open_page("theory?section=volume")
    label = "Eigenvalue λ₁ of Q"
    slider, field = page.get_by_role("slider", name=label), page.get_by_role("textbox", name=label)
    state = page.locator(".ellipse svg")

    def drawn(name: str = "lam1") -> float:
        return float(state.evaluate(f"svg => svg.mavr.view.state.{name}"))

    expect(field).to_have_value("0.354")
    reset = page.get_by_role("button", name=f"Reset {label}")
    expect(reset).to_have_count(0)
    typed(page, label, "1.2345")
    page.wait_for_url(lambda url: "lam1=1.2345" in url)
    assert drawn() == 1.2345
    # What cannot be is not taken, and the reason is said.
    typed(page, label, "9")
    expect(page.get_by_text(f"{label} must be 0.25 … 4.")).to_be_visible()
    assert drawn() == 1.2345
    slider.focus()
    slider.press("ArrowRight")
    expect(slider).not_to_have_attribute("aria-valuetext", "1.234")
    assert 1.0 < drawn() / 1.2345 < 1.05
    # A touchpad turns the wheel by little: it adds up, and no turn is a step of its own.
    before = drawn()
    slider.hover()
    for _ in range(10):
        page.mouse.wheel(0, -4)
    assert 1.0 < drawn() / before < 1.05
    reset.click()
    page.wait_for_url(lambda url: "lam1" not in url)
    assert drawn() == 0.354
    expect(reset).to_have_count(0)
    # Angles step by round degrees.
    angle = page.get_by_role("slider", name="Angle of v₁")
    angle.focus()
    angle.press("ArrowLeft")
    assert drawn("angle") * 180 / 3.14159265 == pytest.approx(29, abs=1e-3)
    page.wait_for_url(lambda url: "angle=29" in url)
    # Whole numbers go one by one.
    go_to(page, "Pitfalls")
    seed = page.get_by_role("slider", name="Data seed")
    seed.focus()
    for _ in range(3):
        seed.press("ArrowRight")
    expect(page.get_by_role("textbox", name="Data seed")).to_have_value("3")
    page.wait_for_url(lambda url: "seed=3" in url)


def test_the_handles_of_the_ellipse_say_where_they_are(open_page):
    page = open_page("theory?section=volume&lam1=0.25&lam2=4&angle=30&h=1")
    for name, degrees, words in (
        ("one", "30", "angle 30°, length 2.00, eigenvalue 0.25"),
        ("two", "120", "angle 120°, length 0.50, eigenvalue 4.00"),
        ("h", "51", "angle 51°, length 1.42"),
    ):
        handle = page.locator(f".ellipse [data-handle={name}]")
        expect(handle).to_have_attribute("aria-valuenow", degrees)
        expect(handle).to_have_attribute("aria-valuetext", words)


def test_h_moves_by_keyboard(open_page):
    page = open_page("theory")
    handle = page.locator(".ellipse [data-handle=h]")
    handle.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    state = page.locator(".ellipse svg").evaluate("svg => svg.mavr.view.state")
    assert state["hx"] == pytest.approx(0.75, abs=1e-6)


def test_volume_presets(open_page):
    page = open_page("theory")
    areas = page.locator(".numbers tr").filter(has_text="exact area")
    for name in ("Long and thin", "Along an axis", "h in a small class"):
        before = areas.inner_text()
        page.get_by_role("button", name=name).click()
        expect(areas).not_to_have_text(before)


@pytest.mark.thorough
def test_the_root_finder_steps_plays_and_starts_again(open_page):
    page = open_page("theory")
    go_to(page, "The root ρ")
    counter = page.get_by_text(re.compile(r"^step \d of \d$"))
    expect(counter).to_have_text(re.compile("step 1 of"))
    total = int(counter.inner_text()[-1])
    page.get_by_role("button", name="Step", exact=True).click()
    expect(counter).to_have_text(f"step 2 of {total}")
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(counter).to_have_text(f"step 1 of {total}")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(counter).to_have_text(f"step {total} of {total}")
    expect(page.get_by_role("button", name="Step", exact=True)).to_be_disabled()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_enabled()
    last = page.locator(".numbers tr").filter(has_text=re.compile(f"^{total}"))
    assert re.search(r"10⁻¹[³-⁹]|\t0$", last.inner_text())


def test_the_root_is_that_of_the_playground(open_page):
    page = open_page("?data=three_circles&seed=5")
    expect(page.locator("[data-number='multiplier ρ']").first).to_be_visible()
    shown = page.locator("[data-side=left] [data-number='multiplier ρ']").inner_text()
    page.get_by_role("link", name="Theory").click()
    go_to(page, "The root ρ")
    expect(page.get_by_text("the data and labels of your Playground")).to_be_visible()
    row = page.locator(".numbers tr").filter(has_text="root ρ")
    found = float(row.locator("td").nth(1).inner_text().replace("−", "-"))
    assert float(shown.replace("−", "-")) == pytest.approx(found, rel=5e-3)


def test_hard_case_presets(open_page):
    page = open_page("theory")
    go_to(page, "Hard case")
    for name, words in (
        ("Almost hard", "The root in the interval is the minimum"),
        ("Hard case", "not the minimum: it loses 1.042"),
        ("Small norm", "The root in the interval is the minimum"),
    ):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_test_id("stAlert").filter(has_text=words)).to_be_visible()


def test_stability_by_one_changed_label(open_page):
    page = open_page("theory")
    go_to(page, "Stability")
    multipliers = page.locator(".numbers tr").filter(has_text="ρ before and after")
    for action in ("flip", "add", "remove"):
        before = multipliers.inner_text()
        page.get_by_role("radio", name=action, exact=True).click()
        expect(multipliers).not_to_have_text(before)
        settled(page)


def test_accuracy_presets(open_page):
    page = open_page("theory")
    go_to(page, "Accuracy")
    for name, words in (
        ("Fails at ρ = −1", "The bound as printed fails: the error is 99 times as large"),
        ("Fails at ‖H‖ = τ", "The bound as printed fails: the error is larger"),
        ("E max", "E max(a, b) is above what is printed in its place"),
        ("90 points", "Both bounds hold"),
    ):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_test_id("stAlert").filter(has_text=words)).to_be_visible()
        expect(page.get_by_text("assumed, and holds")).to_be_visible()


def test_a_broken_assumption_has_no_verdict(open_page):
    page = open_page("theory")
    go_to(page, "Accuracy")
    page.get_by_role("button", name="Fails at ‖H‖ = τ").click()
    expect(page.get_by_text("The bound as printed fails")).to_be_visible()
    typed(page, "Noise, standard deviation", "0.3")
    expect(page.get_by_text("assumed, and does not hold")).to_be_visible()
    expect(page.get_by_text("the theorem says nothing here")).to_be_visible()
    expect(page.get_by_text("The bound as printed fails")).to_have_count(0)


@pytest.mark.thorough
def test_two_classes_are_one_unless_a_condition_is_given_up(open_page):
    page = open_page("theory")
    go_to(page, "Two classes")
    for name, words in (
        ("Related classes", "P ≠ I: V(H) is another number"),
        ("Not opposite", "h₁ + h₂ ≠ 0: V(H) is another number"),
        ("The binary case", "V(H) = V(h₁): the binary case"),
    ):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_test_id("stAlert").filter(has_text=words)).to_be_visible()


def test_a_threshold_of_0_gives_every_label_until_one_is_learned(open_page):
    page = open_page("theory")
    go_to(page, "Label sets")
    alert = page.get_by_test_id("stAlert")
    expect(alert.filter(has_text="every point gets every label")).to_be_visible()
    page.get_by_role("radio", name="learned, one per label").click()
    expect(alert.filter(has_text="Points get different label sets")).to_be_visible()
    page.get_by_role("radio", name="preset, 0").click()
    page.get_by_role("radio", name="−1, 0, 1").click()
    expect(alert.filter(has_text="Points get different label sets")).to_be_visible()


@pytest.mark.thorough
def test_losses_follow_gamma(open_page):
    page = open_page("theory")
    go_to(page, "Losses")
    row = page.locator(".numbers tr").filter(has_text="loss 2")
    before = row.inner_text()
    slider = page.get_by_role("slider", name="Smoothness γ")
    slider.focus()
    slider.press("ArrowRight")
    expect(row).not_to_have_text(before)


def test_the_row_of_the_label_decides_about_ties(open_page):
    page = open_page("theory")
    go_to(page, "Pitfalls")
    page.get_by_role("radio", name="ties", exact=True).click()
    page.get_by_role("radio", name="Data 3, P5").click()
    alert = page.get_by_test_id("stAlert")
    expect(alert.filter(has_text="Tied points have no colour of their own")).to_be_visible()
    rows = page.get_by_role("radiogroup", name="The label is on row")
    rows.get_by_role("radio", name="2", exact=True).click()
    expect(alert.filter(has_text="No two classes are alike")).to_be_visible()


def test_links_hold_live(open_page):
    page = open_page("theory")
    go_to(page, "Other methods")
    for name in ("LGC's formula", "MAVR and LGC with", "(γ, τ) and"):
        row = page.locator(".numbers tr").filter(has_text=name)
        expect(row.locator("td").nth(1)).to_have_text("0")
    page.get_by_text("One label more for the first class").click()
    settled(page)
    expect(page.locator(".js-plotly-plot")).to_be_visible()


@pytest.mark.thorough
def test_every_erratum_opens_its_demonstration(open_page):
    page = open_page("theory")
    for place, words in (
        ("Section 4.2, the case P = I", "The shortcut misses the norm"),
        ("Eq. (15) and Algorithm 1", "Eigenvectors give another class to"),
        ("The sentence before Theorem 2", "not the minimum"),
        ("Section 4.1, losses 1 and 3", "after γ is doubled they agree"),
        ("Theorem 4, Eq. (20)", "The bound as printed fails"),
        ("Theorem 4, Eq. (19), first term", "The bound as printed fails"),
        ("The same term", "Both bounds hold here"),
        ("Theorem 4, Eq. (19), second term", "E max(a, b) is above what is printed"),
        ("Figure 2, Data 2 to 5", "Tied points have no colour of their own"),
    ):
        go_to(page, "Errata")
        row = page.get_by_test_id("stHorizontalBlock").filter(has_text=place)
        row.get_by_role("button", name="Show").click()
        expect(page.get_by_test_id("stAlert").filter(has_text=words)).to_be_visible()
    for place, words in (
        ("Proof of Theorem 2", "The proof of Theorem 2 needs g′ > 0"),
        ("Section 4.3, before Theorem 3", "C without the constraint"),
    ):
        go_to(page, "Errata")
        row = page.get_by_test_id("stHorizontalBlock").filter(has_text=place)
        row.get_by_role("button", name="Show").click()
        expect(page.get_by_text(words).first).to_be_visible()


def downloaded(page: Page, button: str, at: int = 0) -> Path:
    """What a button of the open export menu hands out."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).nth(at).click()
    return Path(download.value.path())


def test_a_chart_is_taken_away(open_page):
    """As drawing, picture, numbers and code; the ellipse, which is no chart of Plotly's, too."""
    page = open_page("theory?section=hard")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    page.get_by_role("button", name="Export").click()
    drawing = ET.fromstring(downloaded(page, "SVG").read_text(encoding="utf-8"))
    svg = "{http://www.w3.org/2000/svg}"
    words = {"".join(t.itertext()) for t in drawing.iter(f"{svg}text")}
    assert {"minimum", "root in the interval", "direction of h on the circle, degrees"} <= words
    assert any(p.get("class") == "js-line" for p in drawing.iter(f"{svg}path"))
    assert downloaded(page, "PNG").read_bytes().startswith(b"\x89PNG")
    rows = downloaded(page, "CSV").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith('series,"direction of h on the circle, degrees"')
    assert len(rows) == 1 + 361 + 3
    assert "hard.compare(Q, y, 1.0, 1.5)" in downloaded(page, "Python").read_text(encoding="utf-8")

    page = open_page("theory?section=volume")
    page.locator(".ellipse svg path").first.wait_for()
    page.get_by_role("button", name="Export").click()
    drawing = ET.fromstring(downloaded(page, "SVG").read_text(encoding="utf-8"))
    assert any("piece" in (p.get("class") or "") for p in drawing.iter(f"{svg}path"))
    assert len(downloaded(page, "CSV").read_text(encoding="utf-8").splitlines()) == 5
