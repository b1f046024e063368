"""The joined links against the definitions, spelt out in sets of (target word, source word)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcount.errors import InputError
from softcount.links.joining import RULES, SYMMETRIZATIONS, THRESHOLDS, link, link_shares
from softcount.numbers.ragged import Ragged, from_rows, offsets_of

pytestmark = pytest.mark.kernels

Points = set[tuple[int, int]]
STRAIGHT = [(-1, 0), (0, -1), (1, 0), (0, 1)]
DIAGONAL = [(-1, -1), (-1, 1), (1, -1), (1, 1)]


# --- the oracle ------------------------------------------------------------------------------------------------------


def choices(matrix: np.ndarray) -> list[int]:
    """Of every generated word, the word that most probably generated it; 0, the empty word, and the first win ties."""
    return [max(range(len(column)), key=lambda i: (column[i], -i)) for column in matrix.T]


def naive(rule: str, forward: Points, reverse: Points) -> Points:
    both, either = forward & reverse, forward | reverse
    if rule in ("forward", "reverse", "intersection", "union"):
        return {"forward": forward, "reverse": reverse, "intersection": both, "union": either}[rule]
    links = grown(both, either)
    if rule != "grow-diag":
        finish(links, forward, both_free=rule == "grow-diag-final-and")
        finish(links, reverse, both_free=rule == "grow-diag-final-and")
    return links


def free(links: Points, point: tuple[int, int]) -> tuple[bool, bool]:
    """Whether its target word, and its source word, has no link."""
    return all(j != point[0] for j, _ in links), all(i != point[1] for _, i in links)


def grown(both: Points, either: Points) -> Points:
    """Links are visited in ascending order, those too that were added after the one at hand; then again."""
    links, before = set(both), None
    while links != before:
        before = set(links)
        visited = min(links, default=None)
        while visited is not None:
            for step in STRAIGHT + DIAGONAL:
                point = visited[0] + step[0], visited[1] + step[1]
                if point in either and any(free(links, point)):
                    links.add(point)
            visited = min((p for p in links if p > visited), default=None)
    return links


def finish(links: Points, direction: Points, both_free: bool) -> None:
    for point in sorted(direction):
        if (all if both_free else any)(free(links, point)):
            links.add(point)


# --- random posteriors -----------------------------------------------------------------------------------------------


def matrices(rng: np.random.Generator, lengths: list[tuple[int, int]], steps: int) -> list[tuple[Any, Any]]:
    """Per pair an (l + 1) × m and an (m + 1) × l matrix; few steps make many ties, and some words certain."""
    return [
        tuple(rng.integers(0, steps + 1, shape) / steps for shape in ((l + 1, m), (m + 1, l)))  # type: ignore[misc]
        for l, m in lengths
    ]


def joined(
    rule: str, lengths: list[tuple[int, int]], found: list[tuple[Any, Any]], threshold: float = 0.35
) -> list[dict[tuple[int, int], float]]:
    l, m = np.array(lengths, dtype=np.int64).reshape(-1, 2).T
    sides: list[Ragged | None] = [from_rows([pair[side].ravel() for pair in found], np.float64) for side in (0, 1)]
    if rule in ("forward", "reverse"):
        sides[rule == "forward"] = None
    links = link(rule, l, m, *sides, threshold)
    rows = [slice(a, b) for a, b in zip(links.offsets[:-1], links.offsets[1:], strict=True)]
    points = list(zip(links.target.tolist(), links.source.tolist(), strict=True))
    for row in rows:
        turned = [(i, j) for j, i in points[row]]
        assert turned == sorted(turned), "links are ordered by source word, then by target word"
    return [dict(zip(points[row], links.probability[row].tolist(), strict=True)) for row in rows]


sizes = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=3)
seeds = st.integers(0, 2**32)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in THRESHOLDS])
@given(lengths=sizes, seed=seeds, steps=st.sampled_from([2, 5, 10**6]))
def test_every_rule_is_its_definition(rule: str, lengths: Any, seed: int, steps: int) -> None:
    found = matrices(np.random.default_rng(seed), lengths, steps)
    for (l, m), (p, q), links in zip(lengths, found, joined(rule, lengths, found), strict=True):
        forward = {(j, i - 1) for j, i in enumerate(choices(p)) if i > 0} if l else set()
        reverse = {(j - 1, i) for i, j in enumerate(choices(q)) if j > 0} if m else set()
        assert set(links) == naive(rule, forward, reverse)
        for (j, i), probability in links.items():
            p_ij, q_ij = p[i + 1, j], q[j + 1, i]
            expected = {"forward": p_ij, "reverse": q_ij}.get(rule, np.sqrt(p_ij * q_ij))
            assert probability == pytest.approx(expected, rel=1e-12)


@given(lengths=sizes, seed=seeds, threshold=st.sampled_from([0.25, 0.5, 1.0]))
def test_product_links_where_the_mean_reaches_the_threshold(lengths: Any, seed: int, threshold: float) -> None:
    found = matrices(np.random.default_rng(seed), lengths, 4)
    for (l, m), (p, q), links in zip(lengths, found, joined("product", lengths, found, threshold), strict=True):
        cells = {(j, i): p[i + 1, j] * q[j + 1, i] for i in range(l) for j in range(m)}
        assert set(links) == {point for point, value in cells.items() if value >= threshold**2}
        assert all(np.isclose(links[point], np.sqrt(cells[point]), rtol=1e-12) for point in links)


@given(lengths=sizes, seed=seeds, threshold=st.sampled_from([0.25, 0.5, 0.75]))
def test_mean_links_where_the_mean_exceeds_the_threshold(lengths: Any, seed: int, threshold: float) -> None:
    found = matrices(np.random.default_rng(seed), lengths, 4)
    for (l, m), (p, q), links in zip(lengths, found, joined("mean", lengths, found, threshold), strict=True):
        cells = {(j, i): (p[i + 1, j] + q[j + 1, i]) / 2 for i in range(l) for j in range(m)}
        assert set(links) == {point for point, value in cells.items() if value > threshold}
        assert all(links[point] == cells[point] for point in links)


@pytest.mark.parametrize("rule", THRESHOLDS)
@given(lengths=sizes, seed=seeds, threshold=st.sampled_from([0.25, 0.5, 0.75]))
def test_shares_side_by_side_are_linked_alike(rule: str, lengths: Any, seed: int, threshold: float) -> None:
    found = matrices(np.random.default_rng(seed), lengths, 4)
    l, m = np.array(lengths, dtype=np.int64).reshape(-1, 2).T
    shares = [np.stack([p[1:].ravel(), q[1:].T.ravel()], axis=1) for p, q in found]
    links = link_shares(rule, l, m, offsets_of(l * m), np.concatenate(shares), threshold)
    rows = [slice(a, b) for a, b in zip(links.offsets[:-1], links.offsets[1:], strict=True)]
    for row, expected in zip(rows, joined(rule, lengths, found, threshold), strict=True):
        points = zip(links.target[row].tolist(), links.source[row].tolist(), strict=True)
        assert dict(zip(points, links.probability[row].tolist(), strict=True)) == expected


# --- by hand ---------------------------------------------------------------------------------------------------------


def grid(picture: str) -> Any:
    """Rows are source words, columns target words: f forward, r reverse, b both."""
    rows = [line.split() for line in picture.strip().splitlines()]
    p, q = np.zeros((len(rows) + 1, len(rows[0]))), np.zeros((len(rows[0]) + 1, len(rows)))
    p[0], q[0] = 0.5, 0.5
    for i, row in enumerate(rows):
        for j, mark in enumerate(row):
            p[i + 1, j], q[j + 1, i] = mark in "fb", mark in "rb"
    return [(len(rows), len(rows[0]))], [(p, q)]


@pytest.mark.parametrize(
    ("rule", "picture", "expected"),
    [
        # a diagonal neighbour with a free word grows; a link far away does not
        ("grow-diag", "b . .\n. f .\n. . .", {(0, 0), (1, 1)}),
        ("grow-diag", "b . .\n. . .\n. . f", {(0, 0)}),
        # far away: both words free, so both finals take it
        ("grow-diag-final", "b . .\n. . .\n. . f", {(0, 0), (2, 2)}),
        ("grow-diag-final-and", "b . .\n. . .\n. . f", {(0, 0), (2, 2)}),
        # far away with one free word: final takes it, final-and does not
        ("grow-diag-final", "b . f\n. . .", {(0, 0), (0, 2)}),
        ("grow-diag-final-and", "b . f\n. . .", {(0, 0)}),
        # forward is finished before reverse: (2, 2) covers what (2, 4) and (4, 2) would have joined
        ("grow-diag-final-and", "b . . . .\n. . . . .\n. . f . r\n. . . . .\n. . . . .", {(0, 0), (2, 2)}),
        # the straight neighbours come first: (0, 2) takes target word 2, and source word 1 is still free for (1, 2);
        # in the other order (1, 2) would leave nothing free for (0, 2)
        ("grow-diag", ". b f\n. . r", {(0, 1), (0, 2), (1, 2)}),
        ("grow-diag", ". f r\n. . b", {(0, 1), (0, 2), (1, 2)}),
        # target word by target word: (2, 1) is visited before (0, 2), and (1, 0) leaves nothing free for (1, 2)
        ("grow-diag", ". . b\nf . r\n. b .", {(0, 2), (1, 0), (2, 1)}),
    ],
)
def test_by_hand(rule: str, picture: str, expected: Points) -> None:
    (links,) = joined(rule, *grid(picture))
    assert {(i, j) for j, i in links} == expected


def test_ties_go_to_the_empty_word_and_to_the_lower_position() -> None:
    p, q = np.full((3, 2), 0.3), np.full((3, 2), 0.3)
    assert [joined(rule, [(2, 2)], [(p, q)]) for rule in ("forward", "reverse")] == [[{}], [{}]]
    p[0] = q[0] = 0.0
    assert joined("forward", [(2, 2)], [(p, q)])[0].keys() == {(0, 0), (1, 0)}
    assert joined("reverse", [(2, 2)], [(p, q)])[0].keys() == {(0, 0), (0, 1)}


def test_room_for_many_links() -> None:
    """More links than were made room for at first."""
    lengths = [(20, 20)] * 5
    found = [(np.ones((21, 20)), np.ones((21, 20)))] * 5
    assert [len(links) for links in joined("product", lengths, found)] == [400] * 5


def test_rules_have_names() -> None:
    assert SYMMETRIZATIONS == (
        "intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and", "product", "mean",
    )  # fmt: skip
    with pytest.raises(InputError, match="symmetrize='grow': unknown; use intersection, union"):
        link("grow", np.ones(1, np.int64), np.ones(1, np.int64), Ragged(np.array([0, 2]), np.ones(2)), None, 0.5)
