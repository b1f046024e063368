"""Words ↔ ids, against collections.Counter."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcount.errors import InputError
from softcount.text.vocabulary import Vocabulary

tokens = st.lists(st.sampled_from(["a", "b", "c", "d", "é", "<unk>", ""]), max_size=30)


@given(tokens, st.integers(0, 4))
def test_build_agrees_with_counter(words: list[str], min_count: int) -> None:
    counts = Counter(words)
    pruned = any(n < min_count for n in counts.values())
    seen = ["<unk>" if counts[w] < min_count else w for w in words]
    vocabulary, ids = Vocabulary.build(words, min_count)
    assert vocabulary.words == [w for w, _ in Counter(seen).most_common()]  # ties: first appearance
    assert vocabulary.unknown == ("<unk>" if pruned else None)
    assert ids.dtype == np.int32
    assert vocabulary.decode(ids) == vocabulary.strings(ids).to_pylist() == seen
    assert vocabulary.encode(words).tolist() == ids.tolist()


def test_frequent_words_first_and_ties_by_first_appearance() -> None:
    vocabulary, ids = Vocabulary.build(list("zyxywx"))
    assert vocabulary.words == ["y", "x", "z", "w"]
    assert ids.tolist() == [2, 0, 1, 0, 3, 1]


def test_words_not_listed() -> None:
    assert Vocabulary(["a", "b"]).encode(["b", "q"]).tolist() == [1, -1]
    assert Vocabulary(["a", "?"], "?").encode(["q", "a"]).tolist() == [1, 0]
    assert Vocabulary(["a", "?"], "?").find(["q", "a"]).tolist() == [-1, 0]
    assert Vocabulary(["a", "b"]).decode([0, -1]) == ["a", "<unk>"]
    assert Vocabulary(["a", "?"], "?").strings(np.array([-1, 0])).to_pylist() == ["?", "a"]
    assert Vocabulary([]).encode(["a"]).tolist() == [-1]


def test_any_string_array_is_encoded() -> None:
    vocabulary = Vocabulary(["a", "b"])
    strings = pa.array(["b"])
    for array in (strings, strings.cast(pa.large_string()), pa.chunked_array([strings]), ["b"], np.array(["b"])):
        assert vocabulary.encode(array).tolist() == [1]
    assert vocabulary.encode([]).dtype == np.int32


def test_own_unknown_word() -> None:
    vocabulary, ids = Vocabulary.build(list("aabc"), 2, unknown="RARE")
    assert (vocabulary.words, vocabulary.unknown, ids.tolist()) == (["a", "RARE"], "RARE", [0, 0, 1, 1])


def test_container() -> None:
    vocabulary = Vocabulary(["a", "b"])
    assert len(vocabulary) == 2 and "a" in vocabulary and "c" not in vocabulary
    assert vocabulary == Vocabulary(["a", "b"]) != Vocabulary(["b", "a"])
    assert hash(vocabulary) == hash(Vocabulary(["a", "b"]))
    assert pickle.loads(pickle.dumps(vocabulary)) == vocabulary
    assert repr(vocabulary) == "Vocabulary(2 words, unknown=None)"


def test_bad_vocabularies() -> None:
    with pytest.raises(InputError, match="listed twice; list every word once"):
        Vocabulary(["a", "a"])
    with pytest.raises(InputError, match="'<unk>' is not among the words; add it"):
        Vocabulary(["a"], "<unk>")
