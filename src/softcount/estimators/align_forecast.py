"""How much memory and time training will need, said before it begins.

    bytes   ≈ base + threads + per token · tokens + per entry · entries + per pair · token pairs
    seconds ≈ per token · tokens + Σ over steps (per entry · entries + per pair · token pairs · passes)

Entries are pairs of words that meet, at most token pairs. Tables of floats dominate: parameters, weights, counts and
what updating them needs for a moment; directions that are trained together keep an index of the token pairs besides.
Fitted to peaks of generated text (3,000 to 333,000 pairs), a little above them, and to CPU seconds of four texts of
1,352 to 60,000 pairs, within a quarter of most; see docs/background/benchmarks/alignment.md for real text.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.errors import list_counts
from softcount.estimators.agreed import How
from softcount.estimators.align_cost import STEPS_APART, STEPS_TOGETHER, Steps, passes
from softcount.estimators.align_plan import plan
from softcount.estimators.align_stage import AUTOENCODE, CRF, parse_models
from softcount.machine.memory import check_room
from softcount.text.bitext import Bitext

SAMPLE_PAIRS = 40_000
MORE = ("mre", "gibbs", "stepwise", AUTOENCODE)  # that keep further tables: two E-steps, draws, running statistics


class Need(NamedTuple):
    base: float  # MB, of Python and its libraries
    thread: float  # MB
    token: float  # bytes
    entry: float
    pair: float


TOGETHER = Need(221, 25, 20, 51, 4)
APART = Need(200, 75, 45, 60, 0)
APART_MORE = APART._replace(entry=130)
INDEXED = 5  # bytes of a token pair, where an HMM is trained apart
SECOND = 32  # bytes of an entry of a second model
RECOUNTED = Need(0, 30, 0, 8, 0)  # more, where links are counted once more
BACKOFF_BYTES = 40  # bytes of an entry whose row backs off to stems, where directions are trained separately


PREPARED = Steps(65, 390)  # the index, the answers
PER_TOKEN = 550  # ns, of reading and writing
LARGE = 100_000_000  # token pairs of one pair of sentences, of which a word is said
PER_CELL, SECONDS_STEP, SECONDS_LINKS = 9.5, 8e-9, 3e-8  # of a token pair and direction; measured at 8,000 × 8,000
USUAL = 200  # words that hardly a sentence has more of


def needed(data: Bitext, aligner: Any) -> str:
    """One line for the user."""
    token_pairs, entries = data.lengths.token_pairs, estimated_entries(data)
    tokens = data.source.n_tokens + data.target.n_tokens
    size = tokens, entries, token_pairs
    return (
        f"{list_counts({'pairs': len(data), 'tokens': tokens, 'token pairs': token_pairs})}; "
        f"about {entries:,} translation entries; will need about {megabytes(aligner, *size):,.0f} MB and "
        f"{_said(seconds(aligner, *size))}"
    )


def megabytes(aligner: Any, tokens: int, entries: int, token_pairs: int) -> float:
    planned = plan(aligner)
    stages = ",".join(stage.text for stage in planned.stages)
    apart = APART_MORE if any(name in stages for name in MORE) else APART
    if any(stage.model in ("hmm", CRF) for stage in planned.stages):
        apart = apart._replace(pair=INDEXED)  # an index of the token pairs as well
    if planned.stems:
        apart = apart._replace(entry=apart.entry + BACKOFF_BYTES)
    need = _together(planned.how) if planned.together else apart
    bytes_ = need.token * tokens + need.entry * entries + need.pair * token_pairs
    return float(need.base + need.thread * aligner._engine().n_workers + bytes_ / 1e6)


def _together(how: How) -> Need:
    need = TOGETHER._replace(entry=TOGETHER.entry + (SECOND if how.second else 0))
    return Need(*map(sum, zip(need, RECOUNTED, strict=True))) if how.recount else need


def seconds(aligner: Any, tokens: int, entries: int, token_pairs: int) -> float:
    """On the clock, where every thread has a core for itself."""
    planned = plan(aligner)
    costs = STEPS_TOGETHER if planned.together else STEPS_APART
    fertile, second = planned.together and planned.how.fertility, planned.how.second
    stages = [*planned.stages, *(parse_models(second[1], "em") if second else ())]
    steps = [(costs[stage.model], passes(stage, part, fertile)) for stage in stages for part in stage.criteria]
    pair = PREPARED.pair * (1 + fertile) + sum(cost.pair * n for cost, n in steps)
    entry = PREPARED.entry + sum(cost.entry * n for cost, n in steps)
    if planned.how.recount:  # counted in a pass of their own, and asked twice
        models, hmm = (2 if second else 1), planned.stages[-1].model == "hmm"
        pair += models * (PREPARED.pair + 2 * costs[planned.stages[-1].model].pair * (1 + (fertile and hmm)))
    both = 1.0 if aligner.direction == "both" else 0.5
    work = PER_TOKEN * tokens + both * (pair * token_pairs + entry * entries)
    return float(work / 1e9 / aligner._engine().n_workers)


def _said(seconds: float) -> str:
    if seconds < 60.0:
        return f"{max(seconds, 1.0):.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"


def estimated_entries(data: Bitext) -> int:
    """Distinct word pairs, extrapolated from samples: they grow as a power of the text (Heaps) that falls slowly."""
    few, some, many = (_distinct(data, SAMPLE_PAIRS // part) for part in (16, 4, 1))
    if len(data) <= SAMPLE_PAIRS or few == 0:
        return many
    before, power = (min(float(np.log(b / a) / np.log(4.0)), 1.0) for a, b in ((few, some), (some, many)))
    falls = max(before - power, 0.0) / 2.0  # with every factor of four: half, so that what is said is rather too much
    factors = np.log(len(data) / SAMPLE_PAIRS) / np.log(4.0)
    return int(many * 4.0 ** max(power * factors - falls * factors * (factors + 1.0) / 2.0, 0.0))


def _distinct(data: Bitext, n_pairs: int) -> int:
    from softcount.text.cooccurrence import cooccurring

    part = data.sample(n_pairs)
    return len(cooccurring(part.sides[0].occurrences, part.target.sentences, len(part.target.vocabulary)).values)


def left_out(data: Bitext, aligner: Any) -> str | None:
    """How many pairs are too long, where any is."""
    n = data.lengths.beyond(aligner.longest)
    if not n:
        return None
    return f"{n:,} of {len(data):,} pairs have more than {aligner.longest:,} words on a side and are skipped"


def unusual(data: Bitext, aligner: Any) -> str | None:
    """What the largest pair will cost, where that is more than anybody would expect of one."""
    lengths = data.within(aligner.longest).lengths.pairs
    token_pairs = (lengths[:, 0] + 1) * lengths[:, 1]
    largest = int(token_pairs.argmax())
    if token_pairs[largest] < LARGE:
        return None
    cells = int(token_pairs[largest]) * (2 if aligner.direction == "both" else 1)
    l, m = lengths[largest].tolist()
    alike = ((first, pairs.token_pairs == token_pairs[largest]) for first, pairs in data.blocks())
    pair = next(first + int(found.argmax()) for first, found in alike if found.any())
    what = f"pair {pair + 1} ({l:,} × {m:,} words)"
    room, remedy = cells * PER_CELL, f"--longest {USUAL} skips pairs with more words on a side"
    check_room(room, f"the links of {what}", remedy)
    return (
        f"{what} will take about {cells * SECONDS_STEP:,.0f} s per iteration on one core, and "
        f"{cells * SECONDS_LINKS:,.0f} s and {room / 1e9:,.1f} GB for linking; {remedy}"
    )
