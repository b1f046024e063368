"""Every model as its story tells it, and tiny random instances of it: the registry behind `test_expect.py`.

To put a model to every test there: a class with what `enumeration.Naive` asks for, a strategy that makes tiny random
instances, and one line in MODELS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from enumeration import Instance, Naive
from grammars import tiny_grammar
from hypothesis import strategies as st
from scipy import sparse

from softcount.loop.start import uniform_start
from softcount.models.crf import CRF, CRFTables, with_boundary
from softcount.models.gaussian import GaussianMixture, GaussianTables, Points
from softcount.models.grammar import GrammarTables
from softcount.models.hmm import HMM, HMMTables
from softcount.models.ibm import IBM, IBMTables
from softcount.models.jump_hmm import JumpHMM
from softcount.models.link_crf import LinkCRF, LinkCRFTables
from softcount.models.mixture import Mixture, MixtureTables
from softcount.models.network import Network, tables_type
from softcount.models.network_plan import Use
from softcount.models.ngram_channel import ChannelTables, NgramChannel
from softcount.models.plsa import PLSA, PLSATables
from softcount.numbers.ragged import Ragged, from_rows
from softcount.numbers.tables import like, values
from softcount.text.bitext import bitext, length_classes
from softcount.text.cooccurrence import cooccurring
from softcount.text.documents import from_matrix
from softcount.text.records import records


class Chance(NamedTuple):
    """How an instance is drawn."""

    rng: np.random.Generator
    spread: float  # of the log-weights; 0: all are alike
    zeros: float  # share of weights that are −inf

    def weights(self, tables: Any) -> Any:
        """They need not normalise, and some are −inf."""
        return type(tables)(*(like(t, self.table(values(t).shape)) for t in tables))

    def wishes(self, draw: Any, n: int, n_values: int) -> np.ndarray | None:
        """Potentials of n nodes, or none."""
        return np.ascontiguousarray(self.table((n, n_values))) if draw(st.booleans()) else None

    def table(self, shape: tuple[int, ...], zeros: float | None = None) -> np.ndarray:
        weights = self.rng.normal(0.0, self.spread, shape) if self.spread else np.zeros(shape)
        weights[self.rng.random(shape) < (self.zeros if zeros is None else zeros)] = -np.inf
        return np.asarray(weights, order="F")


def one_hot(chosen: Any, n: int) -> np.ndarray:
    return np.eye(n)[np.asarray(chosen, dtype=np.int64)].reshape(-1, n)


# --- hidden Markov model ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NaiveHMM(Naive):
    n_states: int
    n_words: int
    end: bool

    def structures(self, items: Any, i: int) -> list[tuple[int, ...]]:
        choices = [range(self.n_states)] * len(items.sentences.row(i))
        if items.labels is not None:
            choices = [range(self.n_states) if k < 0 else [int(k)] for k in items.labels.row(i)]  # type: ignore[misc]
        return list(product(*choices))

    def counts(self, items: Any, i: int, structure: tuple[int, ...]) -> HMMTables:
        K = self.n_states
        c = HMMTables(np.zeros(K), np.zeros((K, K + self.end)), np.zeros((K, self.n_words)))
        words = items.sentences.row(i).tolist()
        for t, (word, state) in enumerate(zip(words, structure, strict=True)):
            if t == 0:
                c.initial[state] += 1
            else:
                c.transition[structure[t - 1], state] += 1
            if word >= 0:  # an unknown word is unobserved
                c.emission[state, word] += 1
        if self.end and words:
            c.transition[structure[-1], K] += 1
        return c

    def nodes(self, items: Any, i: int, structure: tuple[int, ...]) -> np.ndarray:
        return one_hot(structure, self.n_states)

    def potentials(self, items: Any, i: int) -> np.ndarray | None:
        return None if items.potentials is None else items.potentials.row(i)


@dataclass(frozen=True)
class Sentences:
    """What `EStep` and a model's `pack` ask of items."""

    sentences: Ragged
    labels: Ragged | None = None
    potentials: Ragged | None = None

    def __len__(self) -> int:
        return self.sentences.n_rows

    @property
    def sizes(self) -> np.ndarray:
        return self.sentences.lengths

    def slice(self, start: int, stop: int) -> Sentences:
        return Sentences(*(part and part.slice(start, stop) for part in self._parts))

    def take(self, rows: np.ndarray) -> Sentences:
        return Sentences(*(part and part.take(rows) for part in self._parts))

    @property
    def _parts(self) -> tuple[Ragged | None, ...]:
        return self.sentences, self.labels, self.potentials


