"""The same questions asked of KenLM (K. Heafield, 2011), where its Python package is installed.

It reads the model as an ARPA file; its numbers have single precision, and are the same to about 1e-6 of a word.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.language.arpa import TEN, write_arpa
from softcount.language.ngram import Ngrams, Text
from softcount.numbers.ragged import Array
from softcount.text.vocabulary import Vocabulary


def reader(vocabulary: Vocabulary, orders: tuple[Ngrams, ...]) -> Any:
    """KenLM's model of these n-grams."""
    try:
        import kenlm
    except ImportError:
        raise InputError("query 'kenlm' needs the package kenlm; install softcount[kenlm], or use own") from None
    if len(orders) < 2:
        raise InputError("KenLM does not support order 1; use --query own")
    settings = kenlm.Config()
    settings.show_progress = False
    settings.arpa_complain = kenlm.ARPALoadComplain.NONE
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.arpa"
        write_arpa(path, vocabulary, orders)
        return kenlm.Model(str(path), settings)


def log_probabilities(model: Any, words: Sequence[str], text: Text) -> Array:
    """log P of every word of the text, 0 at starts: what `ngram.log_probabilities` gives."""
    result = np.zeros(len(text.words))
    starts = np.flatnonzero(text.place == 0)
    for start, stop in zip(starts, [*starts[1:], len(text.words)], strict=True):
        line = " ".join(words[w] for w in text.words[start + 1 : stop - 1])
        result[start + 1 : stop] = [log for log, _, _ in model.full_scores(line)]
    return np.asarray(result * TEN)
