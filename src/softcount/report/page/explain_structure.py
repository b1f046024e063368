"""What the pages of `explain net` and `explain grammar` start from: rows with gaps, or sentences and rules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.models.network_declared import axes
from softcount.report.page.explain_data import MOST_ITEMS, PRIOR, small
from softcount.text.cfg import Rules

MOST_COMPLETIONS = 5000  # of one item: beyond, a page stands still
MOST_TREES = 200  # of one sentence, as scripts/grammar.js has it


def net_data(network: Any, rows: Any) -> dict[str, Any]:
    """`network` has been fitted to these rows with no steps, so that its parameters are the start's."""
    model, data = network._model, network._read(rows)
    if not np.all(data.weights == 1.0):
        raise InputError("--page shows single rows and cannot be combined with --weight; omit one of them")
    missing = np.where(data.cells < 0, np.array(model.sizes, dtype=float), 1.0)
    most = max(float(missing[a:b].prod()) for a, b in pairwise(data.offsets.tolist()))
    if len(data) > MOST_ITEMS or data.n_rows > MOST_ITEMS or most > MOST_COMPLETIONS:
        raise InputError(f"--page shows at most {MOST_ITEMS} rows with few missing cells; use fewer")
    tables = [_table(model, t, name) for t, name in enumerate(model.tables)]
    values = {name: np.reshape(table, (-1, np.shape(table)[-1])) for name, table in network._tables.items()}
    cells = [[None if x < 0 else x for x in row] for row in data.cells.tolist()]
    return {
        "kind": "net", "names": list(model.names), "values": [list(v) for v in model.values], "tables": tables,
        "first": [_use(use) for use in model.first], "later": [_use(use) for use in model.later],
        "items": [cells[a:b] for a, b in pairwise(data.offsets.tolist())],
        "parameters": {name: table.tolist() for name, table in values.items()}, "pseudo": {}, "prior": PRIOR,
    }  # fmt: skip


def _table(model: Any, t: int, name: str) -> dict[str, Any]:
    *above, own = axes(model, t)
    rows = [", ".join(given) for given in product(*above)] if above else ["all"]
    return {"name": name, "rows": rows, "columns": list(own), "emits": bool(model.emits[t])}


def _use(use: Any) -> dict[str, Any]:
    return {"table": use.table, "scope": [list(cell) for cell in use.scope]}


def grammar_data(grammar: Any, sentences: Sequence[str]) -> dict[str, Any]:
    """`grammar` has been fitted with no steps."""
    rules: Rules = grammar.rules_
    words = small([sentence.split() for sentence in sentences])
    counts = grammar.n_parses(list(sentences))  # refuses unary rules that go round
    for number, n in enumerate(counts, 1):
        if n > MOST_TREES:
            raise InputError(f"--page: sentence {number} has {n:,} trees; use one with at most {MOST_TREES}")
    bounds = list(pairwise(rules.rows.tolist()))
    sides = [[_part(rules, v) for v in row.tolist()] for row in rules.rhs.rows()]
    probabilities = np.asarray(grammar.parameters_.rule.values).tolist()
    return {
        "kind": "grammar", "symbols": list(rules.symbols), "start": rules.symbols[rules.start],
        "rules": [sides[a:b] for a, b in bounds], "sentences": words,
        "parameters": {"rule": [probabilities[a:b] for a, b in bounds]}, "pseudo": {}, "prior": PRIOR,
    }  # fmt: skip


def _part(rules: Rules, v: int) -> dict[str, Any]:
    return {"symbol": v} if v >= 0 else {"word": rules.words[-1 - v]}
