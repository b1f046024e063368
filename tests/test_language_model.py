"""Language models: Kneser–Ney by its definition, sums over the vocabulary, ARPA files, samples, what is refused."""

from __future__ import annotations

import gzip
import json
import sys
import warnings
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

import softcount
from softcount import InputError, LanguageModel
from softcount.language.kneser_ney import FALLBACK, discount, estimated
from softcount.language.ngram import SPECIAL, START, bounded, counted, distribution, log_probabilities
from softcount.numbers.ragged import Ragged, from_rows

Gram = tuple[int, ...]


def rows(sentences: list[list[int]]) -> Ragged:
    return from_rows(sentences, np.int64)


class Naive:
    """Interpolated modified Kneser–Ney with dictionaries, from its definition."""

    def __init__(self, sentences: list[list[int]], order: int, n_words: int) -> None:
        self.order, self.n_words = order, n_words
        raw: Counter[Gram] = Counter()
        before: dict[Gram, set[int]] = defaultdict(set)
        for sentence in sentences:
            padded = [1, *sentence, 2]
            for n in range(1, order + 1):
                for i in range(len(padded) - n + 1):
                    gram = tuple(padded[i : i + n])
                    raw[gram] += 1
                    if i:
                        before[gram].add(padded[i - 1])
        self.counts: dict[Gram, int] = {}
        for gram, count in raw.items():
            if gram != (START,):
                highest = len(gram) == order or gram[0] == START
                self.counts[gram] = count if highest else len(before[gram])
        self.D = [self.discounts(n) for n in range(1, order + 1)]

    def discounts(self, n: int) -> list[float]:
        sizes = Counter(c for gram, c in self.counts.items() if len(gram) == n)
        one, two, three, four = (sizes[k] for k in (1, 2, 3, 4))
        if not (one and two and three and four):
            return [0, 0.5, 1.0, 1.5]
        y = one / (one + 2 * two)
        found = [0, 1 - 2 * y * two / one, 2 - 3 * y * three / two, 3 - 4 * y * four / three]
        return found if min(found) >= 0 and max(found) > 0 else [0, 0.5, 1.0, 1.5]

    def p(self, word: int, context: Gram) -> float:
        context = context[max(0, len(context) - self.order + 1) :]
        D = self.D[len(context)]
        row = {g[-1]: c for g, c in self.counts.items() if g[:-1] == context}
        shorter = self.p(word, context[1:]) if context else 1 / (self.n_words - 1)
        if not row:
            return shorter
        total, count = sum(row.values()), row.get(word, 0)
        left = sum(D[min(c, 3)] for c in row.values()) / total
        return max(count - D[min(count, 3)], 0) / total + left * shorter


