"""A family in ranges against the same family in one piece, method by method; all that crosses the engine is copied."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from copying import Copying

from softcount.families.backoff import Backoff, levels
from softcount.families.categorical import Categorical
from softcount.families.leaning import Leaning
from softcount.families.penalty import NOTHING, Pseudo, Sparsity
from softcount.families.spread import Range, Spread, SpreadFamily, SpreadRows, itself, tempered
from softcount.families.spread_backoff import SpreadBackoff
from softcount.families.spread_leaning import SpreadLeaning
from softcount.numbers.ragged import Ragged, from_rows, offsets_of

pytestmark = pytest.mark.kernels
ROWS = ([0, 1], [2, 3, 4])  # of five rows, in two ranges
LENGTHS = np.array([2, 3, 1, 0, 2])
OFFSETS = offsets_of(LENGTHS)


def pieces(values: np.ndarray) -> list[np.ndarray]:
    return [values[OFFSETS[rows[0]] : OFFSETS[rows[-1] + 1]] for rows in ROWS]


def ragged_pieces(values: np.ndarray) -> list[Ragged]:
    return [Ragged(offsets_of(LENGTHS[rows]), part) for rows, part in zip(ROWS, pieces(values), strict=True)]


@pytest.fixture
def engine() -> Any:
    with Copying(near=False) as found:
        yield found


def family(engine: Any) -> SpreadRows:
    ranges = engine.place(itself, [Range(np.array(rows)) for rows in ROWS])
    return SpreadRows(engine, ranges, engine.place(itself, [Categorical(offsets_of(LENGTHS[r])) for r in ROWS]), 5)


def placed(engine: Any, parts: Any) -> Spread:
    return Spread(engine.place(itself, parts))


def together(ranged: SpreadFamily, found: Spread) -> np.ndarray:
    return np.concatenate([getattr(part, "values", part) for part in ranged.fetched(found)])


def test_every_method_is_that_of_the_whole_table(engine: Any) -> None:
    whole, ranged, rng = Categorical(OFFSETS), family(engine), np.random.default_rng(0)
    assert ranged.size() == whole.size()
    assert together(ranged, ranged.uniform()).tolist() == whole.uniform().values.tolist()
    counts, theta = Ragged(OFFSETS, rng.random(8)), whole.random(rng, 1.0)
    mine, here = placed(engine, ragged_pieces(counts.values)), placed(engine, ragged_pieces(theta.values))
    for penalty in (NOTHING, Pseudo(0.5), Pseudo(0.0, Sparsity(2.0, 0.1)), Pseudo(0.5, Sparsity(2.0, 0.1))):
        found = together(ranged, ranged.maximize(mine, penalty, here))
        near = 1e-4 if penalty.sparse else 1e-12  # sparse rows are climbed to until all rows of a table are near
        np.testing.assert_allclose(found, whole.maximize(counts, penalty, theta).values, rtol=near)
        assert ranged.log_prior(here, penalty) == pytest.approx(whole.log_prior(theta, penalty), rel=1e-12)
    np.testing.assert_allclose(together(ranged, ranged.log_weights(here)), whole.log_weights(theta).values)
    np.testing.assert_allclose(together(ranged, ranged.normalize(mine)), whole.normalize(counts).values)
    imagined = rng.random(8)  # entry by entry, in ranges like the table
    found = together(ranged, ranged.maximize(mine, Pseudo(placed(engine, pieces(imagined))), here))
    np.testing.assert_allclose(found, whole.maximize(counts, Pseudo(imagined), theta).values, rtol=1e-12)
    assert not ranged.impossible(here).any()


def test_the_size_is_that_of_all_ranges_and_nothing_is_impossible_by_itself(engine: Any) -> None:
    for rows in ([4], [1, 2, 1]):
        families = engine.place(itself, [Categorical((n, 3)) for n in rows])
        ranges = engine.place(itself, [Range(np.arange(n)) for n in rows])
        ranged = SpreadFamily(engine, ranges, families, 4)
        assert ranged.size() == (4, 3)
        assert not np.broadcast_to(ranged.impossible(ranged.uniform()), (4, 3)).any()


def test_posteriors_are_those_of_the_whole_table(engine: Any) -> None:
    whole, ranged = Categorical(OFFSETS, width=6).under(0.5), family(engine)
    parts = [Categorical(offsets_of(LENGTHS[rows]), width=6) for rows in ROWS]
    ranged = replace(ranged, families=engine.place(itself, parts)).under(0.5)
    counts = Ragged(OFFSETS, np.random.default_rng(1).random(8))
    posterior, mine = whole.posterior(counts, 0.5), ranged.posterior(placed(engine, ragged_pieces(counts.values)), 0.5)
    for method in ("mean", "expected_log"):
        found = together(ranged, getattr(ranged, method)(mine))
        np.testing.assert_allclose(found, getattr(whole, method)(posterior).values, rtol=1e-12)
    assert ranged.divergence(mine, 0.5) == pytest.approx(whole.divergence(posterior, 0.5), rel=1e-12)


def test_rows_are_drawn_apart_and_what_is_impossible_or_held_stays(engine: Any) -> None:
    ranged, theta = family(engine), Categorical(OFFSETS).uniform().values.copy()
    one, two = (together(ranged, ranged.random(np.random.default_rng(3), 1.0)) for _ in range(2))
    assert one.tolist() == two.tolist() and abs(one[0] - one[5]) > 1e-3
    theta[:2] = 0.0, 1.0
    held = ranged.hold(placed(engine, ragged_pieces(theta)), np.zeros(1, bool))
    counts = placed(engine, ragged_pieces(np.ones(8)))
    found = together(held, held.maximize(counts, NOTHING, placed(engine, ragged_pieces(theta))))
    np.testing.assert_allclose(found, [0.0, 1.0, 1 / 3, 1 / 3, 1 / 3, 1.0, 0.5, 0.5])
    nothing = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0])
    assert ranged.unvisited(placed(engine, ragged_pieces(nothing))).tolist() == [0, 2]


def test_tempered_weights_are_multiplied_where_they_are_used() -> None:
    logs = np.array([1.0, -np.inf])
    assert ((Spread(()) * 0.5) * 3.0).power == 1.5
    assert tempered(logs, 1.0) is logs
    assert tempered(logs, 2.0).tolist() == [2.0, -np.inf] and tempered(logs, 0.5).tolist() == [0.5, -np.inf]


@pytest.mark.parametrize("counted", [True, False])
def test_rows_that_lean_on_stems_are_those_of_the_whole_table(counted: bool, engine: Any) -> None:
    """Five source words of two stems, one in each range, and six target words of three."""
    rng = np.random.default_rng(4)
    rows = [np.sort(rng.permutation(6)[:n]) for n in (2, 4, 3, 2, 6)]
    stems, others = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    offsets = offsets_of([len(row) for row in rows])
    frequencies = rng.integers(1, 9, 5).astype(float), rng.integers(1, 9, 6).astype(float)
    prior = rng.random(offsets[-1]).astype(np.float32)
    counts = rng.random(offsets[-1]).astype(np.float32) * counted
    banned = rng.random((offsets[-1], 2)) < 0.2
    whole = Backoff(levels(from_rows(rows, np.int32), frequencies, [(stems, others)]), (3.0,), prior, banned)
    families, parts = [], []
    for own in ROWS:
        here = slice(offsets[own[0]], offsets[own[-1] + 1])
        table = from_rows([rows[e] for e in own], np.int32)
        found = levels(table, (frequencies[0][own], frequencies[1]), [(stems[own] - stems[own[0]], others)])
        families.append(Backoff(found, (3.0,), prior[here], banned[here]))
        parts.append(counts[here])
    ranges = engine.place(itself, [Range(np.array(own)) for own in ROWS])
    ranged = SpreadBackoff(engine, ranges, engine.place(itself, families), n_rows=5)
    found = np.concatenate([part.weights for part in ranged.fetched(ranged.log_weights(placed(engine, parts)))])
    np.testing.assert_allclose(found, whole.rates(counts), rtol=1e-5)


WORDS = ([0, 1, 2], [3, 4, 5, 6])  # of seven source words, in two ranges; the empty word's row is in the first
STEMS = np.array([0, 0, 1, 2, 2, 3, 3])
OTHERS = np.array([0, 0, 1, 1])
FREQUENCIES = np.array([3.0, 1, 2, 4, 1, 2, 5]), np.array([5.0, 1, 2, 3])


def leaning_table(strengths: Any) -> tuple[Ragged, Leaning]:
    """Rows of the empty word and of seven words, of which each has met two or three of four."""
    rows = from_rows([[0, 1, 2, 3], [0, 1, 2], [0, 3], [1, 2, 3], [0, 2], [0, 1, 3], [2, 3], [1, 2]], np.int32)
    found = levels(_behind(rows, 1), FREQUENCIES, [(STEMS, OTHERS)])
    return rows, Leaning(Categorical(rows.offsets), found, strengths)


def _behind(rows: Ragged, first: int) -> Ragged:
    return rows.take(np.arange(first, rows.n_rows))


def leaning_ranges(engine: Any, rows: Ragged, strengths: Any) -> tuple[SpreadLeaning, list[np.ndarray]]:
    families, places = [], []
    for bare, own in zip((1, 0), WORDS, strict=True):
        entries = rows.take(np.array([0] * bare + [word + 1 for word in own]))
        classes = [(STEMS[own] - STEMS[own[0]], OTHERS)]
        found = levels(_behind(entries, bare), (FREQUENCIES[0][own], FREQUENCIES[1]), classes)
        families.append(Leaning(Categorical(entries.offsets), found, strengths, bare))
        places.append(np.arange(rows.offsets[own[0] + 1 - bare], rows.offsets[own[-1] + 2]))
    ranges = engine.place(itself, [Range(np.array([0, 1, 2, 3])), Range(np.array([4, 5, 6, 7]))])
    chosen = 1 if strengths is None else 0
    return SpreadLeaning(engine, ranges, engine.place(itself, families), rows.n_rows, chosen), places


@pytest.mark.parametrize("strengths", [(2.0,), None], ids=["given", "by evidence"])
def test_rows_that_lean_lean_in_ranges_as_in_one_table(engine: Any, strengths: Any) -> None:
    rows, whole = leaning_table(strengths)
    ranged, places = leaning_ranges(engine, rows, strengths)
    rng = np.random.default_rng(2)

    def spread(flat: np.ndarray) -> Spread:
        lengths = [rows.lengths[:4], rows.lengths[4:]]
        return placed(engine, [Ragged(offsets_of(n), flat[p]) for n, p in zip(lengths, places, strict=True)])

    for _ in range(5):
        counts, theta, slope = (rng.exponential(2.0, len(rows.values)) for _ in range(3))
        for penalty in (NOTHING, Pseudo(0.5)):
            expected = whole.maximize(rows.with_values(counts), penalty, rows.with_values(theta))
            found = together(ranged, ranged.maximize(spread(counts), penalty, spread(theta)))
            np.testing.assert_allclose(found, expected.values, rtol=1e-12)
        if strengths is not None:
            expected = whole.ascend(*(rows.with_values(one) for one in (theta, slope - 1.0, counts)))
            found = together(ranged, ranged.ascend(spread(theta), spread(slope - 1.0), spread(counts)))
            np.testing.assert_allclose(found, expected.values, rtol=1e-12)
    assert not ranged.exact and not whole.exact


def test_strengths_by_evidence_are_those_of_all_ranges_together(engine: Any) -> None:
    """Not those that either range would choose by itself."""
    rows, whole = leaning_table(None)
    ranged, places = leaning_ranges(engine, rows, None)
    rng, differ = np.random.default_rng(1), 0
    for _ in range(20):
        counts = rng.exponential(3.0, len(rows.values)) * (rng.random(len(rows.values)) < 0.7)
        parts = placed(engine, [
            Ragged(offsets_of(n), counts[p]) for n, p in zip([rows.lengths[:4], rows.lengths[4:]], places, strict=True)
        ])  # fmt: skip
        expected = whole.strengths_of(counts[rows.offsets[1] :])
        assert ranged._strengths(parts, NOTHING) == expected
        alone = [
            family.strengths_of(part.values[part.offsets[family.bare] :])
            for family, part in zip(ranged.fetched(Spread(ranged.families)), ranged.fetched(parts), strict=True)
        ]
        differ += any(one != expected for one in alone)
    assert differ > 5
