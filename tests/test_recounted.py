"""Links by what all other places say: kernels against loops and brute force, the estimator against its definition."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_agreement import LENGTHS, Case, tempered

import softcount
from softcount.errors import InputError
from softcount.estimators.agreed_links import question
from softcount.estimators.agreed_tables import from_body, to_body
from softcount.estimators.align_plan import plan
from softcount.models.recounted import KAPPA, LEAST, Recount, add_means, left_out, recount
from softcount.numbers.ragged import from_rows
from softcount.synthetic import bilingual

UNKNOWN = 1e-7
TEXT = bilingual(120, seed=3)
SOURCE, TARGET = TEXT.source[:100], TEXT.target[:100]
NEW = TEXT.source[100:], TEXT.target[100:]


def places(case):
    """(place, pair, i, j) of every place."""
    k = 0
    for s, (l, m) in enumerate(LENGTHS):
        for i, j in np.ndindex(l, m):
            yield k, s, i, j
            k += 1


def told(case, seed, some=True):
    """Rates of entries, and what was counted, of all but the last; `some` rates are zero, or of unknown places."""
    rng = np.random.default_rng(seed)
    shard = case.shard
    shard.entries[rng.random(len(shard.entries)) < 0.1 * some] = -1
    shard.entries[-1] = -1 if some else 0
    n = int(shard.entries.max()) + 1
    rates = np.where(rng.random((n, 2)) < 0.2 * some, 0.0, rng.random((n, 2)) + 0.05).astype(np.float32)
    links = (rng.random(max(n - 1, 1)) * 3).astype(np.float32)
    counted = Recount(links, rng.random(4) * 5 + 3, rng.random(4) * 5 + 3)
    return rates, counted


def by_hand(case, shares, rates, counted):
    """The rates of every place, from the definition."""
    result = np.zeros((len(case.shard.cells), 2))
    for k, s, i, j in places(case):
        entry = case.shard.entries[case.shard.cells[k]]
        if entry < 0:
            result[k] = UNKNOWN
            continue
        mean = shares[k].mean()
        m = counted.links[entry] if entry < len(counted.links) else 0.0
        own = min(mean, m) if mean > LEAST else 0.0
        sums = counted.by_source[case.sides[0].row(s)[i]], counted.by_target[case.sides[1].row(s)[j]]
        for d in (0, 1):
            if rates[entry, d] > 0:
                result[k, d] = (m - own + KAPPA * rates[entry, d]) / (sums[d] - own + KAPPA)
    return result


@pytest.mark.kernels
@given(st.integers(0, 10**6))
def test_rates_of_a_place_leave_out_what_it_gave(seed):
    case = Case(seed)
    rates, counted = told(case, seed)
    shares = case.hmm(False, False)[3]
    apart, found = left_out(case.shard, shares, rates, counted, UNKNOWN)
    np.testing.assert_allclose(found[:-1], by_hand(case, shares, rates, counted), rtol=1e-5, atol=1e-9)
    assert (apart.entries[apart.cells] == np.arange(len(apart.cells))).all() and not found[-1].any()


@pytest.mark.kernels
@given(st.integers(0, 10**6), st.booleans())
def test_posteriors_of_places_by_brute_force(seed, fertile):
    """All alignments of every pair, with rates that are each place's own; fertilities by their definition."""
    case = Case(seed)
    rates, counted = told(case, seed, some=False)
    shares = case.hmm(fertile, False)[3]
    case.shard, case.weights = left_out(case.shard, shares, rates, counted, UNKNOWN)
    found = case.hmm(fertile, False)[3]
    for s in case.both():
        for d in (0, 1):
            em = case.em(s, d)
            wanted = case.brute(s, d, em)[0]
            wanted = case.brute(s, d, tempered(case, s, d, em, wanted))[0] if fertile else wanted
            block = found[case.shard.starts[s] : case.shard.starts[s + 1], d].reshape(LENGTHS[s])
            np.testing.assert_allclose(block if d == 0 else block.T, wanted, rtol=1e-3, atol=1e-5)