SENTENCES = st.lists(st.lists(st.integers(3, 6), max_size=6), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(SENTENCES, st.integers(1, 4))
def test_every_probability_is_that_of_the_definition_and_they_sum_to_one(
    sentences: list[list[int]], order: int
) -> None:
    V, naive = 8, Naive(sentences, order, 8)
    orders, _, _ = estimated(counted(bounded(rows(sentences)), order, V))
    for length in range(order):
        for context in product([1, 3, 4, 5, 6, 7], repeat=length):
            if START in context[1:]:
                continue
            row = distribution(orders, np.array(context, dtype=np.int64))
            assert np.isclose(row.sum(), 1.0, rtol=1e-12) and row[START] == 0.0
            expected = [0.0 if w == START else naive.p(w, context) for w in range(V)]
            np.testing.assert_allclose(row, expected, rtol=1e-10)


@settings(max_examples=40, deadline=None)
@given(SENTENCES, SENTENCES, st.integers(1, 4))
def test_a_text_is_scored_word_by_word(known: list[list[int]], new: list[list[int]], order: int) -> None:
    naive = Naive(known, order, 8)
    orders, _, _ = estimated(counted(bounded(rows(known)), order, 8))
    found = iter(log_probabilities(orders, bounded(rows(new))))
    for sentence in new:
        padded = (1, *sentence, 2)
        assert next(found) == 0.0
        for i in range(1, len(padded)):
            assert np.isclose(next(found), np.log(naive.p(padded[i], padded[:i])), rtol=1e-10)


def test_discounts_by_hand() -> None:
    """n₁ … n₄ = 4, 3, 2, 1: Y = 4 / 10, D = 1 − 2·.4·3/4, 2 − 3·.4·2/3, 3 − 4·.4·1/2."""
    counts = np.array([1] * 4 + [2] * 3 + [3] * 2 + [4] + [9])
    np.testing.assert_allclose(discount(counts)[0], [0, 0.4, 1.2, 2.2])
    assert discount(np.array([1, 2, 3]))[1] is False and (discount(np.array([1, 2, 3]))[0] == FALLBACK).all()


def test_a_text_large_enough_has_discounts_of_its_own() -> None:
    rng = np.random.default_rng(0)
    sentences = [(3 + rng.zipf(1.5, 8).clip(1, 40)).tolist() for _ in range(60)]
    orders = counted(bounded(rows(sentences)), 3, 45)
    model, discounts, guessed = estimated(orders)
    naive = Naive(sentences, 3, 45)
    assert guessed == []
    for mine, theirs in zip(discounts, naive.D, strict=True):
        np.testing.assert_allclose(mine, theirs[1:])
    for context in ((1,), (4,), (4, 5), (1, 4), (44, 44)):
        row = distribution(model, np.array(context))
        np.testing.assert_allclose(row, [0.0 if w == 1 else naive.p(w, context) for w in range(45)], rtol=1e-10)
    assert len(SPECIAL) == 3


@pytest.mark.parametrize("order", [1, 3])
def test_a_text_without_words(order: int) -> None:
    model, _, _ = estimated(counted(bounded(rows([[], []])), order, 3))
    assert np.isclose(distribution(model, np.array([START])).sum(), 1.0)


# --- the estimator --------------------------------------------------------------------------------------------------

LINES = ["the dog runs", "the cat runs", "a dog sleeps", "", "the cat sees a dog", "a cat runs"] * 3


def made(**settings: Any) -> LanguageModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a text this small cannot tell its discounts
        return LanguageModel(**settings).fit(LINES)


@pytest.mark.parametrize("settings", [{"order": 1}, {"order": 2, "min_count": 4}, {"order": 3, "characters": True}])
def test_arpa_keeps_every_probability(tmp_path: Path, settings: dict[str, Any]) -> None:
    model, new = made(**settings), ["the dog sleeps", "zebra the", "", "runs a"]
    model.write_arpa(tmp_path / "m.arpa")
    packed = tmp_path / "m.arpa.gz"
    model.write_arpa(packed)
    assert gzip.decompress(packed.read_bytes()) == (tmp_path / "m.arpa").read_bytes()
    for path in (tmp_path / "m.arpa", packed):
        other = LanguageModel.from_arpa(path)
        assert other.characters == model.characters
        np.testing.assert_allclose(other.score_samples(new), model.score_samples(new), rtol=1e-7)
    model.save(tmp_path / "m")
    loaded = softcount.load(tmp_path / "m")
    assert (loaded.score_samples(new) == model.score_samples(new)).all() and loaded.signature_ == model.signature_


def test_perplexity_counts_ends_and_can_leave_unknown_words_out() -> None:
    model = made(order=2)
    found = model.fluency(["the zebra runs", "a"])
    logs = model.log_probabilities(["the zebra runs", "a"]).values
    assert (found.tokens, found.unknown) == (6, 1)
    assert np.isclose(found.perplexity, np.exp(-logs.mean()))
    assert np.isclose(found.perplexity_known, np.exp(-np.delete(logs, 1).mean()))
    assert np.isclose(found.bits, -logs.sum() / np.log(2))
    assert np.isclose(model.score(["a", "the"]), model.score_samples(["a", "the"]).mean())


def test_samples_follow_the_probabilities() -> None:
    model = made(order=2)
    begins = Counter(line.split()[0] if line else "</s>" for line in model.sample(2000, random_state=1))
    row = {w: model.probability(w, ["<s>"]) for w in ("the", "a", "</s>")}
    known = 1 - model.probability("<unk>", ["<s>"])
    for word, p in row.items():
        assert abs(begins[word] / 2000 - p / known) < 0.04


def test_characters_are_joined_again() -> None:
    lines = made(order=4, characters=True).sample(20, random_state=0)
    assert all("▁" not in line for line in lines) and any(line in LINES and line for line in lines)


def test_transitions_are_rows_of_the_model() -> None:
    model = made(order=2)
    table = model.transition()
    np.testing.assert_allclose(table.sum(axis=1), 1.0)
    the, dog = model.vocabulary_.encode(["the", "dog"])
    assert table[the, dog] == model.probability("dog", ["the"])


@pytest.mark.parametrize(
    "text, said",
    [
        ("1-grams", "no line"),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\n-1\ta\n", "the file seems truncated, write or copy it again"),
        ("\\data\\\nngram 1=2\n\n\\1-grams:\n-1\ta\n\n\\end\\\n", "1 n-grams where 2"),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\nx\ta\n\n\\end\\\n", "no number"),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\n-1\ta b c\n\n\\end\\\n", "should be a number, 1 words"),
        ("\\data\\\nngram 1=2\n\n\\1-grams:\n-1\ta\n-1\ta\n\n\\end\\\n", "twice"),
        (
            "\\data\\\nngram 1=1\nngram 2=1\n\n\\1-grams:\n-1\ta\t0\n\n\\2-grams:\n-1\ta b\n\n\\end\\\n",
            "not among the 1",
        ),
        ("\\data\\\nngram 1=1\nngram 2=1\n\n\\1-grams:\n-1\ta\t0\n\n\\end\\\n", "announces 2 orders"),
        ("\\data\\\nngram 1=0\n\n\\1-grams:\n\n\\end\\\n", "announces no 1-grams"),
        (
            "\\data\\\nngram 1=" + "9" * 5000 + "\n\n\\1-grams:\n-1\ta\n\n\\end\\\n",
            "x.arpa:2: 'ngram 1=9+…' announces more",
        ),
        (
            "\\data\\\nngram " + "9" * 5000 + "=1\n\n\\1-grams:\n-1\ta\n\n\\end\\\n",
            "x.arpa:2: 'ngram 9+…' announces more",
        ),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\n" + "9" * 5000 + "\ta\n\n\\end\\\n", "has no number where one should be"),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\n-1\ta\t300\n\n\\end\\\n", r"1-gram 1: has a back-off weight above 10\^20"),
        ("\\data\\\nngram 1=1\nngram 2=1\n\n\\2-grams:\n-1\ta\t0\n\n\\end\\\n", "where .1-grams: should be"),
    ],
)
def test_files_that_are_none_are_refused_in_a_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.arpa"
    path.write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        LanguageModel.from_arpa(path)
    assert "x.arpa" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("empty", [1, 3_000])
def test_orders_without_ngrams(tmp_path: Path, empty: int) -> None:
    """A short text has none of the longest; that they are announced in thousands costs nothing."""
    orders = range(2, 2 + empty)
    head = "\\data\\\nngram 1=4\n" + "".join(f"ngram {n}=0\n" for n in orders)
    words = "\n\\1-grams:\n-99\t<s>\t-0.5\n-0.5\t</s>\n-0.25\tab\t-1\n-2\t<unk>\n"
    (tmp_path / "x.arpa").write_text(head + words + "".join(f"\\{n}-grams:\n" for n in orders) + "\\end\\\n")
    found = LanguageModel.from_arpa(tmp_path / "x.arpa")
    assert len(found.orders_) == 2 and found.score_samples(["ab b"]) / np.log(10) == pytest.approx(-0.75 - 3 - 0.5)
    found.save(tmp_path / "m")
    assert softcount.load(tmp_path / "m").score_samples(["ab b"]) == found.score_samples(["ab b"])


def test_what_cannot_be_trained_is_refused() -> None:
    for chosen, lines, said in (
        ({"order": 0}, ["a"], "1 to 10"),
        ({"min_count": 0}, ["a"], "min_count is 0"),
        ({}, ["a <s> b"], "which marks the start or end of a sentence"),
        ({}, "a b", "give a list of lines"),
        ({}, [], "no sentence"),
    ):
        with pytest.raises(InputError, match=said):
            LanguageModel(**chosen).fit(lines)


# --- the command ----------------------------------------------------------------------------------------------------


def test_the_command_trains_writes_and_applies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("\n".join(LINES) + "\n")
    (tmp_path / "new").write_text("the dog runs\nzebra\n")
    ran = run("lm text --order 2 --save m --arpa m.arpa")
    assert ran.code == 0 and ran.out.startswith("order\tngrams")
    by_model, by_file = (json.loads(run(f"lm --apply {name} new --json").out) for name in ("m", "m.arpa"))
    expected = made(order=2).fluency(["the dog runs", "zebra"])
    for found in (by_model, by_file):
        assert {*expected._fields, "signature"} == set(found)
        np.testing.assert_allclose([found[name] for name in expected._fields], expected, rtol=1e-6)
    scores = [float(line) for line in run("lm --apply m new --scores").out.split()]
    np.testing.assert_allclose(np.array(scores) * np.log(10), made(order=2).score_samples(["the dog runs", "zebra"]),
                               rtol=1e-5)  # fmt: skip
    assert len(run("lm --apply m --sample 3").out.splitlines()) == 3
    assert run("lm --apply m new --scores --query srilm").code == 2
    refused = run("lm")
    assert refused.code == 2 and "no text to train on" in refused.err


