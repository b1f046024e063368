"""20 Newsgroups by date, as the document benches use it.

The bars of perplexity were set on 10,597 documents × 15,230 words with 581,000 counts, unigram perplexity 5,102. No
pruning that was tried on our copy has all four: those with its documents, words and counts have unigrams of 7,000 to
9,400. Presumably it was made from text without quotations and signatures; our copy keeps both, and no line breaks to
find them by. So this pruning has its documents, words and unigram (10,591 × 14,886, 5,081), and more counts (848,026).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from corpora import folder
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from softcount.text.document_reader import read_documents
from softcount.text.documents import Documents, pruned, recoded

MIN_DOCUMENTS, MAX_SHARE, MIN_LETTERS, MIN_TOKENS = 8, 0.4, 3, 17


class Newsgroups(NamedTuple):
    train: Documents
    test: Documents
    gold: np.ndarray  # the newsgroup of each training document
    truth: np.ndarray  # of each test document


def read(path: Path | None, min_documents=MIN_DOCUMENTS, max_share=MAX_SHARE, min_letters=MIN_LETTERS,
         min_tokens=MIN_TOKENS, stop_words=ENGLISH_STOP_WORDS) -> Newsgroups | None:  # fmt: skip
    """Without stop words, short, rare and common words, and then without short training documents."""
    path = path or folder("docs-20news-en")
    if path is None:
        return None
    raw = read_documents(path / "train.txt")
    short = {word for word in raw.vocabulary.words if len(word) < min_letters}
    train = pruned(raw, min_documents, max_share, short.union(stop_words))
    long = np.flatnonzero(train.totals() >= min_tokens)
    classes, gold = np.unique((path / "train.label").read_text().split(), return_inverse=True)
    truth = np.searchsorted(classes, (path / "test.label").read_text().split())
    train = pruned(train.take(long), 1, 1.0, ())  # words of short documents alone are gone with them
    return Newsgroups(train, recoded(read_documents(path / "test.txt"), train.vocabulary), gold[long], truth)


def unigram(train: Documents, test: Documents) -> float:
    p = (np.bincount(train.words, train.counts, train.n_words) + 0.01) / (train.n_tokens + 0.01 * train.n_words)
    return float(np.exp(-(test.counts @ np.log(p[test.words])) / test.counts.sum()))
