"""A signature says what a run was given as a file or a mapping: by its content, wherever that is from."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run

import softcount as sc
from softcount.links.known import linked

TEXT = ["the cat saw the moon", "a dog ate the salt", "the dog saw a star", "a cat ate the fish"]
OTHER = ["die katze sah den mond", "ein hund ass das salz", "der hund sah einen stern", "eine katze ass den fisch"]
TABLES = """{"states": ["D"], "initial": {"D": 1}, "transition": {"D": {"D": 1}},
    "emission": {"D": {"the": 0.5, "cat": 0.5}}}"""
OPTIONS = {
    "tag": ("tag text --states 3 --criterion em:2 --dictionary", "cat\tN\nsaw\tV\n", "cat\tN\ndog\tV\n"),
    "classes": ("classes text --classes 3 --dictionary", "cat\tN\nsaw\tV\n", "cat\tN\ndog\tV\n"),
    "tag features": ("tag text --states 2 --criterion em:2 --features", "cat\tx\ndog\tx\n", "cat\tx\nsaw\tx\n"),
    "with words": ("tag text --states 2 --criterion em:2 --features words,", "cat\tx\ndog\tx\n", "cat\tx\nsaw\tx\n"),
    "crf": ("tag text --states 2 --model crf-autoencoder --criterion autoencode:1 --features", "cat\tx\n", "cat\ty\n"),
    "topics features": ("topics text --topics 2 --criterion em:2 --features", "cat\tx\ndog\tx\n", "cat\tx\nsaw\tx\n"),
    "seed words": ("topics text --topics 2 --seed-words", "0\tcat\n1\tsalt\n", "0\tdog\n1\tsalt\n"),
    "topics stop words": ("topics text --topics 2 --stop-words", "cat\nsaw\n", "dog\nsaw\n"),
    "cluster stop words": ("cluster text --clusters 2 --stop-words", "cat\nsaw\n", "dog\nsaw\n"),
    "align": ("align text other --model ibm1 --dictionary", "cat\tkatze\tprefer\n", "cat\thund\tprefer\n"),
    "known links": ("align text other --known-links", "0-0\n\n\n1-1\n", "1-1\n\n\n1-1\n"),
    "stems": ("align text other --stems", "cat\tA\ndog\tB\nkatze\tA\n", "cat\tA\ndog\tA\nkatze\tA\n"),
    "tables": ("tag text --criterion em:1 --start", TABLES, TABLES.replace("0.5, ", "0.25, ").replace("0.5}", "0.75}")),
    "labelled": ("tag text --criterion em:1 --start", "a/D dog/N\n", "a/N dog/D\n"),
    "grammar": ("grammar", "S -> S S | 'the' | 'a' 0.5\n", "S -> S S | 'a' | 'the'\n"),
    "lexicon": ("translate m text --lm lm -n 1 --lexicon", "cat\tkatze\tprefer\n", "cat\thund\tprefer\n"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("\n".join(TEXT) + "\n")
    (tmp_path / "other").write_text("\n".join(OTHER) + "\n")
    return tmp_path


def signed(command: str, name: str) -> str:
    option = command if command.endswith(",") else command + " "
    ran = run(f"{option}{name} --signature long" + " --seed 0" * (not command.startswith("translate")))
    assert ran.code == 0, ran.err
    (line,) = [line for line in ran.err.splitlines() if line.startswith("softcount ")]
    return line


@pytest.mark.filterwarnings("ignore:too little text")
@pytest.mark.parametrize("option", OPTIONS)
def test_content_counts_and_not_the_name_of_a_file(folder: Path, option: str) -> None:
    command, one, two = OPTIONS[option]
    if command.startswith("translate"):
        sc.WordAligner("ibm1", criterion="em:2").fit(TEXT, OTHER).save("m")
        sc.LanguageModel(2).fit(OTHER).save("lm")
    ending = ".json" if one.startswith("{") else ".tsv"
    names = [name + ending for name in ("one", "same", "two")]
    for name, content in zip(names, (one, one, two), strict=True):
        (folder / name).write_text(content)
    first, same, second = (signed(command, name) for name in names)
    assert first == same != second
    assert names[0] not in first


def test_a_mapping_is_signed_as_the_file_that_says_the_same(folder: Path) -> None:
    (folder / "tags").write_text("cat\tN\nsaw\tV N\n")
    tags = {"saw": ["N", "V"], "cat": ["N"]}
    for kind in (lambda given: sc.HMM(2, dictionary=given, criterion="em:1", random_state=0),
                 lambda given: sc.WordClasses(2, dictionary=given, random_state=0)):  # fmt: skip
        assert kind("tags").fit(TEXT).signature_ == kind(tags).fit(TEXT).signature_
    (folder / "words").write_text("cat\tkatze\tmust\n")
    aligners = [
        sc.WordAligner("ibm1", criterion="em:1", dictionary=given, random_state=0).fit(TEXT, OTHER)
        for given in ("words", [("cat", "katze", "must")])
    ]
    assert aligners[0].signature_ == aligners[1].signature_
    seeds = [
        sc.PLSA(2, seed_words=given, random_state=0).fit(TEXT) for given in ({0: ["cat", "dog"]}, {0: ["dog", "cat"]})
    ]
    assert seeds[0].signature_ == seeds[1].signature_


def test_a_sign_of_nothing_is_as_before() -> None:
    tagger = sc.HMM(2, criterion="em:1", random_state=0)
    assert " dictionary=no " in tagger.fit(TEXT).signature_
    assert " features=words " in tagger.set_params(features="words").fit(TEXT).signature_
    pairs = sc.bitext(TEXT, OTHER)
    assert "known_links" not in sc.WordAligner(random_state=0).fit(pairs).signature_
    known = linked(pairs, ["0-0", "", "", ""])
    assert " known_links=1,sha256:" in sc.WordAligner(random_state=0).fit(known).signature_
    assert "seed_w" not in sc.PLSA(2, random_state=0).fit(TEXT).signature_
