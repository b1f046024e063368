"""Documents with known topics: each word of a document comes from its topic's own words, or from those of all.

    topic ~ uniform      word ~ share · keywords[topic] + (1 − share) · common, both falling as 1 / rank

Words are invented, so that nothing but their company tells which belong together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.synthetic.morphology import invent

THEMES = {
    "sea": "boat sailor harbour wave fish net anchor tide storm island",
    "farm": "field horse plough wheat barn cow milk farmer seed harvest",
    "music": "song violin drum choir tune melody singer piano rhythm concert",
    "law": "judge court law trial guilty lawyer jury crime witness verdict",
    "kitchen": "cook oven bread soup knife butter salt recipe plate flour",
    "sport": "game team goal score player match coach ball win league",
}
COMMON = "the a of and to in is was that it for on with as at by from this they one"


class Topical(NamedTuple):
    documents: list[list[str]]
    topics: list[int]  # the main topic of each document
    keywords: list[list[str]]  # of each topic, the most frequent first
    names: list[str]


def topical(n_documents: int, n_topics: int = 4, length: int = 30, share: float = 0.6, seed: int = 0) -> Topical:
    """`share` of a document's words are its topic's, the others everybody's."""
    if not 1 <= n_topics <= 1000 or n_documents < 0 or length < 0 or not 0 <= share <= 1:
        raise InputError("topical documents need 1 to 1000 topics, a share between 0 and 1, and no negative size")
    rng = np.random.default_rng([seed, 11])
    names = [*THEMES, *(f"theme{t}" for t in range(len(THEMES), n_topics))][:n_topics]
    keywords = [THEMES[name].split() if name in THEMES else _invented(t) for t, name in enumerate(names)]
    common = COMMON.split()
    documents, topics = [], []
    for _ in range(n_documents):
        topic = int(rng.integers(n_topics))
        size = int(rng.poisson(length)) if length else 0
        documents.append([_word(rng, keywords[topic] if rng.random() < share else common) for _ in range(size)])
        topics.append(topic)
    return Topical(documents, topics, keywords, names)


def _invented(topic: int) -> list[str]:
    return [invent(10 * topic + i) for i in range(10)]


def _word(rng: np.random.Generator, words: list[str]) -> str:
    ladder = np.cumsum(1.0 / np.arange(1, len(words) + 1))
    return words[int(np.searchsorted(ladder, rng.random() * ladder[-1], side="right"))]
