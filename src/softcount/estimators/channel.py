"""P(x | y) of a trained word aligner, as a search for y asks for it: by the words of x.

Translating source into target takes the reverse direction, in which target words generate source words; the other way
round, the forward one. Of directions that were trained together, fertilities have no say: they are a mean-field affair.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.estimators.agreed import Agreed
from softcount.estimators.agreed_tables import as_model2
from softcount.estimators.align_direction import Direction
from softcount.estimators.beam import JUMPS, TABLE, UNIFORM, Places
from softcount.estimators.sampling import positions
from softcount.families.jumps import REACH
from softcount.families.positions import LINK, NULL
from softcount.models.agreement_kernel import Direction as Weights
from softcount.models.agreement_places import TABLED
from softcount.models.jump_hmm import JumpHMM
from softcount.models.link_crf import LinkCRF
from softcount.numbers.ragged import Array, Ragged
from softcount.text.cooccurrence import transpose, without_null
from softcount.text.vocabulary import Vocabulary

NONE, GRID = np.zeros(1), np.zeros((1, 1))


class Tabled(NamedTuple):
    """Models 1 and 2: every word of x has its places by itself."""

    model: Any
    alignment: Any

    def at(self, l: int, m: int) -> Places:
        if self.model.alignment == "uniform":
            return Places(UNIFORM, l, GRID, NONE, NONE, NONE, 0.0, GRID, GRID)
        table = _logs(positions(self.model, self.alignment, l, m)).T
        return Places(TABLE, l, np.ascontiguousarray(table[1:]), table[0].copy(), NONE, NONE, 0.0, GRID, GRID)


class Flat(NamedTuple):
    """Model 1 whose empty word has a share of its own, which is in its rates already."""

    def at(self, l: int, m: int) -> Places:
        return Places(TABLE, l, np.full((l, m), -np.log(l)), np.zeros(m), NONE, NONE, 0.0, GRID, GRID)


class Jumping(NamedTuple):
    """The HMM: weights by place and distance, which become probabilities in a sentence of l words."""

    begin: Array
    end: Array
    jump: Array  # [kinds, 2 r + 1]

    def at(self, l: int, m: int) -> Places:
        away, reach = np.arange(l), self.jump.shape[1] // 2
        first, last = (part[np.minimum(away, len(part) - 1)] for part in (self.begin, self.end))
        reached = np.clip(away - away[:, None], -reach, reach) + reach  # [from, to]
        parts = _logs(first / first.sum()), _logs(last / last.sum()), -float(np.log(l))
        leave = np.ascontiguousarray(-_logs(self.jump[:, reached].sum(axis=2)))
        return Places(JUMPS, l, GRID, NONE, *parts, _logs(self.jump), leave)


class Channel(NamedTuple):
    vocabularies: tuple[Vocabulary, Vocabulary]  # of x, of y
    rows: Ragged  # of every word of x the words of y, ascending, that may generate it
    log_rates: Array  # log t(x | y) of those
    null: Array  # [words of x]: log t(x | empty word)
    kinds: Array  # int32 [words of y]: of their jumps
    ratio: float  # words of y for a word of x
    places: Tabled | Flat | Jumping


def channel(aligner: Any, reverse: bool = False) -> Channel:
    """Of source → target, or in reverse."""
    needed = "forward" if reverse else "reverse"
    if needed not in aligner.directions_:
        said = "P(target|source)" if reverse else "P(source|target)"
        raise InputError(f"the aligner has no {said}, which translation needs; train it with direction both")
    x, y = aligner.vocabularies_[::-1] if reverse else aligner.vocabularies_
    if aligner.agreed_ is not None:
        return _together(aligner.agreed_, int(not reverse), (x, y))
    tokens = {name: max(found.tokens, 1) for name, found in aligner.directions_.items()}
    ratio = tokens["forward"] / tokens["reverse"] if len(tokens) == 2 else 1.0
    return _apart(aligner.directions_[needed], (x, y), 1.0 / ratio if reverse else ratio)


def _logs(rates: Any) -> Array:
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(rates, np.float64))


def _by_x(rows: Ragged, rates: Array, n: int) -> tuple[Ragged, Array]:
    """Rows by y, and what stands beside them, as rows by x."""
    return transpose(rows, n), rates[np.argsort(rows.values, kind="stable")]


def _apart(found: Direction, words: tuple[Vocabulary, Vocabulary], ratio: float) -> Channel:
    model, table = found.model, found.parameters.translation
    if isinstance(model, LinkCRF):
        raise InputError("a CRF autoencoder only links given sentence pairs; for translation, train ibm1, ibm2 or hmm")
    first, n = int(table.offsets[1]), len(words[0])
    rows, rates = _by_x(without_null(model.entries), table.values[first:], n)
    null = np.zeros(n)
    null[model.entries.values[:first]] = table.values[:first]
    log_rates, log_null, alignment = _logs(rates), _logs(null), found.log_weights.alignment
    if isinstance(model, JumpHMM):
        log_rates, log_null = log_rates + float(alignment[LINK]), log_null + float(alignment[NULL])
        begin, end, jump, _ = model.positions.parts(np.exp(alignment))
        places: Tabled | Jumping = Jumping(begin, end, jump[None])
    else:
        places = Tabled(model, alignment)
    return Channel(words, rows, log_rates, log_null, np.zeros(len(words[1]), np.int32), ratio, places)


def _together(agreed: Agreed, d: int, words: tuple[Vocabulary, Vocabulary]) -> Channel:
    """Direction d: 1, in which target words generate source words, by which source is translated into target."""
    model = agreed.model._replace(longest=max(agreed.model.longest, REACH))
    weights = model.weigh(agreed.log_weights)
    side: Weights = weights.directions[d]
    rows, rates = agreed.rows, weights.rates[:, d]
    if d == 0:
        rows, rates = _by_x(rows, rates, len(words[0]))
    seen = agreed.frequencies
    ratio = float(seen[1].sum() / max(seen[0].sum(), 1.0))
    log_rates, null = _logs(rates) + float(np.log(weights.linked[d])), _logs(side.null[:-1])
    places: Flat | Jumping | Tabled = Flat()
    if model.alignment in TABLED:
        places = Tabled(*as_model2(agreed, d))
        log_rates, null = _logs(rates), null - float(np.log(max(1.0 - weights.linked[d], 1e-30)))
    elif model.positions:
        places = Jumping(*(part.astype(np.float64) for part in (side.begin, side.end, side.jump)))
    return Channel(words, rows, log_rates, null, side.kinds, ratio if d else 1.0 / ratio, places)
