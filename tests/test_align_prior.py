"""Counts of one text as pseudo-counts for another, against E-steps and M-steps done by hand."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import softcount
from softcount.errors import InputError
from softcount.estimators.agreed_prior import agreed_prior, rekinded
from softcount.estimators.align_prior import direction_prior
from softcount.families.jumps import JumpCounts
from softcount.numbers.ragged import from_rows
from softcount.text.entries import lengthened, only, placed, united

OLD = ["the house", "the book", "a book", "the small house", "a house"] * 2, [
    "das haus", "das buch", "ein buch", "das kleine haus", "ein haus"
] * 2  # fmt: skip
NEW = ["a small tree", "the tree", "a tree", "the old book", ""], [
    "ein kleiner baum", "der baum", "ein baum", "das alte buch", "x"
]  # fmt: skip


# --- entries of two texts ------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6))
def test_entries_are_united_and_found_again(seed):
    rng = np.random.default_rng(seed)
    rows = [[np.flatnonzero(rng.random(6) < 0.4) for _ in range(4)] for _ in range(2)]
    one, two = (from_rows(each, np.int32) for each in rows)
    both = united(one, two)
    for row in range(4):
        assert both.row(row).tolist() == np.union1d(*(each[row] for each in rows)).tolist()
    numbers = rng.random(len(one.values))
    found = placed(one, numbers, both)
    for row in range(4):
        known = dict(zip(one.row(row).tolist(), numbers[one.offsets[row] : one.offsets[row + 1]], strict=True))
        assert found[both.offsets[row] : both.offsets[row + 1]].tolist() == [
            known.get(column, 0.0) for column in both.row(row).tolist()
        ]
    mask = rng.random(len(one.values)) < 0.5
    assert [only(one, mask).row(r).tolist() for r in range(4)] == [
        one.row(r)[mask[one.offsets[r] : one.offsets[r + 1]]].tolist() for r in range(4)
    ]
    assert lengthened(one, 6).n_rows == 6 and lengthened(one, 6).row(5).tolist() == []


# --- one direction -------------------------------------------------------------------------------------------------


def model1_counts(weights, source, target):
    """c(e, f) of Model 1, the empty word's too, by its definition; weights by (word or None, word)."""
    counts = {}
    for e, f in zip(source, target, strict=True):
        given = [None, *e.split()]
        for word in f.split() if e else ():
            total = sum(weights[g, word] for g in given)
            for g in given:
                counts[g, word] = counts.get((g, word), 0.0) + weights[g, word] / total
    return counts


def by_words(model, rows, numbers):
    """A table of one direction, keyed by its words."""
    source, target = (v.words for v in model.vocabularies_)
    names = [None, *source]
    owners = np.repeat(np.arange(rows.n_rows), rows.lengths)
    keys = ((names[e], target[f]) for e, f in zip(owners.tolist(), rows.values.tolist(), strict=True))
    return dict(zip(keys, numbers.tolist(), strict=True))


def learned(model):
    direction = model.directions_["forward"]
    return by_words(model, direction.model.entries, direction.parameters.translation.values)


def imagined(old, new, strength):
    """s · c of before, in the words of the new model."""
    sizes = len(new.vocabularies_[0]), len(new.vocabularies_[1])
    prior = direction_prior(old.directions_["forward"], old, sizes, strength)
    return by_words(new, prior.rows, prior.counts)


def rows_of(table):
    return {e: {f: n for (g, f), n in table.items() if g == e} for e in {e for e, _ in table}}


@pytest.mark.parametrize("strength", [1.0, 0.25])
def test_a_step_of_em_adds_the_counts_of_before(strength):
    old = softcount.WordAligner("ibm1", criterion="em:3", direction="forward").fit(*OLD)
    new = softcount.WordAligner("ibm1", criterion="em:1", direction="forward", prior=old, prior_strength=strength)
    new.fit(*NEW)
    before, V = imagined(old, new, strength), len(new.vocabularies_[1])
    keys = learned(new)
    counts = model1_counts(dict.fromkeys(keys, 1 / V), *NEW)
    for e, row in rows_of({k: counts.get(k, 0.0) + before.get(k, 0.0) for k in keys}).items():
        for f, count in row.items():
            assert keys[e, f] == pytest.approx(count / sum(row.values()), rel=1e-9), (e, f)


