"""What the page of `softcount explain` starts from: what is seen, and the parameters before the first step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array

if TYPE_CHECKING:
    from softcount.report.hmm_json import NamedHMM
    from softcount.text.documents import Documents

PRIOR = 0.1  # α of the page's VB and Gibbs, at first
ALIGNERS_PRIOR = 0.001  # α of `softcount align`
MOST_ITEMS, MOST_WORDS = 40, 40  # what the page itself takes when its text is edited


def hmm_data(model: NamedHMM, sentences: Sequence[str], pseudo: float = 0.0) -> dict[str, Any]:
    initial, transition, emission = (np.atleast_2d(table).tolist() for table in model.tables)
    return {
        "kind": "hmm", "states": list(model.states), "words": list(model.words), "end": model.end,
        "sentences": small([sentence.split() for sentence in sentences]),
        "parameters": {"initial": initial, "transition": transition, "emission": emission},
        "pseudo": dict.fromkeys(("initial", "transition", "emission"), pseudo), "prior": PRIOR,
    }  # fmt: skip


def ibm1_data(pairs: Sequence[tuple[list[str], list[str]]], fixed: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Pairs without the empty word; those with an empty side teach nothing."""
    full = [(source, target) for source, target in pairs if source and target]
    small([side for pair in full for side in pair], 2 * MOST_ITEMS)
    return {"kind": "ibm1", "pairs": full, "fixed": list(map(list, fixed)), "pseudo": {}, "prior": ALIGNERS_PRIOR}


def documents_data(
    kind: str, data: Documents, start: Mapping[str, Array], pseudo: Mapping[str, float]
) -> dict[str, Any]:
    """`start` has the tables of the first step; documents are written out word by word."""
    if not np.all(data.counts == np.round(data.counts)):
        raise InputError(f"{data.source}: counts are not whole numbers, but the page shows single words; omit --page")
    names = [str(v) for v in range(data.n_words)] if data.vocabulary is None else list(data.vocabulary.words)
    rows = zip(data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True)
    documents = [
        [
            names[v]
            for v, n in zip(data.words[a:b].tolist(), data.counts[a:b].tolist(), strict=True)
            for _ in range(int(n))
        ]
        for a, b in rows
    ]
    tables = {name: np.atleast_2d(table).tolist() for name, table in start.items()}
    return {
        "kind": kind, "n": len(tables["word"]), "words": names, "documents": small(_as_written(documents, data.source)),
        "parameters": tables, "pseudo": dict(pseudo), "prior": PRIOR,
    }  # fmt: skip


def _as_written(documents: list[list[str]], source: str) -> list[list[str]]:
    """Counts have no order; where the text that they are of is a plain file, its words stand as they do there."""
    try:
        lines = [line.split() for line in Path(source).read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        return documents
    same = len(lines) == len(documents) and all(map(lambda a, b: sorted(a) == sorted(b), lines, documents))
    return lines if same else documents


def kmeans_data(points: Array, means: Array) -> dict[str, Any]:
    n = len(means)
    start = {"cluster": [[1.0 / n] * n], "mean": means.tolist()}
    return {
        "kind": "kmeans",
        "n": n,
        "points": small(points.tolist()),
        "parameters": start,
        "pseudo": {},
        "prior": PRIOR,
    }


def small(items: list[Any], most: int = MOST_ITEMS) -> list[Any]:
    if len(items) > most or max(map(len, items), default=0) > MOST_WORDS:
        raise InputError(f"--page shows at most {MOST_ITEMS} lines of at most {MOST_WORDS} words; use fewer")
    if not all(items):
        raise InputError("--page: an empty line; give words on every line")
    return items
