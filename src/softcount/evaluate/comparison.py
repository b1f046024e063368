"""Whether one system is better than another, or was luckier: both answer the same items, and items change sides.

    d = score(Σ_i a_i) − score(Σ_i b_i)        p = P(|d*| ≥ |d|),  d* with a_i and b_i exchanged by a coin for every i

If it made no difference who gave which answer, no exchange would change more than chance does. All 2^m exchanges of the
m items that differ are tried where they are no more than `samples`; otherwise so many are drawn, and the one that was
seen counts among them. E. S. Edgington, J. of Psychology 57, 1964; A. Yeh, COLING 2000. How much better: the same items
drawn again for both (paired bootstrap), between whose bounds the difference lies. P. Koehn, EMNLP 2004.

Classes without names cannot change sides, because class 3 of one system is not class 3 of the other. So their scores
are written as means over tokens, with what a class is called and how large it is held as in the whole text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.evaluate.clustering import identify, lengths_of
from softcount.evaluate.interval import check_samples
from softcount.evaluate.links import Link
from softcount.evaluate.scores import Scores, link_table, tree_table
from softcount.evaluate.token_shares import CLUSTER_SHARES, TAG_SHARES, Ids, Share
from softcount.numbers.ragged import Array

if TYPE_CHECKING:
    from softcount.evaluate.clustering import Labels
    from softcount.text.trees import Tree

AT_ONCE = 128  # samples: so many exchanges of all items are in memory together
ROUNDING = 1e-12  # differences nearer than this are the same


class Difference(NamedTuple):
    """Scores of two systems, their difference with its confidence interval, and a p-value."""

    one: float
    other: float
    difference: float
    low: float  # of the difference, by the paired bootstrap
    high: float
    p: float  # two-sided, by exchanges
    differing: int = 0  # items whose statistics behind this score differ


@dataclass(frozen=True)
class Compared:
    """Comparison of two systems: scores, differences, confidence intervals and p-values.

    Attributes
    ----------
    scores : mapping of str to Difference
        By name both scores, their difference, its bounds and its p-value.
    items, differing : int
        Number of items, and of those whose statistics differ in any score; `scores` have the number for each.
    exact : bool
        Whether all exchanges were tried.
    level : float
        The share of the samples between the bounds.
    """

    scores: Mapping[str, Difference]
    items: int
    differing: int
    exact: bool
    level: float

    def __getitem__(self, name: str) -> Difference:
        return self.scores[name]

    def __str__(self) -> str:
        width = max(map(len, self.scores))
        rows = (
            f"{name:<{width}}  {d.one:.4f}  {d.other:.4f}  "
            f"{d.difference:+.4f} ({d.low:+.4f} to {d.high:+.4f})  p={d.p:.4f}"
            for name, d in self.scores.items()
        )
        return "\n".join([*rows, self.remark])

    @property
    def remark(self) -> str:
        how = "all exchanges" if self.exact else "random exchanges"
        by_number: dict[int, list[str]] = {}
        for name, d in self.scores.items():
            by_number.setdefault(d.differing, []).append(name)
        if len(by_number) == 1:
            differ = f"{next(iter(by_number)):,} of {self.items:,} items differ"
        else:
            differ = f"of {self.items:,} items differ " + ", ".join(
                f"{n:,} in {' and '.join(names)}" for n, names in by_number.items()
            )
        return (
            f"{differ}; p by {how}; the interval covers {self.level:.0%} of the differences on "
            "bootstrap samples of the items"
        )


def compare(
    one: Any, other: Any, scores: Scores, *, level: float = 0.95, samples: int = 1000, random_state: int = 0,
    columns: Mapping[str, Sequence[int]] | None = None,
) -> Compared:  # fmt: skip
    """Compare two systems by summed statistics of the same items.

    one, other : [items, statistics], of which `scores` is given sums over the items
    columns : the statistics that each score is computed from; Default: all
    """
    a, b = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 2:
        raise InputError(
            f"statistics of shapes {a.shape} and {b.shape}; give both systems' statistics of the same items"
        )
    check_samples(len(a), level, samples)
    rng = np.random.default_rng(random_state)
    mine, theirs = scores(a.sum(axis=0)), scores(b.sum(axis=0))
    unlike = np.abs(a - b) > ROUNDING * np.maximum(1.0, np.abs(a))
    differing = np.flatnonzero(unlike.any(axis=1))
    counts = {name: int((unlike[:, columns[name]] if columns else unlike).any(axis=1).sum()) for name in mine}
    exact = len(differing) < 63 and 1 << len(differing) <= samples
    extreme = _extreme(a, b, differing, scores, mine, theirs, _exchanges(len(differing), exact, samples, rng))
    bounds = _bounds(a, b, scores, level, samples, rng)
    tried = (1 << len(differing)) if exact else samples + 1
    p = {name: (extreme[name] + (not exact)) / tried for name in mine}
    found = {
        name: Difference(score, theirs[name], score - theirs[name], *bounds[name], p[name], counts[name])
        for name, score in mine.items()
    }
    return Compared(found, len(a), len(differing), exact, level)


def _exchanges(n: int, exact: bool, samples: int, rng: np.random.Generator) -> Iterator[Array]:
    """Of n items which change sides, [some samples, n]: all ways there are, or so many at random."""
    total = 1 << n if exact else samples
    for begin in range(0, total, AT_ONCE):
        k = min(AT_ONCE, total - begin)
        if exact:
            yield (np.arange(begin, begin + k)[:, None] >> np.arange(n)) & 1
        else:
            yield np.unpackbits(rng.integers(0, 256, (k, -(-n // 8)), dtype=np.uint8), axis=1, count=n)


def _extreme(
    a: Array, b: Array, differing: Array, scores: Scores, mine: Mapping[str, float], theirs: Mapping[str, float],
    exchanges: Iterable[Array],
) -> dict[str, int]:  # fmt: skip
    """How many exchanges leave at least the difference that there is."""
    change = (b - a)[differing]
    of_a, of_b = a.sum(axis=0), b.sum(axis=0)
    count = dict.fromkeys(mine, 0)
    for sides in exchanges:
        for moved in sides.astype(np.float64) @ change:
            left, right = scores(of_a + moved), scores(of_b - moved)
            for name in count:
                seen = abs(mine[name] - theirs[name])
                count[name] += abs(left[name] - right[name]) >= seen - ROUNDING * max(1.0, seen)
    return count


def _bounds(
    a: Array, b: Array, scores: Scores, level: float, samples: int, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    n = len(a)
    drawn: dict[str, list[float]] = {}
    for _ in range(samples):
        times = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
        left, right = scores(times @ a), scores(times @ b)
        for name, score in left.items():
            drawn.setdefault(name, []).append(score - right[name])
    quantiles = [0.5 - level / 2.0, 0.5 + level / 2.0]
    return {name: tuple(np.nanquantile(found, quantiles).tolist()) for name, found in drawn.items()}


# --- what is compared -------------------------------------------------------------------------------------------------


def compare_links(
    gold: Sequence[Any], one: Sequence[Iterable[Link]], other: Sequence[Iterable[Link]], **how: Any
) -> Compared:
    """Compare the word links of two systems by AER, precision, recall and F1.

    Parameters
    ----------
    gold, one, other : list
        Of every pair its links, as `measure_links` takes them.
    **how
        level, samples, random_state: see `compare`.

    Returns
    -------
    Compared
    """
    (a, scores), (b, _) = link_table(gold, one), link_table(gold, other)
    return compare(a, b, scores, **how)


def compare_trees(
    gold: Sequence[Tree], one: Sequence[Tree | None], other: Sequence[Tree | None], **how: Any
) -> Compared:
    """Compare the parse trees of two systems by bracket scores.

    Parameters
    ----------
    gold, one, other : list
        Of every sentence its tree, as `measure_trees` takes them.
    **how
        level, samples, random_state: see `compare`.

    Returns
    -------
    Compared
    """
    (a, scores), (b, _) = tree_table(gold, one), tree_table(gold, other)
    return compare(a, b, scores, **how)


def compare_tags(gold: Labels, one: Labels, other: Labels, **how: Any) -> Compared:
    """Compare the tags of two systems by many-to-one and one-to-one accuracy, VI (bits) and V-measure.

    Parameters
    ----------
    gold, one, other : list
        Sentences of tags; each system's tags may have names of their own.
    **how
        level, samples, random_state: see `compare`.

    Returns
    -------
    Compared
    """
    lengths = lengths_of(gold)
    for found in (one, other):
        _in_step(lengths, lengths_of(found))
    return compare_ids(identify(gold), identify(one), identify(other), lengths, TAG_SHARES, **how)


def compare_clusters(gold: Sequence[Any], one: Sequence[Any], other: Sequence[Any], **how: Any) -> Compared:
    """Compare two clusterings of the same items by NMI, ARI, VI (bits), purity and V-measure.

    Parameters
    ----------
    gold, one, other : list or array
        Of every item its class, and its cluster by each system.
    **how
        level, samples, random_state: see `compare`.

    Returns
    -------
    Compared
    """
    for found in (one, other):
        _in_step([1] * len(gold), [1] * len(found))
    truth, mine, theirs = (identify(list(labels)) for labels in (gold, one, other))
    return compare_ids(truth, mine, theirs, [1] * len(gold), CLUSTER_SHARES, **how)


def _in_step(gold: list[int], found: list[int]) -> None:
    if gold != found:
        wrong = next((i for i, (a, b) in enumerate(zip(gold, found, strict=False), 1) if a != b), None)
        where = f"{len(gold)} and {len(found)} items" if wrong is None else f"sentence {wrong}"
        raise InputError(f"{where}: gold and found labels differ in length; give the same tokens")


def compare_ids(
    gold: Ids, one: Ids, other: Ids, lengths: Sequence[int], shares: Mapping[str, Share], **how: Any
) -> Compared:
    """By these shares of every token, of which each item has so many."""
    if not len(gold[0]):
        raise InputError("no labelled items to score; check that the file is not empty")
    items = np.repeat(np.arange(len(lengths)), lengths)

    def table(found: Ids) -> Array:
        by_token = [share(gold, found) for share in shares.values()]
        return np.column_stack([lengths, *(np.bincount(items, share, len(lengths)) for share in by_token)])

    def scores(sums: Array) -> dict[str, float]:
        return dict(zip(shares, (sums[1:] / max(sums[0], 1.0)).tolist(), strict=True))

    columns = {name: [k] for k, name in enumerate(shares, 1)}
    return compare(table(one), table(other), scores, columns=columns, **how)
