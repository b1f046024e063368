"""Tag dictionaries: the tags that a word may have, ``word<TAB>TAG TAG …``, one word a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError, list_some
from softcount.numbers.ragged import Array, from_rows
from softcount.text.corpus import NO_TAG
from softcount.text.digest import content_digest
from softcount.text.source import BLANKS, lines, name_of, quoted
from softcount.text.vocabulary import Vocabulary


class TagDictionary(NamedTuple):
    tagset: tuple[str, ...]  # in the order of their first appearance
    allowed: dict[str, tuple[int, ...]]  # word → ids of its tags
    source: str = "<memory>"

    @classmethod
    def from_mapping(cls, tags_of: Mapping[str, Iterable[str]]) -> TagDictionary:
        """From word → its tags."""
        tag_ids: dict[str, int] = {}
        allowed = {word: tuple(tag_ids.setdefault(t, len(tag_ids)) for t in tags) for word, tags in tags_of.items()}
        empty = next((word for word, tags in allowed.items() if not tags), None)
        if empty is not None or not allowed:
            raise InputError(f"dictionary: no tags for {quoted(empty or 'any word')}; remove a word to allow all tags")
        return cls(tuple(tag_ids), allowed)

    @property
    def words(self) -> list[str]:
        return list(self.allowed)

    @property
    def text(self) -> str:
        """For signatures: a digest of what it says, wherever it is from."""
        allowed = sorted((word, sorted(set(tags))) for word, tags in self.allowed.items())
        return content_digest(self.tagset, allowed)

    def mask(self, vocabulary: Vocabulary, tagset: Sequence[str] | None = None) -> Array:
        """bool [K, V]: may tag k emit word v? Words that the dictionary does not list allow every tag."""
        names = self.tagset if tagset is None else tuple(tagset)
        tag_ids = self._positions(names)
        word_ids = vocabulary.find(self.words)  # not encode: a word that is not listed must not restrict <unk>
        mask = np.ones((len(names), len(vocabulary)), dtype=bool)
        mask[:, word_ids[word_ids >= 0]] = False
        allowed = from_rows(self.allowed.values(), np.int64)
        columns = np.repeat(word_ids, allowed.lengths)
        mask[tag_ids[allowed.values[columns >= 0]], columns[columns >= 0]] = True
        return mask

    def unmatched(self, vocabulary: Vocabulary) -> tuple[str, ...]:
        """A remark on the entries that say nothing of a text with these words."""
        return unmatched(self.source, [[word] for word in self.allowed], [vocabulary])

    def forbidden(self, word: str, tag: str) -> str | None:
        """What is wrong with this tag of this word, where it is not allowed."""
        if word not in self.allowed:
            return None
        tags = [self.tagset[k] for k in self.allowed[word]]
        if tag in tags:
            return None
        return f"{quoted(word)} has the tag {tag}, but {self.source} allows {list_some(tags)}; correct one of the two"

    def _positions(self, names: tuple[str, ...]) -> Array:
        missing = [tag for tag in self.tagset if tag not in names]
        if missing:
            wrong = f"tag {quoted(missing[0])} is not in the tagset"
            raise InputError(f"{self.source}: {wrong}; correct it, or add it there")
        return np.array([names.index(tag) for tag in self.tagset], dtype=np.int64)


def tag_dictionary(given: Any) -> TagDictionary | None:
    """Of a dictionary in any form: as it is, as a mapping, or as the path of a file; None is none."""
    if given is None or isinstance(given, TagDictionary):
        return given
    return read_dictionary(given) if isinstance(given, str | Path) else TagDictionary.from_mapping(given)


def unmatched(source: str, entries: Sequence[Sequence[str]], vocabularies: Sequence[Vocabulary]) -> tuple[str, ...]:
    """A remark, where entries (of one word for each vocabulary) have several words, or words that never occur."""
    if not entries:
        return ()
    phrases = np.array([any(len(word.encode().split()) > 1 for word in entry) for entry in entries], dtype=bool)
    known = [v.find([entry[i] for entry in entries]) >= 0 for i, v in enumerate(vocabularies)]
    absent = ~np.logical_and.reduce(known) & ~phrases
    kinds = {"of several words, although each must be one token": phrases, "not in the text": absent}
    found = [f"{int(which.sum()):,} {what}" for what, which in kinds.items() if which.any()]
    if not found:
        return ()
    return (f"{source}: of {len(entries):,} entries, {' and '.join(found)}; these have no effect",)


def read_dictionary(path: str | Path) -> TagDictionary:
    name = name_of(path)
    tag_ids: dict[str, int] = {}
    allowed: dict[str, tuple[int, ...]] = {}
    first_line: dict[str, int] = {}
    for number, line in enumerate(lines(path).to_pylist(), 1):
        if not line.strip(BLANKS.decode()):
            continue
        word, tags = _entry(line, f"{name}:{number}")
        if word in allowed:
            wrong = f"the word {quoted(word)} is already on line {first_line[word]}"
            raise InputError(f"{name}:{number}: {wrong}; write all its tags on one line")
        first_line[word] = number
        allowed[word] = tuple(tag_ids.setdefault(tag, len(tag_ids)) for tag in tags)
    if not allowed:
        raise InputError(f"{name}: empty file; give at least one line word<TAB>TAG TAG …")
    return TagDictionary(tuple(tag_ids), allowed, name)


def _entry(line: str, where: str) -> tuple[str, list[str]]:
    word, tab, rest = line.partition("\t")
    if "\t" in rest.strip(BLANKS.decode()):
        raise InputError(f"{where}: a second tab; write word<TAB>TAG TAG …, without other columns (cut -f 1,2)")
    # As bytes, because str.split() also splits at a no-break space.
    tags = [tag.decode() for tag in dict.fromkeys(rest.encode().split())]
    if not tab:
        raise InputError(f"{where}: no tab; write word<TAB>TAG TAG …")
    if not word.strip(BLANKS.decode()):
        raise InputError(f"{where}: no word before the tab; write word<TAB>TAG TAG …")
    if not tags:
        raise InputError(f"{where}: no tags for {quoted(word)}; add its tags, or remove the word to allow all")
    if NO_TAG in tags:
        raise InputError(f"{where}: {NO_TAG} means an unknown tag; remove the word to allow all tags")
    return word, tags
