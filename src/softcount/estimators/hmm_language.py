"""A language model of tags as the fixed transitions of a hidden Markov model.

With bigrams these are its tables `initial` and `transition`, the end of the sentence included. With longer n-grams a
state would be a history of tags, the pair of the last two for trigrams; `models/ngram_channel.py` knows how to sum over
them without a table of pairs by pairs, and all that is left to learn are the emissions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softcount.disk.sound import check_rows
from softcount.errors import InputError
from softcount.estimators.language_model import LanguageModel
from softcount.language.histories import next_letters
from softcount.language.ngram import SPECIAL
from softcount.models.hmm import HMM as Model
from softcount.models.hmm import HMMTables
from softcount.models.ngram_channel import ChannelTables, NgramChannel
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.text.corpus import Corpus


def checked_language(lm: Any) -> LanguageModel:
    if not isinstance(lm, LanguageModel):
        raise InputError(f"transition has type {type(lm).__name__}; give a trained LanguageModel of tags")
    lm._check_fitted("orders_")
    return lm


def states_of(lm: LanguageModel) -> tuple[str, ...]:
    """All that it knows but starts, ends and what is unknown."""
    return tuple(lm.vocabulary_.words[len(SPECIAL) :])


def table_of(lm: LanguageModel, states: Sequence[str]) -> Array:
    """[Bⁿ⁻¹, B]: P(tag | history of tags) and of the end; what the unknown tag had, and what a sentence without words
    had, is shared by the others."""
    ids = lm.vocabulary_.encode(list(states))
    table = next_letters(lm.orders_, ids.tolist(), max(len(lm.orders_), 2))
    table[-1, -1] = 0.0
    table[-1] /= table[-1].sum()
    return table


def model_of(table: Array, n_words: int) -> Model | NgramChannel:
    B = table.shape[1]
    return Model(B - 1, n_words, True) if len(table) == B else NgramChannel(table, n_words)


def with_language(table: Array, tables: HMMTables) -> Tables:
    """The start with the language model's transitions in place of its own."""
    K = table.shape[1] - 1
    if len(table) > K + 1:
        return ChannelTables(tables.emission)
    return tables._replace(initial=table[K, :K], transition=table[:K])


def refuse_known(data: Corpus, model: Any) -> None:
    if isinstance(model, NgramChannel) and data.labels is not None and (data.labels.values >= 0).any():
        raise InputError(f"{data.source}: known tags need a language model of order 2; use one, or no tags")


def shown(table: Array) -> tuple[Array, Array, Array]:
    """(initial, transition [histories, K], end [histories])."""
    K = table.shape[1] - 1
    return table[-1, :K], table[:, :K], table[:, K]


def sound_language(table: Any, n_states: int) -> Array:
    """A file's table, in which every history of some length has a row."""
    B = n_states + 1
    size = len(table) if isinstance(table, np.ndarray) and table.ndim == 2 else 0
    check_rows("language", table, size, B)
    while size > 1 and size % B == 0:
        size //= B
    if size != 1 or len(table) < B:
        raise ValueError("a language model of other states")
    return np.ascontiguousarray(table)
