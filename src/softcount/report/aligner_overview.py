"""What an aligner has learned, on one screen: the commonest words and their translations, jumps, fertilities.

jump[d]        P of going d source words on from one target word to the next, of both directions the forward one
fertility[k]   the share of words that have k words on the other side
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.numbers.ragged import Array

REACH = 5  # distances shown, either way
WIDTH = 24  # of a bar of 100 %


def aligner_overview(model: Any, top: int) -> dict[str, Any]:
    return {
        "kind": model.kind,
        "classes": [],
        "glossary": _head(model, top),
        "jump": {name: _jumps(model, number) for number, name in enumerate(model.directions_)},
        "fertility": {name: _fertility(model, number) for number, name in enumerate(model.directions_)},
        "empty_word": {name: _empty(model, number) for number, name in enumerate(model.directions_)},
    }


def _head(model: Any, top: int) -> list[dict[str, Any]]:
    """The commonest source words, which have the first ids, each with the target word that both directions like."""
    place = {word: i for i, word in enumerate(model.vocabularies_[0].words[:top])}
    best: dict[str, tuple[float, str, float, float]] = {}
    for source, target, p, q in model.lexicon(0.001):
        if source in place:
            both = float(np.sqrt(np.nan_to_num(p, nan=1.0) * np.nan_to_num(q, nan=1.0)))
            best[source] = max(best.get(source, (-1.0, "", 0.0, 0.0)), (both, target, p, q))
    return [
        {"source": word, "target": best[word][1], "p_target": _known(best[word][2]), "p_source": _known(best[word][3])}
        for word in place
        if word in best
    ]


def _known(number: float) -> float | None:
    return None if number != number else number  # JSON has no NaN


def _side(model: Any, number: int) -> Any:
    return None if model.agreed_ is None else model.agreed_.parameters[1 + number]


def _jump(model: Any, number: int) -> Array | None:
    """Of all words but the most frequent, which have their own where both directions were trained together."""
    side = _side(model, number)
    if side is None:
        direction = list(model.directions_.values())[number]
        if direction.model.alignment != "jumps":
            return None
        found: Array = np.exp(direction.model.positions.parts(direction.log_weights.alignment).jump)
        return found
    if not model.agreed_.model.positions:
        return None
    family = model.agreed_.model.layout[1 + number].jump.family
    first: Array = family.parts(np.asarray(side.jump))[2][0]
    return first


def _jumps(model: Any, number: int) -> dict[str, float]:
    jump = _jump(model, number)
    if jump is None:
        return {}
    middle = len(jump) // 2
    shown = {str(d): float(jump[middle + d] / jump.sum()) for d in range(-REACH, REACH + 1)}
    return shown


def _fertility(model: Any, number: int) -> dict[str, float]:
    side = _side(model, number)
    if side is None or not np.asarray(side.fertility).any():
        return {}
    total: Array = np.asarray(side.fertility).sum(axis=0)
    return {str(k): float(n) for k, n in enumerate(total / total.sum())}


def _empty(model: Any, number: int) -> float | None:
    side = _side(model, number)
    if side is not None:
        return float(side.empty[0])
    direction = list(model.directions_.values())[number]
    return (
        float(np.exp(direction.log_weights.alignment[0]))
        if direction.model.alignment in ("diagonal", "jumps")
        else None
    )


def aligner_lines(content: dict[str, Any], head: str) -> list[str]:
    rows = content["glossary"]
    wide = max([len("source"), *(len(row["source"]) for row in rows)])
    across = max([len("target"), *(len(row["target"]) for row in rows)])
    lines = [head, f"  {'source':<{wide}}  {'target':<{across}}  p(t|s)  p(s|t)"]
    for row in rows:
        lines.append(
            f"  {row['source']:<{wide}}  {row['target']:<{across}}  {_p(row['p_target'])}  {_p(row['p_source'])}"
        )
    lines += _bars("jump: words on, from one word to the next", content["jump"])
    lines += _bars("fertility: words on the other side", content["fertility"])
    return lines


def _bars(title: str, tables: dict[str, dict[str, float]]) -> list[str]:
    """The directions side by side; rows at the end that are as good as empty are left away."""
    found = {name: table for name, table in tables.items() if table}
    keys = [key for table in found.values() for key, share in table.items() if key.startswith("-") or share >= 0.0005]
    if not keys:
        return []
    wide = 8 + WIDTH
    lines = ["", title, ("  " + "".join(f"{'':>5}{name:<{wide}}" for name in found)).rstrip()]
    for key in dict.fromkeys(keys):
        cells = (
            f"{key:>3}  {table.get(key, 0.0):6.1%} {bar(table.get(key, 0.0)):<{WIDTH + 1}}" for table in found.values()
        )
        lines.append(("  " + "".join(cells)).rstrip())
    return lines


def bar(share: float, width: int = WIDTH) -> str:
    return "█" * round(share * width)


def _p(number: float | None) -> str:
    return "     –" if number is None else f"{number:6.3f}"
