"""Features of words and of word pairs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from softcount.errors import InputError
from softcount.numbers.ragged import from_rows
from softcount.text.features import Features
from softcount.text.pair_features import DISTANCES, spelt_alike
from softcount.text.word_features import spelling, word_features

WORDS = ["Walking", "talking", "the", "The", "I", "1,000", "--", "ex-wife"]


def of(features: Features, i: int) -> set[str]:
    row = features.matrix[i]
    return {features.names[j] for j in row.indices.tolist()}


def test_a_word_is_what_it_is_and_how_it_is_written() -> None:
    assert set(spelling("Walking")) == {
        "ends=g", "ends=ng", "ends=ing", "begins=w", "begins=wa", "begins=wal", "shape=initial capital", "letters=7-9",
    }  # fmt: skip
    assert set(spelling("1,000")) == {"shape=digits", "letters=4-6"}
    assert set(spelling("ex-wife")) >= {"hyphen", "ends=ife", "begins=ex-", "shape=lower"}


def test_ready_made_features_have_all_identities_and_what_two_words_share() -> None:
    found = word_features(WORDS)
    assert found.matrix.shape == (len(WORDS), len(found.names))
    assert of(found, 0) >= {"word=Walking", "ends=ing", "shape=initial capital"}
    assert "begins=wal" not in found.names, "one word alone has it"
    identities = [j for j, name in enumerate(found.names) if name.startswith("word=")]
    assert (found.matrix[:, identities].toarray() == np.eye(len(WORDS))).all()


def test_features_may_be_a_function_a_matrix_a_file_or_several(tmp_path: Path) -> None:
    by_function = word_features(WORDS, lambda word: {"size": len(word)})
    assert by_function.names == ("size",) and by_function.matrix.toarray().ravel().tolist() == [7, 7, 3, 3, 1, 5, 2, 7]
    assert word_features(WORDS, sparse.identity(len(WORDS))).names[2] == "feature 2"
    file = tmp_path / "more.tsv"
    file.write_text("the\tarticle long=0.5\nI\tpronoun a=b\n")
    joined = word_features(WORDS, f"identity,{file}")
    assert of(joined, 2) == {"word=the", "article", "long"} and of(joined, 4) == {"word=I", "pronoun", "a=b"}
    assert joined.matrix[2, joined.names.index("long")] == 0.5
    again = word_features(WORDS, ["identity", lambda word: [f"word={word}"]])
    assert len(again.names) == len(WORDS), "a name that two parts have is one feature"


@pytest.mark.parametrize(
    ("content", "what"),
    [("the article\n", "features.tsv:1: the line is not word, tab"), ("a\tx\na\ty\n", ":2: the word 'a' occurs twice"),
     ("a\tx=1e9\n", ":1: 'x=1e9' has a value"), ("\n", "empty file"), ("zebra\tx\n", "none of the text's words")],
)  # fmt: skip
def test_a_file_that_cannot_be_meant_is_refused(tmp_path: Path, content: str, what: str) -> None:
    (tmp_path / "features.tsv").write_text(content)
    with pytest.raises(InputError, match=what):
        word_features(["a", "the"], str(tmp_path / "features.tsv"))


def test_matrices_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(InputError, match="3 rows for 2 words"):
        word_features(["a", "b"], np.eye(3))
    with pytest.raises(InputError, match="finite"):
        word_features(["a"], lambda word: {"x": float("nan")})


def levenshtein(one: str, two: str) -> int:
    @cache
    def d(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(d(i - 1, j) + 1, d(i, j - 1) + 1, d(i - 1, j - 1) + (one[i - 1] != two[j - 1]))

    return d(len(one), len(two))


word = st.text("abc1!", min_size=1, max_size=7)


@settings(max_examples=60, deadline=None)
@given(st.lists(word, min_size=1, max_size=3), st.lists(word, min_size=1, max_size=3))
def test_features_of_pairs_are_those_of_their_strings(source: list[str], target: list[str]) -> None:
    rows = from_rows([range(len(target))] * len(source), np.int32)
    found = spelt_alike(rows, source, target)
    for k in range(len(rows.values)):
        one, two, names = source[k // len(target)], target[k % len(target)], of(found, k)
        assert ("same" in names) == (one == two)
        letters = any(map(str.isalpha, one)) and any(map(str.isalpha, two))
        ratio = levenshtein(one, two) / max(len(one), len(two))
        near = next((f"distance={most:g}" for most in DISTANCES if ratio <= most), None)
        assert {n for n in names if n.startswith("distance")} == ({near} if near and ratio and letters else set())
        agree = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
        assert sum(n.startswith("begins") for n in names) == (min(agree, 4) if letters else 0)


def test_numbers_and_marks_are_told_apart() -> None:
    rows = from_rows([[0, 1, 2, 3]] * 2, np.int32)
    found = spelt_alike(rows, ["1998", "!"], ["1998", "1999", "!", "cat"])
    assert of(found, 0) == {"same", "same number"} and of(found, 1) >= {"other number"}
    assert of(found, 6) == {"same", "same mark"} and of(found, 7) == {"mark or not"}
