"""Topics with a background: its E-step written out, what words are ranked by, and how it is given back."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import command
import numpy as np
import pytest

from softcount import PLSA, InputError, Shards, documents, load
from softcount.engines import engine_of
from softcount.estimators.topic_start import clustered
from softcount.estimators.topic_words import LONG, RARE, background_weight, background_words, count_words
from softcount.evaluate.topics import relevance
from softcount.loop.estep import EStep
from softcount.models.plsa import PLSATables
from softcount.models.plsa_background import BackgroundPLSA, BackgroundTables
from softcount.numbers.tables import Log
from softcount.report.overview import overview
from softcount.synthetic.topics import topical
from softcount.text.documents import from_matrix

TABLE = np.array([[3, 0, 2, 1, 0], [0, 0, 0, 0, 0], [1, 4, 0, 2, 0], [0, 0, 0, 0, 5], [1, 1, 1, 0, 0]], float)
D, V, H, SHARE = *TABLE.shape, 3, 0.35
TEXT = topical(120, seed=3).documents


def tables(dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    topic, word = rng.random((D, H)) + 0.1, rng.random((H, V)) + 0.1
    return tuple((rows / rows.sum(axis=1, keepdims=True)).astype(dtype) for rows in (topic, word))  # type: ignore


def written_out(counts: Any, topic: Any, word: Any, share: float, background: Any, beta: float) -> Any:
    """(topic counts, word counts, log P), cell by cell and topic by topic."""
    by_topic, by_word, log_p = np.zeros_like(topic), np.zeros_like(word), 0.0
    for d, w in np.argwhere(counts > 0):
        plain = sum(topic[d, h] * word[h, w] for h in range(len(word)))
        total = share * background[w] + (1.0 - share) * plain
        part = (1.0 - share) * plain / total
        soft = [(topic[d, h] * word[h, w]) ** beta for h in range(len(word))]
        for h in range(len(word)):
            expected = counts[d, w] * part * soft[h] / sum(soft)
            by_topic[d, h] += expected
            by_word[h, w] += expected
        log_p += counts[d, w] * np.log(total)
    return by_topic, by_word, log_p


@pytest.mark.kernels
@pytest.mark.parametrize("beta", [1.0, 0.8, 0.3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_e_step_is_the_formula_cell_by_cell(beta: float, dtype: Any) -> None:
    topic, word = tables(dtype)
    data = from_matrix(TABLE)
    background = background_words(data)
    model = BackgroundPLSA(D, H, V, SHARE, background)
    logs = BackgroundTables(Log(topic), Log(word), np.ones(1, dtype))
    if beta != 1.0:
        logs = BackgroundTables(np.log(topic) * beta, np.log(word) * beta, np.full(1, beta, dtype))
    with engine_of("threads", 1) as engine:
        found = EStep(model, data, engine)(logs)
    by_topic, by_word, log_p = written_out(TABLE, topic, word, SHARE, background, beta)
    near = {"rtol": 1e-5 if dtype == np.float32 else 1e-12}
    np.testing.assert_allclose(found.counts.topic, by_topic, **near)
    np.testing.assert_allclose(found.counts.word, by_word, **near)
    assert found.log_norm == pytest.approx(log_p, rel=1e-5 if dtype == np.float32 else 1e-12)


def test_under_plain_em_the_likelihood_with_the_background_never_falls() -> None:
    plsa = PLSA(4, criterion="em:40", background=0.4, tolerance=0.0, dtype="float64", random_state=1).fit(TEXT)
    steps = [step.objective for step in plsa.history_]
    assert len(steps) == 40 and (np.diff(steps) >= -1e-9).all() and steps[-1] > steps[0] + 1.0


def test_training_is_the_recipe_written_out() -> None:
    """From the start by clusters: tempered steps with the background, what words are ranked by, one plain step."""
    data = documents(TEXT)
    counts = data.matrix().toarray()
    start = clustered(data, 4, (0, 0), None, damped=True)
    topic, word = start
    share, background = 0.3, background_words(data)
    plsa = PLSA(4, background=share, criterion="annealed(start=0.8,stop=0.8):3", pseudo={"word": 0.05},
                dtype="float64", random_state=0).fit(data)  # fmt: skip
    for _ in range(3):
        by_topic, by_word, _ = written_out(counts, topic, word, share, background, 0.8)
        topic, word = by_topic / by_topic.sum(axis=1, keepdims=True), by_word + 0.05
        word /= word.sum(axis=1, keepdims=True)
    attributed = written_out((counts > 0) * 1.0, topic, word, share, background, 1.0)[1]
    topics = np.array([[topic[counts[:, w] > 0, h].sum() for w in range(data.n_words)] for h in range(4)])
    plain = written_out(counts, topic, word, 0.0, background, 1.0)[1] + 0.05
    np.testing.assert_allclose(plsa.topic_, topic, rtol=1e-9)
    np.testing.assert_allclose(plsa.attributed_, np.sqrt(attributed * topics), rtol=1e-6)
    np.testing.assert_allclose(plsa.word_, plain / plain.sum(axis=1, keepdims=True), rtol=1e-9)
    in_documents = (counts > 0).sum(axis=0)
    np.testing.assert_array_equal(plsa.document_frequency_, in_documents)
    length = in_documents.sum() / len(TEXT)
    assert plsa.rank_offset_ == pytest.approx(RARE * np.sqrt(in_documents.sum()) * (LONG / length) ** 1.5)
    rank = np.sqrt(attributed * topics) / (in_documents + plsa.rank_offset_)
    shown = [[word for word, _ in words] for words in plsa.top_words(6, rank="documents").values()]
    assert shown == [[data.vocabulary.words[v] for v in np.argsort(-row)[:6]] for row in rank]


def test_without_a_background_nothing_is_changed_but_words_are_counted_in_documents() -> None:
    plain, none = (PLSA(4, background=b, random_state=0).fit(TEXT) for b in ("none", 0))
    named = PLSA(4, criterion="annealed(start=0.8,stop=0.8):100", pseudo={"topic": 0.0, "word": 0.05},
                 random_state=0).fit(TEXT)  # fmt: skip
    for other in (none, named):
        assert (plain.word_ == other.word_).all() and (plain.topic_ == other.topic_).all()
    assert plain.background_weight_ == 0.0 and "background" not in plain.signature_
    assert plain.attributed_.max() > 1.0


def test_the_weight_is_read_off_the_text() -> None:
    data = documents(TEXT)
    common = (data.document_frequencies > 0.5 * len(data)) * data.frequencies  # 2 / 4 topics
    assert background_weight(data, 4) == pytest.approx(common.sum() / data.n_tokens) and common.any()
    assert background_weight(data, 2) == 0.0  # of two topics nobody knows
    assert background_weight(data.slice(0, 40), 4) == 0.0  # nor of so few documents
    assert background_weight(from_matrix(np.ones((60, 7))), 20) == 0.0  # nor of so short ones
    even = from_matrix(np.ones((60, 8)))
    assert background_weight(even, 20) == 0.9  # topics must have something
    assert PLSA(4, random_state=0).fit(TEXT).background_weight_ == background_weight(data, 4)


@pytest.mark.parametrize("how", [{"n_jobs": 3}, {"dtype": "float64", "n_jobs": 2}])
def test_results_have_the_same_bits_with_any_number_of_threads(how: dict[str, Any], monkeypatch: Any) -> None:
    monkeypatch.setattr("softcount.models.plsa.shard_cost", lambda n_words: 300)
    one, many = (PLSA(4, random_state=0, **{**how, "n_jobs": n}).fit(TEXT) for n in (1, how["n_jobs"]))
    for name in ("word_", "topic_", "attributed_", "document_frequency_"):
        assert (getattr(one, name) == getattr(many, name)).all(), name


def test_documents_in_files_are_trained_to_the_bits_of_those_in_memory(tmp_path: Any) -> None:
    (tmp_path / "docs.txt").write_text("\n".join(map(" ".join, TEXT)))
    command.run(shlex.join(["shard", str(tmp_path / "docs.txt"), "--kind", "documents", "--out", str(tmp_path / "s")]))
    sources = str(tmp_path / "docs.txt"), Shards(tmp_path / "s")
    models = [PLSA(4, start="random", random_state=0).fit(X) for X in sources]
    names = [list(model.vocabulary_.words) for model in models]
    order = [names[1].index(word) for word in names[0]]
    assert models[0].background_weight_ == models[1].background_weight_ > 0.0
    np.testing.assert_allclose(models[0].attributed_, models[1].attributed_[:, order], rtol=1e-3)
    whole = PLSA(4, start="random", random_state=0).fit(Shards(tmp_path / "s").loaded())
    for name in ("word_", "topic_", "attributed_"):
        assert (np.asarray(getattr(whole, name)) == np.asarray(getattr(models[1], name))).all(), name


def test_a_document_that_counts_twice_is_two_documents() -> None:
    data = documents(TEXT)
    topic, word = clustered(data, 4, (0, 0), None)
    model = BackgroundPLSA(len(data), 4, data.n_words, 0.3, background_words(data))
    weights = np.random.default_rng(0).integers(0, 3, len(data))
    repeated = np.repeat(np.arange(len(data)), weights)
    with engine_of("threads", 1) as engine:
        found = count_words(data.weighted(weights.astype(float)), PLSATables(topic, word), model, engine)
        wanted = count_words(replace(data.take(repeated), rows=None), PLSATables(topic[repeated], word), model, engine)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("criterion", ["vb:2", "hard:2", "gibbs:4", "mre:2", "em:2,constrained:2", "annealed(vb):3"])
def test_other_criteria_refuse_a_background(criterion: str) -> None:
    with pytest.raises(InputError, match="is not available with a background"):
        PLSA(2, criterion=criterion, background="auto").fit(TEXT)
    assert PLSA(2, criterion="vb:2", random_state=0).fit(TEXT).background_weight_ == 0.0


@pytest.mark.parametrize(("wrong", "said"), [(1.0, "below 1"), (-0.1, "below 1"), ("much", "auto, none"),
                                             (float("nan"), "below 1")])  # fmt: skip
def test_a_weight_that_is_none_is_refused(wrong: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        PLSA(2, background=wrong).fit(TEXT)


def test_a_file_keeps_what_words_are_ranked_by(tmp_path: Any) -> None:
    plsa = PLSA(4, random_state=0).fit(TEXT)
    plsa.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.top_words(5, rank="documents") == plsa.top_words(5, rank="documents")
    assert again.background_weight_ == plsa.background_weight_ and again.ranked_by_ == plsa.ranked_by_


def test_pieces_keep_the_background_of_the_first_and_are_ranked_by_documents() -> None:
    """Stepwise EM over the pieces, each with its documents folded in beside the background, and averaged likewise."""
    pieces = [TEXT[:60], TEXT[60:]]
    plsa = PLSA(4, dtype="float64", fold_pseudo=0.5, random_state=0)
    first = PLSA(4, dtype="float64", random_state=0)
    first._beginning = True
    first.fit(pieces[0])
    word, start = np.asarray(first.word_), first.prevalence_
    share, background = first.background_weight_, background_words(documents(pieces[0]))
    assert share > 0.0
    sums: Any = None
    seen = 0.0
    for k, piece in enumerate(pieces):
        plsa.partial_fit(piece)
        counts = documents(piece, plsa.vocabulary_).matrix().toarray()
        topic = np.array([folded(row, word, start, share, background, 0.5 * 4) for row in counts])
        here = [
            written_out(counts, topic, word, share, background, 1.0)[1],
            written_out(counts, topic, word, 0.0, background, 1.0)[1],
            written_out((counts > 0) * 1.0, topic, word, share, background, 1.0)[1],
            topic.T @ (counts > 0),
            (counts > 0).sum(axis=0),
        ]
        amount = float((counts > 0).sum() + len(counts))
        seen += amount
        here = [one * seen / amount for one in here]
        gamma = (k + 2.0) ** -0.7
        sums = here if sums is None else [(1 - gamma) * old + gamma * new for old, new in zip(sums, here, strict=True)]
        smooth = [table + 0.05 for table in sums[:2]]
        word, plain = (table / table.sum(axis=1, keepdims=True) for table in smooth)
        start = plsa.prevalence_
        np.testing.assert_allclose(plsa.word_, plain, rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(plsa.attributed_, np.sqrt(sums[2] * sums[3]), rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(plsa.document_frequency_, sums[4], rtol=1e-9)
    assert plsa.background_weight_ == share


def folded(row: Any, word: Any, start: Any, share: float, background: Any, pseudo: float) -> Any:
    theta = start / start.sum()
    for _ in range(300):
        part = theta[:, None] * word * (1.0 - share)
        counts = (row * part / (part.sum(axis=0) + share * background)).sum(axis=1) + pseudo * start / start.sum()
        theta = counts / counts.sum()
    return theta


def test_the_command_the_page_and_show_have_one_ranking_and_name_both_shares(tmp_path: Any) -> None:
    (tmp_path / "docs.txt").write_text("\n".join(map(" ".join, TEXT)))

    def run(*words: Any, code: int = 0) -> Any:
        done = command.run(shlex.join(map(str, words)))
        assert done.code == code, done.err
        return done

    options = ["--topics", "4", "--seed", "0", "-q", "--save", tmp_path / "m"]
    printed = run("topics", tmp_path / "docs.txt", *options).out.splitlines()
    model = load(tmp_path / "m")
    tops = {h: [word for word, _ in words] for h, words in model.top_words(10).items()}
    assert [line.split("\t")[2].split() for line in printed] == list(tops.values())
    said = json.loads(run("topics", tmp_path / "docs.txt", *options, "--json").out)
    assert [[word for word, _ in one["words"]] for one in said["topics"]] == list(tops.values())
    probable = model.top_words(10, rank="probability")
    assert [[word for word, _ in one["probable"]] for one in said["topics"]] == [
        [word for word, _ in words] for words in probable.values()
    ]
    shares = np.bincount(model.topic_.argmax(axis=1), minlength=4) / len(TEXT)
    assert [one["share_of_documents"] for one in said["topics"]] == shares.tolist() and said["ranked_by"] == "documents"
    shown = json.loads(run("show", tmp_path / "m", "--json").out)
    assert [one["words"] for one in shown["classes"]] == list(tops.values()) and shown["ranked_by"] == "documents"
    assert [one["prevalence"] for one in shown["classes"]] == [one["prevalence"] for one in said["topics"]]
    head = run("show", tmp_path / "m").out.splitlines()[1]
    assert "of documents" in head and "of tokens" in head and "share " not in head
    assert [group.words[:10] for group in overview(model, 12).groups] == list(tops.values())  # type: ignore[union-attr]
    wrong = run("topics", tmp_path / "docs.txt", "--criterion", "vb:3", "--background", "0.4", code=2)
    assert wrong.err.splitlines()[-1].startswith("softcount: criterion 'vb:3' is not available with a background")


def test_a_model_of_0_2_is_ranked_as_it_was_and_says_so() -> None:
    old = Path(__file__).parent / "compat" / "0.2" / "models" / "plsa.model"
    model = load(old)
    assert model.ranked_by_ == "relevance" and model.background_weight_ == 0.0
    rank = relevance(model.word_, model.prevalence_)
    shown = [[word for word, _ in words] for words in model.top_words(4).values()]
    assert shown == [[model.vocabulary_.words[v] for v in np.argsort(-row, kind="stable")[:4]] for row in rank]
    assert "ranked as in version 0.2; train it again" in command.run(f"show {old}").err
    with pytest.raises(InputError, match="cannot rank words by documents"):
        model.top_words(rank="documents")


def test_a_checkpoint_knows_its_background(tmp_path: Any) -> None:
    """One of 0.2, which knows of none, is gone on with where there is none."""

    def train(**how: Any) -> PLSA:
        return PLSA(4, random_state=0, **how).fit(TEXT, checkpoint=tmp_path / "c")

    weight = train().background_weight_
    with pytest.raises(InputError, match=rf"with background={weight:.4g}, not None"):
        train(background="none")
    assert (train().word_ == PLSA(4, random_state=0).fit(TEXT).word_).all()
    (tmp_path / "c").unlink()
    train(background="none")
    assert train(background=0).background_weight_ == 0.0