@pytest.mark.kernels
@given(st.integers(0, 10**6))
def test_means_are_added_up_by_entry(seed):
    case, rng = Case(seed), np.random.default_rng(seed)
    shares = case.hmm(True, False)[3] * (rng.random((len(case.shard.cells), 1)) < 0.7) ** 9
    weights = rng.random(len(LENGTHS)).astype(np.float32)
    counts, wanted = np.zeros(len(case.shard.entries), np.float32), np.zeros(len(case.shard.entries))
    add_means(case.shard.starts, case.shard.cells, shares.astype(np.float32), weights, LEAST, counts)
    for k, s, _, _ in places(case):
        if shares[k].mean() > LEAST:
            wanted[case.shard.cells[k]] += weights[s] * shares[k].mean()
    np.testing.assert_allclose(counts, wanted, rtol=1e-4, atol=1e-5)


def test_sums_are_of_rows_and_columns():
    rows = from_rows([[0, 2], [], [1, 2]], np.int32)
    found = recount(rows, np.array([1.0, 2.0, 4.0, 8.0], np.float32), (4, 5))
    assert found.by_source.tolist() == [3.0, 0.0, 12.0, 0.0]  # the last word is new
    assert found.by_target.tolist() == [1.0, 4.0, 10.0, 0.0, 0.0]


def counts_of(model, source, target, weights=None):
    """Of every pair of words that meet, Σ of the mean of both directions' posteriors, from what the model says."""
    found = defaultdict(float)
    for s, p in enumerate(model.posteriors(source, target)):
        mean = (p["forward"][1:] + p["reverse"][1:].T) / 2
        for i, j in np.argwhere(mean > LEAST).tolist():
            found[source[s][i].lower(), target[s][j].lower()] += mean[i, j] * (1.0 if weights is None else weights[s])
    return found


def kept_of(model):
    agreed = model.agreed_
    row_of = np.repeat(np.arange(agreed.rows.n_rows), agreed.rows.lengths)
    words = zip(row_of.tolist(), agreed.rows.values.tolist(), strict=True)
    return {(agreed.words[0][e], agreed.words[1][f]): agreed.links[k] for k, (e, f) in enumerate(words)}


@pytest.mark.parametrize("settings", [{}, {"fertility": False}, {"model": "ibm1:3", "agreement": True}])
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_kept_are_the_links_of_training(settings, weighted):
    weights = np.tile([1.0, 2.0, 0.5, 0.0], 25) if weighted else None
    plain = softcount.WordAligner(**settings).fit(SOURCE, TARGET, weights)
    again = softcount.WordAligner(**settings, recount=True).fit(SOURCE, TARGET, weights)
    np.testing.assert_array_equal(plain.agreed_.parameters.translation, again.agreed_.parameters.translation)
    wanted, kept = counts_of(plain, SOURCE, TARGET, weights), kept_of(again)
    worth = dict(zip(kept, again.agreed_.worth.tolist(), strict=True))
    assert sum(kept.values()) > 100 and any(not there for there in worth.values())
    for pair, count in kept.items():
        assert count == pytest.approx(wanted[pair] if worth[pair] else 0.0, rel=1e-3, abs=1e-4), pair
    assert again.align(SOURCE, TARGET) != plain.align(SOURCE, TARGET)


def test_links_are_those_of_rates_that_leave_their_place_out():
    """Pair by pair, from the definition: the table of rates of each pair is made by hand."""
    model = softcount.WordAligner(recount=True).fit(SOURCE, TARGET)
    items = model._read(SOURCE, TARGET)
    asked = question(model.agreed_, items)
    sums = asked.counted.by_source, asked.counted.by_target
    for s, p in enumerate(model.posteriors(SOURCE, TARGET)):
        shard = asked.model.pack(items.slice(s, s + 1))
        shares, entries = asked.model.posteriors(asked.weights, shard).shares, shard.entries[shard.cells]
        mean = shares.mean(axis=1)
        own = np.where(mean > LEAST, np.minimum(mean, model.agreed_.links[entries]), 0.0)
        e, f = (
            np.repeat(shard.source.values, len(shard.target.values)),
            np.tile(shard.target.values, len(shard.source.values)),
        )
        rates = np.zeros((len(mean) + 1, 2), np.float32)
        for d, words in enumerate((e, f)):
            counts = model.agreed_.links[entries] - own + 3.0 * asked.weights.rates[entries, d]
            rates[:-1, d] = counts / (sums[d][words] - own + 3.0)
        n = np.arange(len(mean) + 1, dtype=np.int32)
        wanted = asked.model.posteriors(asked.weights._replace(rates=rates), shard._replace(cells=n[:-1], entries=n))
        wanted = wanted.shares.reshape(len(shard.source.values), len(shard.target.values), 2)
        np.testing.assert_allclose(p["forward"][1:], wanted[:, :, 0], atol=1e-5)
        np.testing.assert_allclose(p["reverse"][1:].T, wanted[:, :, 1], atol=1e-5)


