"""How much memory training will need, said before it begins.

    bytes ≈ 45 · tokens + 60 · entries        entries: pairs of words that meet, at most token pairs

on top of what Python and its libraries need, and each thread. Tables of floats dominate: parameters, weights, counts
and what updating them needs for a moment. Fitted to peaks measured by bench/bench_million.py, and rounded up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.text.bitext import Bitext

SAMPLE_PAIRS = 20_000
PER_TOKEN, PER_ENTRY = 45, 60  # bytes
MORE = ("mre", "gibbs", "stepwise")  # criteria that keep further tables: two E-steps, draws, running statistics
PER_ENTRY_MORE = 130
BASE, PER_THREAD = 175, 75  # MB


def needed(data: Bitext, aligner: Any) -> str:
    """One line for the user."""
    token_pairs = int(data.token_pairs.sum())
    entries = estimated_entries(data)
    tokens = data.source.n_tokens + data.target.n_tokens
    stages = f"{aligner.model} {aligner.criterion}"
    per_entry = PER_ENTRY_MORE if any(name in stages for name in MORE) else PER_ENTRY
    megabytes = BASE + PER_THREAD * aligner._engine().n_workers + (PER_TOKEN * tokens + per_entry * entries) / 1e6
    return (
        f"{len(data):,} pairs, {tokens:,} tokens, {token_pairs:,} token pairs; "
        f"about {entries:,} translation entries; will need about {megabytes:,.0f} MB"
    )


def estimated_entries(data: Bitext) -> int:
    """Distinct word pairs, extrapolated from a sample: they grow as a power of the text (Heaps)."""
    few, many = _distinct(data, SAMPLE_PAIRS // 4), _distinct(data, SAMPLE_PAIRS)
    if len(data) <= SAMPLE_PAIRS or few == 0:
        return many
    power = min(max(np.log(many / few) / np.log(4.0), 0.0), 1.0)
    return int(many * (len(data) / SAMPLE_PAIRS) ** power)


def _distinct(data: Bitext, n_pairs: int) -> int:
    from softcount.text.cooccurrence import cooccurring

    n = len(data)
    rows = np.arange(n) if n <= n_pairs else np.linspace(0, n - 1, n_pairs).astype(np.int64)
    part = data.take(rows)
    return len(cooccurring(part.sides[0].occurrences, part.target.sentences, len(part.target.vocabulary)).values)
