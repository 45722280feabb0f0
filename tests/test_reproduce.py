"""`reproduce` writes figures and tables."""

from __future__ import annotations

import argparse
import csv
import io
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from mavr.commands import reproduce, svg
from mavr.experiments import paper_panels

SVG = "{http://www.w3.org/2000/svg}"


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def call(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    reproduce.add_parser(parser.add_subparsers())
    parsed = parser.parse_args(["reproduce", *arguments])
    return parsed.run(parsed)


def test_figure3_writes_curves_rows_differences_and_agreement(tmp_path, monkeypatch, capsys):
    def few(source, **more):
        return {
            factor: replace(sweep, values=sweep.values[8:10])
            for factor, sweep in paper_panels(source, **more).items()
        }

    monkeypatch.setattr(reproduce, "paper_panels", few)
    assert call("figure3", "--samplings", "2", "--out", str(tmp_path)) == 0
    root = ET.parse(tmp_path / "figure3.svg").getroot()
    # Three curves of ours and three printed ones in each of six panels.
    assert len(root.findall(f".//{SVG}polyline")) == 36
    rows = read(tmp_path / "figure3_rows.csv")
    assert len(rows) == 6 * 2 * 3 * 2
    points = read(tmp_path / "figure3.csv")
    assert {p["samplings"] for p in points} == {"2"}
    assert len(read(tmp_path / "figure3_differences.csv")) == 12
    assert len(read(tmp_path / "figure3_agreement.csv")) == 18
    captured = capsys.readouterr()
    assert "figure3.svg" in captured.out
    assert "100%" in captured.err


@pytest.fixture(scope="module")
def serendipity(tmp_path_factory):
    out = tmp_path_factory.mktemp("figure2")
    assert call("figure2", "--out", str(out)) == 0
    return out


def test_figure2_shows_what_the_paper_shows(serendipity):
    counts: dict[str, list[int]] = {}
    for row in read(serendipity / "figure2.csv"):
        counts.setdefault(row["panel"], []).append(int(row["predicted"]))
        assert row["unreached"] == "0"
    assert counts["Data 1, P1"] == [50, 50, 100, 0]
    assert counts["Data 1, P2"] == [50, 100, 50, 0]
    assert counts["Data 1, P3"] == [50, 50, 50, 50]
    assert counts["Data 1, LGC"][3] == 0
    assert counts["Data 2, P4"] == [50, 50, 50, 50]
    # A split of tied classes cannot know their names.
    assert sorted(counts["Data 5, P6"]) == [117, 122, 123, 150]
    assert sorted(counts["Data 5 (ICML), P5"]) == [61, 99, 139]


def test_figure2_draws_every_point(serendipity):
    root = ET.parse(serendipity / "figure2.svg").getroot()
    panels = root.findall(f"{SVG}g")
    assert len(panels) == 9
    assert len(panels[0].findall(f"{SVG}circle")) == 200 + 3


def test_progress_draws_a_bar_on_a_terminal():
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    assert list(reproduce.progress([1, 2], 2, stream)) == [1, 2]  # type: ignore[list-item]
    assert "100%" in stream.getvalue()
    assert "\r" in stream.getvalue()


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.46), (3, 20), (120, 480), (-1.5, 1e-3)])
def test_ticks_are_round_and_inside(low, high):
    found = svg.ticks(low, high)
    assert 2 <= len(found) <= 7
    assert low <= found[0] <= found[-1] <= high


def test_names_are_escaped():
    panel = svg.ScatterPanel("<b>", "&", [0.0], [0.0], [-1], [])
    root = ET.fromstring(svg.document([panel], 1, (100, 100), [("a<b", "#000", "")]))
    assert [t.text for t in root.iter(f"{SVG}text")] == ["a<b", "<b>", "&"]
