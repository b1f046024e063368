"""softcount.HMM: the worked example by hand, every way to start, to constrain and to read a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from softcount import HMM, InputError, corpus
from softcount.loop.start import random_start
from softcount.models.hmm import HMMTables
from softcount.report.hmm_json import from_json, read_parameters, to_json
from softcount.report.lattice import lattices
from softcount.synthetic import dictionary, language

EXAMPLE: dict[str, Any] = {
    "states": ["V", "N"],
    "initial": {"V": 0.6, "N": 0.4},
    "transition": {"V": {"V": 0.6, "N": 0.4}, "N": {"V": 0.9, "N": 0.1}},
    "emission": {"V": {"can": 0.5, "I": 0.5}, "N": {"can": 0.5, "I": 0.5}},
}
COUNTS = {
    "initial": {"V": 0.6, "N": 0.4},
    "transition": {"V": {"V": 0.792, "N": 0.528}, "N": {"V": 0.612, "N": 0.068}},
    "emission": {"V": {"can": 1.284, "I": 0.72}, "N": {"can": 0.716, "I": 0.28}},
}
TEXT = language(80, seed=3)


# --- the literal example --------------------------------------------------------------------------------------------


def near(found: Any, truth: Any) -> bool:
    if isinstance(truth, dict):
        return found.keys() == truth.keys() and all(near(found[k], truth[k]) for k in truth)
    return bool(np.isclose(found, truth, rtol=1e-10))


def normalized(row: dict[str, float]) -> dict[str, float]:
    return {k: v / sum(row.values()) for k, v in row.items()}


UPDATED = {
    "initial": COUNTS["initial"],
    "transition": {s: normalized(row) for s, row in COUNTS["transition"].items()},
    "emission": {s: normalized(row) for s, row in COUNTS["emission"].items()},
}


def test_explained_example() -> None:
    found = lattices(from_json(EXAMPLE), ["can I can"])
    assert np.isclose(found["probability"], 0.125, rtol=1e-12)
    columns = [[c[w][s] for s in "VN"] for c in found["alpha"] for w in ("before", "after")]
    truth = [[0.6, 0.4], [0.3, 0.2], [0.36, 0.14], [0.18, 0.07], [0.171, 0.079], [0.0855, 0.0395]]
    np.testing.assert_allclose(columns, truth, rtol=1e-12)
    assert near(found["counts"], COUNTS)
    assert near({k: v for k, v in found["updated"].items() if k != "states"}, UPDATED)
    alpha, beta = (
        np.array([[row[s] for s in "VN"] for row in rows])
        for rows in ([c["after"] for c in found["alpha"]], found["beta"])
    )
    np.testing.assert_allclose((alpha * beta).sum(axis=1), 0.125)
    posterior = np.array([[row[s] for s in "VN"] for row in found["posterior"]])
    np.testing.assert_allclose(posterior, alpha * beta / 0.125)


def test_estimated_example() -> None:
    model = HMM(criterion="em:1", start=EXAMPLE).fit(["can I can"])
    assert np.isclose(model.objective_, np.log(0.125), rtol=1e-12)
    assert model.states_ == ("V", "N")
    assert near({k: v for k, v in model.to_json().items() if k != "states"}, UPDATED)
    untouched = HMM(criterion="em:0", start=EXAMPLE).fit(["can I can"])
    truth = lattices(from_json(EXAMPLE), ["can I can"])["posterior"]
    np.testing.assert_allclose(untouched.predict_proba(["can I can"])[0], [[r["V"], r["N"]] for r in truth], rtol=1e-12)
    assert np.isclose(untouched.score(["can I can"]), np.log(0.125))
    assert np.isclose(untouched.perplexity(["can I can"]), 2.0)


def test_explain_with_an_end() -> None:
    with_end = {
        **EXAMPLE,
        "transition": {"V": {"V": 0.3, "N": 0.2}, "N": {"V": 0.5, "N": 0.1}},
        "end": {"V": 0.5, "N": 0.4},
    }
    found = lattices(from_json(with_end), ["can I"])
    model = HMM(criterion="em:1", start=with_end).fit(["can I"])
    assert np.isclose(np.log(found["probability"]), model.objective_)
    assert near(found["updated"]["end"], model.to_json()["end"])
    assert near(found["updated"]["transition"], model.to_json()["transition"])
    assert np.isclose(sum(found["counts"]["end"].values()), 1.0)


# --- starts ---------------------------------------------------------------------------------------------------------


def test_start_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "P.json"
    path.write_text(json.dumps(EXAMPLE))
    for start in (path, str(path), EXAMPLE, read_parameters(path)):
        assert HMM(criterion="em:1", start=start).fit(["can I can"]).to_json()["states"] == ["V", "N"]


@pytest.mark.parametrize("end", [False, True])
def test_parameters_round_trip(tmp_path: Path, end: bool) -> None:
    model = HMM(4, criterion="em:3", end=end, random_state=0).fit(TEXT.sentences)
    path = tmp_path / "P.json"
    path.write_text(json.dumps(model.to_json()))
    named = read_parameters(path)
    assert named.end == end and ("end" in model.to_json()) == end
    again = HMM(criterion="em:0", start=path).fit(TEXT.sentences)
    assert np.isclose(again.score(TEXT.sentences), model.score(TEXT.sentences), rtol=1e-12)
    assert [list(map(str, row)) for row in again.predict(TEXT.sentences)] == [
        list(map(str, row)) for row in model.predict(TEXT.sentences)
    ]
    assert to_json(named.states, named.words, named.tables) == json.loads(path.read_text())


def test_start_from_a_labelled_corpus_and_uniform() -> None:
    labelled = corpus(TEXT.sentences[:40], labels=TEXT.tags[:40])
    model = HMM(criterion="em:0", start=labelled).fit(TEXT.sentences[40:])
    assert set(model.states_) == {t for tags in TEXT.tags[:40] for t in tags}
    found = [t for row in model.predict(TEXT.sentences[40:]) for t in row]
    gold = [t for row in TEXT.tags[40:] for t in row]
    assert np.mean([a == b for a, b in zip(found, gold, strict=True)]) > 0.8
    tied = HMM(3, criterion="em:2", start="uniform").fit(TEXT.sentences)
    assert any("stay identical" in note for note in tied.history_.notes)


def right(model: HMM, sentences: list[list[str]], tags: list[list[str]]) -> float:
    pairs = zip([t for row in model.predict(sentences) for t in row], [t for row in tags for t in row], strict=True)
    return float(np.mean([found == gold for found, gold in pairs]))


def test_known_tags_are_the_start() -> None:
    """Counted by hand: a token without a tag takes part in nothing that is counted."""
    text, tags = ["a b a", "b a", "", "b"], [["X", "Y", None], ["Y", "X"], [], [None]]
    model = HMM(criterion="em:0", start="known", end=True, random_state=0).fit(text, tags)
    spread = random_start(model._model.layout, (0, 0))
    assert model.vocabulary_.words == ["a", "b"]
    onward = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    counts = HMMTables(np.array([1.0, 1.0]), onward, np.array([[2.0, 0.0], [0.0, 2.0]]))
    for found, count, share in zip(model.parameters_, counts, spread, strict=True):
        expected = count + 0.1 * count.shape[-1] * np.asarray(share)
        np.testing.assert_allclose(found, expected / expected.sum(axis=-1, keepdims=True), rtol=1e-12)
    assert " start=known " in model.signature_
    assert model.history_.notes == ["4 of 6 tokens (66.7%) have a known tag; they are used for initialization"]


def test_tags_that_nobody_knows_are_not_noted() -> None:
    text = ["a b a", "b a"]
    unknown = HMM(n_states=2, criterion="em:1", random_state=0).fit(text, [[None] * 3, [None] * 2])
    known = HMM(n_states=2, criterion="em:1", random_state=0).fit(text, [["X", "Y", None], [None] * 2])
    assert not any("known tag" in note for note in unknown.history_.notes)
    assert any("2 of 5 tokens" in note for note in known.history_.notes)


def test_a_few_tagged_sentences_are_worth_something_by_themselves() -> None:
    text = language(600, seed=3)
    some = [tags if i < 5 else [None] * len(tags) for i, tags in enumerate(text.tags)]
    model = HMM(criterion="em:10", random_state=0).fit(text.sentences, some)
    random = HMM(criterion="em:10", random_state=0, start="random").fit(text.sentences, some)
    assert right(model, text.sentences, text.tags) > 0.7 and right(random, text.sentences, text.tags) < 0.4
    assert " start=random " in random.signature_
    assert random.history_.notes[0].endswith("they are not used for initialization (the start is random)")


def test_words_with_one_tag_in_the_dictionary_are_the_start() -> None:
    allowed = {"the": ["D"], "dog": ["N"], "runs": ["V", "N"]}
    text = ["the dog runs", "dog runs"]
    only = [["D", "N", None], ["N", None]]
    counted, tagged = (
        HMM(criterion="em:0", start="known", dictionary=allowed, random_state=0).fit(text, y).parameters_
        for y in (None, only)
    )
    for a, b in zip(counted, tagged, strict=True):
        assert np.array_equal(a, b)
    model = HMM(dictionary=dictionary(), random_state=0).fit(TEXT.sentences)
    random = HMM(dictionary=dictionary(), start="random", random_state=0).fit(TEXT.sentences)
    assert right(model, TEXT.sentences, TEXT.tags) >= right(random, TEXT.sentences, TEXT.tags)


def test_states_that_nothing_is_known_of_differ_and_so_do_restarts() -> None:
    model = HMM(4, criterion="em:0", random_state=0).fit(["a b", "b a"], [["X", "Y"], [None, None]])
    assert model.states_ == ("X", "Y", "2", "3") and not np.allclose(model.emission_[2], model.emission_[3])
    found = HMM(4, criterion="em:3", restarts=2, random_state=0).fit(["a b", "b a c"], [["X", "Y"], [None] * 3])
    assert found.restarts_[0].objective != found.restarts_[1].objective


def test_a_dictionary_or_start_of_another_case_is_pointed_out() -> None:
    said, *_ = HMM(criterion="em:1", dictionary={"the": ["D"], "dog": ["N"]}).fit(["The Dog", "the DOG"]).history_.notes
    assert said == (
        "the dictionary has the words of 1 of 4 tokens (25.0%), but of 4 without regard to case: "
        "lower-case both, the text by lowercase (--lowercase)"
    )
    said, *_ = HMM(criterion="em:1", dictionary={"der": ["D"]}).fit(["the dog"]).history_.notes
    assert said.endswith("of 0 of 2 tokens (0.0%); check that it is the same language and tokenization")
    labelled = corpus(["the dog"], labels=[["D", "N"]])
    (said,) = HMM(criterion="em:1", start=labelled).fit(["THE DOG runs"]).history_.notes
    assert "which is the start, has the words of 0 of 3" in said and "but of 2 without regard to case" in said


def test_seeds() -> None:
    a, b, c = (HMM(3, criterion="em:2", start="random", random_state=s).fit(TEXT.sentences) for s in (1, 1, 2))
    assert np.array_equal(a.emission_, b.emission_) and not np.array_equal(a.emission_, c.emission_)
    assert HMM(3, criterion="em:1").fit(TEXT.sentences).objective_ < 0


# --- constraints ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["em:5", "hard(em):5", "vb:5", "mre:3", "gibbs:3", "stepwise(em,batches=3):2"])
def test_dictionary_is_obeyed(criterion: str) -> None:
    allowed = dictionary()
    model = HMM(criterion=criterion, dictionary=allowed, random_state=0).fit(TEXT.sentences)
    for decode in ("viterbi", "posterior", "mre"):
        for words, tags in zip(TEXT.sentences, model.predict(TEXT.sentences, decode), strict=True):
            assert all(tag in allowed[word] for word, tag in zip(words, tags, strict=True))


def test_tag_of_no_word_in_the_text_is_never_used() -> None:
    """The dictionary allows X only for a word that the text does not have."""
    allowed = {"dog": ["N"], "runs": ["V"], "blue": ["X"]}
    model = HMM(criterion="em:3", dictionary=allowed, random_state=1).fit(["dog runs", "dog", "runs dog"])
    assert model.predict(["dog runs", "runs dog"]) == [["N", "V"], ["V", "N"]]
    for table in model.parameters_:
        np.testing.assert_allclose(table.sum(axis=-1), 1.0)


def test_known_tags_are_respected() -> None:
    labels = [[t if i % 3 == 0 else None for t in tags] for i, tags in enumerate(TEXT.tags)]
    for criterion in ("em:4", "hard(em):4", "vb:4", "gibbs:3"):
        model = HMM(criterion=criterion, random_state=0).fit(TEXT.sentences, labels)
        data = corpus(TEXT.sentences, labels=labels)
        found = model.predict(data)
        for i in range(0, len(labels), 3):
            assert found[i] == TEXT.tags[i]
    blind = HMM(len({t for tags in TEXT.tags for t in tags}), criterion="em:4", random_state=0).fit(TEXT.sentences)
    assert model.score(TEXT.sentences) != blind.score(TEXT.sentences)


def test_fixed_tables() -> None:
    start = HMM(3, criterion="em:3", random_state=0).fit(TEXT.sentences).to_json()
    model = HMM(criterion="em:3", start=start, fixed=("transition",)).fit(TEXT.sentences)
    given = from_json(start).tables
    np.testing.assert_allclose(model.transition_, given.transition, rtol=1e-12)
    assert not np.allclose(model.emission_, given.emission)


# --- using it -------------------------------------------------------------------------------------------------------


def test_input_kinds_agree() -> None:
    lines = [" ".join(words) for words in TEXT.sentences]
    by_kind = [
        HMM(3, criterion="em:3", random_state=0).fit(data) for data in (lines, TEXT.sentences, corpus(TEXT.sentences))
    ]
    assert len({m.objective_ for m in by_kind}) == 1
    assert by_kind[0].predict(lines) == by_kind[1].predict(TEXT.sentences) == by_kind[2].predict(corpus(TEXT.sentences))


def test_empty_sentences_and_unknown_words() -> None:
    model = HMM(2, criterion="em:3", random_state=0).fit(["a b", "", "b a a"])
    found = model.predict(["", "a zzz b", "zzz"])
    assert [len(row) for row in found] == [0, 3, 1]
    assert [p.shape for p in model.predict_proba(["", "a zzz b"])] == [(0, 2), (3, 2)]
    assert np.isclose(model.score(["zzz"]), 0.0, atol=1e-12), "an unknown word is unobserved"
    with pytest.raises(InputError, match="perplexity of a text without known words is not defined"):
        model.perplexity(["zzz"])
    pruned = HMM(2, criterion="em:3", random_state=0, min_count=2).fit(["a b", "b a a c d"])
    assert pruned.vocabulary_.unknown in pruned.vocabulary_ and pruned.predict(["zzz a"])[0]


def test_readings_agree_with_their_definitions() -> None:
    model = HMM(3, criterion="em:5", random_state=0).fit(TEXT.sentences)
    posterior = model.predict_proba(TEXT.sentences)
    assert model.predict(TEXT.sentences, "posterior") == [p.argmax(axis=1).tolist() for p in posterior]
    np.testing.assert_allclose(np.concatenate(posterior).sum(axis=1), 1.0)
    with pytest.raises(InputError, match="decode='best': unknown"):
        model.predict(TEXT.sentences, "best")


def test_mre_reading_squares_the_emissions() -> None:
    start = {
        **EXAMPLE,
        "initial": {"V": 0.8, "N": 0.2},
        "emission": {"V": {"a": 0.3, "b": 0.7}, "N": {"a": 0.9, "b": 0.1}},
    }
    model = HMM(criterion="em:0", start=start).fit(["a"])
    assert model.predict(["a"], "viterbi") == [["V"]]  # .8 · .3 > .2 · .9
    assert model.predict(["a"], "mre") == [["N"]]  # .8 · .09 < .2 · .81


@pytest.mark.parametrize("end", [False, True])
def test_samples_have_the_model_s_statistics(end: bool) -> None:
    model = HMM(3, criterion="em:10", start="random", end=end, random_state=0).fit(TEXT.sentences)
    sentences, tags = model.sample(3000, random_state=1)
    assert [len(s) for s in sentences] == [len(t) for t in tags] and len(sentences) == 3000
    first = np.bincount([t[0] for t in tags if t], minlength=3) / sum(bool(t) for t in tags)
    np.testing.assert_allclose(first, model.initial_, atol=5 * 0.5 / np.sqrt(2500))
    pairs = np.zeros((3, 3))
    for row in tags:
        np.add.at(pairs, (row[:-1], row[1:]), 1)
    onward = model.transition_ / model.transition_.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(pairs / pairs.sum(axis=1, keepdims=True), onward, atol=0.05)
    assert model.sample(5, random_state=1)[0] == sentences[:5] or model.sample(5, random_state=1)[0]
    assert {len(s) for s in model.sample(4, length=6, random_state=0)[0]} == {6}
    assert model.sample(0) == ([], [])


def test_top_words_and_clone() -> None:
    model = HMM(2, criterion="em:5", random_state=0).fit(TEXT.sentences)
    for state, words in model.top_words(4).items():
        assert len(words) == 4 and [p for _, p in words] == sorted((p for _, p in words), reverse=True)
        assert words[0][1] == model.emission_[state].max()
    copy = clone(model)
    assert copy.get_params() == model.get_params() and not hasattr(copy, "emission_")
    assert copy.set_params(n_states=3).n_states == 3


def test_perplexity_falls_with_training() -> None:
    held_out = language(40, seed=9).sentences
    settings = {"start": "random", "random_state": 0, "pseudo": 0.1}  # from the classes there is little left to learn
    little, much = (HMM(8, criterion=c, **settings).fit(TEXT.sentences) for c in ("em:1", "em:40"))
    assert much.perplexity(held_out) < little.perplexity(held_out)


def test_restarts_by_objective_and_by_development_tags() -> None:
    model = HMM(4, criterion="em:8", restarts=3, random_state=0).fit(TEXT.sentences)
    assert len(model.restarts_) == 3 and model.objective_ == max(r.objective for r in model.restarts_)
    by_tags = HMM(4, criterion="em:8", restarts=3, random_state=0)
    by_tags.fit(TEXT.sentences, dev=corpus(TEXT.sentences[:30], labels=TEXT.tags[:30]))
    assert by_tags.restarts_[by_tags.restart_].score == max(r.score for r in by_tags.restarts_) <= 1.0
    by_text = HMM(4, criterion="em:8", restarts=2, random_state=0).fit(TEXT.sentences, dev=TEXT.sentences[:20])
    assert by_text.restarts_[by_text.restart_].score == max(r.score for r in by_text.restarts_)


def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("softcount.models.hmm.SHARD_TOKENS", 100)
    one, two = (HMM(3, criterion="em:4", n_jobs=n, random_state=0).fit(TEXT.sentences) for n in (1, 2))
    assert np.array_equal(one.emission_, two.emission_) and one.signature_ == two.signature_


@pytest.mark.parametrize(
    ("options", "data", "message"),
    [
        ({"n_states": None}, ["a"], "a dictionary, or parameters to start from"),
        ({"n_states": 0}, ["a"], "it must be at least"),
        ({"n_states": 2, "restarts": 0}, ["a"], "it must be at least 1"),
        ({"n_states": 2, "decode": "best"}, ["a"], "decode='best': unknown"),
        ({"n_states": 2, "criterion": "magic"}, ["a"], "criterion 'magic': unknown"),
        ({"n_states": 2, "fixed": ("emissions",)}, ["a"], "cannot fix 'emissions'"),
        ({"n_states": 2, "fixed": {"emission": {"V": True}}}, ["a b c"], "whole table, or a Boolean array,"),
        ({"n_states": 2, "fixed": {"emission": [True, False]}}, ["a b c"], "whole table, or a Boolean array, 2 x 3"),
        ({"n_states": 2, "fixed": {"initial": [[True], [1, 2]]}}, ["a b c"], "whole table, or a Boolean array,"),
        ({"n_states": 2, "fixed": {"transition": 0.5}}, ["a b c"], "whole table, or a Boolean array,"),
        ({"n_states": 2, "pseudo": {"emissions": 1}}, ["a"], "unknown table 'emissions'"),
        ({"n_states": 2, "criterion": "vb:2", "prior": 0}, ["a"], "prior must be positive"),
        ({"n_states": 2}, ["", ""], "no tokens to train on"),
        ({"n_states": 2}, [], "no tokens to train on"),
        ({"n_states": 3, "start": EXAMPLE}, ["can"], "3 states, but 2 tags are named"),
        ({"start": EXAMPLE, "end": True}, ["can"], 'the start has no "end"'),
        ({"start": EXAMPLE, "dictionary": {"can": ["X"]}}, ["can"], "'X' is not one of the start's states"),
        ({"dictionary": {"can": ["V"], "I": ["N"]}, "start": {**EXAMPLE, "transition": {"V": {"V": 1}, "N": {"N": 1}}}},
         ["can can", "can I"], "<memory>:2: the sentence 'can I' has probability zero"),
    ],
)  # fmt: skip
def test_what_cannot_be_trained_is_explained(options: dict[str, Any], data: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        HMM(**options).fit(data)
    assert message in str(caught.value)


def test_known_tags_of_new_text_are_the_states_of_that_name() -> None:
    dictionary = {"can": ["N", "V"], "I": ["PRO"]}
    hmm = HMM(dictionary=dictionary, criterion="em:5", random_state=0).fit(["can I can", "I can"])
    for tags in (["V", "PRO", "V"], ["N", "PRO", "N"], ["V", None, "N"]):  # whose ids are not the states'
        labelled = corpus([["can", "I", "can"]], labels=[tags])
        found = hmm.predict(labelled)[0]
        assert all(tag in (None, predicted) for tag, predicted in zip(tags, found, strict=True))
        assert np.isclose(hmm.predict_proba(labelled)[0].max(), 1.0)
    strange = corpus([["can", "I"]], labels=[["X", "PRO"]])
    assert hmm.predict(strange) == hmm.predict(corpus([["can", "I"]], labels=[[None, "PRO"]]))


def test_tags_of_new_text_are_none_of_a_numbered_state() -> None:
    hmm = HMM(2, criterion="em:5", random_state=0).fit(["can I can", "I can"])
    for tags in (["N", "P", "N"], ["P", "N", "P"]):
        labelled = corpus([["can", "I", "can"]], labels=[tags])
        assert hmm.predict(labelled) == hmm.predict(["can I can"])
        assert hmm.score(labelled) == hmm.score(["can I can"])
