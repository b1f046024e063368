"""Rows of one direction that lean on stems, against rows of joint training, and under every criterion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_backoff import SOURCE, TARGET, formula, make, random_rows

from softcount import InputError, WordAligner
from softcount.families.categorical import Categorical
from softcount.families.leaning import Leaning, leaning_rows
from softcount.families.left_out import GRID, held_out_strengths, left_out_likelihood, summed
from softcount.families.penalty import NOTHING, Pseudo
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import row_sums
from softcount.text.cooccurrence import with_null

pytestmark = pytest.mark.kernels

KAPPA = (2.0, 1.0)


class Case:
    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.words = random_rows(rng)
        self.frequencies = rng.integers(1, 9, len(SOURCE)).astype(float), rng.integers(1, 9, len(TARGET)).astype(float)
        self.rows = with_null(self.words, np.arange(len(TARGET), dtype=np.int32))
        self.first = len(TARGET)
        self.counts = Ragged(self.rows.offsets, rng.random(len(self.rows.values)) * 3)
        levels = make(self.words, self.frequencies)
        self.family = Leaning(Categorical(self.rows.offsets), levels, KAPPA)


@given(st.integers(0, 10**6))
def test_rows_are_the_formula_and_the_empty_word_leans_on_nothing(seed):
    case = Case(seed)
    counts = case.counts.values
    found = case.family.maximize(case.counts, NOTHING, None).values
    none = np.zeros(len(case.words.values))
    expected = formula(case.words, counts[case.first :], case.frequencies[1], KAPPA, none)
    np.testing.assert_allclose(found[: case.first], counts[: case.first] / counts[: case.first].sum(), rtol=1e-12)
    for e in range(len(SOURCE)):
        for k in range(case.words.offsets[e], case.words.offsets[e + 1]):
            assert found[case.first + k] == pytest.approx(expected[e, int(case.words.values[k])], rel=1e-10)
    assert (row_sums(Ragged(case.rows.offsets, found)) <= 1 + 1e-12).all()


def test_pseudo_counts_are_counts():
    case = Case(1)
    more = np.random.default_rng(2).random(len(case.counts.values))
    one = case.family.maximize(case.counts, Pseudo(more), None).values
    two = case.family.maximize(case.counts.with_values(case.counts.values + more), NOTHING, None).values
    np.testing.assert_array_equal(one, two)


def test_a_row_without_counts_is_its_stems_and_one_without_stems_stays():
    case = Case(3)
    lengths, counts = case.rows.lengths, case.counts.values.copy()
    for word in ("walks", "1999"):
        row = SOURCE.index(word) + 1
        counts[case.rows.offsets[row] : case.rows.offsets[row + 1]] = 0.0
    before = case.family.uniform()
    found = case.family.maximize(case.counts.with_values(counts), NOTHING, before)
    walks, year = SOURCE.index("walks") + 1, SOURCE.index("1999") + 1
    assert lengths[walks] and not np.allclose(found.row(walks), before.row(walks))
    np.testing.assert_array_equal(found.row(year), before.row(year))


def test_held_entries_stay_and_forbidden_ones_do_not_come_back():
    case = Case(4)
    table = case.family.uniform()
    first = case.rows.offsets[1]
    table.values[first + 1] = 0.0
    family = case.family.hold(table, case.family.impossible(table))
    found = family.maximize(case.counts, NOTHING, table)
    assert found.values[first + 1] == 0.0 and found.values[first] > 0.0
    assert family.ascend(table, case.counts, case.counts).values[first + 1] == 0.0


def test_held_shares_leave_the_rest_of_their_row_to_the_others():
    case = Case(4)
    table, held = case.family.uniform(), np.zeros(len(case.rows.values), bool)
    table.values[0], held[0] = 0.4, True
    found = case.family.hold(table, held).maximize(case.counts, NOTHING, table).values[: case.first]
    others = case.counts.values[1 : case.first]
    np.testing.assert_allclose(found, [0.4, *(0.6 * others / others.sum())], rtol=1e-12)


def test_strengths_by_one_direction_alone():
    case = Case(5)
    counts = case.counts.values[case.first :]
    found = held_out_strengths(case.family.levels, counts, sides=(0,))
    tables, sums = summed(case.family.levels, counts, None)
    scores = [left_out_likelihood(case.family.levels, tables, sums, 0, (k, found[1]), sides=(0,)) for k in GRID]
    assert found[0] == GRID[int(np.argmax(scores))]
    leaning = case.family._replace(strengths=None)
    np.testing.assert_array_equal(
        leaning.maximize(case.counts, NOTHING, None).values[case.first :],
        leaning_rows(case.family.levels, counts, found),
    )


# --- the aligner ------------------------------------------------------------------------------------------------------

ENGLISH = ["the man walks", "the man walked home", "they talked", "she talks", "a man is walking", "home", ""] * 3
GERMAN = ["der mann geht", "der mann ging heim", "sie redeten", "sie redet", "ein mann geht", "heim", "?"] * 3


@pytest.mark.parametrize("model", ["ibm1", "ibm1:2,ibm2", "ibm1:2,ibm2-free", "ibm1:2,hmm"])
@pytest.mark.parametrize("criterion", ["em:3", "hard:3", "stepwise(em):2", "annealed(em):3", "em:2,mre:2"])
def test_any_model_leans_under_any_criterion_of_points(model, criterion):
    found = WordAligner(model, criterion=criterion, agreement=False, stems="4,3", stem_strength=5.0).fit(
        ENGLISH, GERMAN
    )
    plain = WordAligner(model, criterion=criterion, agreement=False).fit(ENGLISH, GERMAN)
    for name, side in found.directions_.items():
        rows = side.parameters.translation
        assert np.isfinite(rows.values).all() and (row_sums(rows) <= 1 + 1e-9).all()
        assert not np.allclose(rows.values, plain.directions_[name].parameters.translation.values)
    assert len(found.align(ENGLISH, GERMAN)) == len(ENGLISH) and "stems" in found.signature_


def test_it_is_the_same_with_and_without_a_file(tmp_path):
    model = WordAligner("ibm1:2,hmm:2", criterion="em:2", agreement=False, stems="letters").fit(ENGLISH, GERMAN)
    model.save(tmp_path / "apart.model")
    again = WordAligner.load(tmp_path / "apart.model")
    assert again.align(ENGLISH, GERMAN, probabilities=True) == model.align(ENGLISH, GERMAN, probabilities=True)
    assert again.stems == "letters"
    more = again.partial_fit(ENGLISH[:3], GERMAN[:3])
    assert len(more.align(ENGLISH, GERMAN)) == len(ENGLISH)


def test_both_ways_and_a_checkpoint(tmp_path):
    how = {"model": "ibm1(em:2),hmm(constrained(em,of=symmetry)):2", "stems": "suffix-free", "agreement": False}
    assert WordAligner(**how).fit(ENGLISH, GERMAN).align(ENGLISH, GERMAN)
    plain = {"model": "ibm1:2,hmm:2", "criterion": "em:2", "stems": "3", "agreement": False, "direction": "forward"}
    one = WordAligner(**plain).fit(ENGLISH, GERMAN, checkpoint=tmp_path / "run.ckpt")
    two = WordAligner(**plain).fit(ENGLISH, GERMAN, checkpoint=tmp_path / "run.ckpt")
    tables = [model.directions_["forward"].parameters.translation.values for model in (one, two)]
    np.testing.assert_array_equal(*tables)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"criterion": "vb:2"}, "criterion vb:2: back-off is not available with variational Bayes"),
        ({"criterion": "hard(vb):2"}, "back-off is not available with variational Bayes"),
        ({"criterion": "gibbs:4"}, "back-off is not available with Gibbs sampling"),
        ({"criterion": "direct:2"}, "back-off is not available with gradient optimization"),
        ({"features": "pairs"}, "stems: back-off cannot be combined with features"),
        ({"sparse": (1.0, 0.1)}, "stems: back-off cannot be combined with sparse"),
        ({"model": "crf"}, "back-off is not available with a CRF autoencoder"),
    ],
    ids=str,
)
def test_what_has_no_meaning_is_refused(more, why):
    with pytest.raises(InputError) as wrong:
        WordAligner(**{"model": "ibm1", "agreement": False, "stems": "5,3", **more}).fit(ENGLISH, GERMAN)
    assert why in str(wrong.value)


def test_where_nobody_asks_rows_of_one_direction_lean_on_nothing():
    one = WordAligner("ibm1", agreement=False, criterion="em:2").fit(ENGLISH, GERMAN)
    two = WordAligner("ibm1", agreement=False, criterion="em:2", stems="none").fit(ENGLISH, GERMAN)
    assert one.signature_ == two.signature_ and "stems" not in one.signature_
    np.testing.assert_array_equal(*(m.directions_["forward"].parameters.translation.values for m in (one, two)))
