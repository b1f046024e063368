"""Sentences in the order that the HMM's kernels like.

A shard is *packed*: sentences sorted by falling length, cut into chunks, and each chunk laid out time-major, so that
at step t the first n_t rows are the sentences still alive. No padding, and one step of all sentences of a chunk is one
matrix product.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged, offsets_of

CHUNK_TOKENS = 2000  # measured best on Brown, 10 to 50 states: fits in L2 and still feeds the matrix products


class HMMShard(NamedTuple):
    words: Array  # int32 [M], packed; V for an unknown word
    known: Array  # int32 [M], the state where it is known, else −1; [0] where nothing is known
    potentials: Array  # float64 [M, K], weights that a token itself gives to the states; [0, K] where none does
    alive: Array  # int64 [S], the number of sentences at each step of each chunk
    starts: Array  # int64 [S + 1], where each step begins in words
    chunks: Array  # int64 [C + 1], the first step of each chunk
    items: Array  # int64, which sentence each column of each chunk is
    columns: Array  # int64 [C + 1], the first column of each chunk in items
    offsets: Array  # int64 [R + 1], the sentences of the shard, empty ones included
    n_states: int


def pack(
    sentences: Ragged, labels: Ragged | None, n_words: int, n_states: int, potentials: Ragged | None = None
) -> HMMShard:
    """`potentials` has rows of log-weights, one per token, −inf where a state cannot be."""
    lengths = sentences.lengths
    order = np.argsort(-lengths, kind="stable")
    order = order[lengths[order] > 0]
    columns = _chunk_columns(lengths[order])
    alive, steps = [], [0]
    for first, last in zip(columns[:-1].tolist(), columns[1:].tolist(), strict=True):
        length = lengths[order[first:last]]
        # Sentences are sorted by falling length, so those alive at t are a prefix.
        alive.append(np.searchsorted(-length, -np.arange(length[0]), side="left"))
        steps.append(steps[-1] + int(length[0]))
    shard = HMMShard(
        words=np.empty(0, np.int32),
        known=np.empty(0, np.int32),
        potentials=np.empty((0, n_states)),
        alive=np.concatenate(alive) if alive else np.empty(0, np.int64),
        starts=offsets_of(np.concatenate(alive) if alive else []),
        chunks=np.asarray(steps, dtype=np.int64),
        items=order,
        columns=columns,
        offsets=sentences.offsets,
        n_states=n_states,
    )
    source = np.empty(len(sentences.values), dtype=np.int64)
    source[positions(shard)] = np.arange(len(sentences.values))
    words = sentences.values[source]
    known = np.empty(0, np.int32)
    if labels is not None and (labels.values >= 0).any():
        known = labels.values[source].astype(np.int32)
    if potentials is not None:
        shard = shard._replace(potentials=np.exp(potentials.values[source]))
    return shard._replace(words=np.where(words < 0, n_words, words).astype(np.int32), known=known)


def _chunk_columns(lengths: Array) -> Array:
    """Cut sentences into chunks of about CHUNK_TOKENS tokens, one sentence at least."""
    ends = np.cumsum(lengths)
    cuts = [0]
    while cuts[-1] < len(lengths):
        done = ends[cuts[-1] - 1] if cuts[-1] else 0
        cuts.append(max(cuts[-1] + 1, int(np.searchsorted(ends, done + CHUNK_TOKENS, side="right"))))
    return np.asarray(cuts, dtype=np.int64)


def positions(shard: HMMShard) -> Array:
    """Where each token of the text, in the order of the text, stands in the packed arrays."""
    places = np.empty(int(shard.offsets[-1]), dtype=np.int64)
    _fill(shard, places)
    return places


def unpack(states: Array, shard: HMMShard) -> Ragged:
    return Ragged(shard.offsets, states[positions(shard)])


@kernel
def _fill(shard: Any, positions: Array) -> None:
    """positions[offsets[sentence] + t] = starts[step t of its chunk] + column"""
    for chunk in range(len(shard.chunks) - 1):
        for step in range(shard.chunks[chunk], shard.chunks[chunk + 1]):
            t = step - shard.chunks[chunk]
            for column in range(shard.alive[step]):
                sentence = shard.items[shard.columns[chunk] + column]
                positions[shard.offsets[sentence] + t] = shard.starts[step] + column


@kernel
def most_tokens(shard: Any) -> int:
    most = 0
    for chunk in range(len(shard.chunks) - 1):
        most = max(most, shard.starts[shard.chunks[chunk + 1]] - shard.starts[shard.chunks[chunk]])
    return most


@kernel
def most_sentences(shard: Any) -> int:
    most = 0
    for chunk in range(len(shard.chunks) - 1):
        most = max(most, shard.alive[shard.chunks[chunk]])
    return most
