"""The score of a pair against its definition, spelt out word by word."""

import numpy as np
import pytest

import softcount
from softcount.errors import InputError
from softcount.estimators.pair_score import MIDDLE, STEEP, _frequencies
from softcount.synthetic import bilingual

SOURCE = ["the house", "the book", "a book", "", "the small house", "a house", "the car"] * 4
TARGET = ["das haus", "das buch", "ein buch", "x", "das kleine haus", "ein haus", "das auto"] * 4
NEW = ["the house", "house zebra", "a", "the book", ""], ["das haus", "haus zebra", "das auto", "ein auto", "haus"]


def frequencies(lines):
    found = {}
    for word in " ".join(lines).split():
        found[word] = found.get(word, 0) + 1
    return found


def share(word, seen):
    return (seen.get(word, 0) + 0.5) / sum(n + 0.5 for n in seen.values())


def log_probability(given, generated, t, seen):
    """Σ_j log [½ p(f_j) + ½ Σ_i t(f_j | e_i) / l]"""
    return sum(np.log(0.5 * share(f, seen) + 0.5 * sum(t(e, f) for e in given) / len(given)) for f in generated)


def score(explained):
    return 1 / (1 + np.exp(-STEEP * (explained - MIDDLE)))


def by_hand(source, target, t, seen, directions=(0, 1)):
    result = []
    for e, f in zip(source, target, strict=True):
        e, f = e.split(), f.split()
        if not e or not f:
            result.append(0.0)
            continue
        sides = [(e, f, t[0], seen[1]), (f, e, t[1], seen[0])]
        given = sum(log_probability(*sides[d]) for d in directions)
        alone = sum(sum(np.log(share(word, sides[d][3])) for word in sides[d][1]) for d in directions)
        result.append(score(1 - given / alone))
    return result


@pytest.mark.parametrize("directions", ["both", "forward", "reverse"])
def test_directions_that_were_trained_alone(directions):
    model = softcount.WordAligner("ibm1:3,ibm2:2", criterion="em", direction=directions).fit(SOURCE, TARGET)
    names = [name for name in ("forward", "reverse") if name in model.directions_]
    tables = {}
    for name in names:
        found = model.directions_[name]
        words = [v.words for v in (model.vocabularies_ if name == "forward" else model.vocabularies_[::-1])]
        for e in range(len(words[0])):
            columns, row = found.model.entries.row(e + 1).tolist(), found.parameters.translation.row(e + 1).tolist()
            for f, p in zip(columns, row, strict=True):
                tables[name, words[0][e], words[1][f]] = max(p - 1 / max(found.totals[e + 1], 1.0), 0.0)
    unmet = lambda e, f: 1e-7  # noqa: E731  two words of which one is not known
    known = [set(v.words) for v in model.vocabularies_]

    def t(name, sides):
        def rate(e, f):
            if e not in sides[0] or f not in sides[1]:
                return unmet(e, f)
            return tables.get((name, e, f), 1e-12)

        return rate

    rates = [t("forward", known), t("reverse", known[::-1])]
    seen = [frequencies(SOURCE), frequencies(TARGET) | {"x": 0}]  # x stands beside an empty line alone
    for name, side in zip(("forward", "reverse"), (1, 0), strict=True):
        if name in names:
            found = _frequencies(model.directions_[name]).tolist()
            found = dict(zip(model.vocabularies_[side].words, found, strict=True))
            assert found == pytest.approx(seen[side], rel=0.2, abs=0.2)
            seen[side] = found
    used = [("forward", "reverse").index(name) for name in names]
    for pairs in ((SOURCE[:7], TARGET[:7]), NEW):
        expected = by_hand(*pairs, rates, seen, used)
        np.testing.assert_allclose(model.pair_scores(*pairs), expected, rtol=1e-3, atol=1e-9)


def test_both_directions_together():
    model = softcount.WordAligner(stems=(), spelling=False).fit(SOURCE, TARGET)
    agreed, words = model.agreed_, [v.words for v in model.vocabularies_]
    counts = np.zeros((len(words[0]), len(words[1])))
    rows = np.repeat(np.arange(agreed.rows.n_rows), agreed.rows.lengths)
    counts[rows, agreed.rows.values] = np.maximum(agreed.parameters.translation - 1.0, 0.0)
    index = [{word: k for k, word in enumerate(side)} for side in words]

    def rate(given, axis):
        def t(one, two):
            e, f = (one, two) if axis == 1 else (two, one)
            if e not in index[0] or f not in index[1]:
                return 1e-7
            total = counts.sum(axis=axis)[index[0][e] if axis == 1 else index[1][f]]
            return counts[index[0][e], index[1][f]] / total if total else 0.0

        return t

    seen = [frequencies(SOURCE), frequencies(TARGET)]
    for pairs in ((SOURCE[:7], TARGET[:7]), NEW):
        expected = by_hand(*pairs, [rate(0, 1), rate(1, 0)], seen)
        np.testing.assert_allclose(model.pair_scores(*pairs), expected, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("model", [None, "ibm2"])
def test_wrong_pairs_are_found_and_empty_ones_come_last(tmp_path, model):
    text = bilingual(300, seed=3)
    source, target = [" ".join(s) for s in text.source], [" ".join(t) for t in text.target]
    target[:30] = target[29::-1]  # pairs 15 and 16 swap as well
    source[40], target[41], wrong = "", "", np.zeros(300, bool)
    wrong[:30] = True
    model = softcount.WordAligner(model).fit(source, target)
    scores = model.pair_scores(source, target)
    assert ((scores >= 0) & (scores <= 1)).all() and scores[40] == scores[41] == 0.0 == scores.min()
    kept = ~np.isin(np.arange(300), (40, 41))
    right, bad = scores[~wrong & kept], scores[wrong]
    assert (right[:, None] > bad[None]).mean() > 0.97 and np.median(right) > 0.5 > np.median(bad)
    for k in (0, 50):
        assert model.pair_scores([source[k]], [target[k]])[0] == pytest.approx(scores[k], rel=1e-5)
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(softcount.load(tmp_path / "m").pair_scores(source, target), scores)
    model.longest = 3
    assert (model.pair_scores(source, target) == 0.0).sum() > 10


def test_a_model_without_what_its_rows_were_learned_from_says_so():
    model = softcount.WordAligner("ibm1", criterion="em:1").fit(SOURCE, TARGET)
    model.directions_ = {name: d._replace(totals=None) for name, d in model.directions_.items()}
    with pytest.raises(
        InputError, match="this model was saved by an older softcount without the data for translation scores"
    ):
        model.pair_scores(*NEW)
