"""Labelled sentences in a file of their own count as if they stood in the text, whatever form the file has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import refused, run

from softcount import HMM, InputError, WordClasses, corpus, read

WORDS = ["the dog runs", "a cat sees the dog", "runs"]
TAGS = ["DET NOUN VERB", "DET NOUN VERB DET NOUN", "VERB"]
REST = ["the cat runs", "a dog sleeps", "", "the dog sees a cat", "a cat runs"]
PAIRS = [list(zip(words.split(), tags.split(), strict=True)) for words, tags in zip(WORDS, TAGS, strict=True)]


def conllu(pairs: list[list[tuple[str, str]]]) -> str:
    lines = [
        "".join(f"{i}\t{word}\t_\t{tag}\tX{tag}\t_\t_\t_\t_\t_\n" for i, (word, tag) in enumerate(sentence, 1))
        for sentence in pairs
    ]
    return "\n".join(lines) + "\n"


FILES = {
    "fifty.txt": "".join(" ".join(f"{word}/{tag}" for word, tag in sentence) + "\n" for sentence in PAIRS),
    "fifty.conllu": conllu(PAIRS),
    "named-otherwise": conllu(PAIRS),
    "fifty.tsv": "\n".join("".join(f"{word}\t{tag}\tmore\n" for word, tag in sentence) for sentence in PAIRS),
    "words": "\n".join(WORDS) + "\n",
    "tags": "\n".join(TAGS) + "\n",
    "rest.txt": "\n".join(REST) + "\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("one.txt").write_text(FILES["fifty.txt"] + FILES["rest.txt"])
    return tmp_path


FORMS = ["fifty.txt", "fifty.conllu", "named-otherwise", "fifty.tsv", "words --labelled-tags tags"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "command", ["tag {} --criterion em:3", "tag {} --criterion vb:2 --start random", "classes {} --output tags"]
)
def test_a_file_of_its_own_is_as_if_it_stood_in_the_text(folder: Path, command: str, form: str) -> None:
    one, apart = run(command.format("one.txt --format tagged")), run(command.format(f"rest.txt --labelled {form}"))
    assert one.code == apart.code == 0, (one, apart)
    assert apart.out == "".join(one.out.splitlines(keepends=True)[len(WORDS) :])
    objectives = [re.findall(r"objective .*", ran.err) for ran in (one, apart)]
    assert objectives[0] == objectives[1] and objectives[0]


def test_columns_of_conllu(folder: Path) -> None:
    ran = run("tag rest.txt --labelled fifty.conllu --column xpos --criterion em:3")
    assert set(ran.out.split()) == {"XDET", "XNOUN", "XVERB"}
    assert "has no effect" not in ran.err


def test_averages_of_chains_are_of_the_text(folder: Path) -> None:
    ran = run("tag rest.txt --labelled fifty.txt --criterion gibbs(chains=2):6 --prior 0.1 -q")
    assert [len(line.split()) for line in ran.out.splitlines()] == [len(line.split()) for line in REST]


@pytest.mark.parametrize("given", ["path", "str", "corpus", "pair"])
def test_python(folder: Path, given: str) -> None:
    labelled: dict[str, Any] = {
        "path": Path("fifty.conllu"), "str": "fifty.tsv", "corpus": read("words", tags="tags"),
        "pair": (WORDS, [line.split() for line in TAGS]),
    }  # fmt: skip
    both = corpus(WORDS + REST, labels=[line.split() for line in TAGS] + [[None] * len(line.split()) for line in REST])
    weights = np.arange(1.0, 1.0 + len(REST))
    for sample_weight, all_weights in ((None, None), (weights, np.concatenate([np.ones(len(WORDS)), weights]))):
        one = HMM(criterion="em:3", random_state=0).fit(both, sample_weight=all_weights)
        apart = HMM(criterion="em:3", random_state=0).fit(REST, sample_weight=sample_weight, labelled=labelled[given])
        assert np.array_equal(one.emission_, apart.emission_) and one.states_ == apart.states_
    assert f"labelled={len(WORDS)} " in apart.signature_ and "labelled=" not in one.signature_
    classes = [WordClasses().fit(both), WordClasses().fit(REST, labelled=labelled[given])]
    assert np.array_equal(classes[0].word_class_, classes[1].word_class_)


def test_the_text_may_have_tags_too(folder: Path) -> None:
    known = [["DET", None, None], [None] * 3, [], [None] * 5, [None, "NOUN", None]]
    both = corpus(WORDS + REST, labels=[*(line.split() for line in TAGS), *known])
    apart = HMM(criterion="em:3", random_state=0).fit(REST, known, labelled="fifty.txt")
    assert np.array_equal(HMM(criterion="em:3", random_state=0).fit(both).emission_, apart.emission_)


def test_what_cannot_be_meant_is_refused(folder: Path) -> None:
    instead = "which has words besides tags; give lines of tags, or labelled sentences as --labelled FILE "
    instead += "(labelled=… of fit in Python)"
    refused(run("tag rest.txt --tags fifty.conllu"), f"fifty.conllu: CoNLL-U, {instead}")
    refused(run("tag rest.txt --tags fifty.txt"), f"fifty.txt: word/TAG, {instead}")
    refused(
        run("tag rest.txt --labelled rest.txt"), "rest.txt: has no tags; write CoNLL-U, word/TAG, or lines word<TAB>TAG"
    )
    refused(run("tag rest.txt --labelled none.txt"), "none.txt: no such file; check the path")
    refused(run("tag - --labelled -"), "<stdin>: both the text and the labelled text; give a file for one of them")
    refused(
        run("tag rest.txt --states 2 --model crf-autoencoder --labelled fifty.txt"),
        "--labelled needs --model hmm; a crf-autoencoder does not learn from tags",
    )
    for command in ("tag", "classes"):
        refused(
            run(f"{command} rest.txt --labelled-tags tags"),
            "--labelled-tags has no effect without --labelled; give --labelled TEXT, or "
            "use --tags for the tags of the text",
        )
    with pytest.raises(InputError, match="no tags"):
        HMM().fit(REST, labelled=WORDS)


def test_a_wrong_tag_is_placed_in_its_own_file(folder: Path) -> None:
    Path("labelled").write_text("a/D cat/N\nthe/D dog/N runs/V\n")
    Path("text").write_text("the dog\nthe cat\na cat sleeps\n")
    Path("known").write_text("_ _\n_ _\n_ N _\n")
    Path("d").write_text("dog\tV\n")
    refused(
        run("tag text --labelled labelled --dictionary d"),
        "labelled:2: 'dog' has the tag N, but d allows V; correct one of the two",
    )
    Path("d").write_text("cat\tV\n")
    Path("labelled").write_text("the/D dog/N runs/V\n")
    refused(
        run("tag text --tags known --labelled labelled --dictionary d"),
        "text:3: 'cat' has the tag N, but d allows V; correct one of the two",
    )


def test_a_labelled_text_as_the_start_says_that_it_is_not_trained_on(folder: Path) -> None:
    for name in ("fifty.txt", "fifty.conllu", "fifty.tsv"):
        ran = run(f"tag rest.txt --start {name} --criterion em:2")
        assert "they only initialize training" in ran.err
    ran = run("tag rest.txt --labelled fifty.txt --criterion em:2")
    assert "they only initialize training" not in ran.err and "9 of 23 tokens (39.1%) have a known tag" in ran.err
