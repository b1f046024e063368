"""Where a tagger starts: with the classes of words, and with what is known of some of them.

Where states have no names, they are the classes (`states_of_classes`). Where all have names, the words whose tags are
told, by tagged sentences or by a dictionary, lend them to the other words of their class, ending and shape (`lent`):

    q₀ = share of each tag among the told words       q_i(t | w) = (C_i(t, g_i(w)) + b_i q_{i−1}(t | w)) / (C_i + b_i)

C_i: told words of tag t in the group g_i of the word: its shape; shape and last one, two, three letters; its class.
From the shares q of every word follow the tables: expected counts, as if the tags of neighbours were independent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from softcount.estimators.word_classes import USUAL, WordClasses
from softcount.machine import stage
from softcount.models.hmm import HMMTables
from softcount.numbers.ragged import Array, Ragged
from softcount.text.capitals import first_tokens
from softcount.text.corpus import Corpus
from softcount.text.dictionary import TagDictionary
from softcount.text.word_form import SHAPE, SUFFIX, WordForms, word_forms

LEAN = 0.01  # of its count a word spreads over the classes of the words that look like it
SMOOTHING = 0.1  # added to every row of the tables, so that all remains possible, and states without words differ
FORM, CLASS = 1.0, 2.0  # told words that the wider group counts as


def class_start(
    data: Corpus, states: tuple[str, ...], n_named: int, dictionary: TagDictionary | None, spread: HMMTables,
    chance: int | None = None,
) -> HMMTables:  # fmt: skip
    """Tables of a hidden Markov model for this text, whose labels are numbered as the states are; smoothed as `spread`,
    whose rows sum to one. With `chance`, a seed, the classes are other ones that are drawn."""
    told = _told(data, states, dictionary) if n_named == len(states) else np.zeros(0)
    words = data.vocabulary.words
    if told.any():
        model = _classes(USUAL, None, chance).fit(_unlabelled(data))
        forms = word_forms(words, model.forms_.backwards)
        shares = lent(told, forms, model.class_of(words)) + _own(data, len(states))
    else:
        shares = states_of_classes(data, states[:n_named], len(states), dictionary, chance)
    total = shares.sum(axis=1, keepdims=True)  # of words that do not occur, nothing
    return expected_tables(data, np.where(total > 0.0, shares, 1.0) / np.where(total > 0.0, total, len(states)), spread)


def states_of_classes(
    data: Corpus, named: tuple[str, ...], n_states: int, dictionary: TagDictionary | None, chance: int | None
) -> Array:
    """[V, K]: how often each word has which class, and a little of the classes of those that look like it."""
    given = replace(data, labels=data.labels if named else None, tagset=named)  # no tag without a name is ever known
    model = _classes(n_states, dictionary, chance).fit(given)
    counts = np.zeros((len(data.vocabulary), n_states))
    np.add.at(counts, (data.sentences.values, model.token_classes(given)), 1.0)
    groups = word_forms(data.vocabulary.words, model.forms_.backwards).groups()
    alike = _summed(counts, groups)[groups]
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(counts + LEAN * total * alike / np.maximum(alike.sum(axis=1, keepdims=True), 1.0))


def _classes(n: int, dictionary: TagDictionary | None, chance: int | None) -> WordClasses:
    start = "ward" if chance is None else "k-means++"
    return WordClasses(n, dictionary=dictionary, start=start, random_state=chance or 0)


def lent(told: Array, forms: WordForms, classes: Array) -> Array:
    """[V, K]: the shares of tags of every word, by the words that are told and are like it."""
    weight = told.sum(axis=1, keepdims=True)
    tags = told / np.maximum(weight, 1e-300)
    shares = np.log1p(told).sum(axis=0) + SMOOTHING
    shares = np.tile(shares / shares.sum(), (len(told), 1))
    for letters in (None, 0, 1, SUFFIX):
        shares = _narrowed(shares, tags, _group(forms, letters), FORM)
    return _narrowed(shares, np.sqrt(weight) * tags, classes, CLASS)


def _narrowed(shares: Array, tags: Array, groups: Array, wider: float) -> Array:
    """One line of the recursion."""
    counts = _summed(tags, groups)[groups]
    return np.asarray((counts + wider * shares) / (counts.sum(axis=1, keepdims=True) + wider))


def _summed(rows: Array, groups: Array) -> Array:
    members = sparse.csr_matrix((np.ones(len(groups)), (groups, np.arange(len(groups)))))
    return np.asarray(members @ rows)


def _group(forms: WordForms, letters: int | None) -> Array:
    """Words of the same shape and, of the features, the same last letters."""
    shape = forms.values[:, SHAPE].astype(np.int64)
    return shape if letters is None else shape * len(forms.names[letters]) + forms.values[:, letters]


def _own(data: Corpus, n_states: int) -> Array:
    """[V, K]: how often each word has which known tag."""
    counts = np.zeros((len(data.vocabulary), n_states))
    if data.labels is not None:
        known = data.labels.values >= 0
        np.add.at(counts, (data.sentences.values[known], data.labels.values[known]), 1.0)
    return counts


def _told(data: Corpus, states: tuple[str, ...], dictionary: TagDictionary | None) -> Array:
    """[V, K]: known tags; a word that only the dictionary knows has its tags equally often."""
    told = _own(data, len(states))
    if dictionary:
        allowed = dictionary.mask(data.vocabulary, states).T
        listed = data.vocabulary.find(dictionary.words)
        listed = listed[(listed >= 0) & ~told[listed].any(axis=1)]
        tokens = np.bincount(data.sentences.values, minlength=len(told))[listed]
        told[listed] = allowed[listed] * (tokens / allowed[listed].sum(axis=1))[:, None]
    return told


def expected_tables(data: Corpus, shares: Array, spread: HMMTables) -> HMMTables:
    """Tables by expected counts, were every token's tag drawn by itself: as known, or by its word's shares."""
    V, K = shares.shape
    stage.begin("tables of the start")
    labels = np.full(data.n_tokens, -1) if data.labels is None else data.labels.values
    # tokens alike in word and known tag are one kind
    kinds, kind = np.unique(data.sentences.values * np.int64(K + 1) + labels + 1, return_inverse=True)
    words, tags = kinds // (K + 1), kinds % (K + 1) - 1
    q = np.where(tags[:, None] >= 0, np.eye(K)[tags], shares[words])
    tokens = np.bincount(kind, minlength=len(kinds))
    first = first_tokens(data.sentences)
    initial = np.bincount(kind[first], minlength=len(kinds)) @ q
    after = np.flatnonzero(~first)
    pairs: Any = sparse.coo_matrix((np.ones(len(after)), (kind[after - 1], kind[after])), shape=(len(kinds),) * 2)
    onward = q.T @ (pairs.tocsr() @ q)
    if spread.transition.shape[1] > K:  # the end of sentences, too
        onward = np.hstack([onward, (np.bincount(kind[_last(data.sentences)], minlength=len(kinds)) @ q)[:, None]])
    emission = np.asarray(sparse.csr_matrix((tokens, (words, np.arange(len(kinds)))), shape=(V, len(kinds))) @ q).T
    smoothed = (c + SMOOTHING * np.asarray(s) for c, s in zip((initial, onward, emission), spread, strict=True))
    return HMMTables(*(table / table.sum(axis=-1, keepdims=True) for table in smoothed))


def _last(sentences: Ragged) -> Array:
    return sentences.offsets[1:][sentences.lengths > 0] - 1


def _unlabelled(data: Corpus) -> Corpus:
    return replace(data, labels=None, tagset=())
