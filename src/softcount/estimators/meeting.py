"""Which words ever meet, of pairs in memory or in files: in files part by part on the engine, and united here.

keys of a part = sorted distinct e · n + f          united two by two, so that each is copied log₂(parts) times
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.engines import Engine
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.bitext import Bitext
from softcount.text.cooccurrence import cooccurring, united, with_null, without_null
from softcount.text.occurrence import occurrences
from softcount.text.stored import opened
from softcount.text.stored_pairs import PairShards

PART = 4_000_000  # token pairs, of which a part finds out who meets


def meeting(data: Any, engine: Engine, keep: bool = False) -> Ragged:
    """As `text.cooccurrence.cooccurring`: row 0 is the empty word, row e + 1 is source word e.

    keep : the places of words with the data, for a model that asks for them again
    """
    n_sources, n_targets = len(data.source.vocabulary), len(data.target.vocabulary)
    if not isinstance(data, PairShards):
        places = data.sides[0].occurrences if keep else occurrences(data.source.sentences, n_sources)
        return cooccurring(places, data.target.sentences, n_targets)
    parts = engine.place(_as_it_is, (data.slice(*bounds) for bounds in data.cut(_token_pairs, PART)))
    keys = united(engine.map(_keys, parts, engine.share(n_targets)))
    lengths = np.bincount(keys // n_targets, minlength=n_sources)
    null = np.flatnonzero(data.target.frequencies).astype(np.int32)
    return with_null(Ragged(offsets_of(lengths), (keys % n_targets).astype(np.int32)), null)


# --- what crosses the engine ----------------------------------------------------------------------------------------


def _as_it_is(part: Any) -> Any:
    return part


def _token_pairs(pairs: Bitext) -> Array:
    found: Array = pairs.token_pairs
    return found


def _keys(part: Any, n_targets: int) -> Array:
    pairs: Bitext = opened(part)
    rows = without_null(cooccurring(pairs.sides[0].occurrences, pairs.target.sentences, n_targets))
    return np.repeat(np.arange(rows.n_rows), rows.lengths) * np.int64(n_targets) + rows.values
