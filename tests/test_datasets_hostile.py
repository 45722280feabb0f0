"""Any file is answered by a data set or a sentence, in bounded time and memory."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

import datasets
from datasets import DataError, archive, from_csv, from_npz
from tests import hostile_files
from tests.hostile_files import array, packed, plain, saved

ROOT = Path(__file__).resolve().parent.parent
MOST_SECONDS = 10
MOST_BYTES = 1_000_000_000
MOST_CHARACTERS = 400


# Time and memory


@pytest.mark.parametrize("group", ["REFUSED", "LARGE", "TABLES"])
def test_no_file_takes_much_time_or_memory(tmp_path, group):
    files = [make(tmp_path) for make in getattr(hostile_files, group)]
    command = [sys.executable, "-m", "tests.hostile_files", *map(str, files)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    shutil.rmtree(tmp_path)
    assert answer.returncode == 0, answer.stderr
    lines = [json.loads(line) for line in answer.stdout.splitlines()]
    assert len(lines) == len(files)
    for line in lines:
        assert line["seconds"] < MOST_SECONDS, line
        assert line["peak"] < MOST_BYTES, line
        assert len(line["is"]) < MOST_CHARACTERS, line
        if group == "REFUSED":
            assert line["is"].startswith("DataError"), line
        if group == "LARGE":
            assert line["is"].startswith("("), line


# What once failed, or might


WRONG_HEADERS = {
    "only opens": b"(((",
    "opens often": b"(" * 60_000,
    "opens braces": b"{" * 900,
    "opens lists": b"{'descr': " + b"[" * 400,
    "signs": b"{'descr': " + b"-" * 900 + b"1, 'fortran_order': False, 'shape': (1,)}",
    "empty": b"",
    "no text": bytes(range(256)),
    "no dictionary": b"('descr', 1)",
    "a call": b"{'descr': open('x'), 'fortran_order': False, 'shape': (1,)}",
    "a missing key": b"{'descr': '<f8', 'shape': (1, 1)}",
    "a type of objects": plain("(1, 1)", "|O"),
    "a type of nothing": plain("(1000000000000, 2)", "<U0"),
    "a type of no width": plain("(1, 1)", "V0"),
    "an unknown type": plain("(1, 1)", "<q9"),
    "a date": plain("(1, 1)", "<M8[s]"),
    "fields": b"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
    "a negative length": plain("(-1, 2)"),
    "a length of many digits": plain("(" + "9" * 5_000 + ", 1)"),
    "a length that is no number": plain("(1.5, 2)"),
    "many axes": plain("(" + "1, " * 300 + ")"),
    "Python 2": plain("(1L, 1L)"),
    "a cut shape": plain("(3,"),
}


@pytest.mark.parametrize("version", [1, 2, 3, 9])
@pytest.mark.parametrize("name", WRONG_HEADERS)
def test_a_wrong_header_is_a_sentence(name, version):
    header = WRONG_HEADERS[name]
    content = packed(X=array(header, bytes(8), version))
    with pytest.raises(DataError) as error:
        from_npz(content)
    said = str(error.value)
    assert len(said) < MOST_CHARACTERS
    assert "\n" not in said
    assert "((" not in said


def test_a_right_header_by_hand_is_read():
    for version in (1, 2):
        content = packed(X=array(plain("(2, 1)"), bytes(16), version))
        assert from_npz(content).X.tolist() == [[0], [0]]


def test_arrays_of_any_order_and_byte_order_come_back():
    X = np.arange(6.0).reshape(2, 3)
    for stored in (np.asfortranarray(X), X.astype(">f8"), X.astype(">i2"), X.astype(np.longdouble)):
        assert from_npz(saved(X=stored)).X.tolist() == X.tolist()
    bad = np.asfortranarray(np.array([[1.0, 2, 3], [4, np.nan, 6]]))
    with pytest.raises(DataError, match=r"X\[1, 1\] is nan"):
        from_npz(saved(X=bad))
    with pytest.raises(DataError, match=r"X\[0, 0\] is inf"):
        from_npz(saved(X=np.full((2, 1), np.finfo(np.longdouble).max)))


def test_blocks_make_one_array(monkeypatch):
    X = np.arange(35.0).reshape(7, 5)
    monkeypatch.setattr(archive, "BLOCK_BYTES", 24)
    assert np.array_equal(from_npz(saved(X=X)).X, X)
    assert np.array_equal(from_npz(saved(X=np.asfortranarray(X))).X, X)
    X[5, 2] = np.inf
    with pytest.raises(DataError, match=r"X\[5, 2\] is inf"):
        from_npz(saved(X=X))


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packers_are_refused(how):
    with pytest.raises(DataError, match="packed in another way"):
        from_npz(packed(how, X=array(plain("(1, 1)"), bytes(8))))


def test_a_wrong_checksum_is_found():
    content = bytearray(packed(zipfile.ZIP_STORED, X=array(plain("(2, 1)"), b"mavr" * 4)))
    content[content.index(b"mavr")] ^= 1
    with pytest.raises(DataError, match="not a readable"):
        from_npz(bytes(content))


def test_more_bytes_than_the_directory_says_are_not_unpacked():
    """The stream holds a megabyte, the directory and the header say 16 bytes."""
    content = packed(X=array(plain("(2, 1)"), bytes(16)))
    short, long = (zlib.compress(bytes(n), wbits=-15) for n in (16, 1_000_000))
    assert len(short) < len(long)
    inflated = content.replace(zlib.compress(array(plain("(2, 1)"), bytes(16)), wbits=-15), long)
    with pytest.raises(DataError, match="not a readable"):
        from_npz(inflated)


@pytest.mark.parametrize("code", [0x110000, 0xFFFFFFFF, 0xD800])
def test_text_that_is_no_unicode_is_refused(code):
    words = array(plain("(2,)", "<U1"), struct.pack("<2I", 97, code))
    points = array(plain("(2, 1)"), bytes(16))
    with pytest.raises(DataError, match="no Unicode"):
        from_npz(packed(X=points, y=words))
    with pytest.raises(DataError, match="no Unicode"):
        from_npz(packed(X=points, y=array(plain("(2,)", "|i1"), b"\0\1"), class_names=words))


@pytest.mark.parametrize("c", [127, 128, 129, 255, 256, 257, 1000])
def test_many_classes_keep_their_numbers(c):
    y = np.arange(2 * c) % c
    data = from_npz(saved(X=np.eye(2 * c, 2), y=y))
    assert (data.n_classes, data.y.tolist()) == (c, y.tolist())
    drawn = datasets.draw_labels(data.y, 1, "per_class")
    assert sorted(data.y[drawn]) == list(range(c))
    assert datasets.subset(data, c).n == c
    sets = from_npz(saved(X=np.eye(3, 2), Y=np.eye(3, c, dtype=np.int8)))
    assert sets.Y.sum() == 3


def test_more_classes_than_the_limit_are_refused():
    with pytest.raises(DataError, match="1,001 different labels, more than the limit of 1,000"):
        from_npz(saved(X=np.eye(1001, 2), y=np.arange(1001)))
    with pytest.raises(DataError, match="at most 1,000"):
        from_npz(saved(X=np.eye(2), Y=np.ones((2, 1001))))
    header = ",".join(f"label:{i}" for i in range(1001))
    with pytest.raises(DataError, match="1,001 label columns"):
        from_csv(f"x,{header}\n{'1,' * 1001}1\n{'0,' * 1001}1\n".encode())


# Messages


MARKUP = (
    "![](https://example.org/a.png)",
    "<script>alert(1)</script>",
    ":red[a] $x$ `a`",
    "a" * 999,
)


@pytest.mark.parametrize("cell", MARKUP)
def test_messages_quote_a_cell_on_one_line_and_cut(cell):
    for text in (f"u,v\n1,2\n3,{cell}\n4,5\n", f"u,{cell}\n1,2\n3,x\n4,5\n"):
        with pytest.raises(DataError) as error:
            from_csv(text.encode())
        said = str(error.value)
        assert repr(cell[:40])[:-1] in said
        assert len(said) < MOST_CHARACTERS
    with pytest.raises(DataError) as error:
        from_csv(b'u,v\n1,2\n3,"a\nb"\n4,5\n')
    assert "\n" not in str(error.value)


def test_names_are_cut():
    long = "name" * 300
    data = from_csv(f"x,label\n1,{long}1\n2,{long}2\n".encode(), name=long)
    assert data.y.tolist() == [0, 1]
    assert {len(name) for name in (data.name, *data.class_names)} == {101}
    named = from_npz(saved(X=np.eye(2), y=[0, 1], class_names=[long, "b"]), name=long)
    assert {len(name) for name in (named.name, named.class_names[0])} == {101}


def test_a_file_without_labels_has_none():
    for data in (from_csv(b"x,y\n1,2\n3,4\n"), from_npz(saved(X=np.eye(2)))):
        assert (data.y, data.Y, data.class_names, len(data.labelled)) == (None, None, (), 0)
