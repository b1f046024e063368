"""What people give to the document estimators: starts of any shape, constant columns, odd labels, long documents."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import MultinomialNB

from softcount import PLSA, GaussianMixture, InputError, KMeans, NaiveBayesMixture
from softcount.loop.trace import FELL
from softcount.synthetic.topics import topical
from softcount.text.documents import documents

RNG = np.random.default_rng(0)
TABLE = RNG.poisson(1.0, (12, 20)).astype(float)
WORD = RNG.dirichlet(np.ones(20), 2)
CUP = [
    "World_Cup Russia host", "World_Cup boost Russia economy", "Russia bid World_Cup",
    "Russia economy growing oil", "Russia economy recover continue", "Russia oil dependence",
]  # fmt: skip


@pytest.mark.parametrize(
    "start",
    [
        (np.full(2, 0.5), WORD[:, :5]), (np.full(3, 0.5), WORD), (WORD,), (np.full(2, 0.5), WORD * np.nan),
        (np.full(2, 0.5), -WORD), (np.full(2, 0.5), WORD * [[1], [0]]),
    ],
)  # fmt: skip
def test_a_start_that_does_not_fit_is_refused(start):
    with pytest.raises(InputError, match="start"):
        NaiveBayesMixture(2, start=start).fit(TABLE)
    topic = np.full((12, 2), 0.5) if len(start) == 2 and len(start[0]) == 2 else np.full((3, 2), 0.5)
    with pytest.raises(InputError, match="start"):
        PLSA(2, start=(topic, *start[1:])).fit(TABLE)


def test_a_start_is_normalised():
    models = [NaiveBayesMixture(2, start=(np.ones(2), WORD * scale)).fit(TABLE) for scale in (1.0, 2.0)]
    assert models[0].objective_ == models[1].objective_ and models[1].history_.stopped.kind != FELL
    for model in (KMeans(2, start=np.ones((2, 3))), GaussianMixture(2, start=np.ones((3, 20)))):
        with pytest.raises(InputError, match="start has shape"):
            model.fit(TABLE)


def test_single_precision_does_not_seem_to_fall():
    for seed in range(10):
        model = PLSA(2, criterion="em:200,mre:3", tolerance=0.0, random_state=seed).fit(CUP)
        assert model.history_.stopped.kind != FELL and model.history_[-1].stage == "mre:3"
        assert PLSA(2, start="uniform", random_state=seed).fit(CUP).history_.stopped.kind != FELL


def test_a_constant_feature_neither_rules_the_likelihood_nor_forbids_the_future():
    X = RNG.normal(size=(60, 3)) + 5.0 * (np.arange(60) % 2)[:, None]
    constant = np.column_stack([X, np.full(60, 7.0)])
    model, plain = GaussianMixture(2, random_state=0).fit(constant), GaussianMixture(2, random_state=0).fit(X)
    assert abs(model.score(constant) - plain.score(X)) < 20 and model.n_iter_ == plain.n_iter_
    moved = constant + np.array([0.0, 0.0, 0.0, 0.1])
    assert -1e6 < model.score(moved) < model.score(constant)
    assert np.isfinite(GaussianMixture(1).fit(np.ones((4, 2))).score(np.ones((4, 2))))


def test_without_the_unlabelled_every_document_still_gets_a_label():
    y = np.full(12, -1)
    y[:4] = [0, 1, 0, 1]
    model = NaiveBayesMixture(unlabelled_weight=0.0)
    assert model.fit_predict(TABLE, y).shape == model.labels_.shape == (12,)
    assert (model.labels_ == model.predict(TABLE)).all()


def test_log_probabilities_of_long_documents_are_finite():
    y = np.arange(12) % 3
    ours = NaiveBayesMixture(pseudo={"cluster": 0.0, "word": 1.0}).fit(TABLE, y)
    theirs = MultinomialNB().fit(TABLE, y)
    for scale in (1, 500):
        np.testing.assert_allclose(ours.predict_log_proba(scale * TABLE), theirs.predict_log_proba(scale * TABLE))
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(TABLE)), ours.predict_proba(TABLE))


def test_a_query_is_one_document_in_every_form():
    model = PLSA(2, restarts=5, random_state=0).fit(CUP)
    words = ["World_Cup", "Russia", "oil"]
    row = np.bincount(model.vocabulary_.find(words), minlength=model.n_features_in_)
    found = model.similar(" ".join(words))
    one = [
        words,
        row,
        row.tolist(),
        [" ".join(words)],
        np.array([" ".join(words)]),
        [words],
        row[None],
        csr_matrix(row),
    ]
    assert all(model.similar(query) == found for query in [*one, documents([" ".join(words)])])
    assert model.similar(["oil"]) == model.similar("oil")


def test_collapsed_topics_are_noted():
    text = topical(60, n_topics=3, seed=0)
    collapsed = PLSA(3, criterion="annealed(start=0.1,stop=0.1):50", random_state=0).fit(text.documents)
    (note,) = collapsed.history_.notes
    assert note.startswith("all states (clusters, topics) have become identical;")
    freed = "annealed(start=0.1,stop=0.1):3,em:300"
    model = PLSA(3, criterion=freed, tolerance=0.0, dtype="float64", random_state=0).fit(text.documents)
    assert np.ptp(model.components_, axis=0).max() > 0.01 and not model.history_.notes
    uniform = PLSA(3, criterion="em:5,em:5", start="uniform", random_state=0).fit(text.documents)
    assert len(uniform.history_.notes) == 1 and "use a random start" in uniform.history_.notes[0]
    assert not PLSA(3, random_state=0).fit(text.documents).history_.notes


SEEDED = ["em:50", "em(pseudo=0.01):50", "vb:50", "vb(prior=0.2):50", "gibbs(prior=0.1):50", "stepwise(em):9"]


@pytest.mark.parametrize("criterion", [*SEEDED, "annealed(start=0.9,stop=0.9):50"])
def test_seed_words_hold_under_criteria_with_a_prior(criterion):
    for seeds in ({0: ["oil"], 1: ["World_Cup"]}, {1: ["oil"], 0: ["World_Cup"]}):
        tops = PLSA(2, criterion=criterion, seed_words=seeds, random_state=0).fit(CUP).top_words(1, rank="relevance")
        assert [tops[h][0][0] for h in sorted(seeds)] == [seeds[h][0] for h in sorted(seeds)]


def test_held_out_tokens_choose_among_restarts():
    text = topical(60, n_topics=4, seed=2)
    settings = {"start": "random", "criterion": "em:60", "tolerance": 0.0, "random_state": 0}
    model = PLSA(4, held_out=0.3, restarts=6, **settings).fit(text.documents)
    scores = [restart.score for restart in model.restarts_]
    assert model.restart_ == int(np.argmax(scores)) and max(scores) > min(scores) + 1.0
    best = [step.parts["held_out"] for step in model.history_ if step.restart == model.restart_]
    assert scores[model.restart_] == pytest.approx(max(best))


def test_perplexity_is_over_the_same_tokens_whatever_the_smoothing():
    unseen = np.column_stack([TABLE, np.zeros(12)])
    new = np.column_stack([TABLE, np.full(12, 30.0)])
    for pseudo in (0.0, {"topic": 0.0, "word": 0.1}):
        model = PLSA(2, pseudo=pseudo, random_state=0).fit(unseen)
        narrow = PLSA(2, pseudo=pseudo, random_state=0).fit(TABLE)
        assert model.perplexity(new) == pytest.approx(narrow.perplexity(TABLE), rel=0.2)


def test_words_without_probability_are_not_on_top():
    tops = PLSA(2, restarts=5, random_state=0).fit(CUP).top_words(20)
    assert all(p > 0.0 for words in tops.values() for _, p in words)


@pytest.mark.parametrize(
    "model",
    [
        KMeans(0), GaussianMixture(0), PLSA(2, dtype="float16"), PLSA(2, fold_pseudo=-1.0),
        PLSA(2, seed_weight=-1.0), PLSA(2, start=3),
        NaiveBayesMixture(2, document_length=0.0), NaiveBayesMixture(2, document_length=-5.0),
    ],
)  # fmt: skip
def test_settings_without_meaning_are_refused(model):
    with pytest.raises(InputError):
        model.fit(TABLE)


def test_text_of_a_data_frame_clusters():
    pandas = pytest.importorskip("pandas")
    for texts in (pandas.Series(CUP), np.array(CUP)):
        assert (KMeans(2, random_state=0).fit_predict(texts) == KMeans(2, random_state=0).fit_predict(CUP)).all()


def test_scores_want_a_label_for_each_document():
    model = NaiveBayesMixture(2, random_state=0).fit(TABLE)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        model.score(TABLE, [0])


def test_labels_are_the_start_unless_somebody_says_otherwise():
    y = ["a", "b", "", "", "", ""]
    model = NaiveBayesMixture(2, criterion="em:0", unlabelled_weight=1.0).fit(CUP, y)
    assert " start=labels " in model.signature_ and model.predict(CUP)[:2].tolist() == ["a", "b"]
    assert model.history_.notes == ["2 of 6 documents (33.3%) have a known class; they are used for initialization"]
    other = NaiveBayesMixture(2, criterion="em:0", start="random", random_state=0).fit(CUP, y)
    assert " start=random " in other.signature_ and not np.allclose(other.word_, model.word_)
    assert other.history_.notes[0].endswith("they are not used for initialization (the start is random)")
    with pytest.raises(InputError, match="omit the start"):
        NaiveBayesMixture(2, start="kmeans").fit(CUP, y)


def test_mre_at_random_is_noted():
    at_random = PLSA(2, criterion="mre:3", start="random", random_state=0).fit(CUP).history_.notes
    assert any("mre from a random start rarely works" in note for note in at_random)
    assert not any(
        "mre from a random start rarely works" in n for n in PLSA(2, criterion="em:3,mre:3").fit(CUP).history_.notes
    )
    for begins, y in (("kmeans", None), (None, ["a", "b", "", "", "", ""])):
        model = NaiveBayesMixture(2, criterion="mre:3", start=begins).fit(CUP, y)
        assert not any("mre from a random start rarely works" in note for note in model.history_.notes)


def test_missing_labels_of_every_kind_are_unlabelled(tmp_path):
    pandas = pytest.importorskip("pandas")
    plain = NaiveBayesMixture().fit(TABLE, [0, -1, 1, -1] * 3)
    for y in ([0, None, 1, None] * 3, [0.0, np.nan, 1.0, np.nan] * 3, pandas.Series([0, pandas.NA, 1, None] * 3)):
        model = NaiveBayesMixture().fit(TABLE, y)
        assert (model.classes_ == [0, 1]).all() and model.objective_ == plain.objective_
        model.save(tmp_path / "m")
        assert (NaiveBayesMixture.load(tmp_path / "m").predict(TABLE) == plain.predict(TABLE)).all()
    for y in (pandas.Series(["a", None, "b", np.nan] * 3), np.array(["a", "", "b", ""] * 3)):
        assert NaiveBayesMixture().fit(TABLE, y).classes_.tolist() == ["a", "b"]


def test_an_impossible_document_is_named_by_log_probabilities_too():
    model = NaiveBayesMixture(pseudo=0.0).fit(["a b", "c d"], ["x", "y"])
    for ask in (model.predict_proba, model.predict_log_proba):
        with pytest.raises(InputError, match="2: this document has probability zero"):
            ask(["a b", "a c"])


def test_labels_of_two_kinds_are_refused_and_missing_ones_not_scored():
    with pytest.raises(InputError, match="both names and numbers"):
        NaiveBayesMixture().fit(TABLE, np.array([1, "a", *[None] * 10], dtype=object))
    model = NaiveBayesMixture().fit(TABLE, ["a", "b"] * 6)
    right = np.mean(model.predict(TABLE)[:2] == ["a", "b"])
    for missing in (None, np.nan, -1, ""):
        assert model.score(TABLE, np.array(["a", "b", *[missing] * 10], dtype=object)) == right


@pytest.mark.parametrize("model", [PLSA(2), NaiveBayesMixture(2), KMeans(2), GaussianMixture(2)], ids=lambda m: m.kind)
def test_no_documents_at_all_are_refused(model):
    with pytest.raises(InputError, match="give at least one"):
        model.fit([])
