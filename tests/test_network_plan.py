"""The order of elimination: what the definition says, found without looking at every variable again at every step."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations, pairwise
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softcount.errors import InputError, list_some
from softcount.estimators.network import Network
from softcount.models.network_plan import Cell, Use, order, plan
from softcount.text.structure import structure


def greedy(graph: dict[Cell, set[Cell]], keep: frozenset[Cell], sizes: dict[Cell, int], by_fill: bool) -> Any:
    """The definition: at every step every variable is asked anew what it would cost."""

    def score(cell: Cell) -> tuple[int, int, Cell]:
        fill = sum(b not in graph[a] for a, b in combinations(graph[cell], 2))
        entries = prod(sizes[near] for near in graph[cell]) * sizes[cell]
        return (fill, entries, cell) if by_fill else (entries, fill, cell)

    total, found = 0, []
    while left := [cell for cell in graph if cell not in keep]:
        cell = min(left, key=score)
        around = graph.pop(cell)
        total += prod(sizes[near] for near in around) * sizes[cell]
        found.append(cell)
        for near in around:
            graph[near] = (graph[near] | around) - {near, cell}
    return total, found


@st.composite
def scopes(draw: st.DrawFn) -> Any:
    cells = [(v, back) for v in range(draw(st.integers(1, 7))) for back in (0, 1)]
    some = st.frozensets(st.sampled_from(cells), max_size=4)
    sizes = {cell: draw(st.integers(1, 4)) for cell in cells}
    return draw(st.lists(some, max_size=12)), draw(some), sizes


@given(scopes())
@settings(max_examples=300, deadline=None)
def test_the_order_is_that_of_the_definition(drawn: Any) -> None:
    given, keep, sizes = drawn
    graph: dict[Cell, set[Cell]] = {}
    for scope in (*given, keep):
        for cell in scope:
            graph.setdefault(cell, set()).update(scope - {cell})
    both = [greedy({c: set(n) for c, n in graph.items()}, keep, sizes, by_fill) for by_fill in (True, False)]
    assert order(given, keep, sizes.__getitem__) == min(both)[1]


def calls(task: Callable[[], Any]) -> int:
    """How many functions Python calls, and generators it goes on with: a measure that no other process disturbs."""
    n = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal n
        n += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        task()
    finally:
        sys.setprofile(None)
    return n


def star(n: int) -> tuple[Use, ...]:
    """Naive Bayes: a class with n attributes."""
    return (Use(0, ((0, 0),)), *(Use(v, ((0, 0), (v, 0))) for v in range(1, n)))


def chain(n: int) -> tuple[Use, ...]:
    return (Use(0, ((0, 0),)), *(Use(v, ((v - 1, 0), (v, 0))) for v in range(1, n)))


@pytest.mark.parametrize("uses", [chain, star])
def test_planning_grows_as_the_network_does(uses: Callable[[int], tuple[Use, ...]]) -> None:
    def cost(n: int) -> int:
        return calls(lambda: plan.__wrapped__((2,) * n, uses(n), (), (True,) * n))

    assert cost(1000) < 6 * cost(250)


def test_a_grid_is_planned_in_some_million_calls() -> None:
    n = 20
    cell = {(i, j): (i * n + j, 0) for i in range(n) for j in range(n)}
    scopes = [[cell[at] for at in ((i - 1, j), (i, j - 1), (i, j)) if at in cell] for i, j in cell]
    uses = tuple(Use(number, tuple(scope)) for number, scope in enumerate(scopes))
    assert calls(lambda: plan.__wrapped__((2,) * n**2, uses, (), (True,) * n**2)) < 2_000_000


class Counted(str):
    """A name that counts how often names are compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_declaring_grows_as_the_network_does() -> None:
    def cost(n: int) -> int:
        Counted.compared = 0
        names = [Counted(f"x{i}") for i in range(n)]
        found = structure(list(pairwise(names)))._replace(names=tuple(names))
        assert found.in_order() == names
        return Counted.compared

    assert cost(1000) <= 6 * max(cost(250), 1000)


def test_what_waits_for_nobody_comes_in_the_order_of_the_names() -> None:
    assert structure("b -> a; c; d -> c; e -> b").in_order() == ["d", "e", "b", "c", "a"]


def test_a_long_circle_is_told_in_ten_names() -> None:
    with pytest.raises(InputError, match=r"x0 -> x1 -> .* -> … -> x0; remove one") as wrong:
        structure([(f"x{i}", f"x{(i + 1) % 1000}") for i in range(1000)])
    assert str(wrong.value).count("->") == 10


def test_a_message_lists_ten_names() -> None:
    assert list_some([*range(10)]) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
    assert list_some({str(k): k for k in range(2010)}).endswith("8, 9 and 2,000 more")
    assert list_some(["a" * 10**6, "b"]) == "a" * 80 + "…, b"


def test_thousands_of_arcs_without_columns_are_one_short_line() -> None:
    network = Network(" -> ".join(f"a{i}" for i in range(2001)))
    with pytest.raises(InputError, match=r"no column of the network \(x\); the columns are .* and 1,991 more") as wrong:
        network.fit({"x": ["1", "2"]})
    assert len(str(wrong.value)) < 200


def test_a_chain_of_a_thousand_variables_is_asked() -> None:
    rng = np.random.default_rng(0)
    tables = {"x0": rng.dirichlet([1, 1])} | {f"x{i}": rng.dirichlet([1, 1], 2) for i in range(1, 1000)}
    values = {name: ["a", "b"] for name in tables}
    network = Network([(f"x{i}", f"x{i + 1}") for i in range(999)], values=values, start=tables)
    row = tables["x0"]
    for i in range(1, 1000):
        row = row @ tables[f"x{i}"]
    assert list(network.query("x999").values()) == pytest.approx(row.tolist(), rel=1e-12)
