"""Archives of NumPy: dense, sparse, with one or several labels, damaged."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import datasets
from datasets import DataError, from_npz, npzfile

ORIGINALS = Path(__file__).resolve().parents[2] / "shared" / "data"


def archive(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


@given(
    X=hnp.arrays(
        st.sampled_from([np.uint8, np.int32, np.float32, np.float64]),
        hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=8),
        elements=st.integers(0, 200),
    ),
    data=st.data(),
)
def test_dense_archives_come_back(X, data):
    y = data.draw(hnp.arrays(np.int64, len(X), elements=st.integers(-1, 3)))
    loaded = from_npz(archive(X=X, y=y))
    assert np.array_equal(loaded.X, X)
    assert loaded.X.dtype.kind == "f"
    if (y >= 0).any():
        names = np.array([*loaded.class_names, "-1"])
        assert names[loaded.y].tolist() == [str(value) for value in y]
    else:
        assert loaded.y is None


def test_labels_may_be_words_or_whole_floats():
    X = np.eye(3)
    loaded = from_npz(archive(X=X, y=np.array(["b10", "b9", "b9"])))
    assert (loaded.class_names, loaded.y.tolist()) == (("b9", "b10"), [1, 0, 0])
    assert from_npz(archive(X=X, y=np.array([3.0, 1.0, -1.0]))).y.tolist() == [1, 0, -1]
    names = np.array(["low", "high"])
    assert from_npz(archive(X=X, y=np.array([1, 0, 1]), class_names=names)).class_names == (
        "low",
        "high",
    )


def test_a_label_that_is_nan_is_unknown():
    loaded = from_npz(archive(X=np.eye(3), y=np.array([4.0, np.nan, 2.0])))
    assert (loaded.y.tolist(), loaded.class_names) == ([1, -1, 0], ("2", "4"))


def test_names_that_do_not_fit_are_left_out_and_said_so():
    loaded = from_npz(archive(X=np.eye(3), y=np.arange(3), class_names=np.array(["a", "b"])))
    assert loaded.class_names == ("0", "1", "2")
    assert "class_names was left out: it has 2 names for 3 classes." in loaded.note


def test_sparse_archives_as_scipy_writes_them(tmp_path):
    X = sp.random(20, 8, density=0.3, random_state=0, format="csr")
    parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    loaded = from_npz(archive(format=b"csr", y=np.arange(20) % 3, **parts))
    assert loaded.is_sparse
    assert (loaded.X != X).nnz == 0
    sp.save_npz(tmp_path / "m.npz", X)
    assert from_npz(tmp_path / "m.npz").X.shape == (20, 8)
    sp.save_npz(tmp_path / "c.npz", X.tocsc())
    with pytest.raises(DataError, match="must be CSR"):
        from_npz(tmp_path / "c.npz")


def test_multilabel_archives():
    Y = np.array([[1, 0], [1, 1], [0, 0]], dtype=np.uint8)
    loaded = from_npz(archive(X=np.eye(3), Y=Y, label_names=np.array(["p", "q"])))
    assert (loaded.y, loaded.class_names) == (None, ("p", "q"))
    assert np.array_equal(loaded.Y, Y)


SPARSE = {"format": b"csr", "shape": (2, 2), "data": [1.0], "indices": [0], "indptr": [0, 1, 1]}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "no array called X, only: nothing"),
        ({"Z": [1]}, "no array called X, only: Z"),
        ({"X": np.zeros(3)}, r"one row per point .* got an array of shape \(3,\)"),
        ({"X": np.zeros((0, 2))}, "at least 2 rows"),
        ({"X": np.zeros((1, 2))}, "at least 2 rows"),
        ({"X": np.array([["a"], ["b"]])}, "real numbers, got values of the type str32"),
        ({"X": np.array([[1j], [2]])}, "real numbers"),
        ({"X": np.array([[1.0, 2], [3, np.nan]])}, r"X\[1, 1\] is nan"),
        ({"X": np.array([[0, np.inf], [0, 0]], dtype=np.float32)}, r"X\[0, 1\] is inf"),
        ({"X": np.eye(2), "y": [0, 1, 2]}, "one label per row"),
        ({"X": np.eye(2), "y": [1, 0.5]}, r"whole numbers or words, but y\[1\] is 0.5"),
        ({"X": np.eye(2), "y": [np.inf, 1]}, r"y\[0\] is inf"),
        ({"X": np.eye(2), "y": [b"a", b"b"]}, "the type bytes8; convert it"),
        ({"X": np.eye(2), "Y": [[1, 0]]}, "one row per row of X"),
        ({"X": np.eye(2), "Y": [[0, 1], [2, 0]]}, r"Y\[1, 0\] is 2; .*0 and 1 only"),
        (SPARSE | {"indices": [5]}, "do not fit together"),
        (SPARSE | {"indices": [-1]}, "do not fit together"),
        (SPARSE | {"indptr": [0, 9, 1]}, "do not fit together"),
        (SPARSE | {"shape": (2, 2, 2)}, "shape must hold"),
        (SPARSE | {"shape": (-2, 2)}, "X must have at least 2 rows .* got -2 and 2"),
        ({"format": b"coo", "data": [1.0]}, "must be CSR, got 'coo'"),
        (SPARSE | {"data": [np.inf]}, "must be finite"),
    ],
)
def test_unusable_archives_say_why(arrays, message):
    content = archive(**{key: np.asarray(value) for key, value in arrays.items()})
    with pytest.raises(DataError, match=message):
        from_npz(content)


def test_nothing_is_unpickled():
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("the file was unpickled",))

    file = io.BytesIO()
    np.savez(file, X=np.array([[Bomb()]], dtype=object), y=np.array([0]))
    with pytest.raises(DataError, match="no Python objects"):
        from_npz(file.getvalue())


def test_archives_too_large_are_refused_before_unpacking(monkeypatch):
    content = archive(X=np.zeros((2000, 100)))
    assert from_npz(content).n == 2000

    monkeypatch.setattr(npzfile, "read", lambda *_: pytest.fail("it was unpacked"))
    monkeypatch.setattr(npzfile, "MAX_NPZ_VALUES", 100_000)
    with pytest.raises(DataError, match="200,000 values, more than the limit of 100,000"):
        from_npz(content)
    monkeypatch.setattr(npzfile, "MAX_NPZ_BYTES", 1000)
    with pytest.raises(DataError, match="more than 1,000 bytes"):
        from_npz(content + bytes(1000))


def test_a_header_that_claims_too_much_is_refused():
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**4)}
    )
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as target:
        target.writestr("X.npy", file.getvalue() + bytes(80))
    with pytest.raises(DataError, match="not a readable"):
        from_npz(whole.getvalue())


@given(content=st.binary(max_size=200))
def test_bytes_that_are_no_archive_give_a_message(content):
    with pytest.raises(DataError, match="not a readable"):
        from_npz(content)


@pytest.mark.parametrize(
    ("file", "shape", "n_classes"),
    [
        ("usps", (9298, 256), 10),
        ("isolet", (7797, 617), 26),
        ("mnist", (70_000, 784), 10),
        ("20news_w100", (16_242, 100), 4),
        ("emotions", (593, 72), 6),
    ],
)
def test_benchmark_files_load(file, shape, n_classes):
    path = ORIGINALS / f"{file}.npz"
    if not path.exists():
        pytest.skip("the benchmark files are not distributed with this project")
    data = from_npz(path)
    assert (data.X.shape, data.n_classes) == (shape, n_classes)
    assert data.is_sparse == (file == "20news_w100")
    assert (data.Y is None) == (file != "emotions")
    assert datasets.subset(data, 200).points.shape == (200, 2)
