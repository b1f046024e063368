"""How much memory training will need, said before it begins.

    bytes ≈ 40 · tokens + 110 · entries        entries: pairs of words that meet, at most token pairs

Tables of floats dominate: parameters, log-weights, weights, counts and what updating them needs for a moment.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.text.bitext import Bitext

SAMPLE_PAIRS = 20_000
PER_TOKEN, PER_ENTRY = 40, 110
BASE = 150  # MB, of Python and its libraries


def needed(data: Bitext, aligner: Any) -> str:
    """One line for the user."""
    token_pairs = int(data.costs.sum())
    entries = estimated_entries(data)
    tokens = data.source.n_tokens + data.target.n_tokens
    megabytes = BASE + (PER_TOKEN * tokens + PER_ENTRY * entries) / 1e6
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
    from softcount.models.cooccurrence import cooccurring

    n = len(data)
    rows = np.arange(n) if n <= n_pairs else np.linspace(0, n - 1, n_pairs).astype(np.int64)
    part = data.take(rows)
    return len(cooccurring(part.sides[0].occurrences, part.target.sentences, len(part.target.vocabulary)).values)
