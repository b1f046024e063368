"""Grammars: the number of parses and the time beside NLTK's parsers (ATIS), trees from a treebank grammar (WSJ sample),
and grammar induction from tags (WSJ10 sample) under every criterion beside trees that need no learning.

    python bench/bench_grammar.py atis                 # needs nltk for the comparison
    python bench/bench_grammar.py treebank [--dev]      # --dev: 3,000 trees for training, the next 500 to choose by
    python bench/bench_grammar.py induction [--starts 5] [--sizes 5,10,20]

All times are CPU seconds (user and system) of one thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from corpora import folder, shell_line
from measured import Measured

from softcount.estimators.grammar import Grammar
from softcount.evaluate.trees import count_brackets, total, tree_scores
from softcount.text.trees import Tree, read_trees

CRITERIA = ["em:40", "vb:40", "hard:20", "annealed(em):40", "em:40,mre:15"]
PATIENCE = 60.0  # CPU seconds for a peer
MARKOV = [
    (None, "viterbi"), (None, "brackets"), ((1, 1), "viterbi"), ((2, 1), "viterbi"), ((2, 1), "brackets"),
    ((2, 2), "viterbi"), ((3, 2), "viterbi"),
]  # fmt: skip
BESIDE = {"NLTK's": "", "sentences": "", "words at most": "", "its CPU s": ".1f", "softcount's": ".4f", "ratio": ",.0f"}
READ_OFF = {"`--markov`": "", "`--best`": "", "symbols": ",", "rules": ",", "F1": ".3f", "precision": ".3f",
            "recall": ".3f", "tags": ".3f", "exact": ".3f", "coverage": ".3f", "CPU s a sentence": ".3f"}  # fmt: skip
INDUCED = {"nonterminals": "", "criterion": "", "starts": "", "F1, mean": ".3f", "F1 of the best objective": ".3f",
           "least": ".3f", "most": ".3f", "CPU s a start": ".0f"}  # fmt: skip


def atis() -> None:
    data = folder("grammar-atis-en")
    if data is None:
        return
    grammar = data / "atis.cfg"
    pairs = [line.split("\t") for line in (data / "sentences.tsv").read_text().splitlines()]
    sentences, truth = [pair[1] for pair in pairs], [int(pair[0]) for pair in pairs]
    model = Grammar(str(grammar), criterion="em:30", tolerance=0, n_jobs=1, random_state=0)
    model.fit(sentences)  # compiles
    model.n_parses(sentences)
    model.parse(sentences)
    counting = timed(model.n_parses, sentences)
    print(f"{sum(a == b for a, b in zip(counting[1], truth, strict=True))} of {len(truth)} numbers of parses agree")
    training, parsing = timed(model.fit, sentences), timed(model.parse, sentences)
    steps = np.array([step.objective for step in model.history_])
    print(
        f"EM: {len(steps)} steps, log-likelihood {steps[0]:.2f} to {steps[-1]:.2f}, falls: {(np.diff(steps) < 0).sum()}"
    )
    table = Measured("grammar-atis", {"all 49 sentences": "", "CPU s": ".4f"})
    table.add("numbers of parses", counting[0])
    table.add("best trees", parsing[0])
    table.add("one step of EM", training[0] / 31)
    beside_nltk(model, grammar.read_text(), sentences, counting[0])


def beside_nltk(model: Grammar, rules: str, sentences: list[str], counting: float) -> None:
    try:
        import nltk
    except ImportError:
        print("nltk is not installed: no comparison")
        return
    cfg = nltk.CFG.fromstring(rules)
    chart = nltk.parse.BottomUpLeftCornerChartParser(cfg, max_time=None)
    covered = sorted(
        (s for s, n in zip(sentences, model.n_parses(sentences), strict=True) if n), key=lambda s: len(s.split())
    )
    seconds, edges = within(PATIENCE, lambda s: chart.chart_parse(s.split()).num_edges(), covered)
    some = covered[: len(edges)]
    ours = min(timed(model.n_parses, some)[0] for _ in range(3))
    longest = len(some[-1].split())
    table = Measured("grammar-nltk", BESIDE)
    table.add("BottomUpLeftCornerChartParser, charts alone; ours counts parses", len(some), longest, seconds, ours,
              seconds / ours)  # fmt: skip
    viterbi = nltk.ViterbiParser(nltk.PCFG.fromstring(model.to_pcfg()), max_time=None)
    seconds, best = within(PATIENCE, lambda s: next(viterbi.parse(s.split())), covered)
    some = covered[: len(best)]
    ours = min(timed(model.parse, some)[0] for _ in range(3))
    mine = [tree.spans() for tree in model.parse(some) if tree is not None]
    same = sum(spans(tree) == theirs for tree, theirs in zip(best, mine, strict=True))
    table.add(f"ViterbiParser; {same} trees are the same", len(some), len(some[-1].split()), seconds, ours,
              seconds / ours)  # fmt: skip


def within(patience: float, work: Any, items: list[str]) -> tuple[float, list[Any]]:
    """(CPU seconds, results) of as many items as fit."""
    spent, found = 0.0, list[Any]()
    while len(found) < len(items) and spent < patience:
        took, result = timed(work, items[len(found)])
        spent += took
        found.append(result)
    return spent, found


def spans(tree: Any) -> list[tuple[int, int, str]]:
    return Tree(*_plain(tree)).spans()


def _plain(tree: Any) -> tuple[str, tuple[object, ...]]:
    children = (Tree(*_plain(c)) if not isinstance(c, str) else c for c in tree)
    return str(tree.label()), tuple(children)


def treebank(dev: bool) -> None:
    data = folder("trees-wsj-sample-en")
    if data is None:
        return
    trees = [tree for tree in read_trees(data / "all.mrg") if tree is not None]
    train, test = (trees[:3000], trees[3000:3500]) if dev else (trees[:3500], trees[3500:])
    print(f"{len(train)} trees to read off, {len(test)} to parse, of all lengths")
    table = Measured("grammar-treebank-dev" if dev else "grammar-treebank", READ_OFF, keys=2)
    for markov, best in MARKOV:
        model = Grammar(markov=markov, n_jobs=1, best=best).fit(trees=train)
        model.parse([test[0].words()])
        seconds, found = timed(model.parse, [tree.words() for tree in test])
        s = tree_scores(total(map(count_brackets, test, found)))
        table.add(
            "none" if markov is None else ",".join(map(str, markov)), best, len(model.rules_.symbols),
            model.rules_.n_rules, s.f1, s.precision, s.recall, s.tag_accuracy, s.exact, s.coverage, seconds / len(test),
        )  # fmt: skip


def induction(starts: int, sizes: list[int], criteria: list[str]) -> None:
    data = folder("trees-wsj-sample-en")
    if data is None:
        return
    gold = [tree for tree in read_trees(data / "wsj10.mrg") if tree is not None]
    sentences = [[label for a, b, label in tags(tree)] for tree in gold]
    print(f"{len(gold)} sentences, {sum(map(len, sentences))} tags; unlabelled F1 without single words and the whole")
    table = Measured("grammar-trivial", {"trees that need no learning": "", "F1": ".3f"})
    for name, made in (("left-branching", left), ("right-branching", right), ("random", None)):
        rng = np.random.default_rng(0)
        tries = [
            [made(words) if made else random_tree(words, rng) for words in sentences] for _ in range(1 if made else 20)
        ]
        table.add(name, np.mean([f1(gold, found) for found in tries]))
    table = Measured("grammar-induction", INDUCED, keys=3)
    for n in sizes:
        for criterion in criteria:
            scores, objectives, seconds = [], [], 0.0
            for seed in range(starts):
                model = Grammar(nonterminals=n, criterion=criterion, n_jobs=1, random_state=seed, best="brackets")
                took, _ = timed(model.fit, sentences)
                seconds += took
                scores.append(f1(gold, model.parse(sentences)))
                objectives.append(model.objective_)
            chosen = scores[int(np.argmax(objectives))]
            table.add(n, criterion, starts, np.mean(scores), chosen, min(scores), max(scores), seconds / starts)


def tags(tree: Tree) -> list[tuple[int, int, str]]:
    """The last label above every word."""
    last = {a: (a, b, label) for a, b, label in tree.spans() if b == a + 1}
    return [last[k] for k in sorted(last)]


def f1(gold: list[Tree], found: list[Tree | None]) -> float:
    return tree_scores(total(map(count_brackets, gold, found))).unlabelled_f1


def left(words: list[str]) -> Tree:
    tree = Tree("X", (words[0],))
    for word in words[1:]:
        tree = Tree("X", (tree, Tree("X", (word,))))
    return tree


def right(words: list[str]) -> Tree:
    tree = Tree("X", (words[-1],))
    for word in words[-2::-1]:
        tree = Tree("X", (Tree("X", (word,)), tree))
    return tree


def random_tree(words: list[str], rng: np.random.Generator) -> Tree:
    if len(words) == 1:
        return Tree("X", (words[0],))
    k = int(rng.integers(1, len(words)))
    return Tree("X", (random_tree(words[:k], rng), random_tree(words[k:], rng)))


def timed(work: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    """(CPU seconds, result)."""
    began = time.process_time()
    result = work(*given)
    return time.process_time() - began, result


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("what", choices=["atis", "treebank", "induction"])
    arguments.add_argument("--dev", action="store_true")
    arguments.add_argument("--starts", type=int, default=5)
    arguments.add_argument("--sizes", default="5,10,20")
    arguments.add_argument("--criteria", default=";".join(CRITERIA))
    given = arguments.parse_args()
    print(shell_line())
    if given.what == "atis":
        atis()
    elif given.what == "treebank":
        treebank(given.dev)
    else:
        induction(given.starts, [int(n) for n in given.sizes.split(",")], given.criteria.split(";"))
