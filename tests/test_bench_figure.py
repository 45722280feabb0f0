"""The two sides of the figure's benchmark do the same work."""

from __future__ import annotations

from dataclasses import replace

from mavr.commands.bench import figure


def test_engine_and_plain_loop_count_the_same(monkeypatch):
    few = [replace(sweep, values=sweep.values[3:5]) for sweep in figure.panels()]
    monkeypatch.setattr(figure, "panels", lambda: few)
    engine, plain = figure.by_engine(range(1)), figure.by_plain_loop(range(1))
    assert sorted(engine) == sorted(plain)
    assert len(engine) == 6 * 2 * 3


def test_lines_compare_time_and_report_memory(monkeypatch):
    times = {figure.by_engine: (2.0, 150.0), figure.by_plain_loop: (1.0, 0.0)}
    monkeypatch.setattr(figure, "_in_own_process", lambda work, samplings: times[work])
    lines = figure.lines()
    assert [line.value for line in lines] == [2.0, 10.0, 5.0, 150.0]
    assert all(line.met for line in lines)