def test_counts_of_before_are_rows_times_what_they_were_learned_from():
    old = softcount.WordAligner("ibm1", criterion="em:4", direction="forward").fit(*OLD)
    counts = model1_counts(learned(old), *OLD)
    for e, row in rows_of(imagined(old, old, 2.0)).items():
        total = sum(n for (g, _), n in counts.items() if g == e)
        for f, count in row.items():
            assert count == pytest.approx(2.0 * total * learned(old)[e, f], rel=1e-9)


def test_a_step_of_vb_adds_them_to_the_prior():
    options = {"direction": "forward", "alpha": 0.1, "prior_over": "cooccurring"}
    old = softcount.WordAligner("ibm1", criterion="vb:3", **options).fit(*OLD)
    new = softcount.WordAligner("ibm1", criterion="vb:1", prior=old, **options).fit(*NEW)
    before, V, keys = imagined(old, new, 1.0), len(new.vocabularies_[1]), learned(new)
    weights = dict.fromkeys(keys, 1 / V)
    for _ in range(2):  # the first comes free with the start
        counts = model1_counts(weights, *NEW)
        posterior = {k: 0.1 + before.get(k, 0.0) + counts.get(k, 0.0) for k in keys}
        sums = {e: sum(row.values()) for e, row in rows_of(posterior).items()}
        psi = scipy.special.digamma
        weights = {(e, f): np.exp(psi(n) - psi(sums[e])) for (e, f), n in posterior.items()}
    assert keys == pytest.approx({(e, f): n / sums[e] for (e, f), n in posterior.items()}, rel=1e-9)


def test_of_a_posterior_mean_the_prior_is_taken_away():
    """λ − α is what was counted: entries of which nothing was counted are not carried over."""
    old = softcount.WordAligner("ibm1", criterion="vb:30", direction="forward", alpha=0.01).fit(*OLD)
    rows = rows_of(imagined(old, old, 1.0))
    totals = old.directions_["forward"].totals
    words = [None, *old.vocabularies_[0].words]
    for e, row in rows.items():
        assert sum(row.values()) == pytest.approx(totals[words.index(e)], rel=0.02)


# --- joint training of both directions -------------------------------------------------------------------------------


def counted(model):
    rows, source, target = model.agreed_.rows, *(v.words for v in model.vocabularies_)
    owners = np.repeat(np.arange(rows.n_rows), rows.lengths).tolist()
    numbers = model.agreed_.parameters.translation.tolist()
    return {(source[e], target[f]): n for e, f, n in zip(owners, rows.values.tolist(), numbers, strict=True)}


def agreed_counts(rates, nulls, source, target):
    """Σ P₁ P₂ of Model 1 both ways; `rates` by (e, f): (t(f|e), t(e|f)), `nulls` the empty words' shares by word."""
    counts = {}
    for es, fs in zip(source, target, strict=True):
        es, fs = es.split(), fs.split()
        if not es or not fs:
            continue
        one = np.array([[rates[e, f][0] for f in fs] for e in es])
        two = np.array([[rates[e, f][1] for f in fs] for e in es])
        one /= one.sum(axis=0) + len(es) * np.array([nulls[0][f] for f in fs])
        two /= (two.sum(axis=1) + len(fs) * np.array([nulls[1][e] for e in es]))[:, None]
        for i, e in enumerate(es):
            for j, f in enumerate(fs):
                counts[e, f] = counts.get((e, f), 0.0) + one[i, j] * two[i, j]
    return counts


