"""softcount score … --compare OTHER: the same gold answers, and whether the two systems differ by more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from softcount.cli.score_input import check_lines_in_step, check_links, check_tags_in_step, one_a_line
from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.streams import put

HELP = "Output of another system: print both scores, their difference, its confidence interval and a p-value."
Other = Annotated[str | None, typer.Option("--compare", metavar="OTHER", help=HELP)]
Samples = Annotated[
    int, typer.Option(min=1, metavar="N", help="Number of permutations and bootstrap samples for --compare.")
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of --compare; the same seed gives the same result.")]

Labels = tuple[Any, Sequence[str]]  # ids, −1 where there is none; and their names


def compared_tags(gold_path: str, gold: Labels, one: Labels, other: str, samples: int, seed: int) -> Any:
    """Sentence by sentence, over the tokens that gold and both systems have tags for."""
    import numpy as np

    from softcount.evaluate.token_shares import TAG_SHARES
    from softcount.text.reader import read_labels

    (truth, _), (mine, _), (theirs, names) = gold, one, read_labels(other)
    check_tags_in_step(gold_path, other, truth.lengths.tolist(), theirs.lengths.tolist())
    sentences = np.repeat(np.arange(truth.n_rows), truth.lengths)
    labels = (truth.values, gold[1]), (mine.values, one[1]), (theirs.values, names)
    return _compared(gold_path, other, sentences, labels, TAG_SHARES, samples, seed)


def compared_clusters(gold_path: str, gold: Labels, one: Labels, other: str, samples: int, seed: int) -> Any:
    import numpy as np

    from softcount.evaluate.token_shares import CLUSTER_SHARES

    theirs = one_a_line(other)
    check_lines_in_step(gold_path, other, len(gold[0]), len(theirs[0]))
    documents = np.arange(len(gold[0]))
    return _compared(gold_path, other, documents, (gold, one, theirs), CLUSTER_SHARES, samples, seed)


def _compared(
    gold_path: str, other: str, items: Any, labels: Sequence[Labels], shares: Any, samples: int, seed: int
) -> Any:
    """Of tokens in `items`; plain accuracy as well where both systems use the gold names."""
    import numpy as np

    from softcount.evaluate.comparison import compare_ids
    from softcount.evaluate.token_shares import accuracy_share

    scored = np.logical_and.reduce([ids >= 0 for ids, _ in labels])
    if not scored.any():
        raise InputError(
            f"{other}: no token is labelled in this file, in {gold_path} and in the file compared; give "
            "files of the same text"
        )
    gold_names = labels[0][1]
    if all(set(names) <= set(gold_names) for _, names in labels):
        labels = [(np.array([gold_names.index(n) for n in names])[ids], gold_names) for ids, names in labels]
        shares = {**shares, "accuracy": accuracy_share}
    gold, one, theirs = ((ids[scored], len(names)) for ids, names in labels)
    lengths = np.unique(items[scored], return_counts=True)[1].tolist()
    stage.begin("comparing")
    return compare_ids(gold, one, theirs, lengths, shares, samples=samples, random_state=seed)


def compared_links(
    gold_path: str, gold: list[Any], one: list[Any], other: str, lengths: tuple[Any, Any], samples: int, seed: int
) -> Any:
    from softcount.evaluate.comparison import compare_links
    from softcount.links.pharaoh import read_links

    theirs = read_links(other, len(gold))
    check_lines_in_step(gold_path, other, len(gold), len(theirs))
    check_links(gold_path, gold, other, theirs, *lengths)
    mine, found = ([pair.sure | pair.possible for pair in links] for links in (one, theirs))
    stage.begin("comparing")
    return compare_links([tuple(pair) for pair in gold], mine, found, samples=samples, random_state=seed)


def compared_trees(gold_path: str, gold: list[Any], one: list[Any], other: str, samples: int, seed: int) -> Any:
    from softcount.evaluate.comparison import compare
    from softcount.evaluate.scores import tree_table
    from softcount.text.trees import read_trees

    theirs = read_trees(other)
    check_lines_in_step(gold_path, other, len(gold), len(theirs), "trees")
    kept = [k for k, tree in enumerate(gold) if tree is not None]
    truth = [tree for tree in gold if tree is not None]
    mine, found = ([trees[k] for k in kept] for trees in (one, theirs))
    (a, scores), (b, _) = tree_table(truth, mine), tree_table(truth, found, lambda i: f"{other}:{kept[i - 1] + 1}")
    stage.begin("comparing")
    return compare(a, b, scores, samples=samples, random_state=seed)


def as_json(compared: Any, other: str | None, samples: int) -> dict[str, Any]:
    if compared is None:
        return {}
    about = {"other": other, "items": compared.items, "differing": compared.differing, "exact": compared.exact}
    scores = {name: difference._asdict() for name, difference in compared.scores.items()}
    return {"compare": {**about, "level": compared.level, "samples": samples, "scores": scores}}


def print_compared(compared: Any, predicted: str, other: str | None) -> None:
    from softcount.report.columns import show

    if compared is None:
        return
    header = ["", predicted, str(other), "difference", "from", "to", "p"]
    rows = [
        [name, *(f"{x:.4f}" for x in d[:2]), *(f"{x:+.4f}" for x in d[2:5]), f"{d.p:.4f}"]
        for name, d in compared.scores.items()
    ]
    show(f"\n{predicted} compared with {other}", header, rows)
    put(compared.remark)
