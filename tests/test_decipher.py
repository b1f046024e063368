"""Deciphering: a language model as a table, keys that are found again, blanks, homophones, files, what is refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run

import softcount
from softcount import Decipher, InputError, LanguageModel
from softcount.language.histories import next_letters, shortened, visits, without_blanks
from softcount.synthetic import language

pytestmark = pytest.mark.filterwarnings("ignore:too little text")  # to estimate discounts
LETTERS = "abcdefghijklmnopqrstuvwxyz"
CODE = "qwertyuiopasdfghjklzxcvbnm"  # the key of all tests here
WRITTEN = str.maketrans(LETTERS, CODE)


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """A small language without marks, a line a sentence."""
    made = [" ".join(word for word in words if word.isalpha()) for words in language(1500, seed=4).sentences]
    return [line for line in made if line]


@pytest.fixture(scope="module")
def lm(lines: list[str]) -> LanguageModel:
    return LanguageModel(order=3, characters=True).fit(lines[30:])


def wrong(found: list[str], plain: list[str]) -> float:
    """The share of letters that are not right."""
    pairs = [(a, b) for x, y in zip(found, plain, strict=True) for a, b in zip(x, y, strict=True) if b != " "]
    return sum(a != b for a, b in pairs) / len(pairs)


# --- the language model as a table ------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_a_table_has_the_probabilities_of_the_model(order: int) -> None:
    model = LanguageModel(order=order, characters=True).fit(["abba cab", "bad cab", "a dab", "cad"])
    letters = ["a", "b", "c", "d"]
    table = next_letters(model.orders_, model.vocabulary_.encode(letters).tolist(), 3)
    np.testing.assert_allclose(table.sum(axis=1), 1.0)
    names = [*letters, "<s>"]
    for history in product(range(5), repeat=2):
        if history[1] == 4 and history[0] != 4:
            continue  # nothing stands before a start
        context = [names[k] for k in history if k != 4 or history == (4, 4)][-2:]
        context = ["<s>", *context] if history[0] == 4 and history[1] != 4 else context
        context = ["<s>"] if history == (4, 4) else context
        row = np.array([model.probability(w, context) for w in [*letters, "</s>"]])
        np.testing.assert_allclose(table[history[0] * 5 + history[1]], row / row.sum(), rtol=1e-9)


def test_a_shorter_table_is_the_text_that_the_longer_one_writes(lm: LanguageModel) -> None:
    """Pairs of letters are as frequent as in text that was drawn from the model."""
    letters = ["a", "e", "t", "▁", "n", "s", "h", "i"]
    table = next_letters(lm.orders_, lm.vocabulary_.encode(letters).tolist(), 3)
    shorter, B = shortened(table), 9
    rng, pairs, history = np.random.default_rng(0), np.zeros((B, B)), B * B - 1
    for _ in range(20_000):
        w = int(np.searchsorted(table[history].cumsum(), rng.random()))
        pairs[history % B, w] += 1
        history = (history * B + w) % (B * B) if w < B - 1 else B * B - 1
    drawn = pairs / pairs.sum(axis=1, keepdims=True)
    often = pairs.sum(axis=1) > 1000
    assert often.sum() >= 4 and np.abs(drawn - shorter)[often].max() < 0.04
    assert np.isclose(visits(table).sum(), 1.0)
    np.testing.assert_allclose(shorter.sum(axis=1), 1.0)


def test_blanks_that_are_not_written() -> None:
    table = np.array([[0.1, 0.5, 0.3, 0.1], [0.2, 0.2, 0.5, 0.1], [0.6, 0.4, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]])
    found = without_blanks(table, 2)
    np.testing.assert_allclose(found[0], [0.1 + 0.3 * 0.6, 0.5 + 0.3 * 0.4, 0.0, 0.1])


# --- keys -------------------------------------------------------------------------------------------------------------


def test_a_substitution_is_found(lm: LanguageModel, lines: list[str]) -> None:
    plain = lines[:12]
    model = Decipher(lm, criterion="em:30", restarts=3, random_state=1).fit([p.translate(WRITTEN) for p in plain])
    assert wrong(model.predict([p.translate(WRITTEN) for p in plain]), plain) <= 0.05
    best = {entry.cipher: entry for entry in reversed(model.key([p.translate(WRITTEN) for p in plain]))}
    assert best["t"].plain == "e" and best["▁"].plain == "▁" and best["t"].probability > 0.9  # e is written t
    assert model.objective_ > max(restart.objective for restart in model.restarts_)  # a trigram model knows more
    assert {step.parts["order"] for step in model.history_} == {2.0, 3.0}


@pytest.mark.thorough
def test_blanks_are_found(lm: LanguageModel, lines: list[str]) -> None:
    plain = lines[:20]
    cipher = [p.translate(WRITTEN).replace(" ", "") for p in plain]
    model = Decipher(lm, criterion="em:30", restarts=8, random_state=0).fit(cipher)
    found = model.predict(cipher)
    assert model.blanks_ == "unknown" and [len(f.replace(" ", "")) for f in found] == [len(c) for c in cipher]
    assert wrong([f.replace(" ", "") for f in found], [p.replace(" ", "") for p in plain]) <= 0.08
    ends = [{len(line[:i].replace(" ", "")) for i, c in enumerate(line) if c == " "} for line in (*found, *plain)]
    right = sum(len(a & b) for a, b in zip(ends[: len(plain)], ends[len(plain) :], strict=True))
    assert right > 0.7 * sum(map(len, ends[len(plain) :]))
    grouped = [" ".join(c[i : i + 5] for i in range(0, len(c), 5)) for c in cipher]
    assert model.predict(grouped) == found


@pytest.mark.thorough
def test_homophones_and_a_blank_that_is_written(lm: LanguageModel, lines: list[str]) -> None:
    """Frequent letters are written in two ways, in turn; a blank as a full stop."""
    plain, twice, written = lines[:24], dict(zip("etaoin", "123456", strict=True)), []
    for number, p in enumerate(plain):
        code = p.translate(WRITTEN).replace(" ", ".")
        written.append("".join(twice[a] if a in twice and (i + number) % 2 else b
                               for i, (a, b) in enumerate(zip(p, code, strict=True))))  # fmt: skip
    model = Decipher(lm, blanks="letter", criterion="em:30", restarts=8, random_state=1).fit(written)
    assert wrong(model.predict(written), plain) <= 0.1
    assert len(model.vocabulary_) > len(set("".join(plain)))


def test_words_of_a_related_language() -> None:
    """A word a line, without blanks; some letters of the one language are one letter of the other."""
    words = sorted({w for s in language(150, seed=2).sentences for w in s if w.isalpha() and len(w) > 2})
    lm = LanguageModel(order=3, characters=True).fit(words)
    sounds = str.maketrans(LETTERS, "αβκδεφγχιικλμνοπκρστυβωξηζ")  # v as b, c and q as k, j as i
    related = [w.translate(sounds) for w in words]
    model = Decipher(lm, criterion="em:30", restarts=3, random_state=0).fit(related)
    assert wrong(model.predict(related), words) <= 0.12


@pytest.mark.parametrize("order", [2, 3])
def test_pieces_are_learned_with_the_longest_n_grams(lm: LanguageModel, lines: list[str], order: int) -> None:
    text = [line.translate(WRITTEN) for line in lines[:30]]
    model = Decipher(lm, order=order, random_state=0)
    scores = [model.partial_fit(text).score(text) for _ in range(4)]
    assert model.language_.shape == ((len(model.letters_) + 1) ** (order - 1), len(model.letters_) + 1)
    assert (model.n_iter_, len(model.history_), len(model.restarts_)) == (4, 4, 1)
    assert scores == sorted(scores) and scores[-1] > scores[0] + 1.0


def test_the_same_seed_gives_the_same_bits_whatever_the_threads(lm: LanguageModel, lines: list[str]) -> None:
    cipher = [p.translate(WRITTEN) for p in lines[:6]]
    one, two = (Decipher(lm, criterion="em:5", restarts=2, random_state=3, n_jobs=n).fit(cipher) for n in (1, 2))
    assert (one.emission_ == two.emission_).all() and one.signature_ == two.signature_


def test_saved_and_loaded(lm: LanguageModel, lines: list[str], tmp_path: Path) -> None:
    cipher = [p.translate(WRITTEN) for p in lines[:6]]
    for settings in ({"criterion": "em:5"}, {"criterion": "gibbs:4", "blanks": "unknown"}, {"order": 2}):
        model = Decipher(lm, restarts=2, random_state=0, **settings).fit(cipher)  # type: ignore[arg-type]
        model.save(tmp_path / "m")
        loaded = softcount.load(tmp_path / "m")
        assert loaded.predict(cipher) == model.predict(cipher) and loaded.score(cipher) == model.score(cipher)
        assert loaded.signature_ == model.signature_ and loaded.key(cipher) == model.key(cipher)


@pytest.mark.parametrize(
    "settings, text, said",
    [
        ({}, "abc", "give a list of lines"),
        ({}, [""], "no letters to decipher"),
        ({"order": 4}, ["abc"], ", but the language model has order"),
        ({"order": 1}, ["abc"], "it must be at least 2"),
        ({"order": 2}, ["abc"], "use a language model of order 3"),
        ({"blanks": "some"}, ["abc"], ": unknown"),
        ({"letters": "0"}, ["abc"], "none of them is in the language model"),
        ({"power": 0.0}, ["abc"], "above zero"),
    ],
)
def test_what_makes_no_sense_is_refused(lm: LanguageModel, settings: dict[str, Any], text: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Decipher(lm, **settings).fit(text)


def test_a_language_model_of_words_is_refused(lines: list[str]) -> None:
    with pytest.raises(InputError, match="of words"):
        Decipher(LanguageModel(order=2).fit(lines)).fit(["abc"])
    with pytest.raises(InputError, match="give Decipher a trained LanguageModel"):
        Decipher().fit(["abc"])
    without = LanguageModel(order=2, characters=True).fit([line.replace(" ", "") for line in lines])
    with pytest.raises(InputError, match="write one word per line, or use `blanks` unknown"):
        Decipher(without).fit(["ab c"])


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command(lm: LanguageModel, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lm.save("letters.lm")
    lm.write_arpa("letters.arpa.gz")
    plain = lines[:12]
    Path("cipher").write_text("".join(p.translate(WRITTEN) + "\n" for p in plain))
    asked = "--restarts 3 --seed 1 --criterion em:30"
    ran = run(f"decipher cipher --lm letters.lm {asked} --key key.tsv --save m --trace steps.tsv --signature long")
    assert ran.code == 0 and wrong(ran.out.splitlines(), plain) <= 0.05
    assert "order=3 blanks=known" in ran.err
    assert "em:30 with 2-grams,em:30 with 3-grams: " in ran.err, "iterations are those of both"
    header, *rows = (line.split("\t") for line in Path("key.tsv").read_text().splitlines())
    assert header == ["cipher", "plain", "probability", "count"] and ["t", "e"] in [row[:2] for row in rows]
    assert run("decipher cipher --apply m").out == ran.out
    assert run(f"decipher cipher --lm letters.arpa.gz {asked}").out == ran.out
    assert "order" in Path("steps.tsv").read_text().splitlines()[0]
    refused = run("decipher cipher")
    assert refused.code == 2 and "give --lm" in refused.err
