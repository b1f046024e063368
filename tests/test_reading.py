"""How text is read belongs to the model: on both faces, for whatever is read later, and on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import command
import numpy as np
import pytest

import softcount
from softcount import HMM, PLSA, GaussianMixture, KMeans, NaiveBayesMixture, WordAligner, corpus
from softcount.synthetic import bilingual, language
from softcount.synthetic.topics import topical
from softcount.text.bitext import bitext
from softcount.text.documents import documents

SENTENCES = [" ".join(words) for words in language(40, seed=1).sentences]
LOUD = [line.upper() if i % 2 else line.title() for i, line in enumerate(SENTENCES)]
PAIRS = bilingual(40, seed=1)
SOURCE, TARGET = [" ".join(s) for s in PAIRS.source], [" ".join(t) for t in PAIRS.target]
DOCUMENTS = [" ".join(words) for words in topical(30, seed=1).documents]

# The estimator, its training text, what it is asked, and its answer.
CASES: dict[str, tuple[Any, tuple[Any, ...], Any]] = {
    "hmm": (HMM(3, criterion="em:3", random_state=0), (SENTENCES,), lambda m, x: np.concatenate(m.predict_proba(*x))),
    "aligner": (WordAligner("ibm2", criterion="em:2"), (SOURCE, TARGET), lambda m, x: m.scores(*x)),
    "plsa": (PLSA(3, criterion="em:5", random_state=0), (DOCUMENTS,), lambda m, x: m.transform(*x)),
    "mixture": (NaiveBayesMixture(3, random_state=0), (DOCUMENTS,), lambda m, x: m.predict_log_proba(*x)),
    "kmeans": (KMeans(3, random_state=0), (DOCUMENTS,), lambda m, x: m.transform(*x)),
    "gaussian": (GaussianMixture(3, covariance="unit", random_state=0), (DOCUMENTS,), lambda m, x: m.predict_proba(*x)),
}


def loud(text: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([line.upper() if i % 2 else line.title() for i, line in enumerate(side)] for side in text)


@pytest.mark.parametrize("name", CASES)
def test_lowercase_is_a_setting_that_is_kept(name: str, tmp_path: Path) -> None:
    model, text, answer = CASES[name]
    quiet = answer(model.fit(*text), text)
    model = type(model)(**{**model.get_params(), "lowercase": True}).fit(*loud(text))
    for asked in (loud(text), text):  # the aligner's words come in another order, so its sums differ in the last digit
        np.testing.assert_allclose(answer(model, asked), quiet, rtol=1e-12 if name == "aligner" else 0)
    quiet = answer(model, text)
    assert " lowercase=True" in model.signature_ and model.reading_ == {"lowercase": True}
    model.save(tmp_path / "m")
    again = softcount.load(tmp_path / "m")
    assert again.lowercase and np.array_equal(answer(again, loud(text)), quiet)
    assert not np.array_equal(answer(softcount.load(tmp_path / "m", lowercase=False), loud(text)), quiet)


COMMANDS = {
    "hmm": ("tag", "--states 3 --criterion em:3"),
    "plsa": ("topics", "--topics 3 --criterion em:5"),
    "mixture": ("cluster", "--clusters 3"),
    "kmeans": ("cluster", "--clusters 3 --method kmeans"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_model_of_the_command_line_reads_alike_in_python(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    _, text, answer = CASES[name]
    what, options = COMMANDS[name]
    Path("loud").write_text("\n".join(loud(text)[0]) + "\n", encoding="utf-8")
    assert command.run(f"{what} loud {options} --lowercase --save m -q").code == 0
    model = softcount.load("m")
    assert np.array_equal(answer(model, loud(text)), answer(model, text))
    if name == "hmm":
        printed = command.run("tag loud --apply m -q").out.split("\n")[:-1]
        assert printed == [" ".join(map(str, row)) for row in model.predict(loud(text)[0])]


def test_align_has_lowercase_too(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in zip(("s", "t"), loud((SOURCE, TARGET)), strict=True):
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    trained = command.run("align s t --lowercase --min-count 2 --save m --signature long")
    assert trained.code == 0 and " lowercase=True" in trained.err.splitlines()[-1]
    model = softcount.load("m")
    links = [" ".join(f"{i}-{j}" for i, j in row) for row in model.align(SOURCE, TARGET)]
    assert trained.out.split("\n")[:-1] == links == command.run("align s t --apply m -q").out.split("\n")[:-1]
    plain = WordAligner(min_count=2).fit(SOURCE, TARGET).vocabularies_
    assert [sorted(v.words) for v in model.vocabularies_] == [sorted(v.words) for v in plain]


def test_lower_casing_what_is_read_already_is_reading_lower_cased_text() -> None:
    old = corpus(LOUD, labels=[["X"] * len(line.split()) for line in LOUD])
    new, direct = corpus(old, lowercase=True), corpus(SENTENCES)
    assert new.vocabulary == direct.vocabulary and np.array_equal(new.sentences.values, direct.sentences.values)
    assert new.tags(0) == old.tags(0) and corpus(new, lowercase=True) is new
    both = bitext(bitext(*loud((SOURCE, TARGET))), lowercase=True)
    assert both.digest() == bitext(SOURCE, TARGET).digest()
    table = documents(documents(["The cat", "the CAT cat", ""]), lowercase=True)
    assert table.vocabulary is not None and table.vocabulary.words == ["cat", "the"]
    assert table.matrix().toarray().tolist() == [[1, 1], [2, 1], [0, 0]]


def test_files_from_before_the_setting_keep_their_reading(tmp_path: Path, monkeypatch: Any) -> None:
    """They say in their reading what is now a setting."""
    model = HMM(3, criterion="em:1", lowercase=True, random_state=0).fit(LOUD)
    settings = {name: value for name, value in model.get_params().items() if name != "lowercase"}
    monkeypatch.setattr(model, "_settings_on_disk", lambda: settings)
    model.save(tmp_path / "m")
    assert softcount.load(tmp_path / "m").lowercase is True
