"""What is known of words' classes before anything is learned: a dictionary restricts, a tagged word is decided."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.machine.memory import check_room
from softcount.numbers.ragged import Array
from softcount.text.corpus import Corpus
from softcount.text.dictionary import TagDictionary
from softcount.text.source import quoted


class KnownClasses(NamedTuple):
    names: tuple[str, ...]  # those that are known, then numbers
    n_named: int
    allowed: Array | None  # bool [V, K]; None where every word may be in every class


def known_classes(
    dictionary: TagDictionary | None, data: Corpus, words: Array, n_classes: int | None, usual: int
) -> KnownClasses:
    """`words` are those that the tokens of `data` stand for, in its numbers."""
    named = tuple(dict.fromkeys((*(dictionary.tagset if dictionary else ()), *data.tagset)))
    n = n_classes or len(named) or usual
    if n < len(named):
        raise InputError(f"{n} classes, but {len(named)} are named; omit the number")
    V = len(data.vocabulary)
    check_room(8.0 * (V * 300 + n * (4 * V + 6 * n)), f"{n:,} classes", "use fewer")
    names = named + tuple(str(k) for k in range(len(named), n))
    if not named:
        return KnownClasses(names, 0, None)
    allowed = np.ones((V, n), dtype=bool)
    if dictionary:
        allowed &= dictionary.mask(data.vocabulary, names).T
    _decide(allowed, data, words, names)
    return KnownClasses(names, len(named), allowed)


def _decide(allowed: Array, data: Corpus, words: Array, names: tuple[str, ...]) -> None:
    """Leaves a word that has tags the commonest of them, among those that the dictionary allows."""
    if data.labels is None:
        return
    place = np.array([names.index(tag) for tag in data.tagset], dtype=np.int64)
    known = data.labels.values >= 0
    seen = np.zeros(allowed.shape, dtype=np.int64)
    np.add.at(seen, (words[known], place[data.labels.values[known]]), 1)
    tagged, possible = np.flatnonzero(seen.any(axis=1)), seen * allowed
    for v in tagged[~possible[tagged].any(axis=1)]:
        tag = quoted(names[int(seen[v].argmax())])
        word = quoted(data.vocabulary.words[v])
        raise InputError(
            f"{data.source}: {word} has the tag {tag}, which the dictionary does not allow; correct one of them"
        )
    allowed[tagged] = False
    allowed[tagged, possible[tagged].argmax(axis=1)] = True
