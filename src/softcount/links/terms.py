"""A bilingual glossary: words, and on request terms of several words, with the evidence of their links.

| column | of words | of terms |
|---|---|---|
| links | how often they are linked | how often they are a phrase pair (`phrases`) |
| share | of the source word's links | of the source term's phrase pairs |
| p_target, p_source | the model's t(target ∣ source), t(source ∣ target) | links / how often the term is in the text |

dispersion is Gries' DP over 20 parts of the text: 0 spread evenly, near 1 all in one place (S. Th. Gries, International
Journal of Corpus Linguistics 13(4), 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from softcount.links.glossary import glossary
from softcount.links.joining import Links
from softcount.links.phrases import phrase_pairs
from softcount.numbers.ragged import Array
from softcount.text.bitext import Bitext
from softcount.text.vocabulary import Vocabulary

PARTS = 20
LARGE = 1000  # words of a vocabulary: from there on its commonest are words that hold others together
COMMON = 50


Entry = tuple[str, str, float, float]  # source, target, t(target | source), t(source | target)


class Row(NamedTuple):
    source: str
    target: str
    links: int
    share: float
    p_target: float | None
    p_source: float | None
    dispersion: float | None = None


def words_of(links: Links, pairs: Bitext, least: int, lexicon: Callable[[], Iterable[Entry]]) -> list[Row]:
    """`lexicon` has the model's probabilities, by words."""
    found = {(e.source, e.target): e for e in glossary(links, pairs, least)}
    known = {(s, t): (p, q) for s, t, p, q in lexicon() if (s, t) in found}
    spread = _word_dispersion(links, pairs)
    rows = []
    for (source, target), entry in found.items():
        p, q = known.get((source, target), (None, None))
        rows.append(Row(source, target, entry.links, entry.forward, _known(p), _known(q), spread[source, target]))
    return rows


def terms_of(links: Links, pairs: Bitext, least: int) -> list[Row]:
    """Terms of letters, which neither begin nor end with one of the commonest words of a large vocabulary."""
    found = phrase_pairs(links, pairs)
    frequent = np.flatnonzero(found.counts >= least)
    vocabularies = pairs.source.vocabulary, pairs.target.vocabulary
    fit = [_fit_for_terms(vocabulary) for vocabulary in vocabularies]
    kept = [k for k in frequent.tolist() if _is_term(found.source[k], fit[0]) and _is_term(found.target[k], fit[1])]
    spread = _dispersion(found.which, found.spans.pair, len(pairs), len(found.counts))
    rows = []
    for k in kept:
        n = int(found.counts[k])
        source, target = (" ".join(v.decode(side[k])) for v, side in zip(vocabularies, found[:2], strict=True))
        rows.append(
            Row(source, target, n, n / int(found.source_count[k]), n / int(found.source_frequency[k]),
                n / int(found.target_frequency[k]), float(spread[k]))
        )  # fmt: skip
    return rows


def in_order(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (-row.links, row.source, row.target))


def _known(number: float | None) -> float | None:
    return None if number is None or number != number else number


def _fit_for_terms(vocabulary: Vocabulary) -> tuple[Array, Array]:
    """(which words may stand in a term, which at its edges); ids fall with frequency."""
    inside = np.array([any(map(str.isalnum, word)) for word in vocabulary.words], dtype=bool)
    edge = inside.copy()
    if len(vocabulary) >= LARGE:
        edge[:COMMON] = False
    return inside, edge


def _is_term(words: Sequence[int], fit: tuple[Array, Array]) -> bool:
    inside, edge = fit
    known = all(word >= 0 and inside[word] for word in words)
    return bool(known and edge[words[0]] and edge[words[-1]])


def _word_dispersion(links: Links, pairs: Bitext) -> dict[tuple[str, str], float]:
    where = np.repeat(np.arange(len(pairs)), np.diff(links.offsets))
    e = pairs.source.sentences.values[pairs.source.sentences.offsets[where] + links.source].astype(np.int64)
    f = pairs.target.sentences.values[pairs.target.sentences.offsets[where] + links.target].astype(np.int64)
    known = (e >= 0) & (f >= 0)
    width = max(len(pairs.target.vocabulary), 1)
    keys, which = np.unique((e * width + f)[known], return_inverse=True)
    spread = _dispersion(which, where[known], len(pairs), len(keys)).tolist()
    names = pairs.source.vocabulary.words, pairs.target.vocabulary.words
    return {(names[0][k // width], names[1][k % width]): dp for k, dp in zip(keys.tolist(), spread, strict=True)}


def _dispersion(which: Array, where: Array, n_pairs: int, n: int) -> Array:
    """DP = ½ Σ_parts |its share in the part − the part's share of the text|"""
    part = where * PARTS // max(n_pairs, 1)
    table = np.bincount(which * PARTS + part, minlength=n * PARTS).reshape(n, PARTS).astype(float)
    sizes = np.bincount(np.arange(n_pairs) * PARTS // max(n_pairs, 1), minlength=PARTS) / max(n_pairs, 1)
    return np.asarray(0.5 * np.abs(table / np.maximum(table.sum(axis=1, keepdims=True), 1.0) - sizes).sum(axis=1))
