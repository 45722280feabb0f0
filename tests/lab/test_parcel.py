"""What a process hands over arrives as it was, by a file that is gone afterwards."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lab.server.parcel import discard, opened, packed

VALUES = {
    "rows": np.arange(12.0).reshape(3, 4),
    "columns": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "part": np.arange(12.0).reshape(3, 4)[:, ::2],
    "empty": np.empty((0, 3)),
    "bytes": np.frombuffer(b"abc", dtype=np.uint8),
    "words": "no array at all",
}


def same(a, b) -> bool:
    return bool(np.array_equal(a, b)) and getattr(a, "dtype", 0) == getattr(b, "dtype", 0)


def test_everything_arrives_as_it_was(tmp_path):
    path = str(tmp_path / "arrays")
    parcel = packed(VALUES, path)
    assert len(parcel.head) < 2000
    found = opened(parcel)
    discard(path)
    assert not list(tmp_path.iterdir())
    assert found.keys() == VALUES.keys()
    assert all(same(found[name], VALUES[name]) for name in VALUES)
    assert found["columns"].flags.f_contiguous
    assert all(found[name].ctypes.data % 64 == 0 for name in ("rows", "columns", "bytes"))


@pytest.mark.parametrize("value", [None, [], np.empty(0), (np.empty((0, 2)), "x")])
def test_what_has_no_bytes_needs_no_file(value, tmp_path):
    found = opened(packed(value, str(tmp_path / "arrays")))
    assert repr(found) == repr(value)


def test_sparse_matrices_too(tmp_path):
    W = sp.random_array((50, 50), density=0.1, rng=0, format="csr")
    found = opened(packed(W, str(tmp_path / "arrays")))
    assert (found != W).nnz == 0
    assert (found @ np.ones(50)).sum() == pytest.approx(W.sum())


def test_arrays_can_be_written_to_without_changing_the_file(tmp_path):
    parcel = packed(np.zeros(8), str(tmp_path / "arrays"))
    opened(parcel)[:] = 1
    assert not opened(parcel).any()


def test_without_a_place_on_disk_it_travels_whole(tmp_path):
    parcel = packed(VALUES, str(tmp_path / "no folder" / "arrays"))
    assert parcel.places == ()
    assert same(opened(parcel)["rows"], VALUES["rows"])
