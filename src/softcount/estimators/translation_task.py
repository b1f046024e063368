"""A sentence of x as a search for its translation wants it: which words of y may be written, and what they cost.

A word of x is offered the words of y with the largest t(x | y) · P(y)^w, P(y) that of the word alone. One that the
aligner does not know is copied. Entries of a lexicon come first: *must* has no alternative, *prefer* is as good as the
best of the others, *never* is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from softcount.estimators.beam import How, Task
from softcount.estimators.channel import Channel
from softcount.language.query import Lookup
from softcount.numbers.ragged import Array

UNKNOWN = float(np.log(1e-7))  # log t of a word with its copy, and of words that a lexicon alone knows


class Override(NamedTuple):
    """What a lexicon says of a word of x."""

    text: str
    place: int  # among the words of y; −1 where the aligner does not have it
    kind: str  # must, prefer, never


class Asked(NamedTuple):
    """All that sentences need to be translated."""

    channel: Channel
    lm: Lookup
    names: Array  # int64 [words of y]: as the language model numbers them
    how: How
    n_options: int
    inserts: Array  # int32: words of y that may be written though they cover nothing
    lexicon: Mapping[str, Sequence[Override]]  # of words of x
    numbers: Mapping[str, int]  # of the language model's words


class Offer(NamedTuple):
    """What one word of x may become."""

    own: Array  # words of y
    log_rates: Array
    others: dict[str, float]  # words that the aligner does not have, and their log t
    row: slice  # of the channel's entries, where what the aligner says counts
    null: float


def task(asked: Asked, words: Sequence[str], ids: Array) -> tuple[Task, list[str]]:
    """The task and, as text, the words of y that it has; `ids` are those of x, −1 unknown."""
    offers = [_offer(asked, word, x) for word, x in zip(words, ids.tolist(), strict=True)]
    known = np.unique(np.concatenate([asked.inserts, *(offer.own for offer in offers)]).astype(np.int64))
    texts = sorted({text for offer in offers for text in offer.others})
    at = {text: len(known) + k for k, text in enumerate(texts)}
    numbers = np.concatenate([asked.names[known], [asked.numbers.get(text, 0) for text in texts]]).astype(np.int64)
    rates = np.full((len(numbers), len(words)), -np.inf)
    ahead, options = np.empty(len(words)), []
    for j, (word, offer) in enumerate(zip(words, offers, strict=True)):
        mine = np.array([*np.searchsorted(known, offer.own), *(at[text] for text in offer.others)], np.int64)
        _spread(asked.channel, known, offer.row, rates[:, j])
        banned = [entry.place for entry in asked.lexicon.get(word, ())]  # what is offered of them is written below
        rates[: len(known)][np.isin(known, banned), j] = -np.inf
        rates[mine, j] = [*offer.log_rates, *offer.others.values()]
        worth = rates[mine, j] + asked.how.lm_weight * asked.lm.log_p[numbers[mine]] + asked.how.word_bonus
        ahead[j] = max(worth.max(initial=-np.inf), offer.null)
        options.append(mine)
    kinds = np.concatenate([asked.channel.kinds[known], np.zeros(len(texts), np.int32)]).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(mine) for mine in options])]).astype(np.int64)
    null, inserts = np.array([offer.null for offer in offers]), np.searchsorted(known, asked.inserts).astype(np.int64)
    made = Task(offsets, np.concatenate(options), numbers, kinds, rates, null, inserts, ahead)
    return made, [*(asked.channel.vocabularies[1].words[y] for y in known.tolist()), *texts]


def _spread(channel: Channel, known: Array, row: slice, rates: Array) -> None:
    """Of all words of the task, offered or not: one that is written for another word may cover this one as well."""
    words = channel.rows.values[row]
    place = np.minimum(np.searchsorted(known, words), len(known) - 1)
    here = known[place] == words if len(known) else np.zeros(0, bool)
    rates[place[here]] = channel.log_rates[row][here]


def _offer(asked: Asked, word: str, x: int) -> Offer:
    said = asked.lexicon.get(word, ())
    must = any(entry.kind == "must" for entry in said)
    own, rates, row, null = np.empty(0, np.int64), np.empty(0), slice(0, 0), -np.inf
    if x >= 0 and not must:
        row = slice(*asked.channel.rows.offsets[x : x + 2].tolist())
        own, rates = _likeliest(asked, row, [entry.place for entry in said])
        null = float(asked.channel.null[x])
    best, others = float(rates.max(initial=UNKNOWN)), {}
    for entry in said:
        log_rate = 0.0 if entry.kind == "must" else best
        if entry.kind != "never" and entry.place >= 0:
            own, rates = np.append(own, entry.place), np.append(rates, log_rate)
        elif entry.kind != "never":
            others[entry.text] = log_rate
    if not len(own) and not others:
        others[word] = UNKNOWN
    return Offer(own, rates, others, row, null)


def _likeliest(asked: Asked, row: slice, but: Sequence[int]) -> tuple[Array, Array]:
    own, rates = asked.channel.rows.values[row].astype(np.int64), asked.channel.log_rates[row]
    worth = rates + asked.how.lm_weight * asked.lm.log_p[asked.names[own]]
    if len(but):
        worth[np.isin(own, but)] = -np.inf
    best = np.argsort(-worth, kind="stable")[: asked.n_options]
    best = best[worth[best] > -np.inf]
    return own[best], rates[best]
