"""Translating against brute force: all translations, all alignments of each, every model's own numbers."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import refused, run

from softcount import LanguageModel, Translator, WordAligner
from softcount.errors import InputError
from softcount.estimators.beam import EMPTY, found
from softcount.estimators.sampling import positions
from softcount.estimators.translation_task import task
from softcount.estimators.translator import LM_WEIGHTS
from softcount.evaluate.bleu import bleu
from softcount.language.query import beginning

pytestmark = pytest.mark.filterwarnings("ignore:too little text")

X = ["a b", "b c", "a c c", "b", "c a b", "a b c", "c b"]
Y = ["u v", "v w", "u w", "v", "w u v", "u v w", "w v"]
MODELS: dict[str, dict[str, Any]] = {
    "ibm1": {"model": "ibm1", "criterion": "em:2"},
    "ibm2": {"model": "ibm1:1,ibm2:2", "criterion": "em", "null": 0.1, "tension": 2.0},
    "free": {"model": "ibm1:1,ibm2-free:1", "criterion": "em"},
    "hmm": {"model": "ibm1:1,hmm:2", "agreement": False, "criterion": "em", "null": 0.1},
    "agreed": {"fertility": False, "spelling": False, "stems": ()},
    "agreed1": {"model": "ibm1:2", "agreement": True, "spelling": False, "stems": ()},
}
WEIGHT, BONUS = 0.7, 0.3


@pytest.fixture(scope="module", params=MODELS)
def translator(request: pytest.FixtureRequest) -> Translator:
    aligner = WordAligner(**MODELS[request.param]).fit(X, Y)
    lm = LanguageModel(2 if request.param == "hmm" else 3).fit(Y)
    return Translator(aligner, lm, lm_weight=WEIGHT, word_bonus=BONUS, beam=4000, window=5, options=9, inserts=2)


@cache
def tables(aligner: Any) -> tuple[dict[tuple[str, str], float], dict[str, float]]:
    """t(x | y), and t(x | empty word), as the aligner shows them."""
    side = aligner.directions_["reverse"]
    x, y = (v.words for v in aligner.vocabularies_)
    rates = {}
    for row, columns, values in zip(
        range(-1, len(y)), side.model.entries.rows(), side.parameters.translation.rows(), strict=True
    ):
        for column, p in zip(columns.tolist(), values.tolist(), strict=True):
            rates[x[column], y[row] if row >= 0 else ""] = p
    return {k: p for k, p in rates.items() if k[1]}, {k[0]: p for k, p in rates.items() if not k[1]}


@cache
def placing(aligner: Any, l: int, m: int) -> Any:
    """[m, l + 1] of Models 1 and 2; else (p₀, first places, last places, jumps by word), or p₀ alone."""
    if aligner.agreed_ is None:
        side = aligner.directions_["reverse"]
        if side.model.alignment != "jumps":
            return positions(side.model, side.log_weights.alignment, l, m)
        vector = np.exp(side.log_weights.alignment)
        begin, end, jump, _ = side.model.positions.parts(vector)
        return vector[0], begin, end, dict.fromkeys(aligner.vocabularies_[1].words, jump)
    model = aligner.agreed_.model
    weights = model.weigh(aligner.agreed_.log_weights)
    null, side = 1.0 - weights.linked[1], weights.directions[1]
    if not model.positions:
        return null
    words = aligner.vocabularies_[1].words
    return null, side.begin, side.end, {word: side.jump[side.kinds[k]] for k, word in enumerate(words)}


def joint(aligner: Any, x: list[str], y: tuple[str, ...], a: tuple[int, ...]) -> float:
    """P(x, a | y) from the story of each model: a_j is 0 for the empty word, else 1 + the place in y."""
    t, empty = tables(aligner)
    l, m = len(y), len(x)
    words = np.prod([t.get((x[j], y[i - 1]), 0.0) if i else empty.get(x[j], 0.0) for j, i in enumerate(a)])
    table = placing(aligner, l, m)
    if isinstance(table, np.ndarray) and table.ndim == 2:
        return float(words * np.prod([table[j, i] for j, i in enumerate(a)]))
    null, *rest = table if isinstance(table, tuple) else (table,)
    shares = null ** a.count(0) * (1 - null) ** (m - a.count(0))
    linked = [i - 1 for i in a if i]
    return float(words * shares * (moves(linked, y, *rest) if rest else l ** -float(len(linked))))


def moves(places: list[int], y: tuple[str, ...], begin: Any, end: Any, jumps: Any) -> float:
    """First link, jumps, last place; each over what a sentence of this length allows."""
    l = len(y)
    if not places:
        return 1.0 / l
    p = begin[places[0]] / begin[:l].sum() * end[l - 1 - places[-1]] / end[:l].sum()
    for here, there in pairwise(places):
        jump = jumps[y[here]]
        middle = len(jump) // 2
        p *= jump[middle + there - here] / jump[middle - here : middle - here + l].sum()
    return float(p)


@cache
def fluency(lm: Any, y: tuple[str, ...]) -> float:
    return float(lm.score_samples([list(y)])[0])


def total(translator: Translator, y: tuple[str, ...], p: float) -> float:
    return float(np.log(p) + WEIGHT * fluency(translator.lm, y) + BONUS * len(y)) if p > 0.0 else -np.inf


def allowed(translator: Translator, y: tuple[str, ...], a: tuple[int, ...]) -> bool:
    """Words that cover nothing are among the commonest, and no two of them stand together."""
    idle = [i + 1 not in a for i in range(len(y))]
    common = translator.aligner.vocabularies_[1].words[: translator.inserts]
    return all(word in common for word, is_idle in zip(y, idle, strict=True) if is_idle) and not any(
        one and two for one, two in pairwise(idle)
    )


def searched(translator: Translator, x: list[str], l: int, n: int = 1) -> list[tuple[tuple[str, ...], Any, float]]:
    asked = translator._asked(n)
    asked = asked._replace(how=asked.how._replace(exact=True))
    made, names = task(asked, x, asked.channel.vocabularies[0].encode(x))
    best = found(made, asked.channel.places.at(l, len(x)), asked.lm, beginning(asked.lm), asked.how, n)
    return [(tuple(names[u] for u in words.tolist()), places, score) for words, places, score in best]


@pytest.mark.parametrize(("sentence", "lengths"), [("a c", (1, 2, 3)), ("c b a", (2,))])
def test_the_search_is_exact(translator: Translator, sentence: str, lengths: tuple[int, ...]) -> None:
    x, words = sentence.split(), translator.aligner.vocabularies_[1].words
    for l in lengths:
        wanted, most, sums = None, -np.inf, {}
        for y in product(words, repeat=l):
            each = {a: joint(translator.aligner, x, y, a) for a in product(range(l + 1), repeat=len(x))}
            sums[y] = sum(each.values())
            for a, p in each.items():
                if allowed(translator, y, a) and total(translator, y, p) > most:
                    wanted, most = y, total(translator, y, p)
        given = [list(y) for y in sums]
        logs = translator.aligner.scores([x] * len(given), given)[:, 1]
        np.testing.assert_allclose(np.exp(logs), list(sums.values()), rtol=1e-4, atol=1e-10)
        best = searched(translator, x, l)
        if wanted is None:
            assert not best
            continue
        assert best[0][0] == wanted
        assert best[0][2] == pytest.approx(most, rel=1e-5)
        links = tuple(0 if i == EMPTY else i + 1 for i in best[0][1].tolist())
        assert total(translator, wanted, joint(translator.aligner, x, wanted, links)) == pytest.approx(most, rel=1e-5)


def test_many_translations_are_the_best_ones(translator: Translator) -> None:
    x, words = ["a", "c"], translator.aligner.vocabularies_[1].words
    best: dict[tuple[str, ...], float] = {}
    for y in product(words, repeat=2):
        scores = [
            total(translator, y, joint(translator.aligner, x, y, a))
            for a in product(range(3), repeat=2) if allowed(translator, y, a)
        ]  # fmt: skip
        if max(scores, default=-np.inf) > -np.inf:
            best[y] = max(scores)
    ours = searched(translator, x, 2, n=4)
    theirs = sorted(best.values(), reverse=True)[:4]
    assert [score for *_, score in ours] == pytest.approx(theirs, rel=1e-5)


def test_what_is_told_of_a_translation(translator: Translator) -> None:
    """In order of log P(x | y), summed over alignments, and log P(y); narrow beams find no better."""
    for sentence, each in zip(["a b", "c"], translator.nbest(["a b", "c"], 3), strict=True):
        assert 1 <= len(each) <= 3 and len({one.text for one in each}) == len(each)
        for one in each:
            assert one.channel == pytest.approx(translator.aligner.scores([sentence], [one.text])[0, 1], rel=1e-6)
            assert one.language == pytest.approx(translator.lm.score_samples([one.text])[0], rel=1e-9)
            assert one.score == pytest.approx(one.channel + WEIGHT * one.language + BONUS * len(one.words))
        assert [one.score for one in each] == sorted((one.score for one in each), reverse=True)
        assert all(0 <= j < len(sentence.split()) and 0 <= i < len(one.words) for one in each for j, i in one.links)


SOURCE = ["the house", "the book", "a book", "the small house", "a house", "the car"] * 4
TARGET = ["das haus", "das buch", "ein buch", "das haus kleine", "ein haus", "das auto"] * 4


@pytest.fixture(scope="module")
def small() -> Translator:
    return Translator(WordAligner().fit(SOURCE, TARGET), LanguageModel(2).fit(TARGET))


def with_settings(small: Translator, **settings: Any) -> Translator:
    return Translator(**{**small.get_params(), **settings})


def test_words_are_reordered_copied_and_overridden(small: Translator) -> None:
    assert small.translate(["a small house", "", "The zebra"]) == ["ein haus kleine", "", "das zebra"]
    kept = with_settings(small, window=0, inserts=0).translate(["a small house"])
    assert kept != ["ein haus kleine"]  # whatever stands there, the order is that of the source
    lexicon = [("book", "werk", "must"), ("car", "auto", "never"), ("zebra", "zebra-tier", "prefer")]
    plain = {"inserts": 0, "word_bonus": 0.0}
    told = with_settings(small, lexicon=lexicon, **plain)
    book, car, zebra = told.translate(["a book", "the car", "a zebra"])
    assert book == "ein werk" and "auto" not in car and zebra == "ein zebra-tier"
    other = Translator(
        small.aligner, LanguageModel(2).fit(SOURCE), reverse=True, lexicon=[("tome", "buch", "must")], **plain
    )
    assert other.translate(["ein haus", "ein buch"]) == ["a house", "a tome"]


def test_a_few_pairs_are_translated_once() -> None:
    """With a reward of 2 a bigram model of four lines wrote every translation twice."""
    source, target = ["das haus", "das buch", "ein buch", "ein haus"], ["the house", "the book", "a book", "a house"]
    for model in ("ibm1", "ibm1:10", None):
        aligner = WordAligner(model, criterion="em" if model == "ibm1:10" else None).fit(source, target)
        assert Translator(aligner, LanguageModel(2).fit(target)).translate(source) == target


def test_reward_zero_finds_the_largest_product(small: Translator) -> None:
    """P(x | y) P(y), over all y of up to three words."""
    exact = with_settings(small, word_bonus=0.0, beam=5000, options=20, inserts=20, window=5)
    words = small.aligner.vocabularies_[1].words
    for x in ("the house", "a car"):
        every = [" ".join(y) for n in (1, 2, 3) for y in product(words, repeat=n)]
        totals = small.aligner.scores([x] * len(every), every)[:, 1] + small.lm.score_samples(every)
        best = exact.nbest([x])[0][0]
        assert best.score == pytest.approx(best.channel + best.language)
        assert best.score == pytest.approx(float(totals.max()), rel=1e-6)


def test_threads_and_saved_models_change_nothing(small: Translator, tmp_path: Path) -> None:
    import softcount

    lines = [*SOURCE, "a small car"] * 3
    one = small.nbest(lines, 2)
    assert with_settings(small, n_jobs=2).nbest(lines, 2) == one
    small.aligner.save(tmp_path / "m")
    small.lm.save(tmp_path / "l")
    again = Translator(softcount.load(tmp_path / "m"), softcount.load(tmp_path / "l")).nbest(lines[:8], 2)
    assert [[t.text for t in each] for each in again] == [[t.text for t in each] for each in one[:8]]


def test_tuning_takes_the_weights_with_the_highest_bleu(small: Translator) -> None:
    x, y = ["a small house", "the small car"], ["ein haus kleine", "das auto kleine"]
    tuned = with_settings(small, lm_weight=0.4, word_bonus=0.0).tune(x * 2, y * 2)
    scores = {}
    for weight in LM_WEIGHTS:
        found = with_settings(small, lm_weight=weight, word_bonus=0.0).translate(x * 2)
        scores[weight] = bleu([line.split() for line in found], [line.split() for line in y * 2])
    assert tuned.lm_weight == max(LM_WEIGHTS, key=scores.__getitem__)
    final = tuned.translate(x * 2)
    assert tuned.bleu_ == bleu([line.split() for line in final], [line.split() for line in y * 2])
    with pytest.raises(InputError, match="2 sentences for tuning, but 1 translations"):
        tuned.tune(x, y[:1])


def test_bleu_is_sacrebleus() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    ours = ["the cat sat on the mat today", "a b c d e", "x"]
    wanted = ["the cat sat on a mat", "a b c d f g h", "x y"]
    theirs = sacrebleu.corpus_bleu(ours, [wanted], tokenize="none", force=True, smooth_method="none").score
    assert bleu([line.split() for line in ours], [line.split() for line in wanted]) == pytest.approx(theirs, rel=1e-9)
    assert bleu([["a"]], [["b"]]) == 0.0


def test_candidates_are_ranked(small: Translator) -> None:
    x = ["a house", "a house", "", "a house"]
    y = ["ein haus", "das auto", "haus", ""]
    rows = small.rank(x, y)
    logs, scores = small.aligner.scores(x, y), small.aligner.pair_scores(x, y)
    for row, (forward, backward), score, candidate in zip(rows, logs, scores, y, strict=True):
        assert (row.score, row.log_p_x_given_y, row.log_p_y_given_x) == (score, backward, forward)
        assert row.log_p_y == small.lm.score_samples([candidate])[0]
        assert row.total == row.log_p_x_given_y + row.log_p_y + 1.0 * len(candidate.split())
    assert rows[0].score > rows[1].score and rows[0].total > rows[1].total and rows[2].score == 0
    assert rows[0].per_word == pytest.approx((logs[0, 0] / 2 + logs[0, 1] / 2) / 2)
    turned = with_settings(small, reverse=True, lm=LanguageModel(2).fit(SOURCE)).rank(y[:2], x[:2])
    assert [row.log_p_x_given_y for row in turned] == logs[:2, 0].tolist()


def test_what_cannot_be_translated(small: Translator) -> None:
    for settings, says in (
        ({"aligner": small.lm}, "aligner is LanguageModel; give a trained word aligner"),
        ({"lm": LanguageModel()}, "lm is LanguageModel; give a trained language model"),
        ({"window": 61}, "it must be from 0 to 60"),
        ({"lm_weight": -1.0}, "both must be numbers up to"),
        ({"lm_weight": float("nan")}, "both must be numbers up to"),
        (
            {"lm_weight": 1e308},
            r"lm_weight is 1e\+308 and word_bonus is .*; both must be numbers up to 1e\+100, the weight at least 0",
        ),
        ({"word_bonus": -1e308}, r"word_bonus is -1e\+308; both must be numbers"),
    ):
        with pytest.raises(InputError, match=says):
            with_settings(small, **settings).translate(["a"])
    for weights in ({"lm_weight": 1e100}, {"word_bonus": 1e100}):
        assert len(with_settings(small, **weights).translate(["a"])) == 1
    never = LanguageModel(1).fit(TARGET)
    never.orders_ = tuple(part._replace(log_p=np.full_like(part.log_p, -np.inf)) for part in never.orders_)
    with pytest.raises(InputError, match="<memory>:2: the language model gives none of its translations a probability"):
        with_settings(small, lm=never).translate(["", "a"])
    alone = WordAligner("ibm1", criterion="em:1", direction="forward").fit(SOURCE, TARGET)
    with pytest.raises(InputError, match=r"the aligner has no P\(source\|target\)"):
        with_settings(small, aligner=alone).translate(["a"])
    with pytest.raises(InputError, match="0 translations"):
        small.nbest(["a"], 0)


def test_the_commands(small: Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small.aligner.save("m")
    small.lm.save("l")
    small.lm.write_arpa("l.arpa")
    Path("x").write_text("a small house\n\nThe car\n")
    Path("y").write_text("ein haus kleine\n\ndas auto\n")
    ran = run("translate m --lm l x")
    assert ran.code == 0 and ran.out == "ein haus kleine\n\ndas auto\n"
    assert run("translate m --lm l.arpa x -q").out == ran.out
    best = run("translate m --lm l x -n 2 -q").out.splitlines()
    assert best[0].startswith("0 ||| ein haus kleine ||| channel= ") and best[1].startswith("0 ||| ")
    told = json.loads(run("translate m --lm l x --json -n 2").out)
    assert told["translations"][0][0]["text"] == "ein haus kleine" and "lm_weight=1.0" in told["signature"]
    assert [0, 0] in told["translations"][0][0]["links"]
    assert "tuned: --lm-weight " in run("translate m --lm l x --tune x --tune-target y").err
    rows = run("rank m --lm l x y -q").out.splitlines()
    assert rows[0].split("\t") == ["score", "total", "log_p_x_given_y", "log_p_y", "log_p_y_given_x", "per_word"]
    assert len(rows) == 4 and 0.5 < float(rows[1].split("\t")[0]) <= 1 and rows[2].startswith("0\t-inf")
    Path("both").write_text("a house ||| ein haus\n")
    one = json.loads(run("rank m --lm l both --json").out)
    assert one["candidates"][0]["score"] > 0.5


def test_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Letters of one alphabet for those of another; blanks are letters too."""
    monkeypatch.chdir(tmp_path)
    letters = str.maketrans("abcdeo", "абцдео")
    words = ["bad ace", "cab", "dab code", "bead", "abode", "coda", "decade", "ode bed", "cod", "boa"] * 3
    Path("x").write_text("\n".join(words) + "\n")
    Path("y").write_text("\n".join(word.translate(letters) for word in words) + "\n")
    links = run("align x y --characters --save m -q").out.splitlines()
    assert links[0] == " ".join(f"{i}-{i}" for i in range(7))
    assert run("lm y --characters --save l -q").code == run("lm y --save words.lm -q").code == 0
    Path("new").write_text("dace bed\n")
    assert run("translate m --lm l new -q").out == "даце бед\n"
    assert run("rank m x y --lm l -q").code == 0
    assert "a\tа\t" in run("glossary m -q").out and "a\tа\t" in run("glossary m x y -q").out
    assert run("align x y --apply m -q").out.splitlines() == links
    refused(run("translate m --lm words.lm new"),
            "words.lm: a language model of words does not fit an aligner of characters; "
            "train one of them again")  # fmt: skip
    model = WordAligner(characters=True).fit(["bad"] * 3, ["бад"] * 3)
    assert model.align(["bad"], ["бад"]) == [[(0, 0), (1, 1), (2, 2)]]
