"""HMM(transition=lm): a language model of tags, fixed; bigrams as tables, trigrams by pairs of states."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

import softcount
from softcount import HMM, InputError, LanguageModel
from softcount.engines import Threads
from softcount.loop.estep import EStep
from softcount.models.hmm import HMM as Model
from softcount.models.hmm import HMMTables
from softcount.text.corpus import corpus

pytestmark = pytest.mark.filterwarnings("ignore:too little text")  # to estimate discounts
TAGS = ["D N V", "D N V D N", "N V", "D N", "N V D N"]
TEXT = ["the dog runs", "a dog sees the cat", "cats run", "the cat", "", "dogs see a cat"]
DICTIONARY = {"the": ["D"], "a": ["D"], "dog": ["N", "V"], "cat": ["N"], "runs": ["V", "N"], "run": ["V"]}


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_likelihood_is_that_of_all_tag_sequences(order: int) -> None:
    lm = LanguageModel(order=order).fit(TAGS)
    model = HMM(transition=lm, criterion="em:3", random_state=1).fit(TEXT)
    assert sorted(model.states_) == ["D", "N", "V"] and model._model.end
    for line in TEXT[:3]:
        words = model.vocabulary_.encode(line.split())
        total = 0.0
        for tags in product(range(3), repeat=len(words)):
            names = [model.states_[k] for k in tags]
            p = np.prod([model.emission_[k, w] for k, w in zip(tags, words, strict=True)])
            for i, name in enumerate([*names, "</s>"]):
                context = ["<s>", *names[:i]][-2:]
                # what is not known, and at the start the end, have no share: others have it
                out = ["<unk>"] if i else ["<unk>", "</s>"]
                p *= lm.probability(name, context) / (1.0 - sum(lm.probability(w, context) for w in out))
            total += p
        assert np.isclose(model.score([line]), np.log(total), rtol=1e-9)


def test_bigrams_are_the_tables_and_stay() -> None:
    lm = LanguageModel(order=2).fit(TAGS)
    for criterion in ("em:4", "vb:3", "gibbs:3", "em:2,mre:2"):
        model = HMM(transition=lm, dictionary=DICTIONARY, criterion=criterion, random_state=0).fit(TEXT)
        n, v = model.states_.index("N"), model.states_.index("V")
        known = 1.0 - lm.probability("<unk>", ["N"])
        assert np.isclose(model.transition_[n, v], lm.probability("V", ["N"]) / known, rtol=1e-12)
        assert model.end_ is not None and np.isclose(model.end_[n], lm.probability("</s>", ["N"]) / known)
        assert model.predict(["the dog runs"]) == [["D", "N", "V"]]
    assert model.to_json()["states"] == list(model.states_)


def test_trigrams_are_pairs_of_states() -> None:
    """The same numbers as a hidden Markov model whose states are pairs, with a table of pairs by pairs."""
    lm = LanguageModel(order=3).fit(TAGS)
    model = HMM(transition=lm, criterion="em:3", random_state=1).fit(TEXT)
    assert model.language_ is not None
    K, B = 3, 4
    pairs = [(a, b) for a in range(B) for b in range(K)]
    onward = np.zeros((len(pairs), len(pairs) + 1))
    for i, (a, b) in enumerate(pairs):
        for j, (c, d) in enumerate(pairs):
            onward[i, j] = model.language_[a * B + b, d] if c == b else 0.0
        onward[i, -1] = model.language_[a * B + b, K]
    initial = np.array([model.language_[-1, b] if a == K else 0.0 for a, b in pairs])
    emission = np.array([model.emission_[b] for _, b in pairs])
    data = corpus(TEXT, model.vocabulary_)
    with np.errstate(divide="ignore"), Threads(1) as engine:
        tables = HMMTables(np.log(initial), np.log(onward), np.log(emission))
        dense = EStep(Model(len(pairs), len(model.vocabulary_), True), data, engine)(tables)
    assert np.isclose(model.score(TEXT), dense.log_norm, rtol=1e-10)
    objectives = model.history_.objectives
    assert all(b >= a - 1e-9 for a, b in pairwise(objectives))
    assert model.transition_.shape == (16, 3) and np.allclose(sum(model.predict_proba(TEXT[:1])[0].T), 1.0)
    with pytest.raises(InputError, match="order 2"):
        model.to_json()


@pytest.mark.parametrize("order", [2, 3])
def test_saved_shown_and_exported(order: int, tmp_path: Path) -> None:
    from softcount.report.overview import overview
    from softcount.report.tables import n_rows, tables

    model = HMM(transition=LanguageModel(order=order).fit(TAGS), criterion="em:3", random_state=1).fit(TEXT)
    model.save(tmp_path / "m")
    loaded = softcount.load(tmp_path / "m")
    assert loaded.predict(TEXT) == model.predict(TEXT) and loaded.score(TEXT) == model.score(TEXT)
    assert n_rows(dict(tables(loaded))["transition"]) == (3 if order == 2 else 16)
    seen = overview(loaded, 3)
    assert seen is not None and sum(group.size for group in seen.groups) in range(14, 18)
    loaded.report(tmp_path / "page.html", TEXT)


@pytest.mark.parametrize(
    "settings, y, said",
    [
        ({"n_states": 5}, None, "5 states, but 3 tags are named"),
        ({"dictionary": {"the": ["X"]}}, None, "is not in the language model"),
        ({"start": {"states": ["N"], "initial": {"N": 1}, "transition": {"N": {"N": 1}}, "emission": {"N": {"a": 1}}}},
         None, "give one of them"),
        ({}, [["D", None, None], [None] * 5, [None] * 2, [None] * 2, [], [None] * 4], "known tags need"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(settings: dict[str, object], y: object, said: str) -> None:
    lm = LanguageModel(order=3).fit(TAGS)
    with pytest.raises(InputError, match=said):
        HMM(transition=lm, **settings).fit(TEXT, y)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="transition"):
        HMM(transition="bigrams").fit(TEXT)  # type: ignore[arg-type]
