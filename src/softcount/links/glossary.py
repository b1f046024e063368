"""Which words were linked with which, how often: a glossary by the evidence of links alone.

    p(f | e) = links(e, f) / Σ_f′ links(e, f′)          p(e | f) = links(e, f) / Σ_e′ links(e′, f)
    share(e, f) = pairs of sentences in which e and f are linked / pairs in which both stand

Whoever made the links, and by whatever model: they and the two texts are all that is asked. The share tells words that
are linked whenever they meet from words that are linked now and then because both are frequent.

    for entry in glossary(links_of([[(0, 0), (1, 1)]]), bitext(["the house"], ["das haus"])):
        print(entry.source, entry.target, entry.links, entry.share, entry.forward, entry.reverse)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.links.joining import Links
from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.bitext import Bitext


class Entry(NamedTuple):
    source: str
    target: str
    links: int
    share: float  # of the pairs of sentences in which both stand, those in which they are linked
    forward: float  # p(target | source)
    reverse: float  # p(source | target)


class LinkCounts(NamedTuple):
    """Row e has the target words with which source word e is linked, ascending; beside each entry what was counted."""

    rows: Ragged
    links: Array  # int64
    linked: Array  # int64: pairs of sentences with such a link
    met: Array  # int64: pairs of sentences with both words


def glossary(links: Links, pairs: Bitext, least: int = 1) -> list[Entry]:
    """Entries with at least so many links, those with most first, and then by their words."""
    found = count_links(links, pairs)
    sources = np.repeat(np.arange(found.rows.n_rows), found.rows.lengths)
    targets = found.rows.values
    forward = found.links / np.bincount(sources, found.links, found.rows.n_rows)[sources]
    reverse = found.links / np.bincount(targets, found.links, len(pairs.target.vocabulary))[targets]
    share = found.linked / found.met
    names = pairs.source.vocabulary.words, pairs.target.vocabulary.words
    columns = (column.tolist() for column in (sources, targets, found.links, share, forward, reverse))
    entries = (Entry(names[0][e], names[1][f], n, *rest) for e, f, n, *rest in zip(*columns, strict=True) if n >= least)
    return sorted(entries, key=lambda entry: (-entry.links, entry.source, entry.target))


def count_links(links: Links, pairs: Bitext) -> LinkCounts:
    """By word type; links of a word that the vocabularies do not have (−1) are left out."""
    where = _checked(links, pairs)
    e = pairs.source.sentences.values[pairs.source.sentences.offsets[where] + links.source].astype(np.int64)
    f = pairs.target.sentences.values[pairs.target.sentences.offsets[where] + links.target].astype(np.int64)
    known = (e >= 0) & (f >= 0)
    width, n_rows = max(len(pairs.target.vocabulary), 1), len(pairs.source.vocabulary)
    keys, which, counts = np.unique((e * width + f)[known], return_inverse=True, return_counts=True)
    rows = Ragged(offsets_of(np.bincount(keys // width, minlength=n_rows)), (keys % width).astype(np.int32))
    once = np.unique(which.astype(np.int64) * (len(pairs) + 1) + where[known]) // (len(pairs) + 1)
    met = np.zeros(len(keys), np.int64)
    scratch = np.full(width, -1, np.int64), np.full(len(keys), -1, np.int64)
    places, targets = pairs.sides[0].occurrences, pairs.target.sentences
    _meet(*rows, places.offsets, places.sentence, targets.offsets, targets.values, *scratch, met)
    return LinkCounts(rows, counts.astype(np.int64), np.bincount(once, minlength=len(keys)), met)


def links_of(rows: Iterable[Iterable[tuple[int, int]]]) -> Links:
    """Lists of (i, j), one a pair of sentences, as Links; each link has probability one."""
    listed = [sorted(set(row)) for row in rows]
    flat = np.array([link for row in listed for link in row], np.int32).reshape(-1, 2)
    return Links(offsets_of([len(row) for row in listed]), flat[:, 0], flat[:, 1], np.ones(len(flat)))


def joined(blocks: Iterable[Links]) -> Links:
    """The blocks of WordAligner.blocks as one."""
    found = list(blocks)
    lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(block.offsets) for block in found)])
    empty = np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0)
    columns = (np.concatenate([none, *(block[k] for block in found)]) for k, none in enumerate(empty, 1))
    return Links(offsets_of(lengths), *columns)


def _checked(links: Links, pairs: Bitext) -> Array:
    """The pair of sentences of every link; refuses links of words that are not there."""
    if len(links.offsets) - 1 != len(pairs):
        raise InputError(f"{len(links.offsets) - 1} lines of links for {len(pairs)} pairs; give one line per pair")
    where = np.repeat(np.arange(len(pairs)), np.diff(links.offsets))
    l, m = pairs.source.sentences.lengths[where], pairs.target.sentences.lengths[where]
    wrong = np.flatnonzero((links.source < 0) | (links.source >= l) | (links.target < 0) | (links.target >= m))
    if len(wrong):
        k = wrong[0]
        raise InputError(
            f"pair {where[k] + 1}: the link {links.source[k]}-{links.target[k]} is outside its "
            f"sentences of {l[k]} and {m[k]} words; give the text of these links, and count words "
            "from 0"
        )
    return where


@kernel
def _meet(
    offsets: Array, columns: Array, begins: Array, sentences: Array, bounds: Array, targets: Array, places: Array,
    last: Array, met: Array,
) -> None:  # fmt: skip
    """met[k] = the number of sentence pairs that have both words of entry k"""
    for e in range(len(offsets) - 1):
        if offsets[e] == offsets[e + 1]:
            continue
        for k in range(offsets[e], offsets[e + 1]):
            places[columns[k]] = k
        before = -1
        for o in range(begins[e], begins[e + 1]):
            s = sentences[o]
            if s == before:
                continue
            before = s
            for t in range(bounds[s], bounds[s + 1]):
                k = places[targets[t]] if targets[t] >= 0 else -1
                if k >= 0 and last[k] != s:
                    last[k] = s
                    met[k] += 1
        for k in range(offsets[e], offsets[e + 1]):
            places[columns[k]] = -1
