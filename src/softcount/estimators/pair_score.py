"""How likely two sentences are to be translations of each other: a score from 0 to 1, by both directions.

    explained = 1 − [log P(f | e) + log P(e | f)] / [log P(f) + log P(e)]
    P(f | e) = ∏_j [½ p(f_j) + ½ Σ_i t(f_j | e_i) / l]             score = 1 / (1 + exp(−a (explained − b)))

The share of both sentences' information that is gone once the other is known. p is by the frequencies of words, t by
what was counted in training, less one: that two words stand in one pair of sentences, which may be this very pair, says
nothing. So words that occur once do not vouch for one another in a pair that is none. A tenth of all lines shuffled,
Europarl: AUC .9975 by log P(f | e) per word, .9992 by this; where neither the count nor the empty word is changed .991.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from softcount.engines import Engine
from softcount.errors import InputError
from softcount.estimators import agreed_links, align_decode, ranged_decode, ranged_links
from softcount.estimators.agreed import Agreed
from softcount.estimators.agreed_lazy import Lazy
from softcount.estimators.align_direction import Direction
from softcount.estimators.asked import stacked
from softcount.families.diagonal import Diagonal
from softcount.models.ibm import IBM, UNKNOWN
from softcount.numbers.ragged import Array
from softcount.numbers.tables import row_sums
from softcount.text.bitext import Bitext
from softcount.text.corpus import Corpus

DISCOUNT = 1.0  # of every count
NAMES = ("forward", "reverse")
EMPTY = 0.5  # the share of words that need no translation
STEEP, MIDDLE = 20.0, 0.015  # b is half-way between right and wrong pairs on four small sets; a leaves room to rank


def pair_scores(explained: Array) -> Array:
    """[pairs]; a pair of which nothing is known (NaN), such as one with an empty side, has 0."""
    return np.where(np.isnan(explained), 0.0, 1.0 / (1.0 + np.exp(-STEEP * (np.nan_to_num(explained) - MIDDLE))))


def explained(log_norms: Array, items: Bitext, seen: Mapping[str, Array]) -> Array:
    """[pairs]; NaN where a side is empty. `seen`: of each trained direction, the frequencies of what it generates."""
    both = (items.source.sentences.lengths > 0) & (items.target.sentences.lengths > 0)
    given, alone = np.zeros(len(items)), np.zeros(len(items))
    for name, frequencies in seen.items():
        text = items.target if name == "forward" else items.source
        given += log_norms[:, NAMES.index(name)]
        alone += row_sums(text.sentences.with_values(np.log(shares(frequencies, text))[text.sentences.values]))
    return np.where(both, 1.0 - given / np.where(both, alone, -1.0), np.nan)


def shares(frequencies: Array, text: Corpus) -> Array:
    """Of all words of a text; one that never occurred has half an occurrence, and so has the last, of words unknown."""
    more = np.zeros(len(text.vocabulary) - len(frequencies) + 1)
    return np.asarray((np.append(frequencies, more) + 0.5) / (frequencies + 0.5).sum())


def of_both(engine: Engine, items: Bitext, agreed: Agreed | Lazy) -> Array:
    """What is explained, by counts of both directions trained together, as by a Model 1 without fertilities."""
    asked = ranged_links.question(engine, agreed, items, alone=True, less=DISCOUNT)
    asked = asked.changed(partial(_as_model_1, items, agreed.frequencies))
    log_norms = stacked(asked.ask(agreed_links.log_norms, engine, items))
    return explained(log_norms, items, dict(zip(NAMES, agreed.frequencies[::-1], strict=True)))


def _as_model_1(items: Bitext, frequencies: tuple[Array, Array], asked: agreed_links.Question) -> agreed_links.Question:
    """Whose empty word has a share of its own."""
    weights = asked.weights
    sides = zip(weights.directions, (items.target, items.source), frequencies[::-1], strict=True)
    one, two = (side._replace(null=(EMPTY * shares(n, text)).astype(np.float32)) for side, text, n in sides)
    linked = np.full(2, 1.0 - EMPTY, np.float32)
    weights = weights._replace(linked=linked, directions=(one, two), fertile=False, places=None)
    return asked._replace(model=asked.model._replace(alignment="uniform", fertility=False), weights=weights)


def of_each(engine: Engine, items: Bitext, directions: Mapping[str, Direction]) -> Array:
    """The same of directions that were trained alone, or of one."""
    if any(direction.totals is None for direction in directions.values()):
        raise InputError(
            "this model was saved by an older softcount without the data for translation scores; train it again"
        )
    seen = {name: _frequencies(direction) for name, direction in directions.items()}
    less = {name: _less(direction, seen[name]) for name, direction in directions.items()}
    asked = ranged_decode.decoder(engine, less, items, normed=True)
    log_norms = stacked(asked.ask(align_decode.log_norms, engine, items))
    for name, frequencies in seen.items():
        text = items.target if name == "forward" else items.source
        log_norms[:, NAMES.index(name)] += _unknown(text, frequencies)
    return explained(log_norms, items, seen)


def _less(direction: Direction, frequencies: Array) -> Direction:
    """As a Model 1 whose empty word has a share of its own: the diagonal with no tension."""
    table, totals = direction.parameters.translation, np.maximum(np.asarray(direction.totals), DISCOUNT)
    rates = np.maximum(table.values - np.repeat(DISCOUNT / totals, table.lengths), 0.0)
    first = slice(0, table.offsets[1])
    rates[first] = ((frequencies + 0.5) / (frequencies + 0.5).sum())[direction.model.entries.values[first]]
    flat = Diagonal(direction.model.classes[:0])
    return direction._replace(
        model=IBM(direction.model.entries, direction.model.n_targets, direction.model.classes),
        parameters=direction.parameters._replace(translation=table.with_values(rates)),
        log_weights=direction.log_weights._replace(alignment=flat.log_weights(flat.table(EMPTY, 0.0))),
    )


def _unknown(text: Corpus, frequencies: Array) -> Array:
    """[sentences]: what words that are not known lack; the model gives them UNKNOWN with every word, the empty too."""
    n = row_sums(text.sentences.with_values((text.sentences.values < 0).astype(np.int64)))
    share = 0.5 / (frequencies + 0.5).sum()
    return np.asarray(n * np.log((EMPTY * share + (1.0 - EMPTY) * UNKNOWN) / UNKNOWN))


def _frequencies(direction: Direction) -> Array:
    """Of the words that it generates: Σ_e c(e, f), to which every occurrence of f gives one, or nearly: c(e, f) is the
    row times what the next step would learn it from."""
    table = direction.parameters.translation
    counts = table.values * np.repeat(np.asarray(direction.totals), table.lengths)
    return np.bincount(direction.model.entries.values, counts, direction.model.n_targets)
