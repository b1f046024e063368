"""Sentences as ids, with the vocabulary that reads them and, where known, their tags."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from softcount.errors import InputError, list_counts
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.shard_folder import is_shards
from softcount.text.source import bytes_of, line_of, quoted, split_tokens
from softcount.text.vocabulary import Vocabulary, lowered

NO_TAG = "_"
MEMORY = "<memory>"


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentences as word ids, with their vocabulary and known tags.

    Read more in the :doc:`guide to input </how-to/prepare-input>`.

    >>> from softcount import corpus
    >>> text = corpus(["the dog runs", "a dog"])
    >>> len(text), text.n_tokens, text.vocabulary.words[0], text.tokens(0)
    (2, 5, 'dog', ['the', 'dog', 'runs'])

    `len()` is the number of sentences; an empty sentence is a sentence. `corpus` and `read` make one.
    """

    sentences: Ragged  # int32 word ids; −1: not in the vocabulary, which has no unknown word
    vocabulary: Vocabulary
    labels: Ragged | None = None  # int32 tag ids, same offsets; −1: not known
    tagset: tuple[str, ...] = ()  # the names of the tag ids
    source: str = MEMORY
    potentials: Ragged | None = None  # [tokens, K]: log-weights that a token itself gives to the states

    def __len__(self) -> int:
        return self.sentences.n_rows

    def __repr__(self) -> str:
        sizes = {
            "sentences": len(self),
            "tokens": self.n_tokens,
            "words": len(self.vocabulary),
            "tags": len(self.tagset),
        }
        return f"Corpus({list_counts(sizes)}, source={self.source!r})"

    @property
    def n_tokens(self) -> int:
        return len(self.sentences.values)

    @property
    def sizes(self) -> Array:
        """How much of the data each sentence is: its tokens."""
        return self.sentences.lengths

    @property
    def frequencies(self) -> Array:
        """How often each word occurs."""
        ids = self.sentences.values
        return np.bincount(ids[ids >= 0], minlength=len(self.vocabulary))

    @property
    def n_unknown(self) -> int:
        return int((self.sentences.values < 0).sum())

    @property
    def length_counts(self) -> Array:
        """How many sentences have how many words."""
        return np.bincount(self.sentences.lengths)

    @property
    def labelled(self) -> bool:
        return self.labels is not None

    def blocks(self) -> Iterator[tuple[int, Corpus]]:
        """(number of the first sentence, sentences), all at once; those of a folder come one block at a time."""
        yield 0, self

    def recoded(self, codes: Array, vocabulary: Vocabulary) -> Corpus:
        """`codes`: from the numbers of words now to those in the vocabulary; −1 for none."""
        ids = self.sentences.values
        values = np.where(ids >= 0, np.append(codes, np.int32(-1))[ids], np.int32(-1)).astype(np.int32)
        return replace(self, sentences=self.sentences.with_values(values), vocabulary=vocabulary)

    def retagged(self, ids: Array, tagset: tuple[str, ...]) -> Corpus:
        """Tags by other numbers; −1 is not known."""
        assert self.labels is not None
        labels = self.labels.with_values(np.append(ids, np.int32(-1))[self.labels.values])  # −1 is the last
        return replace(self, labels=labels, tagset=tagset)

    def unlabelled(self) -> Corpus:
        return replace(self, labels=None, tagset=())

    def slice(self, start: int, stop: int) -> Corpus:
        return self._rows(lambda ragged: ragged.slice(start, stop))

    def take(self, rows: Array) -> Corpus:
        return self._rows(lambda ragged: ragged.take(np.asarray(rows, dtype=np.int64)))

    def tokens(self, i: int) -> list[str]:
        return self.vocabulary.decode(self.sentences.row(i))

    def tags(self, i: int) -> list[str | None]:
        """The tags of one sentence, None where not known."""
        ids = [-1] * len(self.sentences.row(i)) if self.labels is None else self.labels.row(i).tolist()
        return [None if tag < 0 else self.tagset[tag] for tag in ids]

    def digest(self) -> str:
        """sha256 of the words, the sentence boundaries and the tags: the same however the ids are numbered."""
        # Offsets come before what they cut, so no two corpora run together into the same bytes.
        parts = [np.array([len(self), self.labels is not None]), self.sentences.offsets]
        parts += bytes_of(self.vocabulary.strings(self.sentences.values))
        if self.labels is not None:
            parts += bytes_of(self._tag_strings())
        sha = hashlib.sha256()
        for part in parts:
            sha.update(np.ascontiguousarray(part).data)
        del parts
        pa.default_memory_pool().release_unused()
        return sha.hexdigest()

    def _tag_strings(self) -> Any:
        assert self.labels is not None
        names = [*self.tagset, NO_TAG]
        return pa.array(names, pa.large_string()).take(pa.array(self.labels.values % len(names)))  # −1 is the last

    def _rows(self, select: Callable[[Ragged], Ragged]) -> Corpus:
        labels, potentials = (None if rows is None else select(rows) for rows in (self.labels, self.potentials))
        return replace(self, sentences=select(self.sentences), labels=labels, potentials=potentials)


