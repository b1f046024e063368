"""Inference says its cost before it starts, and refuses what exceeds the memory or a minute, unless it is forced."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import softcount as sc
from softcount.errors import InputError
from softcount.estimators import network_limits
from softcount.estimators.network_query import asked, relevant
from softcount.machine import stage
from softcount.models.network_cost import Cost, Task, cost, packed_seconds
from softcount.report.network import explain_net


def grid(n: int) -> list[tuple[str, str]]:
    cells = list(product(range(n), repeat=2))
    below = [((i, j), (i + a, j + b)) for i, j in cells for a, b in ((0, 1), (1, 0)) if i + a < n and j + b < n]
    return [(f"x{i}_{j}", f"x{k}_{l}") for (i, j), (k, l) in below]


def network(arcs: Any, seed: int = 0, **more: Any) -> sc.Network:
    """With tables at random, two values each."""
    rng = np.random.default_rng(seed)
    names = list(dict.fromkeys(name for arc in arcs for name in arc))
    n_parents = {name: sum(child == name for _, child in arcs) for name in names}
    start = {name: rng.dirichlet([1, 1], (2,) * n) for name, n in n_parents.items()}
    return sc.Network(arcs, values=dict.fromkeys(names, 2), start=start, **more)


def test_a_grid_of_40_by_40_is_refused_with_both_figures_and_the_remedy() -> None:
    figures = r"more than 100 years and more than 1,000,000 GB of memory; its largest table has 7\.4e\+19 entries"
    listed = r" over 66 variables \(x.*_.*, .* and 56 more\); this machine has .* GB free, "
    limit = "and the time limit is one minute; "
    remedy = r"give values for some of these variables, or remove arcs, or use --force \(in Python force=True\)$"
    with pytest.raises(InputError, match="^this query needs " + figures + listed + limit + remedy):
        network(grid(40)).query("x39_39")


def test_a_query_that_depends_on_little_of_a_large_grid_is_answered() -> None:
    """Above x3_3 there are 16 variables; what is given beside it separates it from the rest."""
    large = network(grid(40))
    above = network(grid(4), seed=1)
    above.start = {name: large.start[name] for name in above.start}
    assert large.query("x3_3") == pytest.approx(above.query("x3_3"), rel=1e-12)
    near = {"x2_3": 0, "x3_2": 1}
    assert large.query("x3_3", near) == pytest.approx(above.query("x3_3", near), rel=1e-12)


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_what_is_not_relevant_changes_no_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"x{v}" for v in range(rng.integers(2, 7))]
    arcs = [(a, b) for k, b in enumerate(names) for a in names[:k] if rng.random() < 0.4] or [("x0", "x1")]
    if rng.random() < 0.3:
        arcs += [(f"{a}@-1", b) for a in names for b in names if rng.random() < 0.15]
    over_time = any("@" in a for a, _ in arcs)
    net = sc.Network(arcs, values={name: 2 for arc in arcs for name in (arc[0].partition("@")[0], arc[1])})
    net._declare(None)
    net.parameters_ = net._start(net._model, {}, (seed, 0))[0]
    names = list(net._model.names)

    def cell() -> str:
        return str(rng.choice(names)) + (f"@{rng.integers(1, 4)}" if over_time else "")

    facts = {cell(): int(rng.integers(2)) for _ in range(rng.integers(0, 3))}
    question = asked(", ".join(cell() for _ in range(rng.integers(1, 3))), facts, net._model, net.values_)
    whole = net._over(question.records)
    weights = whole.weigh(net._logs())

    def answers(model: Any) -> list[Any]:
        found = model.posteriors(weights, model.pack(question.records))
        return [found[row, 2 * v : 2 * v + 2].tolist() for _, row, v in question.wanted]

    assert answers(relevant(whole, question)) == [pytest.approx(one, rel=1e-9) for one in answers(whole)]


@pytest.mark.parametrize("rows", [1, 40])
def test_the_cost_is_that_of_what_is_packed(rows: int) -> None:
    """Of one row exactly; of several, which share products, no less."""
    net = network(grid(5)).as_given()
    cells = np.full((rows, 25), -1)
    if rows > 1:
        cells = np.where(np.random.default_rng(0).random((rows, 25)) < 0.5, 0, -1)
    data = net._read({name: [None if c < 0 else 0 for c in cells[:, v]] for v, name in enumerate(net._model.names)})
    model = net._over(data)
    shard, found = model.pack(data), cost(model, data, Task.COUNTS)
    assert found.entries == shard.most
    assert len(found.variables) == np.log2(shard.most)
    made = Task.COUNTS.value[0] * packed_seconds(shard)
    assert found.seconds == pytest.approx(made) if rows == 1 else found.seconds > made
    messages = shard.message[-1] - shard.message[0]
    assert found.n_bytes >= 16 * shard.most + 24 * messages * (1 if rows == 1 else 0)


def test_rows_that_share_products_are_not_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("softcount.models.network_cost.EXACT_FROM", 0.0)
    net = network(grid(4)).as_given()
    data = net._read({"x0_0": [0, 1] * 500})
    two = net._read({"x0_0": [0, 1]})
    many, few = (cost(net._over(one), one, Task.COUNTS).seconds for one in (data, two))
    assert many == pytest.approx(few, rel=0.01)


ROWS = {"x0_0": ["0", None, "1"], "x1_1": ["1", "0", None]}
QUESTIONS: dict[str, Callable[[sc.Network], Any]] = {
    "query": lambda net: net.query("x0_1 | x1_1=0"),
    "predict": lambda net: net.predict(ROWS),
    "predict_proba": lambda net: {k: v.tolist() for k, v in net.predict_proba(ROWS).items()},
    "score": lambda net: net.score(ROWS),
    "score_samples": lambda net: net.score_samples(ROWS).tolist(),
    "reconstruction_score": lambda net: net.reconstruction_score(ROWS),
    "sample": lambda net: net.sample(3, random_state=0),
    "explain": lambda net: explain_net(net, ROWS),
    "fit": lambda net: net.fit(ROWS).to_json(),
    "partial_fit": lambda net: net.set_params(criterion="stepwise(em):2").partial_fit(ROWS).to_json(),
}


@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("limit", ["time", "memory"])
def test_whatever_sums_over_missing_values_is_refused_beyond_the_limits_and_forced(
    asked: str, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = QUESTIONS[asked](network(grid(2), random_state=0))
    if limit == "time":
        monkeypatch.setattr(network_limits, "MOST", 0.0)
    else:
        for module in ("network_limits", "network_answers"):
            monkeypatch.setattr(f"softcount.estimators.{module}.available", lambda: 0.0)
    with pytest.raises(InputError, match=r"needs about .* of memory; .*--force \(in Python force=True\)"):
        QUESTIONS[asked](network(grid(2), random_state=0))
    assert QUESTIONS[asked](network(grid(2), random_state=0, force=True)) == usual


def test_what_is_not_small_is_said_and_what_is_small_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    net = network(grid(2))
    net.query("x1_1")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(network_limits, "NOTED", 0.0)
    net.query("x1_1")
    note = (
        "note: this query needs about 1 second and 1 MB of memory; its largest table has 8 entries over 3 variables ("
    )
    assert capsys.readouterr().err.startswith(note)
    monkeypatch.setattr(stage, "quiet", True)
    net.query("x1_1")
    assert capsys.readouterr().err == ""


def test_no_file_says_that_a_limit_is_passed(tmp_path: Path) -> None:
    network(grid(2), force=True, random_state=0).fit(ROWS).save(tmp_path / "grid.model")
    assert sc.load(tmp_path / "grid.model").force is False


@pytest.mark.parametrize(
    ("seconds", "n_bytes", "said"),
    [
        (2.0, 5e6, "about 2 seconds and 5 MB"),
        (0.0, 0.0, "about 1 second and 1 MB"),
        (150.0, 34.4e9, "about 2 minutes and 34.4 GB"),
        (7300.0, 1e12, "about 2 hours and 1,000.0 GB"),
        (9e5, 1e16, "about 10 days and more than 1,000,000 GB"),
        (1e8, 1e9, "about 3 years and 1.0 GB"),
        (inf, inf, "more than 100 years and more than 1,000,000 GB"),
    ],
)
def test_figures_are_in_units_that_people_use(seconds: float, n_bytes: float, said: str) -> None:
    assert network_limits._needs(Cost(8.0, (), n_bytes, seconds)).startswith(
        f"{said} of memory; its largest table has 8"
    )


def test_the_command_line_refuses_in_one_line_and_goes_on_with_force(tmp_path: Path) -> None:
    net = network(grid(20))
    net.to_bif(tmp_path / "grid.bif")
    command = [sys.executable, "-m", "softcount", "net", str(tmp_path / "grid.bif"), "--query"]
    refused = subprocess.run([*command, "x19_19"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "or use --force" in refused.stderr
    forced = subprocess.run([*command, "x1_1", "--force"], capture_output=True, text=True, check=False)
    assert forced.returncode == 0
    assert float(forced.stdout.split()[1]) == pytest.approx(net.query("x1_1")[0], rel=1e-8)
