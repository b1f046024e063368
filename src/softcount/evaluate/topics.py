"""How good topics are: held-out perplexity by document completion, and coherence of their top words.

    perplexity   exp(−Σ n log Σ_h topic[d, h] · word[h, w] / Σ n)     over tokens that the topics of d did not see
    relevance    P(w | h)² / (P(w | h) + P(w)): the order in which a topic's words are shown
    NPMI         mean over pairs of top words of log(p(u, v) / (p(u) p(v))) / −log p(u, v), p = share of documents

H. M. Wallach et al., "Evaluation methods for topic models", ICML 2009 (document completion); G. Bouma, "Normalized
(pointwise) mutual information in collocation extraction", GSCL 2009. A pair never seen together has NPMI −1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softcount.numbers.ragged import Array
from softcount.text.documents import Documents, from_matrix

BLOCK = 65_536  # cells at a time: never a nonzeros × topics array


def split_tokens(data: Documents, share: float, seed: int) -> tuple[Documents, Documents]:
    """(kept, aside): every token goes aside with probability `share`; counts are split token by token.

    What a count has beyond whole tokens goes one way or the other as if it were a token.
    """
    rng = np.random.default_rng([seed, 7])
    whole = np.floor(data.counts)
    rest = (data.counts - whole) * (rng.random(len(whole)) < share)
    aside = rng.binomial(whole.astype(np.int64), share) + rest
    return _with_counts(data, data.counts - aside), _with_counts(data, aside)


def _with_counts(data: Documents, counts: Array) -> Documents:
    kept = from_matrix(replace(data, counts=counts).matrix().copy())
    return replace(data, offsets=kept.offsets, words=kept.words, counts=kept.counts)


def completion(topic: Array, word: Array, aside: Documents) -> tuple[float, float]:
    """(log-likelihood of the tokens set aside, their number)."""
    rows = np.repeat(np.arange(len(aside)), np.diff(aside.offsets))
    by_word = word.T
    total = 0.0
    for start in range(0, len(rows), BLOCK):
        cells = slice(start, start + BLOCK)
        p = np.einsum("ij,ij->i", topic[rows[cells]], by_word[aside.words[cells]], dtype=np.float64)
        total += float(aside.counts[cells] @ np.log(np.maximum(p, 1e-300)))
    return total, float(aside.counts.sum())


def relevance(word: Array, prevalence: Array) -> Array:
    """How much each word tells of a topic, [topics, words]: what is frequent everywhere counts half."""
    everywhere = prevalence @ word / max(prevalence.sum(), 1e-300)
    return np.asarray(word**2 / np.maximum(word + everywhere, 1e-300))


def least_distance(word: Array) -> float:
    """The Hellinger distance of the two topics that are most alike: 0 for the same, 1 for no word in common."""
    roots = np.sqrt(np.asarray(word, np.float64))
    overlap = roots @ roots.T
    np.fill_diagonal(overlap, 0.0)
    return float(np.sqrt(max(1.0 - overlap.max(initial=0.0), 0.0)))


def npmi(data: Documents, tops: Array) -> Array:
    """Coherence of each row of word ids in `tops`, against the documents."""
    n = len(data)
    matrix = data.matrix()
    matrix.data = np.ones_like(matrix.data)
    columns, positions = np.unique(tops, return_inverse=True)
    present = matrix[:, columns]
    together = (present.T @ present).toarray() / max(n, 1)
    return np.array([_mean_npmi(together[np.ix_(row, row)]) for row in positions.reshape(np.shape(tops))])


def _mean_npmi(together: Array) -> float:
    upper = np.triu_indices(len(together), 1)
    alone = np.diag(together)
    joint, apart = together[upper], np.outer(alone, alone)[upper]
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = np.where(joint >= 1.0, 1.0, np.log(joint / apart) / -np.log(joint))
    pairs = np.where(joint > 0.0, pairs, -1.0)
    return float(pairs.mean()) if len(pairs) else 0.0
