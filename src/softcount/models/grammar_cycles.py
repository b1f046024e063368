"""Unary rules that lead back to where they began: all chains of them at once, as the geometric series that they are.

    C = I + U + U² + … = (I − U)⁻¹        counts of U = U ∘ (Cᵀ G Cᵀ),  G = counts of C / C

U[A, B] is the weight of A → B between the symbols of one cycle. Chains are infinitely many, so that their number is not
defined, and their sum only where the largest eigenvalue of U is below one, as it is for probabilities that let go.
A. Stolcke, "An efficient probabilistic context-free parsing algorithm that computes prefix probabilities", 1995.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.models.grammar_chart import Cycle
from softcount.numbers.ragged import Array


class Chains(NamedTuple):
    """Of every cycle, [members, members]: the weights of single rules, of all chains, of the best chain."""

    single: tuple[Array, ...]
    total: tuple[Array, ...]
    best: tuple[Array, ...]

    def totals(self) -> Array:
        return _flat(self.total)

    def bests(self) -> Array:
        return _flat(self.best)


def _flat(matrices: Sequence[Array]) -> Array:
    return np.concatenate([np.ravel(matrix) for matrix in matrices]) if matrices else np.empty(0)


def chains_of(cycles: Sequence[Cycle], weights: Array, symbols: Sequence[str]) -> Chains:
    """`weights` of all rules."""
    single, total, best = [], [], []
    for cycle in cycles:
        n = len(cycle.members)
        U = np.zeros((n, n))
        U[cycle.rows, cycle.columns] = weights[cycle.rules]
        if not np.isfinite(U).all() or np.abs(np.linalg.eigvals(U)).max() >= 1.0 - 1e-12:
            wrong = f"the unary rules {described(cycle, symbols)} are cyclic: their chains have no finite sum"
            raise InputError(f"{wrong}; lower the probability of some of them, or remove one")
        single.append(U)
        total.append(np.maximum(np.linalg.inv(np.eye(n) - U), 0.0))
        best.append(_best(U))
    return Chains(tuple(single), tuple(total), tuple(best))


def described(cycle: Cycle, symbols: Sequence[str]) -> str:
    """A shortest way round: ``NP -> S -> NP``."""
    onward: dict[int, list[int]] = {}
    for a, b in zip(cycle.rows.tolist(), cycle.columns.tolist(), strict=True):
        onward.setdefault(a, []).append(b)
    begin = int(cycle.rows[0])
    paths, seen = [[begin]], {begin}
    while paths:
        path = paths.pop(0)
        for b in onward.get(path[-1], []):
            if b == begin:
                return " -> ".join(symbols[cycle.members[m]] for m in [*path, begin])
            if b not in seen:
                seen.add(b)
                paths.append([*path, b])
    raise AssertionError("a cycle without a cycle")


def rule_counts(cycles: Sequence[Cycle], chains: Chains, edge_counts: Array, counts: Array) -> None:
    """Adds to the rules' counts what the expected counts of whole chains (all cycles' pairs) mean for them."""
    for cycle, U, C in zip(cycles, chains.single, chains.total, strict=True):
        n = len(cycle.members)
        gained = edge_counts[cycle.first : cycle.first + n * n].reshape(n, n)
        gradient = np.divide(gained, C, out=np.zeros((n, n)), where=C > 0.0)
        within = U * (C.T @ gradient @ C.T)
        np.add.at(counts, cycle.rules, within[cycle.rows, cycle.columns])


def chain(cycles: Sequence[Cycle], chains: Chains, pair: int, uniform: float | None) -> tuple[list[int], list[int]]:
    """(symbols from top to bottom, rules between them) of the chain of a pair: the best, or drawn by the uniform."""
    number = max(k for k, cycle in enumerate(cycles) if cycle.first <= pair)
    cycle, U = cycles[number], chains.single[number]
    after = chains.best[number] if uniform is None else chains.total[number]
    here, last = divmod(pair - cycle.first, len(cycle.members))
    rule_of = {(a, b): int(r) for a, b, r in zip(cycle.rows, cycle.columns, cycle.rules, strict=True)}
    path, rules = [here], list[int]()
    while True:
        terms = np.append(U[here] * after[:, last], 1.0 if here == last else 0.0)  # go on, or stop
        if uniform is None:
            step = len(terms) - 1 if here == last else int(terms.argmax())
        else:
            ladder = np.cumsum(terms) / terms.sum()
            step = min(int(np.searchsorted(ladder, uniform, side="right")), int(np.flatnonzero(terms)[-1]))
            below = ladder[step - 1] if step else 0.0
            uniform = min(max((uniform - below) / (ladder[step] - below), 0.0), 1.0 - 2**-53)
        if step == len(terms) - 1:
            return [int(cycle.members[m]) for m in path], rules
        rules.append(rule_of[here, step])
        here = step
        path.append(here)


def _best(U: Array) -> Array:
    """The largest product along any chain."""
    best = np.maximum(U, np.eye(len(U)))
    for k in range(len(U)):
        best = np.maximum(best, best[:, k : k + 1] * best[k : k + 1])
    return best
