"""Checkpoints with right checksums and every leaf and array altered in turn: refused in one line, or gone on with."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import POINTS, bits
from forgery import altered, refusal
from sklearn.base import clone
from test_checkpoint import After, Enough
from test_damaged_models import OTHER, TEXT

from softcount import HMM, PLSA, GaussianMixture, InputError, NaiveBayesMixture, WordAligner, WordClasses

RUNS: dict[str, tuple[Any, tuple[Any, ...], int]] = {
    "em": (HMM(2, criterion="em:3", restarts=2, tolerance=0.0, random_state=0), (TEXT,), 4),
    "vb": (HMM(2, criterion="em:1,vb:2", tolerance=0.0, random_state=None), (TEXT,), 2),
    "gibbs": (NaiveBayesMixture(2, criterion="gibbs:2", start="random", random_state=0), (TEXT,), 1),
    "classes": (WordClasses(2, criterion="exchange:2,frames:2", tolerance=0.0), (TEXT,), 2),
    "adaptive": (HMM(2, criterion="mre(rule=adaptive):3", random_state=0), (TEXT,), 2),
    "stepwise": (PLSA(2, criterion="stepwise(vb,batches=2):2", random_state=0), (TEXT,), 1),
    "annealed": (GaussianMixture(2, criterion="annealed:3", random_state=0), (POINTS,), 2),
    "monitor": (PLSA(2, criterion="em:4", held_out=0.3, random_state=0), (TEXT,), 2),
    "aligner": (WordAligner("ibm1,ibm2", criterion="vb:2"), (TEXT, OTHER), 3),
    "finished": (WordAligner("ibm2-free", criterion="em:1", direction="forward"), (TEXT, OTHER), 99),
}
FEW = [None, -1, 2**62, 1.5, float("nan"), "x", [], {"$tuple": [1]}, {"$array": "nowhere"}]
STRIDE = 1 if os.environ.get("FUZZ_SECONDS") else 8


def went_on(model: Any, data: tuple[Any, ...]) -> str:
    try:
        found = clone(model).fit(*data, checkpoint="run", checkpoint_every=1000)
    except InputError as error:
        zero = "has probability zero" in str(error)  # a table may well say so
        assert zero or refusal(str(error), "run"), str(error)
        return "accepted" if zero else "refused"
    for dtype, _, content in bits(found)[1].values():
        assert dtype[1] != "f" or not np.isnan(np.frombuffer(content, dtype)).any()
    return "accepted"


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RUNS)
def test_every_alteration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    model, data, steps = RUNS[name]
    with suppress(Enough):
        clone(model).fit(*data, checkpoint="run", checkpoint_every=1, on_step=After(steps))
    content = Path("run").read_bytes()
    assert went_on(model, data) == "accepted"
    wrong, seen = {}, {"refused": 0, "accepted": 0}
    for where, forged in islice(altered(content, FEW), len(name) % STRIDE, None, STRIDE):
        Path("run").write_bytes(forged)
        try:
            seen[went_on(model, data)] += 1
        except Exception as error:
            wrong[where] = f"{type(error).__name__}: {error}"[:200]
    assert not wrong, wrong
    assert seen["refused"] > 3 * seen["accepted"], seen
