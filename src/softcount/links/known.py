"""Links that are known of some pairs, as potentials of both directions' links.

    0 where word i may have generated word j, −∞ where not; of the empty word, −∞ for a word that is surely linked

A word that has links has no others. Words without any are left to the model: among themselves, or to the empty word; so
a line may have all links of its pair, or the few that somebody has put right. A possible link, i?j, forces nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.links.pharaoh import PairLinks, pharaoh
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.bitext import Bitext
from softcount.text.digest import content_digest


def linked(data: Bitext, links: Sequence[Any], name: str = "links") -> Bitext:
    """The pairs with what is known of their links: PairLinks, lists of (i, j) or lines of Pharaoh; or nothing."""
    if len(links) != len(data):
        raise InputError(
            f"{name}: {len(links):,} lines for {len(data):,} pairs; give one line per pair (an empty line "
            "for an unknown one)"
        )
    known = [_pair_links(given, f"{name}:{number}") for number, given in enumerate(links, 1)]
    shapes = list(zip(data.source.sentences.lengths.tolist(), data.target.sentences.lengths.tolist(), strict=True))
    rows = [_potentials(*both, f"{name}:{s}") for s, both in enumerate(zip(known, shapes, strict=True), 1)]
    return replace(data, wishes=(_ragged([row[0] for row in rows]), _ragged([row[1] for row in rows])))


def n_linked(data: Bitext) -> int:
    """Of how many pairs something is known."""
    return 0 if data.potentials is None else int((data.potentials.lengths > 0).sum())


def signed_links(data: Bitext) -> dict[str, str]:
    """For signatures: of how many pairs something is known, and a digest of that; nothing where nothing is."""
    known = data.potentials
    if known is None or not (n := n_linked(data)):
        return {}
    return {"known_links": f"{n},{content_digest(known.offsets, known.values)}"}


def _pair_links(given: Any, where: str) -> PairLinks:
    if isinstance(given, PairLinks):
        return given
    if isinstance(given, str):
        return pharaoh(given, where)
    try:
        return PairLinks({(int(i), int(j)) for i, j in given or ()}, set())
    except (TypeError, ValueError):
        raise InputError(f"{where}: invalid links; give (i, j) pairs, a line such as 0-0 1-2, or None") from None


def _potentials(known: PairLinks, shape: tuple[int, int], where: str) -> tuple[Array, Array]:
    """Of source → target links (l + 1) × m, and of target → source links (m + 1) × l."""
    if not known.sure and not known.possible:
        return np.empty(0), np.empty(0)
    sure, allowed = np.zeros(shape, bool), np.zeros(shape, bool)
    for i, j in known.sure | known.possible:
        if not (0 <= i < shape[0] and 0 <= j < shape[1]):
            raise InputError(
                f"{where}: the link {i}-{j} is outside its sentences of {shape[0]} and {shape[1]} words; "
                "count words from 0"
            )
        allowed[i, j], sure[i, j] = True, (i, j) in known.sure
    allowed |= ~np.any(allowed, axis=1, keepdims=True) & ~np.any(allowed, axis=0, keepdims=True)
    forward, reverse = np.vstack([~sure.any(axis=0), allowed]), np.vstack([~sure.any(axis=1), allowed.T])
    return _logs(forward), _logs(reverse)


def _logs(allowed: Array) -> Array:
    return np.where(allowed.ravel(), 0.0, -np.inf)


def _ragged(rows: list[Array]) -> Ragged:
    return Ragged(offsets_of(np.array([len(row) for row in rows], np.int64)), np.concatenate([np.empty(0), *rows]))