@pytest.mark.parametrize("strength", [1.0, 0.5])
def test_an_agreed_step_adds_the_counts_of_before(strength):
    old = softcount.WordAligner().fit(*OLD)
    new = softcount.WordAligner(
        "ibm1", criterion="em:1", agreement=True, prior=old, prior_strength=strength, null=0.2
    ).fit(*NEW)
    words = [v.words for v in new.vocabularies_]
    assert [w[: len(v)] for w, v in zip(words, old.vocabularies_, strict=True)] == [v.words for v in old.vocabularies_]
    before, after = counted(old), counted(new)
    scattered = {k: strength * n for k, n in before.items() if n > 0}
    assert scattered.keys() <= after.keys()
    flat = new.agreed_.model.lexicon.rates(np.zeros(len(after), np.float32))
    rates = dict(zip(after, flat.tolist(), strict=True))
    nulls = [dict.fromkeys(words[1 - d], 0.2 / len(words[1 - d])) for d in (0, 1)]
    rates = {k: (0.8 * a, 0.8 * b) for k, (a, b) in rates.items()}
    counts = agreed_counts(rates, nulls, *NEW)
    for key, number in after.items():
        assert number == pytest.approx(counts.get(key, 0.0) + scattered.get(key, 0.0), rel=2e-4, abs=1e-6), key
    assert new.agreed_.frequencies[0].sum() == pytest.approx(strength * sum(len(s.split()) for s in OLD[0]) + 10)


def test_empty_words_jumps_and_fertilities_are_counted_too():
    old = softcount.WordAligner().fit(*OLD)
    a, b = (
        agreed_prior(old.agreed_, 10, s, (len(old.vocabularies_[0]), len(old.vocabularies_[1]))) for s in (1.0, 3.0)
    )
    for one, two in zip(a.sides, b.sides, strict=True):
        for table in ("empty", "jump", "fertility"):
            np.testing.assert_allclose(3.0 * getattr(one, table), getattr(two, table))
    side = old.agreed_.parameters.forward
    assert a.sides[0].empty.sum() == pytest.approx(old.agreed_.frequencies[1].sum())
    assert a.sides[0].empty[1:].sum() / a.sides[0].empty.sum() == pytest.approx(side.empty[0])
    np.testing.assert_allclose(a.sides[0].fertility, side.fertility)
    strong = softcount.WordAligner(prior=old, prior_strength=1e6).fit(*NEW)
    found = strong.agreed_.parameters.forward
    edges = [vector[: 2 * JumpCounts().reach + 2] for vector in (found.jump, side.jump)]
    np.testing.assert_allclose(*edges, atol=2e-3)
    assert found.empty[0] == pytest.approx(side.empty[0], rel=1e-3)


def test_jumps_of_a_word_stay_its_own_where_kinds_are_numbered_anew():
    reach, before, now = JumpCounts().reach, np.array([1, 0, 2, 0, 0]), np.array([0, 0, 1, 2, 3])
    often = np.array([10.0, 2.0, 7.0, 6.0, 0.0])
    rng, wide = np.random.default_rng(0), 2 * reach + 1
    edges, rows = rng.random(2 * reach + 2), rng.random((3, wide))
    found = rekinded(np.concatenate([edges, rows.ravel()]), before, now, often)
    np.testing.assert_array_equal(found[: len(edges)], edges)
    jump = found[len(edges) :].reshape(4, wide)
    np.testing.assert_allclose(jump[1], rows[2])  # the third word's own
    np.testing.assert_allclose(jump[2], rows[0] * 6 / 8)  # the fourth had shared with the second
    np.testing.assert_allclose(jump[0], rows[1] + rows[0] * 2 / 8)
    assert not jump[3].any()  # a word that nobody has seen


def test_the_order_of_words_in_the_prior_does_not_matter():
    order = np.random.default_rng(0).permutation(len(OLD[0]))
    turned = [[side[k] for k in order] for side in OLD]
    one, two = (softcount.WordAligner(prior=softcount.WordAligner().fit(*text)).fit(*NEW) for text in (OLD, turned))
    assert one.align(*NEW) == two.align(*NEW)
    assert {k: pytest.approx(v, rel=1e-4, abs=1e-6) for k, v in counted(one).items()} == counted(two)


@pytest.mark.parametrize("options", [{}, {"model": "ibm2"}, {"model": "ibm1:2,ibm2:2", "criterion": "em"}])
def test_partial_fit_and_files(tmp_path, options):
    first = softcount.WordAligner(**options).partial_fit(*OLD)
    assert first.align(*OLD) == softcount.WordAligner(**options).fit(*OLD).align(*OLD)
    first.save(tmp_path / "old.model")
    from_file = softcount.WordAligner(prior=str(tmp_path / "old.model"), **options).fit(*NEW)
    expected = from_file.align(*NEW, probabilities=True)
    assert first.partial_fit(*NEW).align(*NEW, probabilities=True) == expected
    from_file.save(tmp_path / "new.model")
    assert softcount.load(tmp_path / "new.model").align(*NEW, probabilities=True) == expected
    again = softcount.load(tmp_path / "new.model").partial_fit(*OLD)
    assert set(again.vocabularies_[0].words) >= {"tree", "house"}
    assert "prior=sha256:" in again.signature_ and again.data_["pairs"] == len(OLD[0]) * 2 + len(NEW[0])


