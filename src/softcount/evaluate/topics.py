"""How good topics are: held-out perplexity by document completion, and coherence of their top words.

    perplexity   exp(−Σ n log Σ_h topic[d, h] · word[h, w] / Σ n)     over tokens that the topics of d did not see
    relevance    P(w | h)² / (P(w | h) + P(w)): an order of a topic's words that needs the model alone
    NPMI         mean over pairs of top words of log(p(u, v) / (p(u) p(v))) / −log p(u, v), p = share of documents
    C_V          mean over top words u of cos(v(u), Σ_w v(w)), v(u) = (NPMI(u, w))_w, p = share of windows of 110 words
    diversity    different words among the top words of all topics / all of them

H. M. Wallach et al., "Evaluation methods for topic models", ICML 2009 (document completion); G. Bouma, "Normalized
(pointwise) mutual information in collocation extraction", GSCL 2009. A pair never seen together has NPMI −1.
M. Röder, A. Both, A. Hinneburg, "Exploring the space of topic coherence measures", WSDM 2015: C_V, in whose NPMI
p(u, v) + 1e-12 stands for p(u, v), and w is u, too. A. B. Dieng, F. Ruiz, D. Blei, "Topic modeling in embedding
spaces", TACL 2020: diversity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array, offsets_of
from softcount.text.corpus import Corpus
from softcount.text.documents import Documents, from_matrix

BLOCK = 65_536  # cells at a time: never a nonzeros × topics array
TOP = 10  # words of a topic
WINDOW, EPSILON = 110, 1e-12  # words of a window of C_V; what is added to a share of windows


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
    """Topic coherence NPMI of each row of word ids in `tops`, estimated from the documents."""
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


def diversity(tops: Array) -> float:
    """Topic diversity: share of distinct words among the top words of all topics (one row of `tops` per topic)."""
    words = np.asarray(tops)
    return len(np.unique(words)) / max(words.size, 1)


class Coherence(NamedTuple):
    """Of each topic, by its top words."""

    npmi: Array
    c_v: Array | None  # where the order of words is known, or needs not be
    diversity: float


def coherence(
    rank: Array, data: Documents, words: Sequence[str] | None, text: Corpus | Documents, top: int
) -> Coherence:
    """By the first `top` words of every row of `rank` in `data`, whose columns are called `words`, and in `text`."""
    tops = np.argsort(-rank, axis=1, kind="stable")[:, :top]
    return Coherence(npmi(data, tops), _c_v_in(text, tops, words), diversity(tops))


def _c_v_in(text: Corpus | Documents, tops: Array, words: Sequence[str] | None) -> Array | None:
    if not can_have_windows(text):
        return None
    if words is not None and text.vocabulary is not None:
        tops = text.vocabulary.find([words[v] for v in tops.ravel().tolist()]).reshape(tops.shape)
    return c_v(text, tops)


# --- C_V --------------------------------------------------------------------------------------------------------------


class Spans(NamedTuple):
    """Windows, numbered through all documents, that have a word: from `begins` up to `ends`, which never touch."""

    begins: Array
    ends: Array

    @property
    def size(self) -> int:
        return int((self.ends - self.begins).sum())

    def below(self, windows: Array) -> Array:
        """How many of them have a smaller number than each of these."""
        before = offsets_of(self.ends - self.begins)[:-1]
        at = np.searchsorted(self.begins, windows, side="right") - 1
        inside = np.minimum(windows, self.ends[at]) - self.begins[at]
        return np.where(at >= 0, before[at] + inside, 0)


def c_v(data: Corpus | Documents, tops: Array, window: int = WINDOW) -> Array:
    """Topic coherence C_V of each row of word ids in `tops`; −1 is a word not in the text.

    A window is `window` successive words of a document, and a shorter document is one window, so that counts will do
    where no document is longer. A word that the text does not have is as far from all as can be: 0.
    """
    tops = np.asarray(tops)
    spans, n = _spans(data, np.unique(tops[tops >= 0]), window)
    return np.array([_mean_cosine([spans.get(v) for v in row], n) for row in tops.tolist()])


def can_have_windows(data: Corpus | Documents, window: int = WINDOW) -> bool:
    """Whether it is known which words stand in one window: by their order, or since every document is one."""
    return isinstance(data, Corpus) or bool((data.totals() <= window).all())


def _spans(data: Corpus | Documents, words: Array, window: int) -> tuple[dict[int, Spans], int]:
    """Of each word the windows that have it, and how many windows there are."""
    if not can_have_windows(data, window):
        raise InputError(
            f"C_V needs the order of words in documents of more than {window} words; give text, not counts"
        )
    if isinstance(data, Corpus):
        offsets, ids, n_words = data.sentences.offsets, data.sentences.values, len(data.vocabulary)
        lengths = np.diff(offsets)
    else:
        offsets, ids, n_words = data.offsets, data.words, data.n_words
        lengths = np.minimum(np.diff(offsets), 1) * window  # of which the order does not matter
    n_windows = np.where(lengths > 0, np.maximum(lengths - window + 1, 1), 0)
    first = offsets_of(n_windows)
    asked = np.zeros(n_words + 1, dtype=bool)  # the last is that of −1
    asked[words] = True
    at = np.flatnonzero(asked[ids])
    document = np.searchsorted(offsets, at, side="right") - 1
    place, last = at - offsets[document], n_windows[document] - 1
    begins = first[document] + np.clip(place - window + 1, 0, last)
    ends = first[document] + np.minimum(place, last) + 1
    if not isinstance(data, Corpus):
        begins, ends = first[document], first[document] + 1
    by_word = np.argsort(ids[at], kind="stable")
    borders = np.searchsorted(ids[at][by_word], [words, words + 1])
    found = {}
    for word, start, stop in zip(words.tolist(), *borders.tolist(), strict=True):
        if start < stop:
            found[word] = _merged(begins[by_word[start:stop]], ends[by_word[start:stop]])
    return found, int(first[-1])


def _merged(begins: Array, ends: Array) -> Spans:
    """Spans that overlap or touch as one; both ends rise from one to the next."""
    apart = np.flatnonzero(begins[1:] > ends[:-1])
    return Spans(begins[np.concatenate([[0], apart + 1])], ends[np.concatenate([apart, [len(ends) - 1]])])


def _mean_cosine(spans: list[Spans | None], n_windows: int) -> float:
    """Of each word's NPMI with all of them and the sum of these vectors."""
    together = np.zeros((len(spans), len(spans)))
    for i, one in enumerate(spans):
        for j, other in enumerate(spans[: i + 1]):
            if one is not None and other is not None:
                few, many = (one, other) if len(one.begins) <= len(other.begins) else (other, one)
                shared = (many.below(few.ends) - many.below(few.begins)).sum()
                together[i, j] = together[j, i] = shared / n_windows
    alone = np.diag(together)
    seen = np.outer(alone, alone) > 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        vectors = np.log((together + EPSILON) / np.outer(alone, alone)) / -np.log(together + EPSILON)
    vectors = np.where(seen, np.where(together >= 1.0, 1.0, vectors), 0.0)
    whole = vectors.sum(axis=0)
    lengths = np.sqrt((vectors**2).sum(axis=1) * (whole @ whole))
    return float(np.mean(np.divide(vectors @ whole, lengths, out=np.zeros(len(spans)), where=lengths > 0.0)))
