"""How much memory training will need, said before it begins.

    bytes ≈ 45 · tokens + 60 · entries        entries: pairs of words that meet, at most token pairs

on top of what Python and its libraries need, and each thread. Tables of floats dominate: parameters, weights, counts
and what updating them needs for a moment. Fitted to peaks measured by bench/bench_million.py, and rounded up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.estimators.align_plan import plan
from softcount.machine.memory import check_room
from softcount.text.bitext import Bitext

SAMPLE_PAIRS = 20_000
PER_TOKEN, PER_ENTRY = 45, 60  # bytes
MORE = ("mre", "gibbs", "stepwise")  # criteria that keep further tables: two E-steps, draws, running statistics
PER_ENTRY_MORE = 130
BASE, PER_THREAD = 175, 75  # MB
LARGE = 100_000_000  # token pairs of one pair of sentences, of which a word is said
PER_CELL, SECONDS_STEP, SECONDS_LINKS = 9.5, 8e-9, 3e-8  # of a token pair and direction; measured at 8,000 × 8,000
USUAL = 200  # words that hardly a sentence has more of


def needed(data: Bitext, aligner: Any) -> str:
    """One line for the user."""
    token_pairs = int(data.token_pairs.sum())
    entries = estimated_entries(data)
    tokens = data.source.n_tokens + data.target.n_tokens
    stages = ",".join(stage.text for stage in plan(aligner).stages)
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


def left_out(data: Bitext, aligner: Any) -> str | None:
    """How many pairs are too long, where any is."""
    n = int((data.longest > (aligner.longest or np.inf)).sum())
    if not n:
        return None
    return f"{n:,} of {len(data):,} pairs have more than {aligner.longest:,} words on a side; they are left unaligned"


def unusual(data: Bitext, aligner: Any) -> str | None:
    """What the largest pair will cost, where that is more than anybody would expect of one."""
    token_pairs = data.within(aligner.longest).token_pairs
    pair = int(token_pairs.argmax())
    if token_pairs[pair] < LARGE:
        return None
    cells = int(token_pairs[pair]) * (2 if aligner.direction == "both" else 1)
    what = f"pair {pair + 1} ({data.source.sentences.lengths[pair]:,} × {data.target.sentences.lengths[pair]:,} words)"
    room, remedy = cells * PER_CELL, f"--longest {USUAL} leaves out pairs with more words on a side"
    check_room(room, f"the links of {what}", remedy)
    return (
        f"{what} will take about {cells * SECONDS_STEP:,.0f} s a step on one core, and {cells * SECONDS_LINKS:,.0f} s "
        f"and {room / 1e9:,.1f} GB when it is linked; {remedy}"
    )