def hmm(draw: Any, chance: Chance) -> Instance:
    K, V, end = draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.booleans())
    lengths = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    unknown, labelled = draw(st.booleans()), draw(st.booleans())
    sentences = from_rows([chance.rng.integers(-1 if unknown else 0, V, n) for n in lengths], np.int32)
    labels = None
    if labelled:
        tags = chance.rng.integers(0, K, len(sentences.values))
        labels = Ragged(sentences.offsets, np.where(chance.rng.random(len(tags)) < 0.4, tags, -1).astype(np.int32))
    wishes = chance.wishes(draw, len(sentences.values), K)
    items = Sentences(sentences, labels, None if wishes is None else Ragged(sentences.offsets, wishes))
    shapes = HMMTables(np.zeros(K), np.zeros((K, K + end)), np.zeros((K, V)))
    return Instance(NaiveHMM(K, V, end), HMM(K, V, end), items, chance.weights(shapes))


# --- CRF autoencoder --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NaiveCRF(Naive):
    model: CRF

    def structures(self, items: Any, i: int) -> list[tuple[int, ...]]:
        return NaiveHMM(self.model.n_states, 0, False).structures(items, i)

    def counts(self, items: Any, i: int, structure: tuple[int, ...]) -> CRFTables:
        c = CRFTables(*(np.zeros(spec.family.size()) for spec in self.model.layout))
        features, words = self.model.features.toarray(), items.sentences.row(i).tolist()
        boundary, unknown = len(features) - 2, len(features) - 1
        seen = [boundary, *(unknown if word < 0 else word for word in words), boundary]
        for t, state in enumerate(structure):
            if t == 0:
                c.initial[state] += 1
            else:
                c.transition[structure[t - 1], state] += 1
            c.before[state] += features[seen[t]]
            c.here[state] += features[seen[t + 1]]
            c.after[state] += features[seen[t + 2]]
            if self.model.made[seen[t + 1]] >= 0:
                c.reconstruction[state, self.model.made[seen[t + 1]]] += 1
        return c

    def nodes(self, items: Any, i: int, structure: tuple[int, ...]) -> np.ndarray:
        return one_hot(structure, self.model.n_states)

    def potentials(self, items: Any, i: int) -> np.ndarray | None:
        return None if items.potentials is None else items.potentials.row(i)


def crf(draw: Any, chance: Chance) -> Instance:
    K, V, C = draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    lengths = draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    sentences = from_rows([chance.rng.integers(-1, V, n) for n in lengths], np.int32)
    wishes = chance.wishes(draw, len(sentences.values), K)
    items = Sentences(sentences, None, None if wishes is None else Ragged(sentences.offsets, wishes))
    features = with_boundary(sparse.csr_matrix(chance.rng.integers(0, 3, (V, 2)).astype(float)))
    made = np.append(chance.rng.integers(0, C, V), [-1, -1])
    model = CRF(K, features, made, C)
    return Instance(NaiveCRF(model), model, items, chance.weights(uniform_start(model.layout)))


# --- letters of a language model, written in another alphabet --------------------------------------------------------


@dataclass(frozen=True)
class NaiveChannel(Naive):
    """A structure has a letter for every token, and K more where a silent letter stands before it."""

    model: NgramChannel

    def structures(self, items: Any, i: int) -> list[tuple[int, ...]]:
        K, silent = self.model.n_letters, self.model.silent
        choices = [z for z in range(self.model.n_values) if z % K != silent]
        return list(product(choices, repeat=len(items.sentences.row(i))))

    def letters(self, structure: tuple[int, ...]) -> list[int]:
        """With the silent ones, in the order of the text."""
        K = self.model.n_letters
        return [w for z in structure for w in ([self.model.silent] if z >= K else []) + [z % K]]

    def log_language(self, structure: tuple[int, ...]) -> float:
        H, B = self.model.language.shape
        history, log = H - 1, 0.0
        for w in [*self.letters(structure), B - 1] if structure else []:
            with np.errstate(divide="ignore"):
                log += np.log(self.model.language[history, w])
            history = (history * B + w) % H
        return log

    def wished(self, items: Any, i: int, structure: tuple[int, ...]) -> float:
        return self.log_language(structure)

    def counts(self, items: Any, i: int, structure: tuple[int, ...]) -> ChannelTables:
        c = ChannelTables(np.zeros((self.model.n_letters, self.model.n_words)))
        for word, z in zip(items.sentences.row(i).tolist(), structure, strict=True):
            if word >= 0:
                c.emission[z % self.model.n_letters, word] += 1
        return c

    def nodes(self, items: Any, i: int, structure: tuple[int, ...]) -> np.ndarray:
        return one_hot(structure, self.model.n_values)

    def before(self, items: Any, i: int, nodes: np.ndarray, structure: tuple[int, ...]) -> Any:
        return [*self.letters(structure)[::-1], self.model.n_letters]  # the start is behind all letters


