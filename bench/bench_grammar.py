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

import numpy as np
from corpora import folder

from softcount.estimators.grammar import Grammar
from softcount.evaluate.trees import count_brackets, total, tree_scores
from softcount.text.trees import Tree, read_trees

CRITERIA = ["em:40", "vb:40", "hard:20", "annealed(em):40", "em:40,mre:15"]
MARKOV = [None, (1, 2), (1, 1), (2, 2), (2, 1), (3, 2), (3, 1)]


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
    counting = timed(lambda: model.n_parses(sentences))
    print(f"{sum(a == b for a, b in zip(counting[1], truth, strict=True))} of {len(truth)} numbers of parses agree")
    training, parsing = timed(lambda: model.fit(sentences)), timed(lambda: model.parse(sentences))
    steps = np.array([step.objective for step in model.history_])
    print(
        f"EM: {len(steps)} steps, log-likelihood {steps[0]:.2f} to {steps[-1]:.2f}, falls: {(np.diff(steps) < 0).sum()}"
    )
    print(
        f"CPU seconds: counting parses {counting[0]:.4f}, best trees {parsing[0]:.4f}, EM step {training[0] / 31:.4f}"
    )
    beside_nltk(model, grammar.read_text(), sentences, counting[0])


def beside_nltk(model: Grammar, rules: str, sentences: list[str], counting: float) -> None:
    try:
        import nltk
    except ImportError:
        print("nltk is not installed: no comparison")
        return
    cfg = nltk.CFG.fromstring(rules)
    chart = nltk.parse.BottomUpLeftCornerChartParser(cfg)
    known = [s.split() for s in sentences if all(word in set(model.rules_.words) for word in s.split())]
    seconds, found = timed(lambda: [chart.chart_parse(s).num_edges() for s in known])
    print(f"nltk BottomUpLeftCornerChartParser, charts alone: {seconds:.1f} s, {sum(found):,} edges: "
          f"{seconds / counting:,.0f} times ours (counting parses)")  # fmt: skip
    pcfg = nltk.PCFG.fromstring(model.to_pcfg())
    viterbi = nltk.ViterbiParser(pcfg)
    some = [s.split() for s, n in zip(sentences, model.n_parses(sentences), strict=True) if n]
    some = sorted(some, key=len)[:5]  # the others take too long
    ours = min(timed(lambda: model.parse(some))[0] for _ in range(5))
    seconds, best = timed(lambda: [next(viterbi.parse(s)) for s in some])
    mine = [tree.spans() for tree in model.parse(some)]
    same = sum(spans(tree) == theirs for tree, theirs in zip(best, mine, strict=True))
    print(f"nltk ViterbiParser, the {len(some)} shortest sentences: {seconds:.1f} s, ours {ours:.4f} s: "
          f"{seconds / ours:,.0f} times ours; {same} trees are the same")  # fmt: skip


def spans(tree: object) -> list[tuple[int, int, str]]:
    return Tree(*_plain(tree)).spans()


def _plain(tree: object) -> tuple[str, tuple[object, ...]]:
    children = (Tree(*_plain(c)) if not isinstance(c, str) else c for c in tree)  # type: ignore[attr-defined]
    return str(tree.label()), tuple(children)  # type: ignore[attr-defined]


def treebank(dev: bool) -> None:
    data = folder("trees-wsj-sample-en")
    if data is None:
        return
    trees = [tree for tree in read_trees(data / "all.mrg") if tree is not None]
    train, test = (trees[:3000], trees[3000:3500]) if dev else (trees[:3500], trees[3500:])
    print(f"{len(train)} trees to read off, {len(test)} to parse, of all lengths")
    print("| markov | symbols | rules | F1 | precision | recall | tags | exact | coverage | s a sentence |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for markov in MARKOV:
        for best in ("viterbi", "brackets"):
            model = Grammar(markov=markov, n_jobs=1, best=best).fit(trees=train)
            model.parse([test[0].words()])
            seconds, found = timed(lambda: model.parse([tree.words() for tree in test]))  # noqa: B023
            s = tree_scores(total(map(count_brackets, test, found)))
            name = "–" if markov is None else ",".join(map(str, markov))
            sizes = f"{len(model.rules_.symbols):,} | {model.rules_.n_rules:,}"
            print(f"| {name} {best} | {sizes} | {s.f1:.3f} | {s.precision:.3f} | {s.recall:.3f} | "
                  f"{s.tag_accuracy:.3f} | {s.exact:.3f} | {s.coverage:.3f} | "
                  f"{seconds / len(test):.3f} |", flush=True)  # fmt: skip


def induction(starts: int, sizes: list[int], criteria: list[str]) -> None:
    data = folder("trees-wsj-sample-en")
    if data is None:
        return
    gold = [tree for tree in read_trees(data / "wsj10.mrg") if tree is not None]
    sentences = [[label for a, b, label in tags(tree)] for tree in gold]
    print(f"{len(gold)} sentences, {sum(map(len, sentences))} tags; unlabelled F1 without single words and the whole")
    for name, made in (("left", left), ("right", right), ("random", None)):
        rng = np.random.default_rng(0)
        tries = [
            [made(words) if made else random_tree(words, rng) for words in sentences] for _ in range(1 if made else 20)
        ]
        print(f"{name}-branching: {np.mean([f1(gold, found) for found in tries]):.3f}")
    print("| nonterminals | criterion | F1 mean | F1 by objective | F1 least to most | s a start |")
    print("|---|---|---|---|---|---|", flush=True)
    for n in sizes:
        for criterion in criteria:
            scores, objectives, seconds = [], [], 0.0
            for seed in range(starts):
                model = Grammar(nonterminals=n, criterion=criterion, n_jobs=1, random_state=seed, best="brackets")
                took, _ = timed(lambda: model.fit(sentences))  # noqa: B023
                seconds += took
                scores.append(f1(gold, model.parse(sentences)))
                objectives.append(model.objective_)
            print(f"| {n} | {criterion} | {np.mean(scores):.3f} | {scores[int(np.argmax(objectives))]:.3f} | "
                  f"{min(scores):.3f} to {max(scores):.3f} | {seconds / starts:.0f} |", flush=True)  # fmt: skip


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


def timed(work: object) -> tuple[float, object]:
    began = time.process_time()
    result = work()  # type: ignore[operator]
    return time.process_time() - began, result


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("what", choices=["atis", "treebank", "induction"])
    arguments.add_argument("--dev", action="store_true")
    arguments.add_argument("--starts", type=int, default=5)
    arguments.add_argument("--sizes", default="5,10,20")
    arguments.add_argument("--criteria", default=";".join(CRITERIA))
    given = arguments.parse_args()
    if given.what == "atis":
        atis()
    elif given.what == "treebank":
        treebank(given.dev)
    else:
        induction(given.starts, [int(n) for n in given.sizes.split(",")], given.criteria.split(";"))
