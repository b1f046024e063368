"""Structural EM: BIC against enumeration, arcs that are known come back, the score never falls."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run

import softcount as sc
from softcount.estimators.network_search import Search, completed, moves, reaches

NAMES = ("a", "b", "c", "d")
COLLIDER = {"a": {"": {"0": 0.5, "1": 0.5}}, "b": {"": {"0": 0.4, "1": 0.6}},
            "c": {f"{i},{j}": {"0": p, "1": 1 - p} for (i, j), p in zip(product("01", repeat=2), (0.9, 0.2, 0.3, 0.8),
                                                                        strict=True)},
            "d": {"0": {"0": 0.8, "1": 0.2}, "1": {"0": 0.1, "1": 0.9}}}  # fmt: skip


def none(n: int) -> Any:
    return (frozenset(),) * n


def rows(missing: float = 0.0, n: int = 800) -> Any:
    net = sc.Network("a, b -> c -> d", start=COLLIDER).as_given()
    columns: dict[str, list[Any]] = {name: list(values) for name, values in net.sample(n, random_state=0).items()}
    rng = np.random.default_rng(1)
    return {k: [v if rng.random() >= missing else None for v in column] for k, column in columns.items()}


def cells(columns: Any) -> Any:
    return np.array([[-1 if v is None else int(v) for v in columns[name]] for name in NAMES]).T


def skeleton(net: sc.Network) -> set[frozenset[str]]:
    return {frozenset((p, c)) for c in net._structure.names for p, _ in net._structure.of(c)}


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_collider_comes_back(missing: float) -> None:
    net = sc.Network("auto", random_state=0).fit(rows(missing))
    assert {p for p, _ in net._structure.of("c")} == {"a", "b"} and net._structure.of("d") == (("c", 0),)
    assert net.structure == "auto" and net.history_.remarks[0].startswith("structural EM: 3 arcs, BIC ")


def test_no_small_network_scores_better() -> None:
    """All directed acyclic graphs over three variables."""
    data = completed(cells(rows(n=300))[:, 1:], np.ones(300), (2, 2, 2))
    search = Search(data, np.random.default_rng(0))
    mass = data.weights[data.row]
    pairs = [(0, 1), (0, 2), (1, 2)]
    best = -np.inf
    for kinds in product(range(3), repeat=3):  # no arc, this way, that way
        parents: list[set[int]] = [set(), set(), set()]
        for (u, v), kind in zip(pairs, kinds, strict=True):
            if kind:
                parents[v if kind == 1 else u].add(u if kind == 1 else v)
        arcs = tuple(frozenset(p) for p in parents)
        if not any(reaches(arcs, v, u) for v in range(3) for u in arcs[v]):
            best = max(best, search.fitted(arcs, mass)[1])
    assert search.run(none(3)).bic == pytest.approx(best)


def test_the_score_is_bic_and_never_falls() -> None:
    some = rows(0.2, 150)
    data = completed(cells(some), np.ones(150), (2,) * 4)
    found = Search(data, np.random.default_rng(0)).run(none(4))
    assert all(later >= before for before, later in zip(found.bics, found.bics[1:], strict=False))
    arcs = "; ".join(", ".join([*(NAMES[u] for u in above)]) + f" -> {NAMES[v]}" if above else NAMES[v]
                     for v, above in enumerate(found.parents))  # fmt: skip
    net = sc.Network(f"a, b, c, d; {arcs}", criterion="em:300", tolerance=1e-9, random_state=0).fit(some)
    free = sum(table.size - table.size // table.shape[-1] for table in net.parameters_)
    assert found.bic == pytest.approx(net.score(some) - 0.5 * np.log(150) * free, abs=0.05)


def test_a_hidden_cause_stays_where_it_explains() -> None:
    rng = np.random.default_rng(0)
    h = rng.integers(0, 2, 800)
    data = {name: np.where(rng.random(800) < 0.85, h, 1 - h).tolist() for name in "wxyz"}
    net = sc.Network("auto", values={"h": 2}, restarts=2, random_state=0).fit(data)
    assert skeleton(net) == {frozenset(("h", name)) for name in "wxyz"}
    found = net.predict(data)["h"]
    assert max(np.mean(np.array(found) == h), np.mean(np.array(found) != h)) > 0.9


def test_moves_never_make_a_circle() -> None:
    arcs = (frozenset(), frozenset({0}), frozenset({0, 1}))
    for changed in moves(arcs):
        after = tuple(changed.get(v, above) for v, above in enumerate(arcs))
        assert not any(reaches(after, v, u) for v in range(3) for u in after[v]), changed
    assert len(list(moves(arcs))) == 3 + 2  # three dropped; the arc from 0 to 2 cannot be turned


def test_the_command(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    columns = rows(n=300)
    Path("rows.csv").write_text(
        "\n".join([",".join(NAMES), *(",".join(r) for r in zip(*columns.values(), strict=True))])
    )
    ran = run("net 'a -> d; b; c' rows.csv --structure --save net.model")
    assert ran.code == 0 and "note: structural EM: " in ran.err
    assert sc.load("net.model").structure_ == sc.load("net.model")._structure.text() != "a -> d; b; c"


@pytest.mark.parametrize(
    ("net", "says"),
    [
        (sc.Network("a@-1 -> a", search=True), "arcs from the previous row are not searched"),
        (sc.Network("a -> b", search=True, fixed=("a",)), "tables cannot be tied, fixed or given"),
        (
            sc.Network("auto", values={f"h{i}": 9 for i in range(8)}),
            "use fewer hidden variables or values, or remove rows with many missing cells",
        ),
    ],
)
def test_what_cannot_be_searched(net: sc.Network, says: str) -> None:
    with pytest.raises(sc.InputError, match=says):
        net.fit({"a": ["x", "y"], "b": ["u", "u"]})