def channel(draw: Any, chance: Chance, silent: bool = False) -> Instance:
    K, V, order = draw(st.integers(2, 3)), draw(st.integers(1, 3)), draw(st.integers(3 if silent else 2, 4))
    language = np.ascontiguousarray(np.exp(chance.table(((K + 1) ** (order - 1), K + 1))))
    model = NgramChannel(language, V, draw(st.integers(0, K - 1)) if silent else -1)
    lengths = draw(st.lists(st.integers(0, 3 if silent else 4), min_size=1, max_size=3))
    sentences = from_rows([chance.rng.integers(-1, V, n) for n in lengths], np.int32)
    return Instance(NaiveChannel(model), model, Sentences(sentences), chance.weights(ChannelTables(np.zeros((K, V)))))


# --- IBM Models 1 and 2 ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NaiveIBM(Naive):
    """A structure has, for every target word, its source word, counted from 1; 0 is the empty word."""

    model: IBM

    def structures(self, items: Any, i: int) -> list[tuple[int, ...]]:
        l, m = len(items.source.sentences.row(i)), len(items.target.sentences.row(i))
        return list(product(range(l + 1), repeat=m))

    def counts(self, items: Any, i: int, structure: tuple[int, ...]) -> IBMTables:
        source, target = items.source.sentences.row(i), items.target.sentences.row(i)
        c = type(self.tables)(*(like(t, np.zeros_like(values(t))) for t in self.tables))
        if len(source) == 0:  # a pair without a source word is not part of the model
            return c
        for j, (a, word) in enumerate(zip(structure, target.tolist(), strict=True)):
            row = 0 if a == 0 else int(source[a - 1]) + 1
            place = self.model.entries.row(row).tolist().index(word)
            c.translation.values[self.model.entries.offsets[row] + place] += 1
            self.place(c.alignment, a, j, len(source), len(target))
        return c

    @cached_property
    def tables(self) -> IBMTables:
        """Of their shape alone use is made; every structure asks for it."""
        return uniform_start(self.model.layout)

    def place(self, alignment: Any, a: int, j: int, l: int, m: int) -> None:
        classes = self.model.classes.tolist()
        before = [(p, q) for p, q in classes[: classes.index([l, m])] if p > 0]
        if self.model.alignment == "free":
            alignment.values[sum((p + 1) * q for p, q in before) + j * (l + 1) + a] += 1
        elif self.model.alignment == "diagonal":
            alignment[0 if a == 0 else 1] += 1
            if a > 0:
                alignment[2] -= abs(a / l - (j + 1) / m)
                alignment[3 + sum(q for _, q in before) + j] += 1

    def nodes(self, items: Any, i: int, structure: tuple[int, ...]) -> np.ndarray:
        return one_hot(structure, len(items.source.sentences.row(i)) + 1)

    def potentials(self, items: Any, i: int) -> np.ndarray | None:
        l, m = len(items.source.sentences.row(i)), len(items.target.sentences.row(i))
        given = None if items.potentials is None or l == 0 else items.potentials.row(i)
        return None if given is None or len(given) == 0 else given.reshape(l + 1, m).T

    def log_base(self, items: Any, i: int) -> float:
        """Model 1: every source word is as likely, and no table says so."""
        l, m = len(items.source.sentences.row(i)), len(items.target.sentences.row(i))
        return -m * np.log(l + 1.0) if self.model.alignment == "uniform" and l > 0 else 0.0

    def posteriors(self, items: Any, i: int, nodes: np.ndarray) -> np.ndarray:
        return nodes.T

    def told(self, posteriors: Any) -> np.ndarray:
        return posteriors.matrices.values


