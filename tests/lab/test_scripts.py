"""Scripts that make one script must not declare a name twice: the browser would run none of it."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from lab.board import stage as board
from lab.map import stage as plane

NAME = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)


@pytest.mark.parametrize("scripts", [board.SCRIPTS, plane.SCRIPTS], ids=["board", "map"])
def test_every_name_is_declared_once(scripts):
    names = Counter(name for path in scripts for name in NAME.findall(path.read_text()))
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []
