"""What score reads: labels line by line, and whether two files of answers are in step."""

from __future__ import annotations

from typing import Any

from softcount.errors import InputError


def one_a_line(path: str) -> tuple[Any, list[str]]:
    """(ids, their names): one label a line, −1 where it is empty."""
    import numpy as np

    from softcount.text.source import lines

    names = [line.strip() for line in lines(path).to_pylist()]
    if names and names[0].startswith("document\t"):
        names = _last_column(names)
    if not names:
        raise InputError(f"{path}: empty file; give at least one line")
    known = {name: i for i, name in enumerate(dict.fromkeys(name for name in names if name))}
    return np.array([known.get(name, -1) for name in names], dtype=np.int64), list(known)


def _last_column(rows: list[str]) -> list[str]:
    """Of a TSV with a header, as softcount cluster writes where documents have names."""
    import csv

    return [row[-1] for row in csv.reader(rows[1:], delimiter="\t") if row]


def lengths_in(path: str | None) -> list[int] | None:
    from softcount.text.reader import read

    return None if path is None else read(path, format="plain").sentences.lengths.tolist()


def check_links(
    gold: str, truth: list[Any], predicted: str, found: list[Any], sources: list[int] | None, targets: list[int] | None
) -> None:
    """Links outside the sentence, and files that look as if they counted from 1."""
    for path, rows, other in ((gold, truth, found), (predicted, found, truth)):
        for axis, lengths, text in ((0, sources, "source"), (1, targets, "target")):
            for line, row in enumerate(rows, 1):
                top = max((link[axis] for link in row.sure | row.possible), default=-1)
                if lengths is not None and line > len(lengths):
                    raise InputError(
                        f"{path}:{line}: the {text} text has only {len(lengths)} lines; give the text of these links"
                    )
                if lengths is not None and top >= lengths[line - 1]:
                    one_based = top == lengths[line - 1] and not _has_zero(rows, axis)
                    remedy = (
                        "the links seem to count from 1; count words from 0"
                        if one_based
                        else "give the text of these links"
                    )
                    wrong = f"word {top}, but the {text} sentence has {lengths[line - 1]} words, counted from 0"
                    raise InputError(f"{path}:{line}: {wrong}; {remedy}")
            if len(rows) >= 5 and not _has_zero(rows, axis) and _has_zero(other, axis) and any(r.sure for r in rows):
                raise InputError(
                    f"{path}: no link has a {text} word 0, so the links seem to count from 1; count words from 0"
                )


def _has_zero(rows: list[Any], axis: int) -> bool:
    return any(link[axis] == 0 for row in rows for link in row.sure | row.possible)


def check_tags_in_step(gold: str, predicted: str, gold_lengths: list[int], lengths: list[int]) -> None:
    check_lines_in_step(gold, predicted, len(gold_lengths), len(lengths))
    for line, (expected, found) in enumerate(zip(gold_lengths, lengths, strict=True), 1):
        if expected != found:
            raise InputError(f"{predicted}:{line}: {found} tags, but {expected} in {gold}; give one tag per token")


def check_lines_in_step(gold: str, predicted: str, n_gold: int, n_predicted: int, what: str = "lines") -> None:
    if n_gold != n_predicted:
        shorter, longer = (gold, predicted) if n_gold < n_predicted else (predicted, gold)
        missing = abs(n_gold - n_predicted)
        raise InputError(f"{shorter}: {missing} {what} fewer than {longer}; give files of the same text, line by line")