def corpus(
    data: Any,
    vocabulary: Vocabulary | None = None,
    min_count: int = 1,
    labels: Iterable[Any] | None = None,
    tagset: Sequence[str] | None = None,
    lowercase: bool = False,
) -> Corpus:
    """Create a Corpus from sentences in memory.

    Read more in the :doc:`guide to softcount in Python </how-to/python>`.

    >>> from softcount import corpus
    >>> corpus(["the dog runs", "a dog"], labels=[["DET", "NOUN", "VERB"], [None, "NOUN"]]).tagset
    ('DET', 'NOUN', 'VERB')

    Parameters
    ----------
    data : list of str, list of token lists, Corpus, or Shards
        The sentences; a text line is cut at blanks. Of a folder of shards, a corpus that stays there.
    vocabulary : Vocabulary, optional
        Whose numbers are used, as new text is read by an old model; then `min_count` has no say.
    min_count : int, default 1
        Words that occur less often are one unknown word.
    labels : list of tag lists, optional
        In step with the sentences; None or "_" where a tag is not known.
    tagset : list of str, optional
        The tags, in the order of their numbers.
    lowercase : bool, default False
        Whether text is lower-cased first.

    Returns
    -------
    Corpus
    """
    if isinstance(data, Corpus):
        return _recoded(data, vocabulary, min_count, labels, tagset, lowercase)
    if hasattr(data, "read_as") or is_shards(data):
        from softcount.text.shards import shards_of

        found: Corpus = shards_of(data, "sentences").read_as(vocabulary, min_count, labels, tagset, lowercase)
        return found
    offsets, tokens = _flatten(data, "token")
    tokens = lowered(tokens) if lowercase else tokens
    tags = None if labels is None else _in_step(labels, offsets)
    return assemble(offsets, tokens, tags, _sentence_name(offsets), vocabulary, min_count, tagset)


def assemble(
    offsets: Array,
    tokens: Any,
    tags: Any | None,
    where: Callable[[int], str],
    vocabulary: Vocabulary | None = None,
    min_count: int = 1,
    tagset: Sequence[str] | None = None,
    source: str = MEMORY,
) -> Corpus:
    """Strings to ids; ``where`` tells messages the place of a token."""
    if vocabulary is None:
        vocabulary, ids = Vocabulary.build(tokens, min_count)
    else:
        ids = vocabulary.encode(tokens)
    pa.default_memory_pool().release_unused()  # what hashing the tokens took, a tenth of all that training needs
    sentences = Ragged(offsets, ids)
    if tags is None:
        return Corpus(sentences, vocabulary, source=source)
    tag_ids, names = encode_tags(tags, where, tagset)
    return Corpus(sentences, vocabulary, sentences.with_values(tag_ids), names, source)


def encode_tags(
    tags: Any, where: Callable[[int], str], tagset: Sequence[str] | None = None
) -> tuple[Array, tuple[str, ...]]:
    """(int32 ids, names): "_" and "" are −1; without a tagset the names are those found, sorted."""
    encoded = tags.dictionary_encode()
    found = encoded.dictionary.to_pylist()
    names = tuple(sorted(set(found) - {NO_TAG, ""})) if tagset is None else tuple(tagset)
    ids = {name: i for i, name in enumerate(names)} | {NO_TAG: -1, "": -1}
    if len(ids) != len(names) + 2:
        raise InputError(f'tagset {names}: a name is empty, "_" or repeated; name every tag once')
    table = np.array([ids.get(tag, -2) for tag in found], dtype=np.int32)
    values = table[encoded.indices.to_numpy(zero_copy_only=False)]
    if (table == -2).any():
        i = int(np.argmax(values == -2))
        raise InputError(f"{where(i)}: tag {quoted(tags[i].as_py())} is not in the tagset; correct it, or add it there")
    return values, names


def _recoded(
    old: Corpus,
    vocabulary: Vocabulary | None,
    min_count: int,
    labels: Iterable[Any] | None,
    tagset: Sequence[str] | None,
    lowercase: bool,
) -> Corpus:
    lowercase = lowercase and lowered(old.vocabulary.words).to_pylist() != old.vocabulary.words
    if vocabulary is None and min_count <= 1 and not lowercase:
        vocabulary = old.vocabulary
    if not lowercase and vocabulary == old.vocabulary and labels is None and tagset in (None, old.tagset):
        return old
    offsets = old.sentences.offsets
    tags = _in_step(labels, offsets) if labels is not None else old._tag_strings() if old.labels is not None else None
    names = old.tagset if tagset is None and labels is None else tagset
    tokens = old.vocabulary.strings(old.sentences.values)
    tokens = lowered(tokens) if lowercase else tokens
    new = assemble(offsets, tokens, tags, _sentence_name(offsets), vocabulary, min_count, names, old.source)
    return replace(new, vocabulary=_keep_unknown(new.vocabulary, old.vocabulary)) if vocabulary is None else new