@pytest.mark.parametrize("settings", [{"preset": "best"}, {"recount": True, "fertility": False}])
def test_saved_and_with_more_threads_to_the_bit(tmp_path, settings, monkeypatch):
    monkeypatch.setattr("softcount.models.agreement.SHARD", 600)  # several blocks
    model = softcount.WordAligner(**settings, n_jobs=2).fit(SOURCE, TARGET)
    model.save(tmp_path / "m")
    loaded, one = softcount.load(tmp_path / "m"), softcount.WordAligner(**settings, n_jobs=1).fit(SOURCE, TARGET)
    assert len(loaded.agreed_.rows.values) < len(model.agreed_.rows.values)
    assert "recount=True" in model.signature_
    for pairs in ((SOURCE, TARGET), NEW):
        links = model.align(*pairs, probabilities=True)
        assert links == loaded.align(*pairs, probabilities=True) == one.align(*pairs, probabilities=True)
    # a pair is linked by the saved tables alone: whatever stands beside it
    assert loaded.align(SOURCE[7:9], TARGET[7:9]) == model.align(SOURCE, TARGET)[7:9]


def test_what_does_not_depend_on_it():
    plain, again = (softcount.WordAligner(recount=on).fit(SOURCE, TARGET) for on in (False, True))
    np.testing.assert_array_equal(plain.scores(*NEW), again.scores(*NEW))
    np.testing.assert_array_equal(plain.pair_scores(*NEW), again.pair_scores(*NEW))
    assert plain.align(*NEW, decode="mre") == again.align(*NEW, decode="mre")
    assert plain.lexicon_ == again.lexicon_


def test_what_was_counted_before_counts_on():
    settings = {"recount": True}
    before = softcount.WordAligner(**settings).fit(SOURCE[:60], TARGET[:60])
    after = softcount.WordAligner(**settings, prior=before, prior_strength=2.0).fit(SOURCE[60:], TARGET[60:])
    plain = softcount.WordAligner(prior=before, prior_strength=2.0).fit(SOURCE[60:], TARGET[60:])
    wanted, old, kept = counts_of(plain, SOURCE[60:], TARGET[60:]), kept_of(before), kept_of(after)
    worth = dict(zip(kept, after.agreed_.worth.tolist(), strict=True))
    for pair, count in kept.items():
        expected = wanted[pair] + 2.0 * old.get(pair, 0.0)
        assert count == pytest.approx(expected if worth[pair] else 0.0, rel=1e-3, abs=1e-4), pair
    assert after.partial_fit(*NEW).agreed_.links.sum() > kept_sum(after, before)


def kept_sum(*models):
    return min(float(model.agreed_.links.sum()) for model in models)


def test_forbidden_stays_forbidden():
    word = SOURCE[0][0].lower()
    never = [(word, other.lower(), "never") for line in TARGET for other in set(line)]
    model = softcount.WordAligner(recount=True, dictionary=sorted(set(never))).fit(SOURCE, TARGET)
    for line, p in zip(SOURCE, model.posteriors(SOURCE, TARGET), strict=True):
        for i, other in enumerate(line):
            if other.lower() == word:
                assert not p["forward"][1 + i].any() and not p["reverse"][1:, i].any()


def test_which_settings_have_it():
    assert plan(softcount.WordAligner(preset="best")).how.recount
    assert not plan(softcount.WordAligner(preset="best", recount=False)).how.recount
    assert not plan(softcount.WordAligner()).how.recount and plan(softcount.WordAligner(recount=True)).how.recount
    assert not plan(softcount.WordAligner(preset="best", direction="forward")).how.recount
    with pytest.raises(InputError, match="requires joint training"):
        softcount.WordAligner(recount=True, agreement=False).fit(SOURCE, TARGET)


def test_links_of_a_file_are_checked():
    model = softcount.WordAligner(recount=True).fit(SOURCE[:20], TARGET[:20])
    agreed = model.agreed_
    body = to_body(agreed)
    again = from_body(dict(body), agreed.trace, agreed.words)
    np.testing.assert_array_equal(again.links, agreed.links[agreed.worth])
    without = {name: value for name, value in body.items() if name != "links"}
    for wrong in (without, {**body, "links": -body["links"]}, {**body, "links": body["links"][1:]}):
        with pytest.raises(ValueError, match="links"):
            from_body(wrong, agreed.trace, agreed.words)
