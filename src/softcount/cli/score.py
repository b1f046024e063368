"""softcount score: how good are the labels?"""

from __future__ import annotations

import json
from typing import Annotated

import typer

from softcount.errors import InputError

app = typer.Typer(help="Compare what was found with gold answers.", no_args_is_help=True, rich_markup_mode="markdown")


@app.callback()
def _group() -> None:
    pass


@app.command("tags")
def tags(
    gold: Annotated[str, typer.Argument(help="Gold tags, one sentence a line; _ where there is none.")],
    predicted: Annotated[str, typer.Argument(help="Predicted tags, line by line; - for stdin.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Many-to-one and one-to-one accuracy, variation of information, V-measure.

    Example: **softcount score tags gold.tags predicted.tags --json**
    """
    import hashlib

    from softcount.evaluate.clustering import contingency, tag_scores
    from softcount.signature import signature
    from softcount.text.reader import read_labels

    (gold_ids, gold_names), (ids, names) = read_labels(gold), read_labels(predicted)
    _check_in_step(gold, predicted, gold_ids.lengths.tolist(), ids.lengths.tolist())
    scored = (gold_ids.values >= 0) & (ids.values >= 0)
    if not scored.any():
        raise InputError(f"{gold}: no token has both a gold and a predicted tag; nothing to score")
    table = contingency(gold_ids.values[scored], ids.values[scored], len(gold_names), len(names))
    result = tag_scores(table)
    digest = hashlib.sha256(repr((sorted(gold_names), sorted(table.sum(axis=1).tolist()))).encode()).hexdigest()[:12]
    line = signature(
        "score tags", gold=f"{len(gold_names)} tags", predicted=f"{len(names)} tags", sentences=gold_ids.n_rows,
        tokens=result.tokens, vi="bits", gold_counts=f"sha256:{digest}",
    )  # fmt: skip
    if as_json:
        print(json.dumps({**result._asdict(), "signature": line}, ensure_ascii=False))
        return
    for name, value in result._asdict().items():
        print(f"{name:12} {value:,}" if isinstance(value, int) else f"{name:12} {value:.4f}")
    print(line)


def _check_in_step(gold: str, predicted: str, gold_lengths: list[int], lengths: list[int]) -> None:
    if len(gold_lengths) != len(lengths):
        shorter, longer = (gold, predicted) if len(gold_lengths) < len(lengths) else (predicted, gold)
        missing = abs(len(gold_lengths) - len(lengths))
        raise InputError(f"{shorter}: {missing} lines fewer than {longer}; the two must be in step, line by line")
    for line, (expected, found) in enumerate(zip(gold_lengths, lengths, strict=True), 1):
        if expected != found:
            raise InputError(f"{predicted}:{line}: {found} tags, but {expected} in {gold}; give one tag per token")
