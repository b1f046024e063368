"""Sentences with what is known of their trees: brackets, with labels or without, of some sentences or of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.corpus import Corpus
from softcount.text.trees import Tree, parse_tree

ANY, NO_OTHERS = -1, -2  # in place of a symbol: any symbol; (0, 0, NO_OTHERS): the tree has no other brackets


@dataclass(frozen=True, eq=False)
class Bracketed:
    sentences: Ragged  # int32 word ids; −1: a word that the grammar does not have
    brackets: Ragged | None = None  # int32 [brackets, 3]: start, end, symbol
    potentials: Ragged | None = None  # [cells, symbols]: log-weights of spans

    def __len__(self) -> int:
        return self.sentences.n_rows

    @property
    def sizes(self) -> Array:
        return self.sentences.lengths

    def slice(self, start: int, stop: int) -> Bracketed:
        return Bracketed(*(part and part.slice(start, stop) for part in self._parts))

    def take(self, rows: Array) -> Bracketed:
        return Bracketed(*(part and part.take(rows) for part in self._parts))

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self.sentences, self.brackets, self.potentials


def known_brackets(known: Sequence[Any], text: Corpus, symbols: Sequence[str]) -> Ragged:
    """Of every sentence a Tree, its line, brackets (start, end) or (start, end, label), or None.

    A tree whose labels are all symbols of the grammar is the whole truth; of another its brackets are.
    """
    if len(known) != len(text):
        raise InputError(f"trees for {len(known)} sentences, but there are {len(text)}; give None for an unknown tree")
    place = {name: s for s, name in enumerate(symbols)}
    rows = [_row(one, text, i, place) for i, one in enumerate(known)]
    return Ragged(offsets_of([len(row) for row in rows]), np.concatenate(rows).astype(np.int32))


def _row(one: Any, text: Corpus, i: int, place: dict[str, int]) -> Array:
    where, n = f"{text.source}:{i + 1}", len(text.sentences.row(i))
    if isinstance(one, str):
        one = parse_tree(one, where) if one.strip() else None
    if one is None:
        return np.empty((0, 3), np.int32)
    if not isinstance(one, Tree):
        return _spans(one, where, n, place)
    if one.words() != text.tokens(i):
        raise InputError(f"{where}: the words of the tree and the sentence differ; give the tree of this sentence")
    spans = one.spans()
    if all(label in place for _, _, label in spans):
        return np.array([*((a, b, place[label]) for a, b, label in spans), (0, 0, NO_OTHERS)], np.int32)
    return np.array([(a, b, ANY) for a, b, _ in spans], np.int32)


def _spans(brackets: Any, where: str, n: int, place: dict[str, int]) -> Array:
    found = []
    for bracket in brackets:
        if len(bracket) not in (2, 3) or not 0 <= bracket[0] < bracket[1] <= n:
            raise InputError(
                f"{where}: invalid bracket {bracket!r} in a sentence of {n} words; give (start, end), counted from 0"
            )
        label = bracket[2] if len(bracket) == 3 else None
        if label is not None and label not in place:
            raise InputError(
                f"{where}: symbol {label!r} is not in the grammar; give (start, end) if the label is unknown"
            )
        found.append((bracket[0], bracket[1], ANY if label is None else place[label]))
    return np.array(found, np.int32).reshape(-1, 3)
