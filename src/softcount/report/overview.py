"""What a model has learned, one class after the other: its size, its most typical words, its most probable words.

    size      of a text: its tokens or documents that the model assigns to the class. Without a text, those of the
              training data. An HMM that no command has decoded its training text with has the expected tokens instead:
              Σ_t N(longer than t) · (initial · transitionᵗ)[k], for the sentence lengths of training
    typical   by P(w|k) · log(P(w|k) / P(w)), the word's part of KL(class ‖ text): more here than elsewhere; of topics,
              in the order of `PLSA.top_words`
    lift      P(w|k) / P(w)

For a new kind of model: a function in KINDS. Any other model is shown by its tables, in numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.language.histories import visits
from softcount.numbers.ragged import Array
from softcount.report.clusters import distinctive

TOKENS, DOCUMENTS = "tokens", "documents"
EXPECTED = "expected tokens"  # by the model's own distribution, where nothing was decoded


class Group(NamedTuple):
    """A class, topic, cluster or state."""

    name: str
    size: int
    share: float
    words: list[str]  # the most typical first
    lift: list[float]  # of these
    probable: list[str]
    examples: list[str] = []  # noqa: RUF012  (in context, of a text)
    features: list[str] = []  # noqa: RUF012  (that speak for it most, where rows are computed from features)
    prevalence: float | None = None  # of a topic: its share of the tokens


class Overview(NamedTuple):
    kind: str
    unit: str  # of sizes
    groups: list[Group]  # in the model's order
    ranked_by: str | None = None  # what topics' typical words are ranked by


def overview(model: Any, top: int, sizes: Array | None = None) -> Overview | None:
    """`sizes` are those in a text, where there is one; None for a model that has no classes."""
    found = KINDS.get(model.kind)
    if found is None:
        return None
    names, unit, own, table, words = found(model)
    if sizes is not None and unit == EXPECTED:
        unit = TOKENS
    own = np.asarray(own if sizes is None else sizes, np.float64)
    of_topics = model.kind == "plsa"
    old = of_topics and not model._ranks_documents  # which are shown as they were
    groups = _groups(names, own, table, words, top, model._rank() if of_topics and not old else None)
    if of_topics:
        groups = [g._replace(prevalence=float(p)) for g, p in zip(groups, model.prevalence_, strict=True)]
    if getattr(model, "feature_weights_", None):
        told = model.top_features(top).values()
        groups = [group._replace(features=[name for name, _ in f]) for group, f in zip(groups, told, strict=True)]
    return Overview(model.kind, unit, groups, ("relative entropy" if old else model.ranked_by_) if of_topics else None)


def _groups(
    names: Sequence[Any], sizes: Array, table: Array, words: Sequence[Any], top: int, rank: Array | None = None
) -> list[Group]:
    """`table` [classes, words] has P(w|k), or other numbers, larger for typical words (k-means: centers); `rank`,
    where typical words have an order of their own."""
    shares = sizes / max(sizes.sum(), 1e-300)
    even = np.full(len(names), 1.0 / max(len(names), 1))
    weight = shares if shares.any() else even
    typical = rank
    if typical is None:
        typical = distinctive(weight, table) if len(names) > 1 else table
    everywhere = np.maximum(weight @ table, 1e-300)
    groups = []
    for k, name in enumerate(names):
        best, likely = (np.argsort(-row[k], kind="stable")[:top] for row in (typical, table))
        best = best[typical[k, best] > 0.0] if (typical[k, best] > 0.0).any() else likely
        best, likely = best[table[k, best] > 0.0], likely[table[k, likely] > 0.0]
        lift = (table[k, best] / everywhere[best]).tolist()
        shown, probable = ([str(words[v]) for v in ids.tolist()] for ids in (best, likely))
        groups.append(Group(str(name), round(sizes[k]), float(shares[k]), shown, lift, probable))
    return groups


Found = tuple[Sequence[Any], str, Array, Array, Sequence[Any]]


def _hmm(model: Any) -> Found:
    unit, sizes = _decoded(model, expected_tokens)
    return model.states_, unit, sizes, model.emission_, model.vocabulary_.words


def _decoded(model: Any, expected: Callable[[Any], Array]) -> tuple[str, Array]:
    """The decoded tokens of the training text where the model has them, else the expected tokens."""
    found = getattr(model, "decoded_", None)
    return (EXPECTED, expected(model)) if found is None else (TOKENS, found)


def count_decoded(names: Sequence[Any], labels: Iterable[Iterable[Any]]) -> Array:
    """[names]: number of tokens with each label."""
    found = Counter(str(label) for row in labels for label in row)
    return np.array([found[str(name)] for name in names], np.int64)


def expected_tokens(model: Any) -> Array:
    """[states]: of the sentence lengths of training."""
    K = len(model.states_)
    if len(model.transition_) != K:  # histories of several states
        share = visits(model.language_).reshape(-1, K + 1)[:, :K].sum(axis=0)
        return np.asarray(share / share.sum() * (model.lengths_ @ np.arange(len(model.lengths_))))
    at, total = np.asarray(model.initial_, np.float64), np.zeros(K)
    onward = model.transition_ / np.maximum(model.transition_.sum(axis=1, keepdims=True), 1e-300)
    longer = model.lengths_[::-1].cumsum()[::-1]  # how many sentences have at least so many words
    for n in longer[1:].tolist():
        total += n * at
        at = at @ onward
    return total


def _word_classes(model: Any) -> Found:
    K, V = len(model.classes_), len(model.vocabulary_)
    table = np.zeros((K, V))
    table[model.word_class_, np.arange(V)] = model.count_
    sizes = table.sum(axis=1)
    return model.classes_, TOKENS, sizes, table / np.maximum(sizes, 1.0)[:, None], model.vocabulary_.words


def _plsa(model: Any) -> Found:
    return range(len(model.word_)), DOCUMENTS, documents_of_topics(model), model.word_, model._names(None)


def documents_of_topics(model: Any) -> Array:
    """How many training documents have more of each topic than of any other."""
    return np.bincount(np.asarray(model.topic_).argmax(axis=1), minlength=len(model.word_))


def _mixture(model: Any) -> Found:
    classes = model.classes_.tolist()
    return classes, DOCUMENTS, np.bincount(model.labels_, minlength=len(classes)), model.word_, model._names(None)


def _points(model: Any) -> Found:
    """By how far a centre is above the mean of all, in standard deviations where these are known."""
    sizes = np.bincount(model.labels_, minlength=model.n_clusters)
    numbered: Sequence[Any] = getattr(model, "feature_names_in_", range(model.n_features_in_))
    words = numbered if model.vocabulary_ is None else model.vocabulary_.words
    if model.vocabulary_ is not None:
        return range(model.n_clusters), DOCUMENTS, sizes, np.maximum(model.means_, 0.0), words
    mean = sizes @ model.means_ / max(sizes.sum(), 1)
    above = (model.means_ - mean) / np.sqrt(np.asarray(model.variances_).mean(axis=0))
    return range(model.n_clusters), DOCUMENTS, sizes, np.maximum(above, 0.0), words


def _decipher(model: Any) -> Found:
    """Plain letters by how often the language model has them."""
    unit, sizes = _decoded(model, _expected_letters)
    return model.letters_, unit, sizes, model.emission_, model.vocabulary_.words


def _expected_letters(model: Any) -> Array:
    share = visits(model.language_).reshape(-1, len(model.letters_) + 1)[:, :-1].sum(axis=0)
    return np.asarray(share / share.sum() * model.data_.get("letters", 0))


KINDS: dict[str, Callable[[Any], Found]] = {
    "hmm": _hmm,
    "decipher": _decipher,
    "word classes": _word_classes,
    "plsa": _plsa,
    "naive bayes mixture": _mixture,
    "k-means": _points,
    "gaussian mixture": _points,
}
