"""Corpus: from lists and lines, re-encoded, cut, and digested; every bad input read for its message."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcount.errors import InputError
from softcount.text.corpus import Corpus, corpus
from softcount.text.vocabulary import Vocabulary

words = st.sampled_from(["a", "b", "c", "é", "x\u2028y", "<unk>"])
sentences = st.lists(st.lists(words, max_size=5), max_size=8)


def words_of(c: Corpus) -> list[list[str]]:
    return [c.tokens(i) for i in range(len(c))]


@given(sentences)
def test_lists_and_lines_are_the_same_corpus(rows: list[list[str]]) -> None:
    lists, lines = corpus(rows), corpus([" ".join(row) + "\n" for row in rows])
    assert words_of(lists) == words_of(lines) == rows
    assert lists.sentences.values.dtype == np.int32 and lists.sentences.offsets.dtype == np.int64
    assert lists.digest() == lines.digest()
    assert lists.sizes.tolist() == [len(row) for row in rows] and lists.n_tokens == sum(map(len, rows))


@given(sentences, st.data())
def test_slice_and_take(rows: list[list[str]], data: st.DataObject) -> None:
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(rows))] * 2)))
    c = corpus(rows, labels=rows, tagset=["é", "c", "b", "a", "x\u2028y", "<unk>"])
    assert words_of(c.slice(start, stop)) == rows[start:stop]
    some = list(range(len(rows)))[::-2]
    taken = c.take(np.array(some, dtype=np.int64))
    assert words_of(taken) == [taken.tags(i) for i in range(len(taken))] == [rows[i] for i in some]


@given(sentences, st.permutations(["a", "b", "c", "é", "x\u2028y", "<unk>", "z"]))
def test_digest_does_not_depend_on_ids(rows: list[list[str]], order: list[str]) -> None:
    c = corpus(rows, labels=rows)
    other = corpus(c, vocabulary=Vocabulary(order), tagset=order[::-1])
    assert other.digest() == c.digest()
    assert words_of(other) == rows and other.vocabulary.words == order and other.tagset == tuple(order[::-1])
    assert [other.tags(i) for i in range(len(other))] == rows


def test_digest_sees_words_boundaries_and_tags() -> None:
    made = [
        corpus([["ab", "c"]]),
        corpus([["a", "bc"]]),
        corpus([["ab"], ["c"]]),
        corpus([["ab"], [], ["c"]]),
        corpus([["ab", "c"]], labels=[["X", "Y"]]),
        corpus([["ab", "c"]], labels=[["Y", "X"]]),
        corpus([["ab", "c"]], labels=[["X", None]]),
        corpus([["ab", "c"]], labels=[[None, None]]),
        corpus([]),
        corpus([[]]),
    ]
    assert len({c.digest() for c in made}) == len(made)


def test_new_text_with_an_old_vocabulary() -> None:
    old = corpus(["a a b b c"], min_count=2)
    assert old.tokens(0) == ["a", "a", "b", "b", "<unk>"]
    assert corpus(["q a"], vocabulary=old.vocabulary).tokens(0) == ["<unk>", "a"]
    new = corpus(["q a"], vocabulary=Vocabulary(["a"]))
    assert new.sentences.values.tolist() == [-1, 0]
    assert new.tokens(0) == ["<unk>", "a"]


def test_a_corpus_is_returned_or_re_encoded() -> None:
    c = corpus(["a b a", "c"])
    assert corpus(c) is c
    assert corpus(c, vocabulary=Vocabulary(["a", "b", "c"])) is c
    assert corpus(c, vocabulary=Vocabulary(["c", "a"])).sentences.values.tolist() == [1, -1, 1, 0]
    pruned = corpus(c, min_count=2)
    assert words_of(pruned) == [["a", "<unk>", "a"], ["<unk>"]]
    assert corpus(pruned, min_count=2).vocabulary.unknown == "<unk>"
    labelled = corpus(c, labels=["X Y X", "_"])
    assert labelled.tags(1) == [None] and corpus(labelled).tags(0) == ["X", "Y", "X"]
    assert corpus(labelled, vocabulary=Vocabulary(["b"])).tags(0) == ["X", "Y", "X"]


def test_labels() -> None:
    c = corpus([["a", "b"], [], ["c"]], labels=[["V", None], [], ["_"]])
    assert c.tagset == ("V",) and c.labels is not None
    assert c.labels.values.tolist() == [0, -1, -1] and c.labels.values.dtype == np.int32
    assert c.labels.offsets.tolist() == c.sentences.offsets.tolist()
    assert [c.tags(i) for i in range(3)] == [["V", None], [], [None]]
    assert corpus(["a b"], labels=["N V"], tagset=["V", "N"]).tags(0) == ["N", "V"]
    assert corpus(["a b"]).tags(0) == [None, None] and corpus(["a b"]).tagset == ()


def test_what_counts_as_data() -> None:
    rows = [["a", "b"], [], ["c"]]
    assert words_of(corpus(tuple(row) for row in rows)) == rows
    assert words_of(corpus([np.array(row, dtype="U1") for row in rows])) == rows
    assert words_of(corpus(line for line in ["a b", "", "c"])) == rows
    assert words_of(corpus(["a\nb\r\n", "\n", "c"])) == rows
    assert len(corpus([])) == 0 and len(corpus(["", ""])) == 2


def test_pickle_and_repr() -> None:
    c = corpus(["a b", "c"], labels=["X Y", "X"])
    assert pickle.loads(pickle.dumps(c)).digest() == c.digest()
    assert repr(c) == "Corpus(2 sentences, 3 tokens, 3 words, 2 tags, source='<memory>')"


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            lambda: corpus("a b"),
            "X is a single str instead of a list of tokens; pass a list of lines, [text] for one line",
        ),
        (lambda: corpus(b"a b"), "X is a single bytes instead of a list of tokens"),
        (lambda: corpus(3), "tokens have type int; pass a list of lines or of token lists"),
        (lambda: corpus(None), "tokens have type NoneType; pass a list"),
        (lambda: corpus(["a", ["b"]]), "sentence 2: lines and token lists are mixed; pass one or the other"),
        (lambda: corpus([["b"], ["c"], "a"]), "sentence 3: lines and token lists are mixed"),
        (lambda: corpus([["a"], ["b", 3]]), "sentence 2: token '3' has type int; pass str"),
        (lambda: corpus([["a"], [], [None]]), "sentence 3: token 'None' has type NoneType; pass str"),
        (lambda: corpus([["a"], [b"b"]]), "sentence 2: token \"b'b'\" has type bytes; pass str"),
        (lambda: corpus(np.zeros((2, 2))), "sentence 1: token '0.0' has type float64; pass str"),
        (lambda: corpus([["a"], 5]), "sentence 2: has type int; pass a line or a list of tokens"),
        (lambda: corpus([["a"], b"b"]), "sentence 2: has type bytes; pass a line or a list of tokens"),
        (lambda: corpus(["a", "\ud800"]), "sentence 2: half of a surrogate pair"),
        (lambda: corpus([["a"], [], ["b", "\ud800"]]), "sentence 3: half of a surrogate pair"),
        (lambda: corpus(["a b"], labels=["X"]), "sentence 1: 2 tokens but 1 tags; pass one tag for each token"),
        (lambda: corpus(["a", "b"], labels=["X"]), "labels for 1 sentences, but there are 2; pass one list of tags"),
        (lambda: corpus(["a", "b c"], labels=[["X"], ["X", 1]]), "sentence 2: tag '1' has type int; pass str"),
        (
            lambda: corpus(["a", "b"], labels=[["X"], None]),
            "sentence 2: has type NoneType; pass a line or a list of tags",
        ),
        (lambda: corpus(["a"], labels="X"), "X is a single str instead of a list of tags"),
        (
            lambda: corpus(["a", "b"], labels=["X", "Y"], tagset=["X"]),
            "sentence 2: tag 'Y' is not in the tagset; correct",
        ),
        (
            lambda: corpus(["a"], labels=["X"], tagset=["X", "X"]),
            "tagset ('X', 'X'): a name is empty, \"_\" or repeated",
        ),
    ],
)
def test_bad_data(make: Callable[[], Any], expected: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value).startswith(expected) and "\n" not in str(error.value)
