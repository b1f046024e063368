"""What PLSA does where nothing is said: starts, tempering and when it is given up, words shown, documents labelled."""

import shlex

import command
import numpy as np
import pytest
from scipy import sparse

from softcount import PLSA, InputError, KMeans, documents
from softcount.estimators.plsa import FELL_BACK, PLAIN, TEMPERED
from softcount.estimators.topic_start import by_svd, clustered, matched
from softcount.evaluate.clustering import cluster_scores, contingency
from softcount.evaluate.topics import least_distance, relevance
from softcount.synthetic.topics import topical
from softcount.text.documents import from_matrix

PRODUCTS = [f"{who} {what} ." for who in ("Apple released", "Tom bought one") for what in ("iPod", "iPhone", "iPad")]
NEWS = [
    "World_Cup Russia host", "World_Cup boost Russia economy", "Russia bid World_Cup",
    "Russia economy growing oil", "Russia economy recover continue", "Russia oil dependence",
]  # fmt: skip
TEXT = topical(120, seed=3)


def run(*arguments, code=0):
    done = command.run(shlex.join(map(str, arguments)))
    assert done.code == code, done.err
    return done


@pytest.mark.parametrize("lines", [PRODUCTS, NEWS], ids=["products", "news"])
@pytest.mark.parametrize("n_topics", [2, 3, 4, 6])
def test_topics_of_six_documents_are_not_tied(lines, n_topics):
    for seed in range(3):
        model = PLSA(n_topics, random_state=seed).fit(lines)
        assert least_distance(model.word_) > 0.1 and not any("tied" in note for note in model.history_.notes)
        if n_topics == 2 and lines is PRODUCTS:
            assert sorted(map(tuple, np.split(model.topic_.argmax(axis=1), 2))) == [(0,) * 3, (1,) * 3]


def test_where_tempering_leaves_topics_alike_plain_em_does_it():
    """At β topics part where β (1 + σ) > 1, σ being the largest correlation of documents and words but 1: not here."""
    text = topical(40, 4, 2000, 0.05, seed=1)
    table = documents(text.documents).matrix().toarray()
    scaled = table / np.sqrt(np.outer(table.sum(axis=1), np.maximum(table.sum(axis=0), 1e-300)))
    assert 0.8 * (1.0 + np.linalg.svd(scaled)[1][1]) < 1.0
    model = PLSA(4, random_state=0).fit(text.documents)
    assert f"criterion={PLAIN}" in model.signature_ and FELL_BACK in model.history_.notes
    assert least_distance(model.word_) > 0.15
    tempered = PLSA(4, criterion=TEMPERED, pseudo={"word": 0.05}, random_state=0).fit(text.documents)
    assert least_distance(tempered.word_) < 0.1 and f"criterion={TEMPERED}" in tempered.signature_


def test_a_named_criterion_is_what_it_says():
    """From a random start as always: no smoothing, no tempering, nothing instead."""
    model = PLSA(3, criterion="em:7", start="random", tolerance=0.0, dtype="float64", random_state=2).fit(NEWS)
    table = documents(NEWS).matrix().toarray()
    topic, word = PLSA(3, criterion="em:0", start="random", dtype="float64", random_state=2).fit(NEWS).parameters_
    for _ in range(7):
        ratio = np.divide(table, topic @ word, out=np.zeros_like(table), where=table > 0)
        topic, word = topic * (ratio @ word.T), word * (topic.T @ ratio)
        topic, word = (rows / rows.sum(axis=1, keepdims=True) for rows in (topic, word))
    np.testing.assert_allclose(model.word_, word, rtol=1e-8, atol=1e-12)
    assert "pseudo=0.0" in model.signature_ and "pseudo=topic:0.0,word:0.05" in PLSA(2).fit(NEWS).signature_


