"""Bracket scores, in EVALB's convention: how many of the labelled spans of one tree another tree has.

    precision = Σ matched / Σ predicted      recall = Σ matched / Σ gold      over all sentences

A word's tag is no bracket, and the bracket of the start symbol (TOP, ROOT) is none; words whose gold tag is a
punctuation mark's are taken out first; PRT counts as ADVP. Brackets without labels, as grammar induction scores them:
every span once, without those of one word and of the whole sentence. A sentence without a tree has no brackets, so
that it costs recall. S. Sekine, M. Collins, "EVALB", 1997; D. Klein, "The unsupervised learning of natural language
structure", 2005.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from softcount.errors import InputError
from softcount.text.trees import Tree

PUNCTUATION = frozenset({",", ":", "``", "''", ".", "-NONE-"})
TOPS = frozenset({"TOP", "ROOT", "S1"})
SAME = {"PRT": "ADVP"}


class TreeCounts(NamedTuple):
    """Bracket counts of one sentence; counts of sentences can be added."""

    matched: int = 0
    predicted: int = 0
    gold: int = 0
    spans_matched: int = 0  # without labels
    spans_predicted: int = 0
    spans_gold: int = 0
    tags_right: int = 0
    tags: int = 0
    exact: int = 0
    parsed: int = 0
    sentences: int = 0


class TreeScores(NamedTuple):
    """Labelled and unlabelled bracket scores, tag accuracy, exact matches and coverage."""

    """Labelled and unlabelled bracket scores, tag accuracy, exact matches and coverage."""

    precision: float
    recall: float
    f1: float
    unlabelled_precision: float
    unlabelled_recall: float
    unlabelled_f1: float
    tag_accuracy: float
    exact: float
    coverage: float  # share of sentences that have a tree


class _Flat(NamedTuple):
    """A tree as what is scored of it."""

    n: int
    tags: dict[int, str]  # by the word's place
    brackets: list[tuple[int, int, str]]


def count_brackets(gold: Tree, predicted: Tree | None, where: str = "<tree>") -> TreeCounts:
    """Count the matching brackets of one sentence."""
    """Count the matching brackets of one sentence."""
    truth = _flat(gold)
    kept = [w for w in range(truth.n) if truth.tags.get(w) not in PUNCTUATION]
    place = [0, *accumulate(truth.tags.get(w) not in PUNCTUATION for w in range(truth.n))]
    brackets, spans = _scored(truth, place)
    tags = {w: truth.tags[w] for w in kept if w in truth.tags}
    if predicted is None:
        return TreeCounts(gold=brackets.total(), spans_gold=len(spans), tags=len(tags), sentences=1)
    found = _flat(predicted)
    if found.n != truth.n:
        raise InputError(
            f"{where}: a tree of {found.n} words, but the gold tree has {truth.n}; give trees of the same sentences"
        )
    mine, my_spans = _scored(found, place)
    return TreeCounts(
        (mine & brackets).total(), mine.total(), brackets.total(), len(my_spans & spans), len(my_spans), len(spans),
        sum(found.tags.get(w) == tag for w, tag in tags.items()), len(tags), int(mine == brackets), 1, 1,
    )  # fmt: skip


def total(counts: Iterable[TreeCounts]) -> TreeCounts:
    """Sum the counts of sentences."""
    """Sum the counts of sentences."""
    return TreeCounts(*(sum(column) for column in zip(*counts, strict=True)))


def tree_scores(counts: TreeCounts) -> TreeScores:
    """Bracket precision, recall and F1 from summed counts."""
    """Bracket precision, recall and F1 from summed counts."""
    labelled = _f1(counts.matched, counts.predicted, counts.gold)
    unlabelled = _f1(counts.spans_matched, counts.spans_predicted, counts.spans_gold)
    n = max(counts.sentences, 1)
    tags = counts.tags_right / counts.tags if counts.tags else 0.0
    return TreeScores(*labelled, *unlabelled, tags, counts.exact / n, counts.parsed / n)


def _f1(matched: int, predicted: int, gold: int) -> tuple[float, float, float]:
    """(precision, recall, F1); one where there is nothing to find and nothing found."""
    precision = matched / predicted if predicted else float(gold == 0)
    recall = matched / gold if gold else float(predicted == 0)
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def _flat(tree: Tree) -> _Flat:
    tags, brackets, open_, n = dict[int, str](), list[tuple[int, int, str]](), list[int](), 0
    for part, ended in tree.walk():
        if isinstance(part, str):
            n += 1
        elif part.is_tag:
            tags |= {} if ended else {n: part.label}
        elif ended:
            number = open_.pop()
            brackets[number] = (brackets[number][0], n, part.label)
        else:
            open_.append(len(brackets))
            brackets.append((n, n, part.label))
    return _Flat(n, tags, brackets)


def _scored(tree: _Flat, place: list[int]) -> tuple[Counter[tuple[int, int, str]], set[tuple[int, int]]]:
    """(labelled brackets, spans without labels), counted in the words that are kept."""
    brackets: Counter[tuple[int, int, str]] = Counter()
    spans = set[tuple[int, int]]()
    for start, end, label in tree.brackets:
        a, b = place[start], place[end]
        if a == b:
            continue
        if label not in TOPS:
            brackets[a, b, SAME.get(label, label)] += 1
        if b - a > 1 and (a, b) != (0, place[-1]):
            spans.add((a, b))
    return brackets, spans
