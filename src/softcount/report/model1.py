"""Every number of IBM Model 1 on a few pairs, written out as on paper: loops over words, no kernels.

posterior(i | j) = t(f_j | e_i) / Σ_i' t(f_j | e_i')        t(f | e) = count(f, e) / Σ_f' count(f', e)
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from softcount.errors import InputError
from softcount.machine.streams import put
from softcount.report.ties import tied_words, told
from softcount.text.bilingual import read_bilingual

if TYPE_CHECKING:
    from softcount.text.bitext import Bitext

EMPTY = "NULL"
MOST, LONGEST = 20, 100  # pairs, and words of a sentence; more is unreadable

Counts = dict[str, dict[str, float]]


def model1(data: Bitext, steps: int, fixed: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """`fixed` are translations (e, f) with t(f | e) = 1, before the first step and after every other."""
    if len(data) > MOST:
        raise InputError(f"{data.source.source}: {len(data)} pairs, but explain shows at most {MOST}; use fewer")
    for side in (data.source, data.target):
        if side.sentences.lengths.max(initial=0) > LONGEST:
            line = int(side.sentences.lengths.argmax()) + 1
            raise InputError(f"{side.source}:{line}: more than {LONGEST} words, the most that can be shown; shorten it")
    pairs = [([EMPTY, *data.source.tokens(s)], data.target.tokens(s)) for s in range(len(data))]
    words = {f for _, target in pairs for f in target}
    if not words:
        raise InputError(f"{data.target.source}: no words; give at least one")
    table: Counts = {e: {f: 1 / len(words) for f in sorted(words)} for source, _ in pairs for e in source}
    held = {e: {**dict.fromkeys(table[e], 0.0), f: 1.0} for e, f in fixed if f in table.get(e, {})}
    table |= held
    iterations = [_iterate(pairs, table, held) for _ in range(steps)]
    tied = tied_words(pairs, table)
    return {"pairs": pairs, "start": 1 / len(words), "iterations": iterations, "tied": tied}


def certain(path: str) -> list[tuple[str, str]]:
    """The entries of a bilingual dictionary, all of which must be certain."""
    entries = read_bilingual(path)
    other = next((entry for entry in entries if entry.kind != "must"), None)
    if other is not None:
        raise InputError(f"{path}: {other.source!r} {other.target!r} is {other.kind}; explain supports only `must`")
    return [entry[:2] for entry in entries]


def _iterate(pairs: list[tuple[list[str], list[str]]], table: Counts, held: Counts) -> dict[str, Any]:
    """One E-step and one M-step; `table` is updated."""
    counts: Counts = defaultdict(lambda: defaultdict(float))
    posteriors, log2, n_words = [], 0.0, 0
    for source, target in pairs:
        matrix = []
        for f in target:
            terms = [table[e][f] for e in source]
            total = sum(terms)
            if not total > 0.0:
                raise InputError(f"{f!r} has probability zero under the dictionary; allow one of its translations")
            log2 += math.log2(total / len(source))
            n_words += 1
            shares = [term / total for term in terms]
            matrix.append(shares)
            for e, share in zip(source, shares, strict=True):
                counts[e][f] += share
        posteriors.append(matrix)
    for e, row in counts.items():
        total = sum(row.values())
        table[e] = held.get(e) or {**dict.fromkeys(table[e], 0.0), **{f: c / total for f, c in row.items()}}
    parameters = {e: {f: p for f, p in row.items() if p > 0} for e, row in table.items()}
    return {
        "posteriors": posteriors,  # of pair, target word, source word (0: the empty word)
        "counts": {e: dict(row) for e, row in counts.items()},
        "parameters": parameters,
        "bits": -log2,
        "perplexity": 2 ** (-log2 / n_words),
    }


def print_model1(result: dict[str, Any]) -> None:
    from softcount.report.columns import show

    put(f"Start: every t(f|e) = {result['start']:.6g}\n")
    for number, step in enumerate(result["iterations"], 1):
        put(f"Step {number}: perplexity {step['perplexity']:.6g} per word, {step['bits']:.6g} bits\n")
        for pair, ((source, target), matrix) in enumerate(zip(result["pairs"], step["posteriors"], strict=True), 1):
            rows = [[e, *(f"{row[i]:.6f}" for row in matrix)] for i, e in enumerate(source)]
            show(f"Posteriors of pair {pair}", ["", *target], rows)
        cells = [
            [e, f, f"{step['counts'][e].get(f, 0.0):.6f}", f"{p:.6f}"]
            for e, row in step["parameters"].items()
            for f, p in sorted(row.items(), key=lambda item: -item[1])
        ]
        show("Expected counts and parameters", ["e", "f", "count", "t(f|e)"], cells, names=2)
    if result["tied"]:
        put(told(result["tied"]))