def test_the_default_is_a_hundred_tempered_steps_from_the_start_as_the_formula_has_it():
    data = documents(TEXT.documents)
    start = clustered(data, 4, (0, 0), None)
    model = PLSA(4, background="none", dtype="float64", random_state=0).fit(data)
    topic, word = start
    table = data.matrix().toarray()
    for _ in range(100):
        weighted, by_word = topic**0.8, word**0.8
        ratio = np.divide(table, weighted @ by_word, out=np.zeros_like(table), where=table > 0)
        topic, word = weighted * (ratio @ by_word.T), by_word * (weighted.T @ ratio) + 0.05
        topic, word = (rows / rows.sum(axis=1, keepdims=True) for rows in (topic, word))
    np.testing.assert_allclose(model.word_, word, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.topic_, topic, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("start", ["kmeans", "svd"])
def test_starts_are_distributions_without_zeros(start):
    table = np.random.default_rng(0).poisson(0.5, (9, 12)).astype(float)
    table[4] = 0.0
    for n_topics in (1, 3, 9, 15):
        data = from_matrix(table)
        found = clustered(data, n_topics, (0,), None) if start == "kmeans" else by_svd(data, n_topics, (0,))
        assert found.topic.shape == (9, n_topics) and found.word.shape == (n_topics, 12)
        for rows in found:
            np.testing.assert_allclose(rows.sum(axis=1), 1.0)
        assert (found.topic > 0).all() and (found.word[:, table.any(axis=0)] > 0).all()
        model = PLSA(n_topics, start=start, random_state=0).fit(table)
        np.testing.assert_allclose(model.transform(table).sum(axis=1), 1.0)


def test_a_start_from_clusters_is_their_frequencies_half_and_all_words_half():
    data = documents(["a a b", "a b b", "c d", "c d d"])
    found = clustered(data, 2, (1,), None)
    first = found.topic[0].argmax()
    np.testing.assert_allclose(found.topic[[0, 2]][:, [first, 1 - first]], [[0.75, 0.25], [0.25, 0.75]])
    everywhere = np.array([3, 3, 2, 3]) / 11
    columns = data.vocabulary.find(list("abcd"))
    np.testing.assert_allclose(found.word[first, columns], 0.5 * np.array([0.5, 0.5, 0, 0]) + 0.5 * everywhere)


def test_seeds_choose_their_cluster():
    data = documents(TEXT.documents)
    seeds = np.zeros((4, data.n_words))
    for topic, words in ((0, TEXT.keywords[2][:3]), (3, TEXT.keywords[1][:3])):
        seeds[topic, data.vocabulary.find(words)] = 1.0
    found = matched(clustered(data, 4, (0,), None), seeds)
    for topic, words in ((0, TEXT.keywords[2]), (3, TEXT.keywords[1])):
        ids = data.vocabulary.find(words)
        assert found.word[:, ids[ids >= 0]].sum(axis=1).argmax() == topic


def test_words_are_shown_by_what_they_tell():
    model = PLSA(4, random_state=0).fit(TEXT.documents)
    names, common = {word for words in TEXT.keywords for word in words}, {"the", "a", "of"}
    everywhere = model.prevalence_ @ model.word_
    rank = model.word_**2 / (model.word_ + everywhere)
    for h, shown in model.top_words(5, rank="relevance").items():
        assert [w for w, _ in shown] == [model.vocabulary_.words[v] for v in np.argsort(-rank[h], kind="stable")[:5]]
        assert all(p == model.word_[h, model.vocabulary_.find([w])[0]] for w, p in shown)
        assert set(w for w, _ in shown) <= names | common
    for h, shown in model.top_words(5).items():  # by documents, which common words say nothing of
        assert any({w for w, _ in shown} <= set(words) for words in TEXT.keywords)
        assert all(p == model.word_[h, model.vocabulary_.find([w])[0]] for w, p in shown)
    assert [p for _, p in model.top_words(5, rank="probability")[0]] == sorted(model.word_[0])[:-6:-1]
    np.testing.assert_allclose(relevance(np.array([[0.5, 0.5]]), np.ones(1)), 0.25)
    with pytest.raises(InputError, match="rank='nonsense'"):
        model.top_words(rank="nonsense")


def test_labels_of_documents_see_through_common_words():
    text = topical(200, 4, 40, 0.15, seed=5)
    model = PLSA(4, random_state=0).fit(text.documents)
    nmi = [
        cluster_scores(contingency(np.array(text.topics), best, 4, 4))["nmi"]
        for best in (model.predict(text.documents), model.transform(text.documents).argmax(axis=1))
    ]
    assert nmi[0] >= nmi[1] - 0.02 and nmi[0] > 0.6


def test_main_topics_are_written(tmp_path):
    docs, best = tmp_path / "docs.txt", tmp_path / "best.txt"
    docs.write_text("\n".join(" ".join(d) for d in TEXT.documents) + "\n")
    run("topics", docs, "--topics", 4, "--main-topics", best, "--save", tmp_path / "m")
    found = np.array(best.read_text().split(), dtype=int)
    assert cluster_scores(contingency(np.array(TEXT.topics), found, 4, 4))["nmi"] > 0.95
    run("topics", docs, "--apply", tmp_path / "m", "--main-topics", tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == best.read_text()
    assert ": unknown" in run("topics", docs, "--start", "nonsense", code=2).err


# --- spherical k-means -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_spherical_k_means_step_by_step(make):
    rng = np.random.default_rng(1)
    points = np.abs(rng.normal(size=(50, 6))) * rng.uniform(0.1, 5.0, (50, 1)) + 3 * np.eye(6)[rng.integers(0, 6, 50)]
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    centres, before = unit[:4], -np.inf
    for steps in range(1, 6):
        cosines = unit @ centres.T
        total = cosines.max(axis=1).sum()
        assert total >= before - 1e-12
        before, best = total, cosines.argmax(axis=1)
        centres = np.array([unit[best == k].sum(axis=0) for k in range(4)])
        centres /= np.linalg.norm(centres, axis=1, keepdims=True)
        model = KMeans(4, metric="cosine", start=points[:4], criterion=f"hard:{steps}").fit(make(points))
        if model.n_iter_ < steps:
            break
        np.testing.assert_allclose(model.cluster_centers_, centres, atol=1e-9)
        assert model.history_[-1].objective == pytest.approx(total - 50 * np.log(4), rel=1e-9)
    np.testing.assert_allclose(model.transform(make(points)), 1.0 - unit @ model.cluster_centers_.T, atol=1e-9)
    longer = KMeans(4, metric="cosine", start=points[:4]).fit(make(points * 7.0))
    assert np.array_equal(longer.labels_, KMeans(4, metric="cosine", start=points[:4]).fit(make(points)).labels_)


def test_all_groupings_of_a_few_points_have_no_greater_cosine():
    rng = np.random.default_rng(4)
    points = rng.normal(size=(7, 2))
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    best = max(
        sum(np.linalg.norm(unit[[(code >> i) & 1 == k for i in range(7)]].sum(axis=0)) for k in (0, 1))
        for code in range(2**7)
    )
    model = KMeans(2, metric="cosine", restarts=20, random_state=0).fit(points)
    assert model.objective_ + 7 * np.log(2) == pytest.approx(best, rel=1e-9)


def test_directions_under_other_criteria_files_and_metrics(tmp_path):
    points = np.abs(np.random.default_rng(2).normal(size=(30, 3)))
    points[5] = 0.0
    for criterion in ("em:5", "vb:5", "gibbs:3", "annealed:5", "stepwise(em,batches=3):2"):
        model = KMeans(3, metric="cosine", criterion=criterion, random_state=0).fit(points)
        np.testing.assert_allclose(np.linalg.norm(model.cluster_centers_, axis=1), 1.0)
    model.save(tmp_path / "m")
    assert np.array_equal(KMeans.load(tmp_path / "m").predict(points), model.predict(points))
    with pytest.raises(InputError, match=": unknown"):
        KMeans(2, metric="manhattan").fit(points)