def ibm(draw: Any, chance: Chance, kind: str) -> Instance:
    lengths = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4))
    sides = [[[f"w{w}" for w in chance.rng.integers(3, size=n)] for n in side] for side in zip(*lengths, strict=True)]
    items = bitext(*sides)
    rows = cooccurring(items.sides[0].occurrences, items.target.sentences, len(items.target.vocabulary))
    model = IBM(rows, len(items.target.vocabulary), length_classes(items)[0], kind)
    weights = chance.weights(NaiveIBM(model).tables)
    if kind == "diagonal":  # all numbers but the tension are logarithms
        weights.alignment[2] = chance.rng.normal(0.0, 3 * chance.spread)
    if any(l == 0 for l, _ in lengths):  # then the empty word is all that there is
        weights.translation.row(0)[:] = chance.table(weights.translation.row(0).shape, zeros=0.0)
    if draw(st.booleans()):  # some pairs wish for links
        sizes = np.where(chance.rng.random(len(items)) < 0.7, items.token_pairs, 0)
        wishes = from_rows([chance.table((n,)) for n in sizes], float)
        items = replace(items, wishes=(wishes, None))
    return Instance(NaiveIBM(model), model, items, weights)


@dataclass(frozen=True)
class NaiveJumps(NaiveIBM):
    """As an IBM model, but that where a word is linked depends on where the last word before it was that is linked."""

    model: JumpHMM

    def counts(self, items: Any, i: int, structure: tuple[int, ...]) -> IBMTables:
        l, m = len(items.source.sentences.row(i)), len(items.target.sentences.row(i))
        c, D, place = super().counts(items, i, structure), self.model.reach, None
        if l == 0 or m == 0:
            return c
        lengths = [n for n in range(1, l) if n in self.model.classes[:, 0]]
        begin, end, jump, cells = 2, D + 3, 2 * D + 4, 4 * D + 5 + sum(n + 3 for n in lengths)
        for a in structure:
            if a == 0:
                continue
            if place is None:
                used = begin + min(a - 1, D), cells
            else:
                used = jump + D + min(max(a - 1 - place, -D), D), cells + 3 + place
            c.alignment[list(used)] += 1
            place = a - 1
        c.alignment[[cells + 2] if place is None else [end + min(l - 1 - place, D), cells + 1]] += 1
        return c

    def place(self, alignment: Any, a: int, j: int, l: int, m: int) -> None:
        alignment[0 if a == 0 else 1] += 1

    def before(self, items: Any, i: int, nodes: np.ndarray, structure: tuple[int, ...]) -> Any:
        """The last place, none before any; then from the last word on: empty, the first to be linked, or from where."""
        linked = [j for j, a in enumerate(structure) if a]
        places = [structure[j] for j in linked]
        ranks = [0] * len(structure)
        for j, place in zip(linked, [0, *places], strict=False):
            ranks[j] = 1 + place
        return [places[-1] if places else 0, *ranks[::-1]]


def jumps(draw: Any, chance: Chance) -> Instance:
    given = ibm(draw, chance, "uniform")
    model = JumpHMM(given.model.entries, given.model.n_targets, given.model.classes, reach=draw(st.integers(1, 2)))
    weights = chance.weights(NaiveJumps(model).tables)._replace(translation=given.log_weights.translation)
    return Instance(NaiveJumps(model), model, given.items, weights)


@dataclass(frozen=True)
class NaiveLinkCRF(NaiveJumps):
    """The encoder's weights: the empty word, the distance from the diagonal, places and jumps; features of words."""

    model: LinkCRF

    def counts(self, items: Any, i: int, structure: tuple[int, ...]) -> LinkCRFTables:
        source, target = items.source.sentences.row(i), items.target.sentences.row(i)
        l, m = len(source), len(target)
        moves = self.chain.counts(items, i, structure)
        alignment, D = np.zeros(values(self.tables.alignment).shape), self.model.reach
        if l > 0 and m > 0:
            alignment[0] = structure.count(0)
            alignment[1] = sum(abs(a / l - (j + 1) / m) for j, a in enumerate(structure) if a > 0)
            alignment[2:] = moves.alignment[2 : 4 * D + 5]
        return LinkCRFTables(moves.translation, alignment, self.model.features.T @ moves.translation.values)

    @cached_property
    def chain(self) -> NaiveJumps:
        return NaiveJumps(self.model.chain)


