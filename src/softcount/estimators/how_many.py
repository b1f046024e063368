"""How many hidden values? Several numbers are tried, all trained by variational Bayes, and the best is chosen.

    elbo          log K! + ELBO ≤ log P(x | K), of all items; of the best K only the values that are used count
    split-merge   from one value on: all split in two, trained, and merged again where that raises log K! + ELBO
    evidence      the one of these two that finds more of it
    held-out      log P(items kept aside) per token; the fewest values that are within one standard error of the best

Starts of their own (classes of words, clusters of documents) find what is in real text, where halves that differ by
noise find nothing; splits find values whose words others have as well, which clusters do not. K! is the number of ways
to name K values: each is a place with the same ELBO. H. Attias, NIPS 1999; C. M. Bishop, "Pattern recognition and
machine learning", 2006, 10.2. The number that is chosen is then trained as was asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from math import lgamma
from typing import Any, NamedTuple, Protocol

import numpy as np

from softcount.errors import InputError
from softcount.estimators.splitting import Axes, distances, merged, split_all
from softcount.machine.signals import obey
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables

METHODS = ("evidence", "elbo", "split-merge", "held-out")
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
PATIENCE = 2  # sizes in a row without a rise, or splits far behind, before larger ones are left alone
FINE = 1 / 16  # of the best size: what lies nearer to it is not told apart by one start or another
LEAST = 8  # up to which all of them are tried, because small ones cost little and say little
ASIDE = 0.1  # share of the items that are kept aside
BLOCKS = 20  # of the items aside, for the standard error
USED = 1.0  # expected counts that a value needs to be counted as used
ATTEMPTS = 4  # splits in a row, each by other noise, that may fail
PACE = 0.75  # of what starts of their own gained with as many values: splits that gain less will not catch up
STEPS, MERGE_STEPS = 60, 8  # of variational Bayes: in full, and to see what a merge is worth


class Tried(NamedTuple):
    size: int
    score: float  # what is compared: greater is better
    used: int  # values with an expected count of at least one
    seconds: float


class Choice(NamedTuple):
    size: int
    why: str  # in words
    tried: list[Tried]


class Trained(NamedTuple):
    """What one trained model says of itself."""

    size: int
    elbo: float
    mass: Array  # expected counts of every value
    emitted: Array  # [values, words]: what each emits
    tables: Tables
    per_token: Callable[[Any], float]  # log-likelihood of items, per token


class Trainer(Protocol):
    """Trains so many values on some items, from its own start or from tables."""

    axes: Axes

    def __call__(self, items: Any, size: int, tables: Tables | None = None, steps: int = STEPS) -> Trained: ...


def choose(method: str, train: Trainer, items: Any, most: int, seed: int) -> Choice:
    if method not in METHODS:
        raise InputError(f"choose={method!r}: unknown; use {', '.join(METHODS)}")
    if method == "held-out":
        return _held_out(train, items, most, seed)
    found = []
    if method in ("evidence", "elbo"):
        found.append(_elbo(train, items, most))
    if method in ("evidence", "split-merge"):
        bar = [one for choice in found for one in choice.tried]
        found.append(_split_merge(train, items, most, np.random.default_rng([seed, 18]), bar))
    best = max(found, key=lambda choice: max(one.score for one in choice.tried))
    return best._replace(tried=_best_of_each([one for choice in found for one in choice.tried]))


def _best_of_each(tried: list[Tried]) -> list[Tried]:
    """Of every size the attempt with the greatest score, in the order of the sizes."""
    best: dict[int, Tried] = {}
    for one in sorted(tried, key=lambda one: one.score):
        best[one.size] = one
    return [best[size] for size in sorted(best)]


def evidence(model: Trained) -> float:
    """Values that are not used have no names to exchange."""
    return model.elbo + lgamma(_used(model) + 1)


def _used(model: Trained) -> int:
    return max(int((model.mass >= USED).sum()), 1)


# --- sizes one after the other ----------------------------------------------------------------------------------------


def _elbo(train: Trainer, items: Any, most: int) -> Choice:
    def attempt(size: int) -> tuple[float, int]:
        model = train(items, size)
        return evidence(model), _used(model)

    tried = search(attempt, most)
    best = max(tried, key=lambda one: one.score)
    died = f"; {best.size - best.used} of them stay empty" if best.used < best.size else ""
    why = f"{best.size}{_most_of(tried, best.size)} has the highest ELBO{died}"
    return Choice(best.used, why, tried)


def _held_out(train: Trainer, items: Any, most: int, seed: int) -> Choice:
    n = len(items)
    if n < 2 * BLOCKS:
        raise InputError(f"{n} items are too few for a held-out set; use choose elbo, or at least {2 * BLOCKS} items")
    order = np.random.default_rng([seed, 19]).permutation(n)
    aside = max(BLOCKS, round(ASIDE * n))
    learnt, blocks = items.take(np.sort(order[aside:])), np.array_split(order[:aside], BLOCKS)
    measured: dict[int, Array] = {}

    def attempt(size: int) -> tuple[float, int]:
        model = train(learnt, size)
        measured[size] = np.array([model.per_token(items.take(np.sort(block))) for block in blocks])
        return float(measured[size].mean()), _used(model)

    tried = search(attempt, most)
    best = max(tried, key=lambda one: one.score).size
    chosen = min(size for size, found in measured.items() if within_one_error(measured[best], found))
    fewer = "" if chosen == best else f", {chosen} within one standard error of that"
    why = f"{best}{_most_of(tried, best)} gives the highest likelihood of {aside:,} held-out items{fewer}"
    return Choice(chosen, why, tried)


def _most_of(tried: list[Tried], size: int) -> str:
    """More might have been better still, where nothing larger was tried."""
    return ", the largest size tried," if size == max(one.size for one in tried) > 1 else ""


def within_one_error(best: Array, found: Array) -> bool:
    """Paired, block by block."""
    loss = best - found
    return bool(loss.mean() <= loss.std(ddof=1) / np.sqrt(len(loss)))


def search(attempt: Callable[[int], tuple[float, int]], most: int) -> list[Tried]:
    """Larger and larger sizes while the score rises; then those between the best and its neighbours."""
    found: dict[int, Tried] = {}

    def measure(size: int) -> None:
        obey()
        began = time.perf_counter()
        score, used = attempt(size)
        found[size] = Tried(size, score, used, time.perf_counter() - began)

    for size in _ladder(most):
        measure(size)
        best = max(found.values(), key=lambda one: one.score).size
        if size >= LEAST and sum(other > best for other in found) >= PATIENCE:
            break
    while (between := _between(found)) is not None:
        measure(between)
    return [found[size] for size in sorted(found)]


def _ladder(most: int) -> Iterator[int]:
    yield from (size for size in SIZES if size < most)
    yield min(most, SIZES[-1])


def _between(found: dict[int, Tried]) -> int | None:
    """The middle of the wider gap beside the best size; None where there is none worth looking into."""
    sizes = sorted(found)
    place = sizes.index(max(found.values(), key=lambda one: one.score).size)
    gaps = [(sizes[i + 1] - sizes[i], sizes[i]) for i in (place - 1, place) if 0 <= i < len(sizes) - 1]
    width, low = max(gaps, default=(0, 0))
    return low + width // 2 if width > max(1.0, FINE * sizes[place]) else None


# --- splits and merges ------------------------------------------------------------------------------------------------


def _split_merge(train: Trainer, items: Any, most: int, rng: np.random.Generator, bar: list[Tried]) -> Choice:
    """Until nothing stays split, or it falls far behind `bar`: what was found before with as many values or fewer."""
    began = time.perf_counter()
    best = train(items, 1)
    tried = [Tried(1, evidence(best), 1, time.perf_counter() - began)]
    failed = behind = 0
    while 2 * best.size <= most and failed < ATTEMPTS and behind < PATIENCE:
        began = time.perf_counter()
        tables = split_all(best.tables, train.axes, best.size, rng)
        model = _merged_back(train, items, train(items, 2 * best.size, tables))
        model = train(items, model.size, model.tables)
        tried.append(Tried(model.size, evidence(model), _used(model), time.perf_counter() - began))
        better = evidence(model) > evidence(best)
        failed = 0 if better and model.size > best.size else failed + 1
        best = model if better else best
        behind = behind + 1 if _far_behind(best, bar, tried[0].score) else 0
    why = "more does not raise the ELBO"
    if 2 * best.size > most:
        why = f"would exceed {most}"
    return Choice(_used(best), f"splitting {best.size} {why}", tried)


def _far_behind(model: Trained, bar: list[Tried], of_one: float) -> bool:
    others = max((one.score for one in bar if one.size <= model.size), default=-np.inf)
    return evidence(model) - of_one < PACE * (others - of_one)


def _merged_back(train: Trainer, items: Any, model: Trained) -> Trained:
    """Each value with the one most like it, the likest first, where merging them raises the evidence."""
    names, fresh = list(range(model.size)), model.size  # what is merged has a new name, and may be merged again
    refused: set[frozenset[int]] = set()
    while (pair := _likest(model.emitted, names, refused)) is not None:
        obey()
        tables = merged(model.tables, train.axes, pair, model.mass)
        found = train(items, model.size - 1, tables, MERGE_STEPS)
        if evidence(found) > evidence(model):
            model, names[pair[0]], fresh = found, fresh, fresh + 1
            del names[pair[1]]
        else:
            refused.add(frozenset(names[k] for k in pair))
    return model


def _likest(emitted: Array, names: list[int], refused: set[frozenset[int]]) -> tuple[int, int] | None:
    if len(names) < 2:
        return None
    apart = distances(emitted)
    for k in np.argsort(apart.min(axis=1), kind="stable").tolist():
        other = int(apart[k].argmin())
        if frozenset((names[k], names[other])) not in refused:
            return min(k, other), max(k, other)
    return None
