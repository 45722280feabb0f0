"""Any bytes are a data set or a sentence, and nothing else."""

from __future__ import annotations

import zipfile

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from datasets import DataError, from_csv, from_npz
from tests.hostile_files import array, packed, plain, saved

MOST_CHARACTERS = 400

headers = st.one_of(
    st.binary(max_size=120),
    st.text("{}()[]'\",: <f8descrshapeTrueFalse0123456789L-", max_size=120).map(str.encode),
    st.builds(
        lambda shape, descr, order: (
            f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
        ),
        st.lists(st.integers(-1, 4) | st.integers(), max_size=3).map(tuple),
        st.sampled_from(
            ["<f8", ">f4", "|u1", "|i1", "|b1", "<U2", "|S3", "<i8", "<c8", "<f2", "|O"]
        ),
        st.booleans(),
    ),
)
bodies = st.binary(max_size=64) | st.integers(0, 64).map(bytes)
arrays = st.builds(array, headers, bodies, st.sampled_from([1, 1, 1, 2, 3])) | st.binary(
    max_size=80
)
names = st.sampled_from(
    ["X", "y", "Y", "class_names", "data", "indices", "indptr", "shape", "format"]
)


@given(members=st.dictionaries(names, arrays, min_size=1, max_size=5))
@example({"X": array(b"(((")})
@example({"X": array(plain("(1, 1)"), b"\xff" * 8)})
@example({"X": array(plain("(2, 1)"), bytes(16)), "y": array(plain("(2,)", "<U1"), b"\xff" * 8)})
@settings(max_examples=400, deadline=None)
def test_any_members_give_data_or_a_message(members):
    answered(from_npz, packed(zipfile.ZIP_STORED, **members))


GOOD = (
    saved(X=np.arange(12.0).reshape(6, 2), y=np.array(["a", "b"] * 3), class_names=["p", "q"]),
    saved(X=np.arange(12).reshape(4, 3).astype(np.uint8), Y=np.eye(4, 2)),
    saved(
        format=b"csr",
        shape=(3, 4),
        data=[1.0, 2.0],
        indices=[0, 3],
        indptr=[0, 1, 1, 2],
        y=[0, 1, 1],
    ),
)


@given(
    content=st.sampled_from(GOOD),
    changes=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), min_size=1, max_size=6),
    cut=st.integers(0, 3000),
)
@settings(max_examples=500, deadline=None)
def test_any_damage_gives_data_or_a_message(content, changes, cut):
    damaged = bytearray(content)
    for place, value in changes:
        damaged[place % len(damaged)] = value
    answered(from_npz, bytes(damaged[: len(damaged) - cut] if cut < 200 else damaged))


values = st.sampled_from(
    ["", "1", "-1", "0", "1.5", "1,5", "nan", "inf", "1e999", "-", "a", "label", "label:a", "²",
     "١", "y", "x", '"', '""', "a\rb", " ", "\ufeff", "🙂", "1e-400", "9" * 400, "_1",
     "0x1", "class"]
)  # fmt: skip


@given(
    rows=st.lists(st.lists(values, min_size=1, max_size=5), max_size=6),
    separator=st.sampled_from([",", ";", "\t"]),
    end=st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
)
@example([["²", "label"], ["²", "²"], ["1", "²"]], ",", "\n")
@example([["1", "9" * 400]] * 3, ",", "\n")
@settings(max_examples=500, deadline=None)
def test_any_cells_give_data_or_a_message(rows, separator, end):
    answered(from_csv, end.join(separator.join(row) for row in rows).encode())


@given(text=st.text('0123456789.,;\t\n\r"-+eEnaixy lbé ', max_size=120))
@settings(max_examples=400, deadline=None)
def test_any_text_gives_data_or_a_message(text):
    answered(from_csv, text.encode())


@given(content=st.binary(max_size=300))
@example(b'"')
@example(b"\xef\xbb\xbf")
@example(b"a\rb\r\x85c")
@settings(max_examples=300, deadline=None)
def test_any_bytes_give_data_or_a_message(content):
    answered(from_csv, content)
    answered(from_npz, content)
    answered(from_npz, b"PK\x05\x06" + content)


def answered(read, content):
    """A data set that can be drawn, or a sentence; any other exception fails the test."""
    try:
        data = read(content)
    except DataError as error:
        said = str(error)
        assert 0 < len(said) < MOST_CHARACTERS
        assert "\n" not in said
        return
    assert np.isfinite(data.points).all()
    assert data.points.shape == (data.n, 2)
    assert data.y is None or data.y.max() < data.n_classes
    "".join(data.class_names).encode()