def test_a_prior_helps_where_the_text_is_too_short_to_learn_from():
    """One pair of words that have stood together alone before: their links are found in a text of one line."""
    old = softcount.WordAligner().fit(["aa", "bb", "cc"] * 3, ["uu", "vv", "ww"] * 3)
    line = ["aa bb cc"], ["ww uu vv"]
    assert softcount.WordAligner(prior=old).fit(*line).align(*line) == [[(0, 1), (1, 2), (2, 0)]]
    assert softcount.WordAligner().fit(*line).align(*line) != [[(0, 1), (1, 2), (2, 0)]]


def test_checkpoints_know_the_prior(tmp_path):
    one, two = softcount.WordAligner().fit(*OLD), softcount.WordAligner().fit(*NEW)
    fitted = softcount.WordAligner(prior=one).fit(*NEW, checkpoint=tmp_path / "c")
    assert softcount.WordAligner(prior=one).fit(*NEW, checkpoint=tmp_path / "c").align(*NEW) == fitted.align(*NEW)
    with pytest.raises(InputError, match="use another checkpoint file, or delete this one to start again"):
        softcount.WordAligner(prior=two).fit(*NEW, checkpoint=tmp_path / "c")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "ibm2"}, "prior: trained with joint training of both directions"),
        ({"lowercase": False}, "use the same setting of lowercase"),
        ({"prior_strength": 0.0}, "prior_strength is 0.0; it must be positive"),
        ({"prior_strength": float("nan")}, "prior_strength is nan; it must be positive"),
        ({"prior": 3}, "prior=3: WordAligner takes a str, a path, a WordAligner or None for prior"),
        ({"prior": softcount.WordAligner()}, "prior is WordAligner; give a trained WordAligner"),
        ({"prior": "/nowhere/m.model"}, "/nowhere/m.model: cannot be read"),
    ],
)
def test_priors_that_do_not_fit_are_refused(options, said):
    old = softcount.WordAligner().fit(*OLD)
    with pytest.raises(InputError, match=said):
        softcount.WordAligner(**{"prior": old, **options}).fit(*NEW)


def test_a_prior_of_one_direction_is_no_prior_of_both():
    old = softcount.WordAligner("ibm1", criterion="em:1", direction="reverse").fit(*OLD)
    with pytest.raises(InputError, match="train the same direction, or train the prior model again"):
        softcount.WordAligner("ibm1", criterion="em:1", prior=old).fit(*NEW)


def test_both_models_of_best_are_priors():
    """The second model goes on from the second, as an aligner of its settings alone would; the first from the first."""
    old = softcount.WordAligner(preset="best").fit(*OLD)
    new = softcount.WordAligner(preset="best", prior=old).fit(*NEW)
    alone = {}
    for name, stems, model in (("first", "5,3", "ibm1:3,hmm:3"), ("second", "4", "ibm1:1,hmm:3")):
        before = softcount.WordAligner(model, stems=stems).fit(*OLD)
        alone[name] = softcount.WordAligner(model, stems=stems, prior=before).fit(*NEW).agreed_
    for name, found in (("first", new.agreed_), ("second", new.agreed_.second)):
        np.testing.assert_array_equal(found.parameters.translation, alone[name].parameters.translation)
        np.testing.assert_array_equal(found.parameters.forward.fertility, alone[name].parameters.forward.fertility)
    more = softcount.WordAligner(preset="best").fit(*OLD).partial_fit(*NEW)
    np.testing.assert_array_equal(more.agreed_.second.parameters.translation, alone["second"].parameters.translation)
    plain = softcount.WordAligner(preset="best", prior=softcount.WordAligner().fit(*OLD)).fit(*NEW)
    assert plain.agreed_.second is not None  # which goes on from the only model that there is
