"""The code of README.md runs, from the first line on."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_the_code_runs(capsys):
    # A cluster is not at hand.
    code = [block for block in blocks() if "distributed" not in block]
    assert len(code) >= 4
    room: dict[str, object] = {}
    for block in code:
        exec(compile(block, str(README), "exec"), room)
    lines = capsys.readouterr().out.splitlines()
    assert int(lines[0].split("%")[0]) >= 85
    assert lines[1] == "['barbera' 'barbera' 'barbera']"


def test_the_estimator_comes_first():
    first = README.read_text(encoding="utf-8").split("```")[1]
    assert "MAVRClassifier()" in first
    assert len(first.splitlines()) <= 16


def test_the_pictures_are_there_and_small():
    found = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    assert len(found) == 2
    for name in found:
        assert (README.parent / name).stat().st_size <= 700_000, name
