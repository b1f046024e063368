"""What the aligner says beforehand of memory and time."""

import re

import numpy as np
import pytest

import softcount as sc
from softcount.estimators.align_forecast import estimated_entries, megabytes, needed, seconds
from softcount.text.bitext import bitext

SIZE = 2_000_000, 5_000_000, 15_000_000  # tokens, entries, token pairs


def asked(**settings):
    return seconds(sc.WordAligner(**{"n_jobs": 1, **settings}), *SIZE)


def test_time_grows_with_what_is_asked():
    assert asked(preset="fast") < asked() < asked(preset="best")
    assert asked(fertility=False) < asked()
    assert asked(model="ibm1", criterion="em:5") < asked(model="ibm2", criterion="em:5") < asked(model="hmm:5")
    assert asked(model="ibm1", criterion="em:5") < asked(model="ibm1", criterion="mre:5")


def test_every_step_costs_the_same():
    five, ten, fifteen = (asked(model="ibm2", criterion=f"em:{n}") for n in (5, 10, 15))
    assert five < ten and fifteen - ten == pytest.approx(ten - five)


def test_links_that_are_counted_once_more_cost_time():
    assert asked() < asked(recount=True) and asked(preset="best", recount=False) < asked(preset="best")


# Peaks of `align --no-agreement --stems 5,3` and `align --preset best` with and without recount, two threads, in MB, on
# 20,000 pairs that bench_million.py generates
LEANING = {"ibm1": 528, "hmm": 582}
BEST = {True: 537, False: 461}
GENERATED = 494_584, 2_110_573, 3_592_638  # tokens, entries, token pairs


@pytest.mark.parametrize("model", LEANING)
def test_rows_that_lean_on_stems_alone_need_memory(model):
    said = {
        stems: megabytes(sc.WordAligner(model, criterion="em:1", agreement=False, stems=stems, n_jobs=2), *GENERATED)
        for stems in ("none", "5,3")
    }
    assert said["none"] < LEANING[model] < said["5,3"] < 1.2 * LEANING[model]


@pytest.mark.parametrize("recount", BEST)
def test_two_models_need_more_memory_than_one(recount):
    said = megabytes(sc.WordAligner(preset="best", recount=recount, n_jobs=2), *GENERATED)
    assert megabytes(sc.WordAligner(n_jobs=2), *GENERATED) < BEST[recount] < said < 1.2 * BEST[recount]


def test_threads_share_the_time_and_add_memory():
    assert asked(n_jobs=2) == pytest.approx(asked() / 2)
    one, two = (megabytes(sc.WordAligner(n_jobs=n), *SIZE) for n in (1, 2))
    assert one < two < 1.2 * one


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_one_direction_is_cheaper(direction):
    assert asked(model="ibm2", direction=direction) < asked(model="ibm2")


def test_entries_are_extrapolated_a_little_too_high(monkeypatch):
    """Of text whose words follow Zipf's law, from samples of a 64th, a 16th and a quarter of it."""
    rng = np.random.default_rng(0)
    lines = [[" ".join(f"w{k}" for k in rng.zipf(1.4, 8) % 5000) for _ in range(6400)] for _ in range(2)]
    data = bitext(*lines)
    entries = estimated_entries(data)
    monkeypatch.setattr("softcount.estimators.align_forecast.SAMPLE_PAIRS", 1600)
    assert entries < estimated_entries(data) < 1.2 * entries


@pytest.mark.parametrize(("copies", "unit"), [(1, "s"), (400, "min"), (40_000, "h")])
def test_the_line_has_a_unit_that_fits(copies, unit, monkeypatch):
    data = bitext([("a b", "c d")])
    monkeypatch.setattr("softcount.estimators.align_forecast.seconds", lambda *_: 0.5 * copies)
    assert re.search(rf"will need about \d+ MB and [\d.]+ {unit}$", needed(data, sc.WordAligner(n_jobs=1)))
