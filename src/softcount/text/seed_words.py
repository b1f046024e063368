"""Seed words of topics: ``number<TAB>word word …``, one topic a line, numbered from 0."""

from __future__ import annotations

import re
from pathlib import Path

from softcount.errors import InputError
from softcount.text.source import lines, name_of, quoted
from softcount.text.vocabulary import Vocabulary

_NUMBER = re.compile(r"[0-9]{1,9}")


def read_seed_words(
    path: str | Path, n_topics: int, vocabulary: Vocabulary, lowercase: bool = False
) -> dict[int, list[str]]:
    """Topic → its words, all of which are in the vocabulary."""
    name = name_of(path)
    found: dict[int, list[str]] = {}
    for number, line in enumerate(lines(path).to_pylist(), 1):
        if not line.strip():
            continue
        topic, words = _entry(line.lower() if lowercase else line, f"{name}:{number}")
        if topic >= n_topics:
            raise InputError(f"{name}:{number}: topic {topic}, but the topics are 0 to {n_topics - 1}; correct it")
        missing = [word for word, at in zip(words, vocabulary.find(words).tolist(), strict=True) if at < 0]
        if missing:
            wrong = f"{quoted(missing[0])} does not occur in the documents"
            raise InputError(f"{name}:{number}: {wrong}; correct it, or do not remove the word from the documents")
        found.setdefault(topic, []).extend(words)
    if not found:
        raise InputError(f"{name}: empty file; give at least one line number<TAB>word word …")
    return {topic: list(dict.fromkeys(words)) for topic, words in found.items()}


def _entry(line: str, where: str) -> tuple[int, list[str]]:
    head, tab, rest = line.partition("\t")
    topic = head.strip()
    # As bytes, because str.split() also splits at a no-break space.
    words = [word.decode() for word in rest.encode().split()]
    if not tab:
        raise InputError(f"{where}: no tab; write number<TAB>word word …")
    if not _NUMBER.fullmatch(topic):
        raise InputError(f"{where}: {quoted(topic)} is not a topic number; count topics from 0")
    if not words:
        raise InputError(f"{where}: no words for topic {int(topic)}; add some, or remove the line")
    return int(topic), words
