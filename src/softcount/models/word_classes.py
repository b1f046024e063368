"""Word classes: every word, in all its places, has one hidden class, and neighbouring classes predict one another.

    P(text) = ∏_i P(c_i | c_{i−1}) P(w_i | c_i),    c_i = class of w_i

At its best parameters, and without what no class can change, log P is Σ N log N − 2 Σ n log n; with the forms of words:

    J = Σ_cd N_cd log N_cd − 2 Σ_c n_c log n_c
        + λ Σ_c [τ log T_c! + Σ_t (Σ_v log Γ(m_tcv + a·p_tv)/Γ(a·p_tv) − log Γ(T_c + a)/Γ(a))]

N_cd: class c before class d, the edge of sentences being a class of its own; n_c tokens and T_c words (types) of
class c; m_tcv: words of class c with value v of feature t of their form; p_tv: the share of all words with it.
`exchange` raises J word by word: it is hard EM whose hidden values are the classes of words. The last word of a class
stays there, because in a short text J would be greatest with all words in one class.
P. F. Brown et al., "Class-based n-gram models of natural language", Computational Linguistics 18(4), 1992; R. Kneser,
H. Ney, Eurospeech 1993 (exchange); A. Clark, EACL 2003 (forms of words).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.models.word_classes_kernel import ClassCounts, Neighbours, Weights, WordTypes, exchange
from softcount.numbers.ragged import Array, Ragged
from softcount.text.word_form import WordForms

LEAST = 1e-6  # nats: a move that is worth less may be worth nothing but for rounding
TABLE = 1 << 20  # n log n is looked up below
NOBODY = np.zeros((0, 0), dtype=bool)  # who is restricted in the choice of classes


class WordClasses(NamedTuple):
    """The model: how many classes, and how much the forms of words count beside their contexts."""

    n_classes: int
    weights: Weights = Weights()

    def counts(self, text: WordTypes, classes: Array) -> ClassCounts:
        """All that J depends on, of a class map."""
        K, tokens = self.n_classes, text.tokens
        known = np.append(classes, K).astype(np.int64)
        before = np.repeat(known, np.diff(text.rights.offsets))
        pairs = np.bincount(
            before * (K + 1) + known[text.rights.words], weights=text.rights.counts, minlength=(K + 1) ** 2
        )
        followers = pairs.astype(np.int64).reshape(K + 1, K + 1)
        cells = (text.forms.astype(np.int64) * K + classes[:, None]).ravel()
        values = np.bincount(cells, minlength=len(text.shares) * K).reshape(-1, K)
        of_class = np.bincount(classes, weights=tokens, minlength=K).astype(np.int64)
        return ClassCounts(followers, followers.T.copy(), of_class, np.bincount(classes, minlength=K), values)

    def objective(self, text: WordTypes, count: ClassCounts) -> float:
        """J."""
        return _context(count) + self.weights.morphology * morphology(text, self.weights, count.types, count.values)

    def exchange(
        self, text: WordTypes, classes: Array, count: ClassCounts, order: Array | None = None, least: float = LEAST
    ) -> tuple[int, float, Array]:
        """One pass in place: how many words moved, by how much J rose, and how sure each word's class is.

        How sure: P(class | the classes of all other words), of the words in `order`.
        """
        if order is None:
            order = np.argsort(-text.tokens, kind="stable")
        numbers = np.arange(min(int(text.tokens.sum()) + 2, TABLE), dtype=np.float64)
        table = numbers * np.log(np.maximum(numbers, 1.0))
        sure, known = np.ones(len(classes)), np.append(classes, self.n_classes).astype(np.int64)  # the edge's, too
        moved, rise = exchange(order, text, self.weights, least, table, known, count, sure)
        classes[:] = known[:-1]
        return int(moved), float(rise), sure

    def of_forms(self, forms: Array, shares: Array, types: Array, values: Array) -> Array:
        """P(class | form) of words that were never seen, [words, K]: J knows nothing else of them."""
        a, heard = self.weights.concentration, shares[forms] > 0.0  # a value that no word has says nothing
        ratios = (values[forms] + a * shares[forms][:, :, None]) / (types + a)
        logs = np.log(np.where(heard[:, :, None], ratios, 1.0)).sum(axis=1)
        logs = self.weights.morphology * (self.weights.crowding * np.log(types + 1.0) + logs)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True, initial=-np.inf))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def morphology(text: WordTypes, weights: Weights, types: Array, values: Array) -> float:
    """The part of J that λ weighs."""
    from scipy.special import gammaln

    a = weights.concentration
    pseudo = np.broadcast_to(a * text.shares[:, None], values.shape)[values > 0]
    forms = (gammaln(values[values > 0] + pseudo) - gammaln(pseudo)).sum()
    rows = text.forms.shape[1] * (gammaln(types + a) - gammaln(a)).sum()
    return float(weights.crowding * gammaln(types + 1.0).sum() + forms - rows)


def _context(count: ClassCounts) -> float:
    pairs, tokens = count.followers[count.followers > 0], count.tokens[count.tokens > 0]
    return float((pairs * np.log(pairs)).sum() - 2.0 * (tokens * np.log(tokens)).sum())


def word_types(sentences: Ragged, forms: WordForms, allowed: Array = NOBODY) -> WordTypes:
    """The neighbours and forms of the words 0 … V − 1 of a text; an empty sentence has neither words nor edges."""
    V = len(forms.values)
    rights, lefts = _neighbours(sentences, V)
    tokens = np.bincount(sentences.values, minlength=V).astype(np.int64)
    return WordTypes(tokens, rights, lefts, *_forms(forms), np.ascontiguousarray(allowed))


def with_forms(text: WordTypes, forms: WordForms) -> WordTypes:
    """The same text, its words looked at in another way."""
    numbered, shares = _forms(forms)
    return text._replace(forms=numbered, shares=shares)


def _forms(forms: WordForms) -> tuple[Array, Array]:
    begins = np.concatenate([[0], np.cumsum(forms.sizes)[:-1]])
    numbered = np.ascontiguousarray(forms.values + begins, dtype=np.int32)
    shares = np.bincount(numbered.ravel(), minlength=int(forms.sizes.sum())) / max(len(numbered), 1)
    return numbered, shares


def _neighbours(sentences: Ragged, n_words: int) -> tuple[Neighbours, Neighbours]:
    from scipy import sparse

    full = sentences.lengths > 0
    ends, edge = sentences.offsets[1:][full], n_words
    # every sentence with an edge behind it: then each token follows what stands before it, the first an edge
    after = np.insert(sentences.values.astype(np.int32), ends, edge)
    before = np.roll(after, 1)
    pairs: Any = sparse.coo_matrix((np.ones(len(after), np.int64), (before, after)), shape=(edge + 1, edge + 1))
    rights = pairs.tocsr()
    return _rows(rights), _rows(rights.T.tocsr())


def _rows(table: Any) -> Neighbours:
    return Neighbours(table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data)