# --- KenLM and SRILM --------------------------------------------------------------------------------------------------

# As SRILM's ngram-count writes it: words by their bytes, seven digits, the unknown word among them, no backoff where
# nothing follows.
SRILM = """
\\data\\
ngram 1=6
ngram 2=6
ngram 3=2

\\1-grams:
-0.7781513\t</s>
-99\t<s>\t-0.4771213
-1.477121\t<unk>
-0.9542425\ta\t-0.30103
-0.69897\tdog\t-0.2218487
-0.8450980\truns

\\2-grams:
-0.30103\t<s> a\t-0.1249387
-0.60206\t<s> dog
-0.1760913\ta dog\t-0.1549020
-0.39794\tdog </s>
-0.4771213\tdog runs
-0.1249387\truns </s>

\\3-grams:
-0.09691001\t<s> a dog
-0.2218487\ta dog runs

\\end\\
"""
ASKED = ["a dog runs", "dog dog", "", "a zebra runs", "runs a dog runs"]


def test_a_file_of_srilm_by_hand_and_as_kenlm_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "srilm.arpa"
    path.write_text(SRILM)
    found = LanguageModel.from_arpa(path).score_samples(ASKED) / np.log(10)
    assert np.isclose(found[0], -0.30103 - 0.09691001 - 0.2218487 - 0.1249387)  # “dog runs” has no backoff
    assert np.isclose(found[1], -0.60206 + (-0.2218487 - 0.69897) - 0.39794)  # dog after dog: by its backoff
    assert np.isclose(found[2], -0.4771213 - 0.7781513)
    kenlm = pytest.importorskip("kenlm")
    theirs = kenlm.Model(str(path))
    np.testing.assert_allclose(found, [theirs.score(line) for line in ASKED], atol=1e-4)


@pytest.mark.parametrize("settings", [{"order": 2}, {"order": 4, "min_count": 3}, {"order": 3, "characters": True}])
def test_kenlm_says_the_same(tmp_path: Path, settings: dict[str, Any]) -> None:
    pytest.importorskip("kenlm")
    model, new = made(**settings), ["the dog sleeps", "zebra the", "", "runs a cat"]
    model.save(tmp_path / "m")
    other = softcount.load(tmp_path / "m", query="kenlm")
    np.testing.assert_allclose(other.score_samples(new), model.score_samples(new), atol=1e-4)
    np.testing.assert_allclose(other.fluency(new), model.fluency(new), rtol=1e-4)


def test_who_is_asked_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="query='srilm': unknown; use own, kenlm"):
        LanguageModel(query="srilm").fit(LINES)
    monkeypatch.setitem(sys.modules, "kenlm", None)
    with pytest.raises(InputError, match="needs the package kenlm"):
        made(order=2, query="kenlm").perplexity(["a"])


def test_more_sentences_than_there_is_memory_for_are_refused(tmp_path, monkeypatch):
    import softcount as sc

    for model in (
        made(order=2),
        sc.Grammar("S -> 'a' | S S [0.1]", criterion="em:1").fit(["a", "a a"]),
        sc.HMM(2, criterion="em:1", start="random", random_state=0).fit(["a b", "b a"]),
    ):
        with pytest.raises(InputError, match=r"need .* GB, but this machine has .*; ask for fewer"):
            model.sample(2**64)


def test_a_text_without_a_finite_perplexity_is_refused(tmp_path: Path) -> None:
    """Whatever a file says of its words, no command prints infinity."""
    path = tmp_path / "x.arpa"
    path.write_text("\\data\\\nngram 1=4\n\n\\1-grams:\n-99\t<s>\n-900\t</s>\n-900\ta\n-1\t<unk>\n\n\\end\\\n")
    with pytest.raises(InputError, match="the mean log-probability of a word is -2072, which gives no finite"):
        LanguageModel.from_arpa(path).fluency(["a a"])
