"""New items from what was learned: documents, points, translations, each drawn as its model's story tells it.

documents   z ~ cluster, or z of every token ~ topic[d];  words ~ word[z]
points      z ~ cluster;  x ~ N(μ_z, Σ_z)
pairs       a_j ~ alignment(· | j, l, m);  f_j ~ translation(· | e_{a_j})
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softcount.errors import InputError
from softcount.families.diagonal import TENSION
from softcount.families.positions import LINK, NULL
from softcount.models.jump_hmm import JumpHMM
from softcount.models.link_crf import LinkCRF
from softcount.numbers.ragged import Array

if TYPE_CHECKING:
    from scipy import sparse

MOST_TOKENS = 2**31  # of one call


def lengths_of(length: Any, n: int) -> Array:
    """One length for all, or one each."""
    if n < 1:
        raise InputError(f"{n} samples; ask for at least one")
    lengths = np.broadcast_to(np.asarray(length), (n,)) if np.ndim(length) == 0 else np.asarray(length)
    if lengths.shape != (n,) or lengths.dtype.kind not in "iu" or lengths.min() < 0 or lengths.sum() > MOST_TOKENS:
        raise InputError(f"length must be a whole number of at least 0, or {n} of them; not {length!r}")
    return lengths


def draw(table: Array, rows: Array, rng: np.random.Generator) -> Array:
    """A column of each of these rows, as often as the row's distribution says."""
    found = np.empty(len(rows), dtype=np.int64)
    uniforms = rng.random(len(rows))
    for row in np.unique(rows):
        mine = rows == row
        ladder = np.cumsum(np.asarray(table[row], np.float64))
        places = np.searchsorted(ladder, uniforms[mine] * ladder[-1], side="right")
        found[mine] = np.minimum(places, np.flatnonzero(np.diff(ladder, prepend=0.0))[-1])
    return found


def draw_documents(word: Array, tokens: Array, hidden: Array, n: int, rng: np.random.Generator) -> sparse.csr_matrix:
    """Counts, [n, words]: token k is of document tokens[k] and comes from row hidden[k]."""
    from scipy import sparse  # which takes longer to import than aligners take to start

    words = draw(word, hidden, rng)
    shape = (n, word.shape[1])
    return sparse.csr_matrix((np.ones(len(words)), (tokens, words)), shape)  # adds up what comes twice


def draw_points(means: Array, spread: Array, labels: Array, rng: np.random.Generator) -> Array:
    """`spread`: variances [K, F] or [K, 1], or covariances [K, F, F]."""
    noise = rng.standard_normal((len(labels), means.shape[1]))
    if spread.ndim == 3:
        factors = np.linalg.cholesky(spread)
        return np.asarray(means[labels] + np.einsum("nij,nj->ni", factors[labels], noise))
    return np.asarray(means[labels] + noise * np.sqrt(spread[labels]))


def draw_links(model: Any, alignment: Any, l: int, m: int, rng: np.random.Generator) -> Array:
    """a_j of one pair: 0 is the empty word. `alignment` are the log-weights of the direction."""
    if isinstance(model, LinkCRF):
        raise InputError("a CRF autoencoder only links given sentence pairs; for sampling, train ibm1, ibm2 or hmm")
    if isinstance(model, JumpHMM):
        return np.array(chained(model, alignment, l, m, rng), dtype=np.int64)
    return draw(positions(model, alignment, l, m), np.arange(m), rng)


def positions(model: Any, alignment: Any, l: int, m: int) -> Array:
    """[m, l + 1]: P(a_j = i | j, l, m); lengths that a free table does not have are aligned uniformly."""
    if l == 0:
        return np.ones((m, 1))
    if model.alignment == "uniform":
        return np.full((m, l + 1), 1.0 / (l + 1))
    if model.alignment == "free":
        known = [tuple(pair) for pair in model.classes.tolist()]
        if (l, m) not in known:
            return np.full((m, l + 1), 1.0 / (l + 1))
        begin = model._starts()[known.index((l, m))]
        return np.asarray(np.exp(alignment.values[begin : begin + (l + 1) * m]).reshape(m, l + 1))
    i, j = np.arange(1, l + 1)[None], np.arange(1, m + 1)[:, None]
    near = np.exp(-float(alignment[TENSION]) * np.abs(i / l - j / m))
    null, link = np.exp(alignment[:2])
    near *= link / near.sum(axis=1, keepdims=True)
    return np.concatenate([np.full((m, 1), null), near], axis=1)


def chained(model: JumpHMM, alignment: Array, l: int, m: int, rng: np.random.Generator) -> list[int]:
    """a_j of one pair by the exact HMM over positions: each place by what leads there and what may still follow."""
    if l == 0:
        return [0] * m
    step, last = chain(model, alignment, l)
    ahead = [last]
    for _ in range(m):
        ahead.append(step @ ahead[-1])
    null, links, place = float(np.exp(alignment[NULL])), [], 0
    for j in range(m):
        place, before = int(draw((step[place] * ahead[m - 1 - j])[None], np.zeros(1, np.int64), rng)[0]), place
        stays = null if place == before else 0.0  # the empty word keeps the place; so may a link to it
        links.append(0 if rng.random() * step[before, place] < stays else place)
    return links


def chain(model: JumpHMM, alignment: Array, l: int) -> tuple[Array, Array]:
    """([l + 1, l + 1], weights of going from place to place, 0 is none yet; [l + 1], of ending at each)."""
    vector = np.exp(alignment)
    here = model.positions._replace(lengths=np.array([l]))
    begin, end, jump, cells = here.parts(here.spread(vector))
    first, last, never, leave = cells[0], cells[1], cells[2], cells[3:]
    away, reach = np.arange(l), len(jump) // 2
    step, ends = np.zeros((l + 1, l + 1)), np.empty(l + 1)
    step[0, 1:] = begin[np.minimum(away, len(begin) - 1)] * first
    step[1:, 1:] = jump[reach + np.clip(away - away[:, None], -reach, reach)] * leave[:, None]
    step *= vector[LINK]
    step[np.diag_indices(l + 1)] += vector[NULL]
    ends[0], ends[1:] = never, end[np.minimum(l - 1 - away, len(end) - 1)] * last
    return step, ends


def jumped(direction: Any, words: Array, m: int, null: float, rng: np.random.Generator) -> Array:
    """a_j of one pair by the HMM over positions, 0 the empty word, after which the place before it is jumped from."""
    l, n, place, links = len(words), direction.jump.shape[1] // 2, -1, np.zeros(m, dtype=np.int64)
    for j in range(m):
        if rng.random() < null or l == 0:
            continue
        away = np.arange(l)
        jump = direction.jump[direction.kinds[words[place]]]
        weights = direction.begin[away] if place < 0 else jump[n + away - place]
        place = int(draw(np.asarray(weights)[None], np.zeros(1, np.int64), rng)[0])
        links[j] = place + 1
    return links
