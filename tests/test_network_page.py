"""Networks on the page: boxes in layers, arcs that go around them, and the rows of data."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product
from pathlib import Path

import numpy as np
import pytest
from command import run

import softcount
from softcount.report.page import layers as layered
from softcount.report.page.model import page_of
from softcount.report.page.network import drawing
from softcount.text.structure import structure

ASIA = "asia -> tub; smoke -> lung, bronc; tub, lung -> either; either -> xray; either, bronc -> dysp"
TIME = "h@-1 -> h -> a; a@-1 -> b; b@-1 -> h; c@-1 -> d; d@-1 -> c; c, d -> e; e@-1 -> c"
NUMBER = r"-?\d+(?:\.\d+)?"

Point = tuple[float, float]


def boxes(picture: str) -> dict[str, tuple[float, float, float, float]]:
    """By name: left, top, right, bottom."""
    found = {}
    for rect, name in re.findall(r"<g><rect ([^>]*)/><text [^>]*>([^<]*)</text></g>", picture):
        x, y, w, h = (float(re.search(rf'\b{key}="({NUMBER})"', rect)[1]) for key in ("x", "y", "width", "height"))  # type: ignore[index]
        found[name] = (x, y, x + w, y + h)
    return found


def arcs(picture: str) -> Iterator[tuple[str, str, list[Point]]]:
    """(parent, child, points along the arc)."""
    for path, parent, child in re.findall(r'<path d="(M[^"]*)"[^>]*><title>(\S+) → (\S+)</title>', picture):
        yield parent, child, points(path)


def points(path: str) -> list[Point]:
    numbers = [float(n) for n in re.findall(NUMBER, path)]
    assert re.fullmatch(r"[MC\d., -]*", path)
    ends = list(zip(numbers[::2], numbers[1::2], strict=True))
    along = [ends[0]]
    for k in range(1, len(ends), 3):
        a, (b, c, d) = ends[k - 1], ends[k : k + 3]
        for t in np.linspace(0, 1, 40)[1:].tolist():
            s = 1 - t
            weights = (s**3, 3 * s * s * t, 3 * s * t * t, t**3)
            x, y = (sum(w * p[i] for w, p in zip(weights, (a, b, c, d), strict=True)) for i in (0, 1))
            along.append((x, y))
    return along


def check(declared: str) -> None:
    """Boxes apart; every arc from its parent's edge to its child's, and through no box."""
    network = structure(declared)
    picture = str(drawing(network, network.names[:1]))
    places = boxes(picture)
    assert set(places) == set(network.names)
    for (_, one), (_, other) in combinations(places.items(), 2):
        assert one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
    found = list(arcs(picture))
    wanted = [(p + "@-1" * back, c) for c, parents in zip(*network, strict=True) for p, back in parents]
    assert sorted((parent, child) for parent, child, _ in found) == sorted(wanted)
    view = re.search(rf'viewBox="0 0 ({NUMBER}) ({NUMBER})"', picture)
    assert view
    for parent, child, along in found:
        for name, at in ((parent.removesuffix("@-1"), along[0]), (child, along[-1])):
            left, top, right, bottom = places[name]
            assert left - 0.1 <= at[0] <= right + 0.1 and top - 0.1 <= at[1] <= bottom + 0.1, (parent, child)
            assert min(abs(at[0] - right), abs(at[1] - top), abs(at[1] - bottom)) < 0.11
        for x, y in along:
            assert 0 <= x <= float(view[1]) and 0 <= y <= float(view[2])
            inside = [n for n, (l, t, r, b) in places.items() if l + 0.2 < x < r - 0.2 and t + 0.2 < y < b - 0.2]
            assert not inside, f"{parent} → {child} goes through {inside[0]}"


def test_no_arc_goes_behind_another_variable() -> None:
    """In this network tub → either had read as tub → smoke → lung."""
    check(ASIA)
    check(TIME)
    check("a -> b -> c -> d -> e; a -> c, d, e; b -> d, e; c -> e; alone")
    check("alone")
    check("x@-1 -> x")


@pytest.mark.parametrize("seed", range(6))
def test_nor_in_any_network(seed: int) -> None:
    chance = random.Random(seed)
    names = [f"{'Wide' * chance.randrange(4)}v{i}" for i in range(18)]
    statements = []
    for i, name in enumerate(names[1:], 1):
        now = chance.sample(names[:i], min(i, chance.choice((0, 1, 1, 2, 3))))
        before = [f"{chance.choice(names)}@-1"] if seed % 2 and chance.random() < 0.4 else []
        statements.append(f"{', '.join([*now, *before])} -> {name}" if now or before else name)
    check("; ".join(statements))


def test_a_network_that_no_screen_has_room_for_is_listed() -> None:
    many = structure("; ".join(f"v{i} -> v{i + 1}" for i in range(1500)))
    listed = str(drawing(many, ()))
    assert "<svg" not in listed and "--dot" in listed and listed.count("<tr>") == 1502


def test_layers_go_down_and_stay_short() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (4, 3)]
    assert layered.layers(6, edges)[:5] == [0, 1, 2, 3, 2]
    chance = random.Random(1)
    for _ in range(20):
        edges = [(u, v) for u, v in combinations(range(9), 2) if chance.random() < 0.25]
        level = layered.layers(9, edges)
        assert all(level[u] < level[v] for u, v in edges) and min(level) >= 0


def test_crossings_are_those_of_all_pairs_of_edges() -> None:
    chance = random.Random(2)
    for _ in range(50):
        order = [[0, 1, 2, 3], [4, 5, 6, 7]]
        below = [chance.sample(range(4, 8), chance.randrange(4)) for _ in range(4)] + [[]] * 4
        edges = [(u, v) for u in range(4) for v in below[u]]
        crossed = sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(edges, 2))
        assert layered.crossings(order, below) == crossed


def test_what_can_be_drawn_without_crossings_is() -> None:
    """A tree whose order is mixed up, and a grid."""
    for edges, n in (([(0, 3), (0, 5), (1, 4), (1, 6), (2, 7), (2, 8), (9, 0), (9, 1), (9, 2)], 10),
                     ([(0, 4), (1, 5), (2, 3), (4, 7), (5, 6), (3, 8), (0, 3), (1, 4)], 9)):  # fmt: skip
        level = layered.layers(n, edges)
        found = layered.arrange([30.0] * n, edges, level, 10.0)
        rows: dict[int, list[int]] = {}
        for v in sorted(range(len(found.x)), key=found.x.__getitem__):
            rows.setdefault(found.layer[v], []).append(v)
        below: list[list[int]] = [[] for _ in found.x]
        for chain in found.chains:
            for u, v in pairwise(chain):
                below[u].append(v)
        assert layered.crossings([rows[i] for i in sorted(rows)], below) == 0


def test_pooling_is_the_least_squares_under_an_order() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        wanted, weights = rng.uniform(0, 6, 4), rng.uniform(0.5, 3, 4)
        apart = np.cumsum([0.0, *rng.uniform(0.2, 2, 3)])
        found = np.array(layered._pooled(wanted.tolist(), weights.tolist(), apart.tolist()))
        assert (np.diff(found - apart) > -1e-9).all()

        def cost(x: np.ndarray, weights: np.ndarray = weights, wanted: np.ndarray = wanted) -> float:
            return float(weights @ (x - wanted) ** 2)

        best = min(map(cost, _candidates(wanted, weights, apart)))
        assert cost(found) == pytest.approx(best)


def _candidates(wanted: np.ndarray, weights: np.ndarray, apart: np.ndarray) -> Iterator[np.ndarray]:
    """Whatever blocks stand together, those that keep the order."""
    for joined in product((False, True), repeat=3):
        blocks: list[list[int]] = [[0]]
        for i, together in enumerate(joined, 1):
            blocks = [*blocks[:-1], [*blocks[-1], i]] if together else [*blocks, [i]]
        y = wanted - apart
        z = np.concatenate([np.full(len(b), weights[b] @ y[b] / weights[b].sum()) for b in blocks])
        if (np.diff(z) > -1e-12).all():
            yield z + apart


def test_a_curve_is_within_its_points() -> None:
    """Monotone between neighbours, upright at its ends."""
    places: Sequence[Point] = [(0, 0), (10, 30), (12, 60), (-40, 90)]
    curve = layered._through(places)
    for (x1, y1), (x2, y2) in pairwise(places):
        xs = [layered._at(curve, y) for y in np.linspace(y1, y2, 30).tolist()]
        assert all((b - a) * (x2 - x1) >= -1e-9 for a, b in pairwise(xs))
        assert xs[0] == pytest.approx(x1) and xs[-1] == pytest.approx(x2)
    assert curve[0][1][0] == 0 and curve[-1][2][0] == -40


def test_the_rows_of_data_are_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It had ended in an AssertionError."""
    monkeypatch.chdir(tmp_path)
    days = "weather,late\n" + "rainy,yes\nsunny,no\nrainy,yes\nrainy,\n" * 3
    Path("days.csv").write_text(days)
    assert run('net "weather -> late" days.csv --save net.model -q').code == 0
    ran = run("report net.model days.csv --out net.html")
    assert ran.code == 0, ran.err
    page = Path("net.html").read_text()
    rows = re.findall(r'<tr><th scope="row">(\d+)</th><td>(\w+)</td><td>(\S+?)</td><td', page)
    assert len(rows) == 12 and rows[0] == ("1", "rainy", "yes") and rows[3] == ("4", "rainy", "(yes)")
    model = softcount.load("net.model")
    assert f"{model.score('days.csv'):.2f}".replace("-", "−") in page
    over_time = softcount.Network("weather@-1 -> weather -> late", random_state=0).fit("days.csv")
    assert "<td>(" in page_of(over_time, "days.csv")


def test_a_network_that_was_not_trained_says_so(tmp_path: Path) -> None:
    given = {"weather": {"": {"rainy": 0.5, "sunny": 0.5}}}
    page = page_of(softcount.Network("weather", start=given).as_given())
    assert "nothing was trained" in page and "&lt;given&gt;" not in page and "Training" not in page


def test_sentences_for_a_grammar_are_parsed_on_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text was taken for the rules, which a saved grammar does not read, and no tree was drawn."""
    monkeypatch.chdir(tmp_path)
    Path("G.cfg").write_text('S -> N V [1.0]\nN -> "dogs" [0.5] | "cats" [0.5]\nV -> "run" [1.0]\n')
    Path("text").write_text("dogs run\ncats run\n")
    assert run("grammar G.cfg text --save g.model -q").code == 0
    assert run("report g.model text --out g.html").code == 0
    assert Path("g.html").read_text().count('class="pair"') == 2
