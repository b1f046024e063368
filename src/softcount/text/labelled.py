"""Labelled sentences that are kept apart from the text to be tagged, and are trained on as if they stood in it.

| form | a word | known by |
|---|---|---|
| CoNLL-U | a line of ten columns | its name, or its first line |
| columns | a line ``word<TAB>TAG``; an empty line ends a sentence | a tab in every line with words |
| tagged | ``word/TAG``, a sentence per line | what is neither |
| two files | as the text has it, and its tag in step with it | the file of tags that is given as well |
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from softcount.errors import InputError
from softcount.numbers.ragged import Array, concatenate, offsets_of
from softcount.text.corpus import NO_TAG, Corpus, assemble, corpus
from softcount.text.reader import BEGINNING, is_conllu, read, text_of_table
from softcount.text.shard_folder import is_shards
from softcount.text.source import line_of, name_of, quoted, read_text, split_lines
from softcount.text.stored import in_memory

REMEDY = "write CoNLL-U, word/TAG, or lines word<TAB>TAG"


def read_labelled(
    path: str | Path, tags: str | Path | None = None, column: str = "upos", lowercase: bool = False
) -> Corpus:
    """Sentences with tags, in whichever of the forms above the file has."""
    if tags is not None:
        return read(path, "plain", tags, lowercase=lowercase)
    if is_shards(path):
        return _with_tags(read(path, lowercase=lowercase))
    table = text_of_table(path, None, "plain")  # a .tsv may have lines word<TAB>TAG
    content = read_text(path) if table is None else table
    if is_conllu(content):
        return _with_tags(read(path, "conllu", column=column, lowercase=lowercase, content=content))
    if _has_columns(content):
        return _with_tags(corpus(_columns(path, content), lowercase=lowercase))
    return _with_tags(read(path, "tagged", lowercase=lowercase, content=content))


def labelled_sentences(given: Any, lowercase: bool) -> Corpus:
    """Of a file, a Corpus, or a pair (sentences, tags)."""
    if isinstance(given, str | os.PathLike):
        return read_labelled(Path(given), lowercase=lowercase)
    if isinstance(given, tuple) and len(given) == 2:
        return _with_tags(corpus(given[0], labels=given[1], lowercase=lowercase))
    return _with_tags(corpus(given, lowercase=lowercase))


def with_labelled(text: Any, given: Any, weights: Array | None, lowercase: bool) -> tuple[Any, Array | None, int]:
    """The text with what is labelled before it, what its sentences count, and how many come before the text."""
    if given is None:
        return text, weights, 0
    labelled = labelled_sentences(given, lowercase)
    n = len(labelled)
    weights = None if weights is None else np.concatenate([np.ones(n), weights])
    return joined(labelled, in_memory(text, "labelled sentences beside it", "shard both together")), weights, n


def joined(labelled: Corpus, text: Corpus) -> Corpus:
    """Both as one text, the labelled sentences first."""
    both = (labelled, text)
    tokens = pa.concat_arrays([one.vocabulary.strings(one.sentences.values) for one in both])
    unknown = pa.array([NO_TAG], pa.large_string()).take(pa.array([0] * text.n_tokens, pa.int64()))
    tags = pa.concat_arrays([labelled._tag_strings(), text._tag_strings() if text.labelled else unknown])
    offsets = concatenate([one.sentences for one in both]).offsets
    n = len(labelled)

    def where(token: int) -> str:
        line = line_of(offsets, token)
        return f"{labelled.source}:{line}" if line <= n else f"{text.source}:{line - n}"

    return assemble(offsets, tokens, tags, where, source=f"{labelled.source} and {text.source}")


def place_in(both: str, text: str, n: int) -> Callable[[int], str]:
    """Names the line of a sentence in ``both``, the source of a joined text, of which the first ``n`` are labelled."""
    labelled = both.removesuffix(f" and {text}") if n else text
    return lambda line: f"{labelled}:{line}" if line <= n else f"{text}:{line - n}"


def _with_tags(found: Corpus) -> Corpus:
    if not found.tagset:
        raise InputError(f"{found.source}: has no tags; {REMEDY}")
    return found


def _has_columns(content: bytes) -> bool:
    """A tab in every line of the beginning that has words, and no blank before it."""
    rows = [row for row in content[:BEGINNING].split(b"\n") if row.strip()]
    rows = rows[:-1] if len(content) > BEGINNING else rows  # the last may be cut
    firsts = [row.partition(b"\t") for row in rows]
    tagged = all(b"/" in word and b"/" in rest for word, _, rest in firsts)  # word/TAG with tabs between
    return bool(rows) and not tagged and all(tab and word and b" " not in word for word, tab, _ in firsts)


def _columns(path: str | Path, content: bytes) -> Corpus:
    name = name_of(path)
    words, tags, numbers, lengths = list[str](), list[str](), list[int](), [0]
    for number, row in enumerate(split_lines(content).to_pylist(), 1):
        if not row.strip():
            lengths += [0] if lengths[-1] else []
            continue
        word, tab, rest = row.partition("\t")
        if not tab or not word:
            raise InputError(f"{name}:{number}: {quoted(row)} is not word<TAB>TAG; write one word and tag per line")
        words.append(word)
        tags.append(rest.partition("\t")[0].strip() or NO_TAG)
        numbers.append(number)
        lengths[-1] += 1
    offsets = offsets_of(lengths if lengths[-1] else lengths[:-1])
    string = pa.large_string()
    return assemble(
        offsets, pa.array(words, string), pa.array(tags, string), lambda token: f"{name}:{numbers[token]}", source=name
    )
