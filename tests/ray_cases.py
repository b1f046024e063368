"""Every model under every criterion, cut into so many shards, on Ray: what it learns there, and on threads."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
from cases import GRID as EVERYWHERE
from cases import MODELS, PAIRS, SENTENCES

import softcount as sc
from softcount.disk.state import flatten
from softcount.estimators import topic_words
from softcount.loop import estep, item_rows, pieces, ranged_text, ranges
from softcount.text.shard import shards

STEPS = 5
SHARDS = (1, 3, 8)


def _aligner(*model: Any, **settings: Any) -> Any:
    return lambda criterion: (sc.WordAligner(*model, criterion=criterion, **settings), (PAIRS.source, PAIRS.target))


def _weighed(*model: Any, **settings: Any) -> Any:
    weights = np.array([0.0, 1.0, 2.5, 0.3])[np.arange(len(PAIRS.source)) % 4]
    return lambda criterion: (_aligner(*model, **settings)(criterion)[0], (PAIRS.source, PAIRS.target, weights))


# Those that have criteria of their own, or none.
OTHERS: dict[str, tuple[Any, list[str]]] = {
    "agreement": (_aligner("ibm1:2,hmm:3", agreement=True), ["em"]),
    "agreement of positions": (_aligner("ibm1:2,ibm2:3", agreement=True), ["em"]),
    "weights of pairs": (_weighed("ibm1:2,hmm:3", agreement=False), ["em", "vb", "stepwise(vb,batches=3)"]),
    "weights, together": (_weighed("ibm1:2,hmm:3", agreement=True), ["em"]),
    "rows that lean": (_aligner("ibm1:2,hmm:3", agreement=False, stems="5,3"), ["em", "hard"]),
    "rows that lean by evidence": (
        _aligner("ibm1:2,hmm:3", agreement=False, stems="5,3", stem_strength="evidence"), ["em", "stepwise(batches=3)"],
    ),
    "agreement by evidence": (_aligner("ibm1:2,hmm:3", agreement=True, stem_strength="evidence"), ["em"]),
    "one to one": (_aligner("hmm", agreement=False), ["em:2,constrained(em):3"]),
    "directions alike": (_aligner("ibm1:2,hmm(constrained(em,of=symmetry)):3", agreement=False), ["em"]),
    "topics with a background": (
        lambda c: (sc.PLSA(3, criterion=c, background=0.4, pseudo=0.05, random_state=0), (SENTENCES,)),
        ["annealed(start=0.8,stop=0.8):5", "stepwise(em,batches=3):5"],
    ),
    "link crf": (lambda criterion: (sc.WordAligner("crf:5"), (PAIRS.source, PAIRS.target)), [""]),
    "crf autoencoder": (
        lambda c: (sc.CRFAutoencoder(3, criterion=c, reconstruct="words", random_state=0), (SENTENCES,)),
        ["autoencode:5"],
    ),
}  # fmt: skip


FORWARD = ("ibm1-ibm2", "jumps", "one to one", "rows that lean", "rows that lean by evidence", "weights of pairs")


def five(criterion: str) -> str:
    """The same criterion for five steps in all."""
    done = sum(map(int, re.findall(r":(\d+)", criterion)))
    return re.sub(r":(\d+)$", lambda last: f":{max(int(last[1]) + STEPS - done, 1)}", criterion)


ALL = [(name, five(criterion)) for name, criterion in EVERYWHERE]
ALL += [(name, criterion) for name, (_, criteria) in OTHERS.items() for criterion in criteria]


def cut_into(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many shards, and as many ranges of source words."""

    def some(costs: Any, target: int) -> Any:
        return shards(costs, max(1, -(-int(np.sum(costs)) // n)))

    for module in (estep, pieces, ranged_text, ranges):
        monkeypatch.setattr(module, "shards", some)
    for module in (ranged_text, item_rows, topic_words):
        monkeypatch.setattr(module, "cut", lambda items, costs, target: some(costs(items), target))


def fitted(name: str, criterion: str, engine: Any) -> Any:
    model, data = (OTHERS[name][0] if name in OTHERS else MODELS[name])(criterion)
    if name in FORWARD:
        model.set_params(direction="forward")  # the reverse is another forward
    if hasattr(model, "restarts"):  # of two that are equally good rounding would choose
        model.set_params(restarts=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.set_params(engine=engine, tolerance=0.0).fit(*data)


def learned(model: Any) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    flatten({name: getattr(model, name) for name in model._learned if hasattr(model, name)}, arrays)
    return arrays


def nearness(criterion: str) -> float:
    """Relative. L-BFGS, by which `direct` climbs, divides by differences of gradients, and makes more of rounding."""
    return 1e-11 if "direct" in criterion else 1e-12


def assert_equal(near: dict[str, Any], far: dict[str, Any], rtol: float = 1e-12) -> None:
    assert near.keys() == far.keys()
    for key, table in near.items():
        finite = np.abs(table[np.isfinite(table)])  # logarithms of zeros are infinite
        least = 1e-15 * np.max(finite, initial=0.0)  # what has decayed to nothing may be another nothing
        np.testing.assert_allclose(far[key], table, rtol=rtol, atol=least, err_msg=key)
