"""Tables: good, empty, ragged, huge, binary and mis-encoded."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import datasets
from datasets import DataError, csvfile, from_csv, tables

SEPARATORS = (",", ";", "\t")

numbers = st.floats(-1e100, 1e100, allow_nan=False)
words = st.text("abcXYZéß中 _#", min_size=1, max_size=8).map(str.strip).filter(bool)
labels = st.one_of(st.just(""), st.just("-1"), words.filter(lambda w: w.lower() != "nan"))


def written(rows, separator=",", end="\n", bom=False):
    file = io.StringIO()
    csv.writer(file, delimiter=separator, lineterminator=end).writerows(rows)
    return (b"\xef\xbb\xbf" if bom else b"") + file.getvalue().encode()


@st.composite
def tables_of_numbers(draw, least_columns=1):
    shape = draw(st.tuples(st.integers(2, 12), st.integers(least_columns, 6)))
    return draw(hnp.arrays(np.float64, shape, elements=numbers))


# ---- good CSV files


@given(
    X=tables_of_numbers(),
    header=st.booleans(),
    separator=st.sampled_from(SEPARATORS),
    end=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
)
def test_numbers_come_back_exactly(X, header, separator, end, bom):
    rows = [[f"f{j}" for j in range(X.shape[1])]] if header else []
    content = written([*rows, *[[repr(float(v)) for v in row] for row in X]], separator, end, bom)
    data = from_csv(content)
    assert np.array_equal(data.X, X)
    assert (data.y, data.class_names, len(data.labelled)) == (None, (), 0)


@given(
    X=tables_of_numbers(),
    separator=st.sampled_from(SEPARATORS),
    where=st.integers(0, 6),
    title=st.sampled_from(["label", "Class", "TARGET", "klass"]),
    data=st.data(),
)
def test_a_named_label_column_may_stand_anywhere(X, separator, where, title, data):
    given_labels = data.draw(st.lists(labels, min_size=len(X), max_size=len(X)))
    where = min(where, X.shape[1])
    header = [f"f{j}" for j in range(X.shape[1])]
    header.insert(where, title)
    rows = [header]
    for row, label in zip(X, given_labels, strict=True):
        cells = [repr(float(v)) for v in row]
        cells.insert(where, label)
        rows.append(cells)
    loaded = from_csv(written(rows, separator))
    assert np.array_equal(loaded.X, X)
    known = [i for i, label in enumerate(given_labels) if label not in ("", "-1")]
    assert loaded.labelled.tolist() == known
    assert set(loaded.class_names) == {given_labels[i] for i in known}
    for i in known:
        assert loaded.class_names[loaded.y[i]] == given_labels[i]
    if known:
        assert (np.delete(loaded.y, known) == -1).all()
    else:
        assert loaded.y is None


@given(X=tables_of_numbers(), separator=st.sampled_from(SEPARATORS), data=st.data())
def test_a_last_column_of_words_is_the_label(X, separator, data):
    names = data.draw(
        st.lists(st.sampled_from(["ant", "bee", "cat"]), min_size=len(X), max_size=len(X))
    )
    rows = [[*map(repr, map(float, row)), name] for row, name in zip(X, names, strict=True)]
    loaded = from_csv(written(rows, separator))
    assert np.array_equal(loaded.X, X)
    assert [loaded.class_names[j] for j in loaded.y] == names


def load(text):
    return from_csv(text.encode())


def test_partial_labels_are_the_given_ones():
    data = load("x,y,label\n1,2,a\n3,4,\n5,6,-1\n7,8,b\n9,9,-1.0\n0,0,nan\n")
    assert data.y.tolist() == [0, -1, -1, 1, -1, -1]
    assert data.labelled.tolist() == [0, 3]
    assert "Labelled points: 2 of 6; classes: 2." in data.note


def test_full_labels_are_the_truth_and_all_given():
    data = load("x,label\n1,a\n2,b\n")
    assert data.y.tolist() == [0, 1]
    assert data.labelled.tolist() == [0, 1]


def test_classes_are_in_natural_order_and_whole_numbers_are_one_class():
    data = load("a,b,y\n1,2,10\n3,4,9\n1,1,9.0\n")
    assert data.class_names == ("9", "10")
    assert data.y.tolist() == [1, 0, 0]


def test_x_and_y_are_coordinates():
    data = load("x,y\n1,2\n3,4\n")
    assert data.X.tolist() == [[1, 2], [3, 4]]
    assert "coordinates" in data.note


def test_numbered_columns_with_a_label_have_a_header():
    assert load("0,1,target\n1.5,2,a\n3,4,a\n").X.tolist() == [[1.5, 2], [3, 4]]


def test_an_index_column_is_left_out_and_said_so():
    data = load(",u,v\n0,1,2\n1,3,4\n")
    assert data.X.tolist() == [[1, 2], [3, 4]]
    assert "numbers the rows" in data.note
    assert load(",u,v\n0,1,2\n5,3,4\n").X.shape == (2, 3)


def test_decimal_commas_are_read_where_the_comma_does_not_separate():
    data = load("u;v\n1,5;2\n3;-0,25\n")
    assert data.X.tolist() == [[1.5, 2], [3, -0.25]]
    assert "Decimal commas" in data.note


def test_blank_rows_and_trailing_separators_do_not_matter():
    assert load("\n1,2,\n\n3,4,\n,,\n").X.tolist() == [[1, 2], [3, 4]]


def test_quoted_cells_may_hold_the_separator():
    data = load('u,label\n1,"a, b"\n2,"c"\n')
    assert data.class_names == ("a, b", "c")


def test_many_features_are_shown_by_pca_and_said_so():
    data = load("1,2,3\n4,5,7\n0,1,1\n")
    assert data.points.shape == (3, 2)
    assert "PCA" in data.note


def test_paths_files_and_names(tmp_path):
    file = tmp_path / "cells.csv"
    file.write_text("1,2\n3,4\n")
    assert from_csv(file).name == from_csv(str(file)).name == "cells"
    with file.open("rb") as binary, file.open() as text:
        assert np.array_equal(from_csv(binary).X, from_csv(text).X)
    assert from_csv(b"1,2\n3,4").name == "CSV"
    assert from_csv(b"1,2\n3,4", name="mine").name == "mine"


# ---- CSV files with faults


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n \n,,\n", "the file is empty"),
        ("u,v\n", r"too few rows of data \(0\)"),
        ("1,2\n", r"too few rows of data \(1\)"),
        ("1,2\n3\n", r"row 2 has another number of columns \(1\) than row 1 \(2\).*'3'"),
        ("u,v\n1,2\n\n3,4,5\n", r"row 4 has another number of columns \(3\)"),
        ("u,v\n1,2\n3,oops\n4,5\n", r"row 3, column 2 \('v'\): 'oops' is not a number"),
        ("1,2\noops,4\n", "row 2, column 1: 'oops' is not a number"),
        ("1,2\n3,\n", "row 2, column 2: the cell is empty; fill it in"),
        ("1,2\n3,inf\n", "row 2, column 2: 'inf' is not a finite number"),
        ("1,2\n3,1e999\n", "row 2, column 2: '1e999' is not a finite number"),
        ("1,2\n3,1_0\n4,5\n", "row 2, column 2: '1_0' is not a number"),
        ("1 2\n3 4\n", "no column of numbers, only labels such as '1 2'.*semicolon"),
        ("label\na\nb\n", "no column of numbers, only labels such as 'a'"),
        (
            "city,n\nBern,1\nRome,2\n",
            r"row 2, column 1 \('city'\): 'Bern' .* like most .*remove the column",
        ),
        (
            "u,v\n1,2\n3,NA\n4,5\n",
            "'NA' is not a number; write one such as 1200.5 or delete the row",
        ),
        ("class,label,u\na,b,1\nc,d,2\n", r"columns 1 \('class'\) and 2 \('label'\)"),
        ('1,2\n"3,4\n5,6\n', "row 2 cannot be read.*quotation mark"),
        ("1," + "9" * 200 + "x\n2,3\n4,5\n", "…' is not a number"),
    ],
)
def test_faults_are_named_with_their_place(text, message):
    with pytest.raises(DataError, match=message):
        load(text)


@given(X=tables_of_numbers(least_columns=2), data=st.data())
def test_a_wrong_cell_is_found_wherever_it_is(X, data):
    rows = [[f"f{j}" for j in range(X.shape[1])], *[[repr(float(v)) for v in row] for row in X]]
    # Even half of the last column in words does not make it labels.
    i = data.draw(st.integers(1, len(X)))
    j = data.draw(st.integers(0, X.shape[1] - 1))
    rows[i][j] = "wrong"
    with pytest.raises(DataError) as error:
        from_csv(written(rows))
    assert f"row {i + 1}, column {j + 1} ('f{j}'): 'wrong' is not a number" in str(error.value)


@given(X=tables_of_numbers(least_columns=2), data=st.data())
def test_a_ragged_row_is_found_wherever_it_is(X, data):
    rows = [[repr(float(v)) for v in row] for row in X]
    i = data.draw(st.integers(1, len(X) - 1))
    rows[i] = rows[i][:-1] if data.draw(st.booleans()) else [*rows[i], "1"]
    with pytest.raises(DataError, match=rf"row {i + 1} has another number of columns"):
        from_csv(written(rows))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("u,v\n1,2\n3,é\n".encode("latin-1"), "row 3, column 2: the byte 0xe9 is not UTF-8"),
        ("u,v\n1,2\n".encode("utf-16"), "UTF-16"),
        (b"PK\x03\x04\x14\x00", "Excel workbook"),
        (b"1,2\n3,\x00\n", "row 2, column 2: a NUL byte"),
        (b"\x88\x00", "row 1, column 1: the byte 0x88"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "the file is a picture, not CSV"),
        (b"\xef\xbb\xbf <HTML><body>404", "the file is a web page, not CSV; save"),
        (b'{"x": [1, 2]}', "JSON"),
    ],
)
def test_binary_and_mis_encoded_files_are_recognised(content, message):
    with pytest.raises(DataError, match=message):
        from_csv(content)


def test_a_path_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"cannot read '.*missing.csv'.*check the path"):
        from_csv(tmp_path / "missing.csv")
    with pytest.raises(DataError, match="cannot read"):
        from_csv("nul\x00.csv")


# ---- limits


def test_limits_are_kept(monkeypatch):
    monkeypatch.setattr(csvfile, "MAX_CSV_BYTES", 100)
    with pytest.raises(DataError, match="more than 100 bytes"):
        from_csv(b"1,2\n" * 30)
    with pytest.raises(DataError, match="more than 100 bytes"):
        from_csv(io.BytesIO(b"1,2\n" * 30))
    assert from_csv(b"1,2\n" * 25).n == 25


@pytest.mark.parametrize("header", ["", "u,v\n"])
def test_the_limit_on_rows_does_not_count_the_header(monkeypatch, header):
    monkeypatch.setattr(csvfile, "MAX_CSV_ROWS", 10)
    monkeypatch.setattr(tables, "MAX_CSV_ROWS", 10)
    assert load(header + "1,2\n" * 10).n == 10
    with pytest.raises(DataError, match="more than 10 rows"):
        load(header + "1,2\n" * 11)
    with pytest.raises(DataError, match="more than 10 rows"):
        load(header + "1,2\n" * 5000)


def test_the_limit_on_columns():
    wide = ",".join(["1"] * datasets.MAX_CSV_COLUMNS)
    assert load(f"{wide}\n{wide}\n").X.shape == (2, datasets.MAX_CSV_COLUMNS)
    with pytest.raises(DataError, match=r"row 1 has 2,001 columns"):
        load(f"{wide},1\n{wide},1\n")


def test_the_limit_on_classes():
    rows = [f"{i},w{i}" for i in range(datasets.MAX_CSV_CLASSES + 1)]
    assert load("\n".join(rows[:-1])).n_classes == datasets.MAX_CSV_CLASSES
    with pytest.raises(DataError, match=r"101 different labels.*rename or remove"):
        load("\n".join(rows))


def test_a_huge_cell_is_refused():
    with pytest.raises(DataError, match="row 2"):
        load("1,2\n" + "3" * 200_000 + ",4\n")
