"""What one link of IBM Models 1 and 2 weighs: its position, its words, and what is wished of it.

    term_ij = a(i | j, l, m) · t(f_j | e_i) · wish_ij

Kernels visit source words in the order of their types. An array is taken out of its tuple before their loops and not
within, where that takes longer than the arithmetic; so the functions here are given arrays, not tuples of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel, within
from softcount.numbers.ragged import Array

UNIFORM, DIAGONAL, FREE = 0, 1, 2  # kinds of alignment
SMALLEST_LOG = -745.2  # the exponential of less is zero


class IBMWeights(NamedTuple):
    """exp(log-weights) in the form that the kernels like."""

    kind: int
    unseen: float  # the weight of two words that never met; 0 where the text is the one that was trained on
    unknown: float  # of a word that is not known, with any word
    offsets: Array  # int64 [sources + 3], of the translation rows; the last is of all unknown words, and empty
    columns: Array  # uint32, the target word of each entry
    translation: Array
    null_row: Array  # [targets + 1]: the empty word's row, dense; the last is the unknown word
    null: float  # of the diagonal
    link: float
    ladder: Array  # int64: where a sentence length's steps begin in rise and fall
    rise: Array  # exp(λ k / n), k = 1 … n
    fall: Array  # exp(−λ k / n)
    cells: Array  # of every class and j: 1 / Z of the diagonal
    cell_starts: Array  # int64 [classes]
    table: Array  # the free table, [class][i][j]
    table_starts: Array  # int64 [classes]


class Pairs(NamedTuple):
    """Sentence pairs as the kernels read them."""

    offsets: Array  # int64 [sources + 1], where each source type's occurrences begin; one more where some are unknown
    sentence: Array  # int32
    position: Array  # int32
    lengths: Array  # int64 [pairs], of the source sentences
    bounds: Array  # int64 [pairs + 1], of the target sentences
    targets: Array  # uint32 [target tokens]
    classes: Array  # int32 [pairs], which (l, m)
    starts: Array  # int64 per occurrence: where its target sentence begins; beside it, so that nothing is looked up
    widths: Array  # int32 per occurrence: m
    heights: Array  # int32 per occurrence: l
    wishes: (
        Array  # ones, as many as the longest target sentence has words; then (l + 1) × m weights of some pairs' links
    )
    wished: Array  # int64 [pairs]: where a pair's weights begin, −1 where it has none; [0] where no pair has


def link_wishes(items: Any) -> tuple[Array, Array]:
    """The weights of links, behind ones for the pairs that have none, and where each pair's begin."""
    ones = np.ones(int(items.target.sentences.lengths.max(initial=0)))
    if items.potentials is None:
        return ones, np.empty(0, np.int64)
    given, none = items.potentials, items.potentials.lengths == 0
    if (~none & (given.lengths != items.token_pairs)).any():
        raise ValueError("potentials of a pair are (l + 1) × m, or none")
    return np.concatenate([ones, np.exp(given.values)]), np.where(none, -1, len(ones) + given.offsets[:-1])


@kernel
def exponentials(logs: Array, out: Array) -> None:
    """out = np.exp(logs), which is slow where most weights underflow, as under a sparse prior"""
    for k in range(len(logs)):
        out[k] = np.exp(logs[k]) if logs[k] > SMALLEST_LOG else 0.0


@within
def around(up: float, down: float, rise: float, fall: float, below: bool) -> float:
    """exp(λ h_ij), given exp(±λ i/l) and exp(±λ j/m), and whether j/m is below i/l: rising up to there, then falling.

    Both are computed and one is chosen, so that processors do so for several j at a time.
    """
    before, after = down * rise, up * fall
    return before if below else after


@within
def near(
    kind: int, ladder: Array, rise: Array, fall: Array, table: Array, cell: int, wishes: Array, begin: int,
    i: int, l: int, m: int, out: Array,
) -> None:  # fmt: skip
    """out[j] = a_ij up to what depends on j alone, times wish_ij; i counts from 1, j from 0.

    The free table has j = 0 at `cell`, the wishes have it at `begin`.
    """
    if kind == DIAGONAL:
        up, down, steps, cut = rise[ladder[l] + i - 1], fall[ladder[l] + i - 1], ladder[m], i * m // l
        for j in range(m):
            out[j] = around(up, down, rise[steps + j], fall[steps + j], j < cut) * wishes[begin + j]
    elif kind == FREE:
        for j in range(m):
            out[j] = table[cell + j] * wishes[begin + j]
    else:
        for j in range(m):
            out[j] = wishes[begin + j]


@within
def wish(wished: Array, s: int, place: int) -> int:
    """Where the wishes have this place of pair s's matrix: among the ones if it has none."""
    return wished[s] + place if len(wished) > 0 and wished[s] >= 0 else 0


@within
def aside(kind: int, null: float, link: float, cell: float, empty: float) -> tuple[float, float]:
    """The empty word's term, given its t(f_j | 0), and what the others' terms of j are still to be multiplied by."""
    if kind == DIAGONAL:
        return null * empty, link * cell
    return (cell * empty if kind == FREE else empty), 1.0


@kernel
def spread(offsets: Array, columns: Array, translation: Array, unknown: float, e: int, row: Array) -> None:
    """row[f] = t(f | e) where it is stored. What is not is there already, or in no sentence of e."""
    if e == len(offsets) - 3:  # the type of all unknown words
        row[:] = unknown
    for k in range(offsets[e + 1], offsets[e + 2]):
        row[columns[k]] = translation[k]


@kernel
def clear(offsets: Array, columns: Array, unseen: float, e: int, row: Array) -> None:
    """As it was before, where other text may ask for words that never met."""
    if unseen > 0.0:
        for k in range(offsets[e + 1], offsets[e + 2]):
            row[columns[k]] = unseen


@kernel
def scratch(n_columns: int, unseen: float, unknown: float) -> Array:
    """A row to spread translations into; the last word is any that is not known."""
    row = np.full(n_columns, unseen)
    row[-1] = unknown
    return row
