"""The document estimators as scikit-learn citizens, and k-means step by step beside scikit-learn's."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from softcount import PLSA, GaussianMixture, InputError, KMeans, NaiveBayesMixture
from softcount.engines import Threads
from softcount.estimators import folding
from softcount.estimators.held_out import set_aside
from softcount.evaluate.topics import split_tokens
from softcount.loop.start import random_start
from softcount.loop.trace import HELD_OUT
from softcount.models.gaussian import GaussianMixture as Model
from softcount.models.gaussian import GaussianTables, Points
from softcount.models.plsa import PLSA as PLSAModel
from softcount.models.plsa import PLSATables
from softcount.numbers.attribute import MAX
from softcount.synthetic.topics import topical
from softcount.text.documents import documents, from_matrix

CITIZENS = [
    NaiveBayesMixture(3, criterion="em:20", random_state=0),
    PLSA(3, criterion="em:20", random_state=0),
    KMeans(3, random_state=0),
    GaussianMixture(2, criterion="em:20", random_state=0),
]


def exceptions(estimator):
    """Starts draw rows by their numbers, so that of repeated rows they are others; see test_sample_weight.py."""
    checks = ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"]
    found = {} if isinstance(estimator, NaiveBayesMixture) else dict.fromkeys(checks, "another start is drawn")
    unknown = {"check_classifiers_classes": "a label of -1 is not known, as in semi-supervised learning"}
    return found | (unknown if isinstance(estimator, NaiveBayesMixture) else {})


@pytest.mark.sampled(2)
@pytest.mark.filterwarnings("ignore:the classes collapse")
@parametrize_with_checks(CITIZENS, expected_failed_checks=exceptions)
def test_scikit_learn(estimator, check):
    check(estimator)


TEXT = topical(120, seed=3)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_k_means_is_lloyd_step_by_step(make):
    rng = np.random.default_rng(2)
    points = np.concatenate([rng.normal(m, 1.0, (80, 5)) for m in (0.0, 3.0, 6.0)])
    start = points[[0, 1, 2, 100]].copy()
    X = make(points)
    for steps in range(1, 8):
        mine = KMeans(4, start=start, criterion=f"hard:{steps}").fit(X)
        theirs = SklearnKMeans(4, init=start, n_init=1, max_iter=steps, tol=0, algorithm="lloyd")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs.fit(X)
        if theirs.n_iter_ < steps:
            break
        assert np.allclose(mine.cluster_centers_, theirs.cluster_centers_, atol=1e-9)
        assert np.array_equal(mine.labels_, theirs.labels_)
        assert mine.inertia_ == pytest.approx(theirs.inertia_, rel=1e-9)


def test_soft_and_hard_agree_when_clusters_are_far_apart():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.1, (30, 2)) for m in (0.0, 50.0)])
    hard, soft = KMeans(2, random_state=0).fit(X), GaussianMixture(2, covariance="unit", random_state=0).fit(X)
    assert np.allclose(np.sort(hard.means_, axis=0), np.sort(soft.means_, axis=0), atol=1e-6)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_an_empty_cluster_takes_the_farthest_point_as_in_lloyd_step_by_step(make):
    points = np.random.default_rng(5).normal(size=(60, 3))
    start = np.array([points[0], points[1], [99.0, 99.0, 99.0]])
    X = make(points)
    for steps in range(1, 6):
        mine = KMeans(3, start=start, criterion=f"hard:{steps}").fit(X)
        theirs = SklearnKMeans(3, init=start, n_init=1, max_iter=steps, tol=0, algorithm="lloyd")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs.fit(X)
        assert np.allclose(mine.cluster_centers_, theirs.cluster_centers_, atol=1e-9)
        assert np.array_equal(mine.labels_, theirs.labels_)
    assert len(set(mine.labels_)) == 3


def test_several_empty_clusters_over_shards_do_not_raise_the_inertia():
    points = np.random.default_rng(0).normal(size=(40, 2))
    start = np.concatenate([points[:1], np.full((4, 2), 50.0) + np.arange(4)[:, None]])
    model = KMeans(5, start=start).fit(points)
    assert set(model.labels_) == set(range(5)) and not any("fell" in note for note in model.history_.notes)
    gaussians = Model(5, 2, "unit", np.zeros(2), np.ones(1), refills=True)
    family = gaussians.layout.component.family
    weights = gaussians.weigh(GaussianTables(np.zeros(5), family.log_weights(family.around(start))))
    whole, left, right = (
        gaussians.expect(weights, gaussians.pack(Points(part)), MAX)[0] for part in (points, points[:25], points[25:])
    )
    counts = whole.whole().counts.component
    assert np.allclose((left + right).whole().counts.component, counts)
    assert (counts[:, 0] > 0).all() and counts[:, 0].sum() == 40


def test_clusters_beyond_the_distinct_points_stay_where_they_are():
    model = KMeans(3, start=np.array([[0.0], [1.0], [9.0]])).fit(np.array([[0.0], [0.0], [1.0], [1.0]]))
    assert model.inertia_ == 0.0 and np.isfinite(model.cluster_centers_).all()


def test_gaussians_refuse_mre():
    with pytest.raises(InputError, match="mre is not available for Gaussian tables such as"):
        GaussianMixture(2, criterion="mre").fit(np.random.default_rng(0).normal(size=(9, 2)))


def test_pipelines_and_grid_search():
    lines = [" ".join(doc) for doc in TEXT.documents]
    pipe = make_pipeline(CountVectorizer(), PLSA(4, criterion="em:30", random_state=0))
    rows = pipe.fit_transform(lines)
    assert rows.shape == (120, 4) and np.allclose(rows.sum(axis=1), 1.0)
    search = GridSearchCV(pipe, {"plsa__n_topics": [2, 4]}, cv=2).fit(lines)
    assert search.best_params_["plsa__n_topics"] in (2, 4)
    assert len(make_pipeline(TfidfVectorizer(), KMeans(4, random_state=0)).fit_predict(lines)) == 120


def test_pandas_in_and_out():
    pandas = pytest.importorskip("pandas")
    texts = pandas.DataFrame({"text": [" ".join(doc) for doc in TEXT.documents]})["text"]
    assert np.array_equal(
        PLSA(2, random_state=0).fit(texts).transform(texts), PLSA(2, random_state=0).fit(list(texts)).transform(texts)
    )
    frame = pandas.DataFrame(np.random.default_rng(0).poisson(2.0, (20, 5)), columns=list("abcde"))
    rows = PLSA(2, random_state=0).set_output(transform="pandas").fit(frame).transform(frame)
    assert list(rows.columns) == ["plsa0", "plsa1"]
    assert set(NaiveBayesMixture(2, random_state=0).fit(frame).top_words(2)) == {0, 1}


def test_topics_are_found_and_one_or_two_threads_do_not_matter():
    models = [PLSA(4, restarts=3, random_state=1, n_jobs=n).fit(TEXT.documents) for n in (1, 2)]
    assert np.array_equal(models[0].components_, models[1].components_)
    best = models[0].topic_.argmax(axis=1)
    pure = sum(np.bincount(best[np.array(TEXT.topics) == t]).max() for t in set(TEXT.topics)) / 120
    assert pure > 0.9


def test_held_out_documents_stop_training():
    model = PLSA(8, criterion="em:300", held_out=0.2, tolerance=0.0, random_state=0).fit(TEXT.documents)
    assert model.history_.stopped.kind == HELD_OUT and model.n_iter_ < 300
    measured = [step.parts["held_out"] for step in model.history_]
    assert len(measured) == model.n_iter_ and measured[-1] == max(measured) > measured[0]


def test_what_held_out_documents_found_is_done_with_all():
    """So asking costs time, and no quality: not one document is lost."""
    model = PLSA(8, criterion="em:300", start="random", held_out=0.2, restarts=3, tolerance=0.0, random_state=0)
    model.fit(TEXT.documents)
    start = random_start(PLSAModel(len(TEXT.documents), 8, model.n_features_in_).layout, (0, model.restart_))
    plain = PLSA(8, criterion=f"em:{model.n_iter_}", start=start, tolerance=0.0, random_state=0).fit(TEXT.documents)
    assert np.array_equal(model.components_, plain.components_) and np.array_equal(model.topic_, plain.topic_)
    assert model.objective_ == plain.objective_ and len(model.restarts_) == 3


def test_held_out_is_the_perplexity_of_documents_that_training_did_not_see():
    table = from_matrix(np.random.default_rng(1).poisson(0.4, (40, 25)))
    start = random_start(PLSAModel(40, 3, 25).layout, (5,))
    model = PLSA(3, criterion="em:4", start=start, held_out=0.25, random_state=0).fit(table)
    learnt, aside = set_aside(40, 0.25, 0)
    assert len(aside) == 10 and sorted([*learnt, *aside]) == list(range(40))
    first = PLSATables(start.topic[learnt], start.word)
    for step in model.history_:
        alone = PLSA(3, criterion=f"em:{step.step}", start=first, random_state=0).fit(table.take(learnt))
        seen = alone._of_seen(split_tokens(table.take(aside), 0.5, 0)[1]).counts.sum()
        assert np.exp(-step.parts["held_out"] / seen) == pytest.approx(alone.perplexity(table.take(aside)), rel=1e-6)


def test_held_out_does_not_hurt():
    text, new = (topical(n, n_topics=30, length=60, seed=seed) for n, seed in ((400, 3), (150, 4)))
    plain, stopped = (PLSA(30, held_out=share, random_state=0).fit(text.documents) for share in (0.0, 0.1))
    assert stopped.n_iter_ < plain.n_iter_ and stopped.perplexity(new.documents) < plain.perplexity(new.documents)


def test_held_out_that_cannot_be():
    with pytest.raises(InputError, match="held_out needs at least two documents"):
        PLSA(2, held_out=0.1).fit(["a b a b"])
    with pytest.raises(InputError, match="the held-out documents share no two words with the others"):
        PLSA(2, held_out=0.1).fit(["a", "b", "c"])
    for fixed in ("topic", ["topic"], {"topic": True}):
        with pytest.raises(InputError, match="omit one of them"):
            PLSA(2, held_out=0.1, fixed=fixed).fit(["a b", "b c"])


def test_a_fixed_table_is_signed_by_its_name():
    for fixed in ("word", ["word"], {"word": True}):
        assert " fixed=word " in PLSA(2, fixed=fixed, random_state=0).fit(TEXT.documents).signature_


def test_folding_in_uses_the_threads_that_it_is_given(monkeypatch):
    used = []
    monkeypatch.setattr(folding, "PART", 100)
    model = PLSA(4, random_state=0, n_jobs=3).fit(TEXT.documents)
    once = Threads.map
    monkeypatch.setattr(Threads, "map", lambda self, *a: used.append((self.n_workers, len(a[1]))) or once(self, *a))
    rows = model.transform(TEXT.documents)
    assert used[0][0] == 3 and used[0][1] > 3
    model.n_jobs = None
    assert np.array_equal(rows, model.transform(TEXT.documents))


def test_seed_words_pull_their_topic():
    word = TEXT.keywords[2][0]
    model = PLSA(4, seed_words={1: TEXT.keywords[2][:3]}, random_state=0).fit(TEXT.documents)
    assert model.top_words(1000)[1][0][0] in TEXT.keywords[2] and word in dict(model.top_words(5)[1])
    with pytest.raises(InputError, match="not in the vocabulary"):
        PLSA(2, seed_words={0: ["zebra-of-no-document"]}).fit(TEXT.documents)


def test_an_empty_document_gets_the_prior_and_a_row_depends_on_no_other():
    model = PLSA(4, random_state=0).fit(TEXT.documents)
    rows = model.transform([[], TEXT.documents[0], ["never-seen"]])
    assert np.allclose(rows[0], model.prevalence_) and np.allclose(rows[2], model.prevalence_)
    assert np.array_equal(rows[1], model.transform([TEXT.documents[0]])[0])


def test_similar_documents_share_a_topic(tmp_path):
    model = PLSA(4, restarts=2, random_state=0).fit(TEXT.documents)
    query = " ".join(TEXT.keywords[1][:4])
    for options in ({}, {"among": TEXT.documents, "tfidf": 0.5}):
        found = model.similar(query, 5, **options)
        assert [TEXT.topics[d] for d, _ in found] == [1] * 5
    model.save(tmp_path / "m")
    again = PLSA.load(tmp_path / "m")
    assert np.array_equal(again.transform(TEXT.documents), model.transform(TEXT.documents))


def test_labels_help_and_weight_zero_is_supervised():
    y = np.full(120, -1)
    y[:8] = [TEXT.topics[d] for d in range(8)]
    X = CountVectorizer().fit_transform([" ".join(d) for d in TEXT.documents])
    with_em = NaiveBayesMixture(random_state=0).fit(X, y)
    alone = NaiveBayesMixture(unlabelled_weight=0.0, random_state=0).fit(X, y)
    known = [t in set(y[:8]) for t in TEXT.topics]
    gold = np.array(TEXT.topics)
    assert with_em.score(X[known], gold[known]) >= alone.score(X[known], gold[known])
    assert alone.word_.shape == with_em.word_.shape


def test_perplexity_is_below_the_vocabulary():
    model = PLSA(4, random_state=0).fit(TEXT.documents)
    assert 1.0 < model.perplexity(TEXT.documents) < model.n_features_in_


@pytest.mark.parametrize("estimator", [PLSA(3, random_state=0), NaiveBayesMixture(3, start="random", random_state=0)])
def test_documents_taken_from_others_train_as_if_they_were_all(estimator) -> None:
    whole = documents(topical(40, seed=3).documents)
    taken = whole.take(np.arange(39, 9, -1))
    afresh = from_matrix(taken.matrix(), taken.vocabulary)
    assert estimator.fit(taken).objective_ == estimator.fit(afresh).objective_


def folded(counts, word, start, pseudo, steps=200):
    """MAP-EM for one document with the topics held, as the equation has it."""
    mine = start
    for _ in range(steps):
        joint = mine[:, None] * word
        total = joint.sum(axis=0)
        shares = np.divide(joint, total, out=np.zeros_like(joint), where=total > 0)
        found = shares @ counts + pseudo * start
        mine = found / found.sum() if found.sum() > 0 else mine
    return mine


@pytest.mark.parametrize("pseudo", [0.0, 0.05, 2.0])
def test_folding_in_is_em_with_the_topics_held(pseudo):
    table = np.random.default_rng(4).poisson(0.7, (12, 9)).astype(float)
    table[3] = 0.0
    model = PLSA(3, fold_pseudo=pseudo, random_state=0).fit(table[4:])
    rows = model.transform(table)
    start = model.prevalence_ / model.prevalence_.sum()
    for counts, row in zip(table, rows, strict=True):
        np.testing.assert_allclose(row, folded(counts, model.components_, start, 3 * pseudo), atol=2e-3)
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)
    np.testing.assert_allclose(rows[3], start)  # an empty document gets the prior


def test_perplexity_is_what_its_definition_says():
    table = np.random.default_rng(5).poisson(1.5, (30, 8)).astype(float)
    table[:, 7] = 0.0  # a column that training never sees
    model = PLSA(2, random_state=0).fit(table)
    new = np.random.default_rng(6).poisson(1.5, (20, 8)).astype(float)
    seen, aside = (part.matrix().toarray() for part in split_tokens(from_matrix(new), 0.5, 0))
    assert (seen + aside == new).all() and aside[:, 7].any()
    log_p = np.log(model.transform(seen) @ model.components_[:, :7])
    expected = np.exp(-(aside[:, :7] * log_p).sum() / aside[:, :7].sum())
    assert model.perplexity(new) == pytest.approx(expected)
    with pytest.raises(InputError, match="at least two known words"):
        model.perplexity(np.eye(8)[7:] * 5)


def test_the_score_of_text_is_a_mean_over_its_documents(tmp_path):
    path = tmp_path / "docs.txt"
    path.write_text("\n".join(" ".join(d) for d in TEXT.documents) + "\n")
    model = GaussianMixture(2, covariance="unit", criterion="em:5", random_state=0).fit(path)
    assert model.score(path) == pytest.approx(model.score([" ".join(d) for d in TEXT.documents]))
    assert model.score(path) == pytest.approx(model.history_[-1].objective / 120, rel=0.01)


@pytest.mark.parametrize("y", [[0, 1, -1], ["a", "b", -1], ["a", "b", None], ["a", "b", ""],
                               np.array(["a", "b", -1], dtype=object)])  # fmt: skip
def test_labels_that_are_not_known(y):
    model = NaiveBayesMixture(random_state=0).fit([["x"], ["z"], ["z"]], y)
    assert model.classes_.tolist() == list(y[:2]) and "labelled=2" in model.signature_


def test_minus_one_is_a_name_among_objects():
    y = np.array(["1", "-1", None], dtype=object)
    assert NaiveBayesMixture().fit([["x"], ["z"], ["z"]], y).predict([["z"], ["x"]]).tolist() == ["-1", "1"]
