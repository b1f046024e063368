"""The texts that ship: as many as their README says, sound, and their gold answers fit them."""

from __future__ import annotations

import csv
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from softcount.links.pharaoh import read_links
from softcount.text.tokenizer import tokenize
from softcount.text.trees import Tree, read_trees

TEXTS = Path(str(files("softcount"))) / "texts"
TAGS = {
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
    "VERB",
}  # fmt: skip


def lines(name: str) -> list[str]:
    return (TEXTS / name).read_text(encoding="utf-8").splitlines()


def sentences() -> list[list[tuple[str, str]]]:
    rows = [line.split("\t") for line in lines("sentences.conllu") if not line.startswith("#")]
    found: list[list[tuple[str, str]]] = [[]]
    for row in rows:
        if len(row) == 10:
            found[-1].append((row[1], row[3]))
        else:
            found.append([])
    return [sentence for sentence in found if sentence]


def test_sizes() -> None:
    assert sum(file.stat().st_size for file in TEXTS.iterdir()) < 600_000
    for language in ("en", "de", "es"):
        text = lines(f"everyday.{language}")
        assert len(text) == len(set(text)) == 600 and all(line == line.strip() and line for line in text)
    with (TEXTS / "articles.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len({row["text"] for row in rows}) == len(rows) == 300
    assert set(Counter(row["subject"] for row in rows).values()) == {30}
    assert all(40 <= len(row["text"].split()) <= 120 for row in rows)
    assert len(lines("commute.csv")) == 121


@pytest.mark.parametrize("target", ["de", "es"])
def test_gold_links_lie_within_their_sentences(target: str) -> None:
    gold = read_links(TEXTS / f"everyday.en-{target}.links")
    assert len(gold) == 60
    pairs = zip(gold, lines("everyday.en"), lines(f"everyday.{target}"), strict=False)
    for links, source, other in pairs:
        both = [*links.sure, *links.possible]
        words, answers = tokenize(source).split(), tokenize(other).split()
        assert all(i < len(words) and j < len(answers) for i, j in both)
        assert len({i for i, _ in both}) >= 0.6 * len(words) and len({j for _, j in both}) >= 0.6 * len(answers)
        assert (len(words) - 1, len(answers) - 1) in links.sure  # the last mark


def test_tags_are_universal_and_trees_are_of_tagged_sentences() -> None:
    tagged = sentences()
    assert len(tagged) == 400 and {tag for sentence in tagged for _, tag in sentence} == TAGS
    everyday = {tokenize(line) for line in lines("everyday.en")}
    assert all(" ".join(word for word, _ in sentence) in everyday for sentence in tagged)
    trees = [tree for tree in read_trees(str(TEXTS / "sentences.mrg")) if tree is not None]
    assert len(trees) == 126
    known = {tuple(sentence) for sentence in tagged}
    assert all(tuple((str(node.children[0]), node.label) for node in preterminals(tree)) in known for tree in trees)


def preterminals(tree: Tree) -> list[Tree]:
    found = [part for part, ended in tree.walk() if not isinstance(part, str) and not ended]
    return [node for node in found if len(node.children) == 1 and isinstance(node.children[0], str)]