def link_crf(draw: Any, chance: Chance) -> Instance:
    given = ibm(draw, chance, "uniform")
    features = sparse.csr_matrix(chance.rng.integers(0, 3, (len(given.model.entries.values), 2)).astype(float))
    reach = draw(st.integers(1, 2))
    model = LinkCRF(given.model.entries, given.model.n_targets, given.model.classes, features, reach=reach)
    weights = chance.weights(NaiveLinkCRF(model).tables)._replace(translation=given.log_weights.translation)
    weights.alignment[1] = chance.rng.normal(0.0, chance.spread)  # of a distance, which may be none
    weights.pair[:] = chance.table(weights.pair.shape, zeros=0.0)
    return Instance(NaiveLinkCRF(model), model, given.items, weights)


# --- mixtures: of documents, of points -------------------------------------------------------------------------------


@dataclass(frozen=True)
class NaiveMixture(Naive):
    """A structure is the item's class."""

    tables: type
    n_classes: int
    features: Callable[[Any], np.ndarray]  # of items, [items, F]: what an item counts in its class's row

    def structures(self, items: Any, i: int) -> list[int]:
        known = -1 if items.labels is None else int(items.labels[i])
        return list(range(self.n_classes)) if known < 0 else [known]

    def counts(self, items: Any, i: int, structure: int) -> Any:
        row = self.features(items)[i]
        c = self.tables(np.zeros(self.n_classes), np.zeros((self.n_classes, len(row))))
        c[0][structure] += 1
        c[1][structure] += row
        return c

    def nodes(self, items: Any, i: int, structure: int) -> np.ndarray:
        return one_hot([structure], self.n_classes)

    def potentials(self, items: Any, i: int) -> np.ndarray | None:
        return None if items.potentials is None else items.potentials[i : i + 1]


def _labels(draw: Any, chance: Chance, n: int, n_classes: int) -> np.ndarray | None:
    return chance.rng.integers(-1, n_classes, n).astype(np.int32) if draw(st.booleans()) else None


def mixture(draw: Any, chance: Chance) -> Instance:
    D, V, K = (draw(st.integers(1, n)) for n in (3, 3, 5))
    table = from_matrix(chance.rng.integers(0, 3, (D, V)).astype(float), labels=_labels(draw, chance, D, K))
    items = replace(table, potentials=chance.wishes(draw, D, K))
    naive = NaiveMixture(MixtureTables, K, lambda items: items.matrix().toarray())
    return Instance(naive, Mixture(K, V), items, chance.weights(MixtureTables(np.zeros(K), np.zeros((K, V)))))


def second_order(x: np.ndarray, kind: str) -> list[float]:
    """What a Gaussian counts of a point beyond the point itself."""
    if kind == "full":
        return [x[i] * x[j] for i in range(len(x)) for j in range(i, len(x))]
    return {"direction": [], "diagonal": [*x**2]}.get(kind, [sum(x**2)])


def gaussian(draw: Any, chance: Chance) -> Instance:
    N, F, K = (draw(st.integers(1, n)) for n in (3, 3, 5))
    kind, packed = draw(st.sampled_from(["unit", "spherical", "diagonal", "full", "direction"])), draw(st.booleans())
    packed = packed and kind != "full"
    X = chance.rng.normal(size=(N, F)) * (chance.rng.random((N, F)) < 0.8)
    items = Points(sparse.csr_matrix(X) if packed else X, _labels(draw, chance, N, K), chance.wishes(draw, N, K))

    def features(items: Any) -> np.ndarray:
        X = items.values.toarray() if packed else items.values
        return np.array([[1.0, *row, *second_order(row, kind)] for row in X]).reshape(len(X), -1)

    S = len(second_order(np.zeros(F), kind))
    weights = GaussianTables(chance.table((K,)), chance.table((K, 1 + F + S), zeros=0.0))
    model = GaussianMixture(K, F, kind, np.zeros(F), np.ones(S))
    return Instance(NaiveMixture(GaussianTables, K, features), model, items, weights)


# --- probabilistic latent semantic analysis --------------------------------------------------------------------------


