"""Word classes by frames: the classes on both sides of a word at once, "the … of" rather than "the …" and "… of".

    J = Σ_c [Σ_f log Γ(N_fc + a·p_f)/Γ(a·p_f) − log Γ(n_c + a)/Γ(a)] + λ (forms of words, as in word_classes)

N_fc: tokens of class c in frame f = (class before, class after); n_c: tokens of class c; p_f: the product of the shares
of the frame's two sides; a: how strongly a class's frames lean on p. Each class draws the frames of its tokens from a
Dirichlet-multinomial. During a pass the frames are those of the classes before it, and J rises with every move; the
next pass looks at the frames anew, and so has another J.
T. H. Mintz, "Frequent frames as a cue for grammatical categories in child directed speech", Cognition 90, 2003.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.models.word_classes import LEAST, morphology
from softcount.models.word_classes_kernel import Weights, WordTypes
from softcount.models.word_frames_kernel import FrameCounts, Frames, exchange_framed
from softcount.numbers.ragged import Array, Ragged


class WordFrames(NamedTuple):
    """The model: how many classes, the weight of the forms of words, and a."""

    n_classes: int
    weights: Weights = Weights()
    concentration: float = 30.0

    def frames(self, sentences: Ragged, classes: Array) -> Frames:
        """The frames of every word; an empty sentence has none."""
        before, after = _sides(sentences, classes, self.n_classes)
        shares = [np.bincount(side, minlength=self.n_classes + 1) / max(len(side), 1) for side in (before, after)]
        found, frame = np.unique(before * (self.n_classes + 1) + after, return_inverse=True)
        table = _counted(sentences.values, frame, (len(classes), len(found)))
        share = shares[0][found // (self.n_classes + 1)] * shares[1][found % (self.n_classes + 1)]
        return Frames(table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data, share)

    def counts(self, frames: Frames, text: WordTypes, classes: Array) -> FrameCounts:
        """All that J depends on, of a class map."""
        K, F = self.n_classes, len(frames.shares)
        classes = classes.astype(np.int64)
        cells = frames.frames.astype(np.int64) * K + np.repeat(classes, np.diff(frames.offsets))
        inside = np.bincount(cells, weights=frames.counts, minlength=F * K).astype(np.int64).reshape(F, K)
        values = np.bincount((text.forms * np.int64(K) + classes[:, None]).ravel(), minlength=len(text.shares) * K)
        tokens = np.bincount(classes, weights=text.tokens, minlength=K).astype(np.int64)
        return FrameCounts(inside, tokens, np.bincount(classes, minlength=K), values.reshape(-1, K))

    def objective(self, frames: Frames, text: WordTypes, count: FrameCounts) -> float:
        """J."""
        from scipy.special import gammaln

        a, there = self.concentration, count.frames > 0
        pseudo = np.broadcast_to(a * frames.shares[:, None], there.shape)[there]
        inside = (gammaln(count.frames[there] + pseudo) - gammaln(pseudo)).sum()
        inside -= (gammaln(count.tokens + a) - gammaln(a)).sum()
        return float(inside) + self.weights.morphology * morphology(text, self.weights, count.types, count.values)

    def exchange(
        self,
        frames: Frames,
        text: WordTypes,
        classes: Array,
        count: FrameCounts,
        order: Array | None = None,
        least: float = LEAST,
    ) -> tuple[int, float, Array]:
        """One pass in place: how many words moved, by how much J rose, and how sure each word's class is."""
        if order is None:
            order = np.argsort(-text.tokens, kind="stable")
        sure = np.ones(len(classes))
        given = (order, frames, self.concentration, text, self.weights, least)
        moved, rise = exchange_framed(*given, classes, count, sure)
        return int(moved), float(rise), sure


def _sides(sentences: Ragged, classes: Array, edge: int) -> tuple[Array, Array]:
    """The classes before and after every token."""
    of = classes[sentences.values].astype(np.int64)
    before, after = np.append(edge, of[:-1])[: len(of)], np.append(of[1:], edge)[: len(of)]
    full = sentences.lengths > 0
    before[sentences.offsets[:-1][full]] = edge
    after[sentences.offsets[1:][full] - 1] = edge
    return before, after


def _counted(rows: Array, columns: Array, shape: tuple[int, int]) -> Any:
    from scipy import sparse

    return sparse.coo_matrix((np.ones(len(rows), np.int64), (rows, columns.ravel())), shape=shape).tocsr()
