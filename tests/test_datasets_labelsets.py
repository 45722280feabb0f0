"""Files with several labels per point: every way to write what is unknown."""

from __future__ import annotations

import io

import numpy as np
import pytest

from datasets import DataError, from_csv, from_npz

nan = np.nan
X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])


def archive(Y):
    file = io.BytesIO()
    np.savez(file, X=X, Y=Y)
    return file.getvalue()


@pytest.mark.parametrize(
    ("Y", "read", "labelled"),
    [
        ([[1, 0], [1, 1], [0, 0]], [[1, 0], [1, 1], [0, 0]], []),
        ([[1, -1], [0, 1], [0, 0]], [[1, 0], [-1, 1], [-1, -1]], [0, 1]),
        ([[1, 0], [nan, 1], [nan, nan]], [[1, 0], [-1, 1], [-1, -1]], [0, 1]),
    ],
)
def test_npz(Y, read, labelled):
    data = from_npz(archive(Y))
    assert data.Y.tolist() == read
    assert data.labelled.tolist() == labelled


def test_csv_has_one_column_per_label():
    data = from_csv(b"a,b,label:red,label: blue\n0,1,1,0\n2,3,,1.0\n4,5,-1,\n6,7,,\n")
    assert data.class_names == ("red", "blue")
    assert data.X.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert data.Y.tolist() == [[1, 0], [-1, 1], [0, -1], [-1, -1]]
    assert data.labelled.tolist() == [0, 1, 2]
    assert data.y is None


def test_csv_of_one_label_column_is_a_class_still():
    data = from_csv(b"a,b,label\n0,1,red\n2,3,blue\n")
    assert data.Y is None
    assert data.y.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a,label:p\n1,1\n2,yes\n", r"row 3, column 2 .*says neither 1"),
        (b"label:p,label:q\n1,1\n0,1\n", "no column of numbers"),
    ],
)
def test_csv_errors_say_where(text, message):
    with pytest.raises(DataError, match=message):
        from_csv(text)
