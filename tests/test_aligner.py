"""softcount.WordAligner: the published example, symmetrisation, dictionaries, saving, and what bad input says."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

import softcount
from softcount.errors import InputError
from softcount.links.joining import RULES
from softcount.models import ibm

ENGLISH = ["He is living in Bangkok", "He likes Bangkok", "He likes living in Bangkok"]
THAI = ["เขา อาศัย อยู่ใน กรุงเทพฯ", "เขา ชอบ กรุงเทพฯ", "เขา ชอบ อาศัย อยู่ใน กรุงเทพฯ"]
SOURCE = ["the house", "the book", "a book", "", "the small house", "a b c"] * 3
TARGET = ["das haus", "das buch", "ein buch", "", "das kleine haus", ""] * 3


def one_step(**options):
    return softcount.WordAligner("ibm1", criterion="em:1", direction="forward", lowercase=False, **options).fit(
        ENGLISH, THAI
    )


def row(model, word):
    return {target: p for target, p, _ in model.lexicon_[word]}


def test_one_iteration_from_uniform():
    model = one_step()
    assert row(model, "Bangkok") == pytest.approx(
        {"กรุงเทพฯ": 0.259259, "เขา": 0.259259, "ชอบ": 0.185185, "อยู่ใน": 0.148148, "อาศัย": 0.148148}, abs=5e-7
    )
    assert row(model, "likes") == pytest.approx(
        {"กรุงเทพฯ": 0.263158, "ชอบ": 0.263158, "เขา": 0.263158, "อยู่ใน": 0.105263, "อาศัย": 0.105263}, abs=5e-7
    )


def test_one_iteration_with_a_fixed_translation():
    model = one_step(dictionary=[("Bangkok", "กรุงเทพฯ", "must")])
    assert row(model, "He") == pytest.approx(
        {"กรุงเทพฯ": 0.135889, "เขา": 0.306620, "ชอบ": 0.222997, "อยู่ใน": 0.167247, "อาศัย": 0.167247}, abs=5e-7
    )
    assert row(model, "Bangkok")["กรุงเทพฯ"] == 1.0


@pytest.mark.parametrize(
    "criterion", ["em:5", "vb:5", "hard(em):3", "em:3,mre:2", "gibbs:5", "stepwise(vb,batches=2):3", "annealed:5"]
)
def test_dictionary_under_every_criterion(criterion):
    model = softcount.WordAligner(
        "ibm1:2,ibm2",
        criterion=criterion,
        dictionary=[("the", "das", "must"), ("house", "kleine", "never"), ("a", "ein", "prefer")],
    ).fit(SOURCE, TARGET)
    found = model.lexicon_
    assert {f: p for f, p, _ in found["the"] if p > 0} == {"das": pytest.approx(1.0)}
    assert [(p, q) for f, p, q in found["house"] if f == "kleine"] == [(0.0, 0.0)]


@pytest.mark.parametrize("rule", [r for r in RULES if r not in ("forward", "reverse")])
def test_symmetrisations_nest(rule):
    model = softcount.WordAligner(criterion="em:4", symmetrize=rule).fit(SOURCE, TARGET)
    links = {r: [set(x) for x in model.align(SOURCE, TARGET, symmetrize=r)] for r in ("intersection", rule, "union")}
    assert len(links[rule]) == len(SOURCE) and links[rule][3] == set() == links[rule][5]
    if rule not in ("product", "mean"):
        for inner, middle, outer in zip(*links.values(), strict=True) if rule not in ("intersection", "union") else ():
            assert inner <= middle <= outer
    assert links["intersection"][0] == {(0, 0), (1, 1)}


def test_a_dictionary_holds_in_both_directions():
    entries = [("the", "das", "must"), ("house", "kleine", "never")]
    model = softcount.WordAligner("ibm1", criterion="em:3", dictionary=entries).fit(SOURCE, TARGET)
    reverse = {(e, f): q for e, f, _, q in model.lexicon()}
    assert reverse["the", "das"] == 1.0 and reverse["house", "das"] == reverse["house", "kleine"] == 0.0
    alone = softcount.WordAligner("ibm1", criterion="em:3", dictionary=entries, direction="reverse").fit(SOURCE, TARGET)
    assert {(e, f): q for e, f, _, q in alone.lexicon()} == reverse


def log_probability(direction, given, generated):
    """log P(generated | given) of Model 1: Π_j Σ_i t(f_j | e_i) / (l + 1), i = 0 the empty word."""
    table, columns = direction.parameters.translation, direction.model.entries
    t = lambda row, word: dict(zip(columns.row(row).tolist(), table.row(row).tolist(), strict=True))[word]  # noqa: E731
    rows = [0, *(e + 1 for e in given)]
    return sum(np.log(sum(t(row, f) for row in rows) / len(rows)) for f in generated)


def test_columns_of_scores_are_the_directions():
    """log P(target | source) and log P(source | target), by hand; NaN for a direction that is not there."""
    source, target = (
        ["the house", "the book", "a", "the small house"],
        ["das haus da", "das buch", "ein so", "das haus"],
    )
    model = softcount.WordAligner("ibm1", criterion="em:3").fit(source, target)
    ids = [
        [v.find(line.split()).tolist() for line in lines]
        for v, lines in zip(model.vocabularies_, (source, target), strict=True)
    ]
    expected = [
        (log_probability(model.directions_["forward"], e, f), log_probability(model.directions_["reverse"], f, e))
        for e, f in zip(*ids, strict=True)
    ]
    np.testing.assert_allclose(model.scores(source, target), expected, rtol=1e-12)
    assert (np.abs(np.subtract(*np.transpose(expected))) > 0.1).all()
    for column, direction in enumerate(("forward", "reverse")):
        alone = softcount.WordAligner("ibm1", criterion="em:3", direction=direction).fit(source, target)
        scores = alone.scores(source, target)
        np.testing.assert_allclose(scores[:, column], np.array(expected)[:, column], rtol=1e-12)
        assert np.isnan(scores[:, 1 - column]).all()
        assert alone.score(source, target) == pytest.approx(np.array(expected)[:, column].sum())


@pytest.mark.parametrize("kind", ["ibm1", "ibm2", "ibm2-free"])
def test_a_pair_is_decoded_alone_as_among_others(kind):
    """Its table of positions is that of its own lengths, whatever lengths the text has."""
    many = " ".join(f"v{i}" for i in range(60))  # alone, a pair looks few of them up in a's long row
    source, target = ["a b c", "a", "b a", "c b", "a b c d", "a"], ["x y", "x", "y x w", "z y x", "x y z", many]
    null = None if kind == "ibm2-free" else 0.1  # which learns it by position
    model = softcount.WordAligner(kind, criterion="em:6", null=null, tension="learn").fit(source, target)
    together, scores = model.posteriors(source, target), model.scores(source, target)
    for k, (e, f) in enumerate(zip(source, target, strict=True)):
        for name, matrix in model.posteriors([e], [f])[0].items():
            np.testing.assert_allclose(matrix, together[k][name], rtol=1e-12)
        np.testing.assert_allclose(model.scores([e], [f])[0], scores[k], rtol=1e-12)


def test_empty_and_long_lines():
    """Longer than jumps are told apart, and one word beside a thousand: what a pair costs grows with its cube."""
    longer = ["the house " * 100, "house", "the " * 1000], ["das haus " * 100, "haus " * 1000, "das"]
    source, target = [*SOURCE, "", "x", *longer[0]], [*TARGET, "haus", "", *longer[1]]
    model = softcount.WordAligner().fit(source, target)
    links = model.align(source, target)
    assert len(links) == len(source) and links[-5] == links[-4] == []
    scores, both = model.scores(source, target), [bool(s and t) for s, t in zip(source, target, strict=True)]
    assert np.isfinite(scores[both]).all() and np.isneginf(scores[np.logical_not(both)]).all()


def test_threads_and_blocks_do_not_change_the_answer(monkeypatch):
    one = softcount.WordAligner(n_jobs=1).fit(SOURCE, TARGET)
    expected = one.align(SOURCE, TARGET, probabilities=True)
    monkeypatch.setattr(ibm, "BLOCK", 10)
    two = softcount.WordAligner(n_jobs=2).fit(SOURCE, TARGET)
    assert two.align(SOURCE, TARGET, probabilities=True) == expected


@pytest.mark.parametrize("model", ["ibm1", "ibm2", "ibm1:2,ibm2-free:3"])
def test_a_saved_model_gives_the_same_links(tmp_path, model):
    trained = softcount.WordAligner(model).fit(SOURCE, TARGET)
    trained.save(tmp_path / "m")
    loaded = softcount.WordAligner.load(tmp_path / "m")
    assert loaded.align(SOURCE, TARGET, probabilities=True) == trained.align(SOURCE, TARGET, probabilities=True)
    np.testing.assert_array_equal(loaded.scores(SOURCE, TARGET), trained.scores(SOURCE, TARGET))
    assert list(loaded.lexicon()) == list(trained.lexicon())


def test_unknown_words_are_linked_by_position():
    model = softcount.WordAligner("ibm2").fit(SOURCE, TARGET)
    assert (1, 1) in model.align(["the zebra"], ["das zebra"])[0]


def test_estimator_manners():
    model = softcount.WordAligner("ibm1", alpha=0.5)
    assert clone(model).get_params() == model.get_params()
    pairs = list(zip(SOURCE, TARGET, strict=True))
    tokens = [line.split() for line in SOURCE], [line.split() for line in TARGET]
    by_pairs, by_tokens = clone(model).fit(pairs), clone(model).fit(*tokens)
    assert (
        by_pairs.align(pairs)
        == by_tokens.align(*tokens)
        == model.fit(SOURCE, TARGET).align(softcount.bitext(SOURCE, TARGET))
    )
    assert model.score(SOURCE, TARGET) < 0


def test_prior_per_word_and_over_the_vocabulary():
    same = [
        softcount.WordAligner("ibm2", alpha=alpha).fit(SOURCE, TARGET).history_["forward"].objectives
        for alpha in (0.2, {"*": 0.2})
    ]
    np.testing.assert_allclose(*same, rtol=1e-12)
    other = softcount.WordAligner("ibm2", alpha={"*": 0.2, "haus": 2.0}).fit(SOURCE, TARGET)
    other = other.history_["forward"].objectives
    assert other[-1] != pytest.approx(same[0][-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "ibm9"}, ": unknown"),
        ({"direction": "up"}, "direction="),
        ({"symmetrize": "x"}, "symmetrize="),
        ({"null": 1.5}, "null is 1.5"),
        ({"alpha": 0.0}, "alpha is 0.0"),
        ({"threshold": 0.0}, "threshold"),
        ({"tension": 99.0}, "tension"),
        ({"prior_over": "x"}, "use cooccurring or vocabulary"),
        ({"criterion": "nonsense"}, ": unknown; use em"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(InputError, match=message):
        softcount.WordAligner(**options).fit(SOURCE, TARGET)


def test_bad_data():
    with pytest.raises(InputError, match="1 fewer"):
        softcount.WordAligner().fit(SOURCE, TARGET[:-1])
    with pytest.raises(InputError, match="no pair has words"):
        softcount.WordAligner().fit(["", "a"], ["b", ""])
    with pytest.raises(InputError, match="probability zero"):
        softcount.WordAligner(null=0.0, dictionary=[("a", "x", "never")]).fit(["a"], ["x"])


def test_scikit_learn_knows_the_aligner_without_being_loaded_by_it() -> None:
    lazy = (
        "import sys, softcount; softcount.WordAligner(); sys.exit(bool({'sklearn', 'scipy.stats'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", lazy], check=False).returncode == 0
    model = softcount.WordAligner(alpha=0.5)
    assert repr(model) == "WordAligner(alpha=0.5)"
    with pytest.raises(InputError, match="no parameter 'aplha'; it has agreement, alpha"):
        model.set_params(aplha=1.0)
    with pytest.raises(NotFittedError, match="call fit first"):
        model.align(["a"], ["x"])
    pairs = [("a b", "x y"), ("a c", "x z"), ("b c", "y z")] * 2
    search = GridSearchCV(model, {"model": ["ibm1", "ibm2"]}, cv=2).fit(pairs)
    assert search.best_estimator_.align(pairs)[0] == [(0, 0), (1, 1)]


def naive_perplexity(model):
    """exp(−mean log Σ_i a_i t(f | e_i)) of Model 1, from the lexicon and the empty word's row."""
    direction = model.directions_["forward"]
    table, sources, targets = direction.parameters.translation, *model.vocabularies_
    total, words = 0.0, 0
    for english, thai in zip(ENGLISH, THAI, strict=True):
        rows = [0, *(1 + sources.words.index(e) for e in english.split())]
        for f in thai.split():
            entries = [dict(zip(direction.model.entries.row(r).tolist(), table.row(r), strict=True)) for r in rows]
            total += np.log(np.mean([row.get(targets.words.index(f), 0.0) for row in entries]))
            words += 1
    return float(np.exp(-total / words))


CRITERIA = ["em:5", "vb:5", "hard:3", "annealed:5", "em:3,mre:2", "gibbs:5", "stepwise(vb,batches=2):3"]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_perplexity_is_that_of_the_final_parameters(criterion):
    model = softcount.WordAligner("ibm1", criterion=criterion, direction="forward", lowercase=False)
    model.fit(ENGLISH, THAI)
    assert model.perplexity(ENGLISH, THAI) == {"forward": pytest.approx(naive_perplexity(model), rel=1e-9)}


def test_perplexity_leaves_pairs_with_an_empty_side_out():
    model = softcount.WordAligner(criterion="em:3").fit(SOURCE, TARGET)
    full = [(s, t) for s, t in zip(SOURCE, TARGET, strict=True) if s and t]
    assert model.perplexity(SOURCE, TARGET) == pytest.approx(model.perplexity(full))
    with pytest.raises(InputError, match="no pair has words on both sides"):
        model.perplexity([""], ["das"])