def _keep_unknown(new: Vocabulary, old: Vocabulary) -> Vocabulary:
    """Words pruned before are still unknown words when pruning again finds nothing more to prune."""
    lost = new.unknown is None and old.unknown is not None and old.unknown in new
    return Vocabulary(new.words, old.unknown) if lost else new


def _flatten(data: Any, what: str, missing: str | None = None) -> tuple[Array, Any]:
    """(offsets, strings) of a list of lines or of a list of lists, in which None is read as ``missing``."""
    if isinstance(data, str | bytes):
        raise InputError(
            f"X is a single {type(data).__name__} instead of a list of {what}s; pass a list of lines, "
            "[text] for one line"
        )
    if not hasattr(data, "__iter__"):
        raise InputError(f"{what}s have type {type(data).__name__}; pass a list of lines or of {what} lists")
    rows = data.to_pylist() if isinstance(data, pa.Array | pa.ChunkedArray) else list(data)
    if what == "token":
        check_cells(rows)
    kinds = [isinstance(row, str) for row in rows]
    if all(kinds) and rows:
        return _split(rows)
    if any(kinds):
        other = kinds.index(not kinds[0]) + 1
        raise InputError(f"sentence {other}: lines and {what} lists are mixed; pass one or the other")
    return _chained(rows, what, missing)


def check_cells(rows: list[Any]) -> None:
    """A column of a data frame may have cells without a text."""
    for number, row in enumerate(rows, 1):
        if row is None or type(row).__name__ == "NAType" or (isinstance(row, float) and row != row):
            raise InputError(f"row {number}: None instead of a text; fill it with '' or remove the row")


def _split(rows: list[str]) -> tuple[Array, Any]:
    text = "\n".join(rows) + "\n"
    if text.count("\n") != len(rows):  # lines that still have their ends, say: a blank like any other
        text = "\n".join([row.replace("\n", " ") for row in rows]) + "\n"
    try:
        return split_tokens(text.encode())
    except UnicodeEncodeError as error:
        raise _surrogate(text.count("\n", 0, error.start) + 1) from None


def _chained(rows: list[Any], what: str, missing: str | None) -> tuple[Array, Any]:
    lists = [_listed(row, i, what) for i, row in enumerate(rows, 1)]
    offsets = offsets_of([len(row) for row in lists])
    flat = [missing if item is None else item for item in chain.from_iterable(lists)]
    if not all(issubclass(kind, str) for kind in set(map(type, flat))):
        i = next(i for i, item in enumerate(flat) if not isinstance(item, str))
        wrong = f"{what} {quoted(str(flat[i]))} has type {type(flat[i]).__name__}"
        raise InputError(f"sentence {line_of(offsets, i)}: {wrong}; pass str")
    try:
        return offsets, pa.array(flat, pa.large_string())
    except UnicodeEncodeError:
        raise _surrogate(next(i for i, row in enumerate(lists, 1) if not _encodes(row))) from None


def _listed(row: Any, number: int, what: str) -> list[Any]:
    if hasattr(row, "__iter__") and not isinstance(row, bytes):
        return list(row)
    raise InputError(f"sentence {number}: has type {type(row).__name__}; pass a line or a list of {what}s")


def _encodes(row: list[str]) -> bool:
    try:
        return bool("".join(row).encode()) or True
    except UnicodeEncodeError:
        return False


def _surrogate(sentence: int) -> InputError:
    return InputError(f"sentence {sentence}: half of a surrogate pair, which is not text; decode the data as UTF-8")


def _in_step(labels: Iterable[Any], offsets: Array) -> Any:
    """The tags as strings, as many for every sentence as it has tokens."""
    tag_offsets, tags = _flatten(labels, "tag", NO_TAG)
    if len(tag_offsets) != len(offsets):
        counts = f"labels for {len(tag_offsets) - 1} sentences, but there are {len(offsets) - 1}"
        raise InputError(f"{counts}; pass one list of tags for each sentence")
    wrong = np.flatnonzero(tag_offsets != offsets)
    if len(wrong):
        i = int(wrong[0])
        counts = f"{offsets[i] - offsets[i - 1]} tokens but {tag_offsets[i] - tag_offsets[i - 1]} tags"
        raise InputError(f"sentence {i}: {counts}; pass one tag for each token, None for an unknown tag")
    return tags


def _sentence_name(offsets: Array) -> Callable[[int], str]:
    return lambda token: f"sentence {line_of(offsets, token)}"