@dataclass(frozen=True)
class NaivePLSA(Naive):
    """A structure has a topic for every token; a node is a word of a document, all its tokens together."""

    n_documents: int
    n_topics: int
    n_words: int
    draws_labels = False  # tokens of one word are drawn apart

    def cells(self, items: Any, i: int) -> list[tuple[int, int]]:
        """(word, how often)"""
        here = slice(items.offsets[i], items.offsets[i + 1])
        return list(zip(items.words[here].tolist(), items.counts[here].astype(int).tolist(), strict=True))

    def structures(self, items: Any, i: int) -> list[tuple[int, ...]]:
        return list(product(range(self.n_topics), repeat=sum(n for _, n in self.cells(items, i))))

    def counts(self, items: Any, i: int, structure: tuple[int, ...]) -> PLSATables:
        c = PLSATables(np.zeros((self.n_documents, self.n_topics)), np.zeros((self.n_topics, self.n_words)))
        tokens = [word for word, n in self.cells(items, i) for _ in range(n)]
        for word, topic in zip(tokens, structure, strict=True):
            c.topic[items.rows[i], topic] += 1
            c.word[topic, word] += 1
        return c

    def nodes(self, items: Any, i: int, structure: tuple[int, ...]) -> np.ndarray:
        topics, sizes = list(structure), [n for _, n in self.cells(items, i)]
        rows = [one_hot([topics.pop(0) for _ in range(n)], self.n_topics).mean(axis=0) for n in sizes]
        return np.array(rows).reshape(-1, self.n_topics)

    def wished(self, items: Any, i: int, structure: tuple[int, ...]) -> float:
        """Every token of a word has the word's potential; those of a document are all its words'."""
        if items.potentials is None:
            return 0.0
        cells = self.cells(items, i)
        of_words = isinstance(items.potentials, Ragged)
        rows = list(items.potentials.row(i)) if of_words else [items.potentials[i]] * len(cells)
        tokens = [row for row, (_, n) in zip(rows, cells, strict=True) for _ in range(n)]
        return float(sum(row[topic] for row, topic in zip(tokens, structure, strict=True)))

    def posteriors(self, items: Any, i: int, nodes: np.ndarray) -> np.ndarray:
        """The document's topics: the mean over its tokens; nothing for an empty one."""
        sizes = np.array([n for _, n in self.cells(items, i)], dtype=float)
        return sizes @ nodes / max(sizes.sum(), 1.0)


def plsa(draw: Any, chance: Chance) -> Instance:
    D, V, H = (draw(st.integers(1, 3)) for _ in range(3))
    table = chance.rng.integers(0, 2, (D, V)).astype(float)
    table[:, 0] += chance.rng.integers(0, 2, D)
    weights = chance.weights(PLSATables(np.zeros((D, H)), np.zeros((H, V))))
    items, of_words = from_matrix(table), draw(st.booleans())
    wishes: Any = chance.wishes(draw, len(items.words) if of_words else D, H)
    if wishes is not None and of_words:
        wishes = Ragged(items.offsets, wishes)
    return Instance(NaivePLSA(D, H, V), PLSA(D, H, V), replace(items, potentials=wishes), weights)


# --- Bayesian networks, over time, tied ------------------------------------------------------------------------------


@dataclass(frozen=True)
class NaiveNetwork(Naive):
    """A structure is a value for every cell of a sequence's rows; the nodes are all cells, known ones included."""

    model: Network

    def rows(self, items: Any, i: int) -> np.ndarray:
        return items.cells[items.offsets[i] : items.offsets[i + 1]]

    def structures(self, items: Any, i: int) -> list[tuple[int, ...]]:
        rows = self.rows(items, i)
        choices = [range(n) if k < 0 else [int(k)] for row in rows for k, n in zip(row, self.model.sizes, strict=True)]
        return list(product(*choices))

    def counts(self, items: Any, i: int, structure: tuple[int, ...]) -> Any:
        full = np.array(structure, dtype=np.int64).reshape(-1, len(self.model.sizes))
        c = tables_type(self.model.tables)(*(np.zeros(shape) for shape in self.model.shapes))
        for t in range(len(full)):
            for use in self.model.later if t and self.model.later else self.model.first:
                c[use.table][tuple(full[t - back, v] for v, back in use.scope)] += 1
        return c

    def nodes(self, items: Any, i: int, structure: tuple[int, ...]) -> np.ndarray:
        return one_hot(structure, max(self.model.sizes))

    def choosers(self, items: Any, i: int, n: int) -> list[int]:
        """What is summed out last chooses first."""
        plan, V = self.model.plan, len(self.model.sizes)
        end = len(self.rows(items, i)) - 1
        found = [] if plan.end is None else [end * V + v for v, _ in plan.end.out]
        for t in range(end, -1, -1):
            buckets = plan.later if t and self.model.later else plan.first
            found += [(t - back) * V + v for bucket in buckets[::-1] for v, back in bucket.out]
        return found

    def told(self, posteriors: Any) -> np.ndarray:
        widest, ends = max(self.model.sizes), np.cumsum(self.model.sizes)[:-1]
        parts = [np.pad(p, ((0, 0), (0, widest - p.shape[1]))) for p in np.split(posteriors, ends, axis=1)]
        return np.stack(parts, axis=1).ravel()


