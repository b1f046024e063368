"""Text as columns of data frames, as generators, and with cells that are empty."""

import numpy as np
import pandas
import pyarrow as pa
import pytest

import softcount
from softcount import InputError
from softcount.estimators.counted_text import listed

TEXT = ["sea ship sea", "law court", "ship sea", "court law law"]
COLUMNS = [pandas.Series, np.array, pa.array, lambda rows: pa.chunked_array([rows[:1], rows[1:]]), iter, tuple]


def polars_column(rows):
    return pytest.importorskip("polars").Series(rows)


@pytest.mark.parametrize("column", [*COLUMNS, polars_column])
def test_columns_are_lists_of_lines(column):
    assert softcount.corpus(column(TEXT)).digest() == softcount.corpus(TEXT).digest()
    found = listed(column(TEXT))
    assert list(found) == TEXT
    wanted = softcount.KMeans(2, random_state=0).fit_predict(TEXT)
    assert softcount.KMeans(2, random_state=0).fit_predict(column(TEXT)).tolist() == wanted.tolist()


@pytest.mark.parametrize("column", [pandas.Series, pa.array, list])
def test_an_empty_cell_is_named_by_its_row(column):
    rows = column(["a b", None, "c"])
    with pytest.raises(InputError, match="row 2: None instead of a text; fill it with '' or remove the row"):
        softcount.corpus(rows)
    with pytest.raises(InputError, match="row 2: None instead of a text"):
        softcount.PLSA(2).fit(rows)


def test_numbers_stay_numbers():
    table = np.array([1.0, 2.0])
    assert listed(table) is table and listed([[1.0]]) == [[1.0]]