def network(draw: Any, chance: Chance, over_time: bool) -> Instance:
    """Up to four variables, each with some of those before it as parents; some look back; some share a table."""
    V, rng = draw(st.integers(1, 3 if over_time else 4)), chance.rng
    sizes = tuple(int(n) for n in rng.choice([1, 2, 2, 3], V))
    shapes: list[tuple[int, ...]] = []
    first, later, names = [], [], dict[tuple[Any, ...], int]()

    def table(shape: tuple[int, ...], *key: Any) -> int:
        if key not in names or not rng.random() < 0.5:  # half of the tables that could be shared are
            names[key] = len(shapes)
            shapes.append(shape)
        return names[key]

    for v in range(V):
        now = tuple((int(p), 0) for p in np.flatnonzero(rng.random(v) < 0.6))
        back = tuple((int(p), 1) for p in np.flatnonzero(rng.random(V) < 0.4)) if over_time else ()
        for uses, scope in ((first, (*now, (v, 0))), (later, (*back, *now, (v, 0)))):
            shape = tuple(sizes[p] for p, _ in scope)
            uses.append(Use(table(shape, shape), scope))
    looks_back = any(back for use in later for _, back in use.scope)
    lengths = rng.integers(1, 4, draw(st.integers(1, 3))) if looks_back else np.ones(draw(st.integers(1, 4)), int)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    cells = rng.integers(0, sizes, (offsets[-1], V))
    never = rng.random(V) < 0.3
    missing = never | (rng.random(cells.shape) < draw(st.sampled_from([0.0, 0.4, 1.0])))
    for a, b in pairwise(offsets):  # few enough completions to list
        while np.prod(np.array(sizes)[np.nonzero(missing[a:b])[1]]) > 150:
            missing[a + rng.integers(b - a), rng.integers(V)] = False
    items = records(np.where(missing, -1, cells), offsets)
    open = tuple((missing.any(axis=0) | (rng.random(V) < 0.2)).tolist()) if draw(st.booleans()) else ()
    model = Network(
        tuple(f"v{v}" for v in range(V)), sizes, tuple(f"t{k}" for k in range(len(shapes))), tuple(shapes),
        (False,) * len(shapes), tuple(first), tuple(later) if looks_back else (), open,
    )  # fmt: skip
    weights = chance.weights(NaiveNetwork(model).counts(items, 0, NaiveNetwork(model).structures(items, 0)[0]))
    return Instance(NaiveNetwork(model), model, items, weights)


# --- context-free grammars: `grammars.py` ----------------------------------------------------------------------------


def grammar(draw: Any, chance: Chance) -> Instance:
    model, items, oracle = tiny_grammar(draw, chance)
    rules = Ragged(model.rules.rows, np.zeros(model.rules.n_rules))
    return Instance(oracle, model, items, chance.weights(GrammarTables(rules)))


# --- the registry ----------------------------------------------------------------------------------------------------

MODELS: dict[str, Callable[[Any, Chance], Instance]] = {
    "hmm": hmm,
    "crf": crf,
    "channel": channel,
    "channel with a silent letter": partial(channel, silent=True),
    "ibm1": partial(ibm, kind="uniform"),
    "ibm2": partial(ibm, kind="diagonal"),
    "ibm2-free": partial(ibm, kind="free"),
    "jumps": jumps,
    "link-crf": link_crf,
    "mixture": mixture,
    "gaussian": gaussian,
    "plsa": plsa,
    "network": partial(network, over_time=False),
    "network-in-time": partial(network, over_time=True),
    "grammar": grammar,
}


@st.composite
def instances(draw: Any, name: str, zeros: float | None = None, spread: float | None = None) -> Instance:
    """Tiny and random, of the model by that name."""
    share = draw(st.sampled_from([0.0, 0.0, 0.2])) if zeros is None else zeros
    width = draw(st.sampled_from([0.5, 3.0])) if spread is None else spread
    return MODELS[name](draw, Chance(np.random.default_rng(draw(st.integers(0, 2**32))), width, share))
