"""Language models as ARPA files, which KenLM, SRILM and others read and write.

    \\data\\
    ngram 1=4                        how many n-grams of every order follow
    \\1-grams:
    -0.47<TAB>the<TAB>-0.3           log10 P of the last word after the others, the words, log10 of the backoff
    \\end\\
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softcount.errors import InputError
from softcount.language.ngram import MOST_BACKOFF, SPECIAL, START, UNKNOWN, Ngrams, find
from softcount.numbers.ragged import Array, offsets_of
from softcount.text.source import name_of, quoted, read_text, split_lines
from softcount.text.vocabulary import Vocabulary

TEN = np.log(10.0)
NEVER = -99.0  # log10 of what has no probability, as SRILM writes it
NO_UNKNOWN = -100.0  # log10 P of unknown words where a file does not say, as KenLM has it
_ORDER, _SECTION = re.compile(r"ngram (\d+)\s*=\s*(\d+)"), re.compile(r"\\(\d+)-grams:")
DIGITS = 18  # of a number in the head


class Section(NamedTuple):
    order: int
    first: int  # line of its first n-gram, from 0
    lines: Any  # a pyarrow array


# --- written --------------------------------------------------------------------------------------------------------


def write_arpa(path: Path, vocabulary: Vocabulary, orders: tuple[Ngrams, ...], packed: bool = False) -> None:
    """`packed`: as .gz; without a time in it, so that the same model gives the same bytes."""
    with open(path, "wb") as plain, gzip.GzipFile("", "wb", 6, plain, 0) if packed else plain as binary:
        file = io.TextIOWrapper(cast(IO[bytes], binary), "utf-8", newline="\n")
        file.write("\\data\\\n")
        file.writelines(f"ngram {n}={len(ngrams.keys)}\n" for n, ngrams in enumerate(orders, 1))
        words = np.array(vocabulary.words, dtype=object)
        grams = words
        for n, ngrams in enumerate(orders, 1):
            if n > 1:
                context, word = np.divmod(ngrams.keys, len(words))
                grams = grams[context] + " " + words[word]
            file.write(f"\n\\{n}-grams:\n")
            _write_section(file, grams, ngrams)
        file.write("\n\\end\\\n")
        file.flush()


def _write_section(file: IO[str], grams: Array, ngrams: Ngrams) -> None:
    log_p = np.maximum(ngrams.log_p / TEN, NEVER).tolist()
    if len(ngrams.log_backoff):
        backoff = np.maximum(ngrams.log_backoff / TEN, NEVER).tolist()
        file.writelines(f"{p:.9g}\t{gram}\t{b:.9g}\n" for p, gram, b in zip(log_p, grams, backoff, strict=True))
    else:
        file.writelines(f"{p:.9g}\t{gram}\n" for p, gram in zip(log_p, grams, strict=True))


# --- read -----------------------------------------------------------------------------------------------------------


def read_arpa(path: str | Path) -> tuple[Vocabulary, tuple[Ngrams, ...]]:
    """Whoever wrote it; every n-gram needs its beginning among those of the order before."""
    name = name_of(path)
    sections = list(_sections(name, split_lines(read_text(path))))
    vocabulary, ngrams = _single(name, sections[0], len(sections))
    orders = [ngrams]
    for section in sections[1:]:
        if not len(section.lines) and not len(orders[-1].keys):
            continue  # below one without n-grams there is nothing to say, however many orders are announced
        fields = _fields(name, section, section.order < len(sections))
        orders.append(_longer(name, section, vocabulary, orders, *fields))
    return vocabulary, tuple(orders)


def _sections(name: str, lines: Any) -> Iterator[Section]:
    marks = np.flatnonzero(pc.starts_with(lines, "\\").to_numpy(zero_copy_only=False))
    named = [(int(i), lines[int(i)].as_py().strip()) for i in marks if len(lines[int(i)].as_py()) < 40]
    named = [(i, mark) for i, mark in named if mark in ("\\data\\", "\\end\\") or _SECTION.fullmatch(mark)]
    if not named or named[0][1] != "\\data\\":
        raise InputError(f"{name}: no line \\data\\, which an ARPA file has before its n-grams; give an ARPA file")
    if named[-1][1] != "\\end\\":
        raise InputError(f"{name}: no line \\end\\ at the end; the file seems truncated, write or copy it again")
    sizes = _sizes(name, named[0][0] + 1, lines[named[0][0] + 1 : named[1][0]].to_pylist())
    for n, ((start, mark), (stop, _)) in enumerate(pairwise(named[1:]), 1):
        found = _SECTION.fullmatch(mark)
        if found is None or int(found[1]) != n or n not in sizes:
            raise InputError(f"{name}:{start + 1}: {mark} where \\{n}-grams: should be; write the orders in turn")
        body = lines[start + 1 : stop]
        full = np.flatnonzero(pc.not_equal(pc.utf8_trim_whitespace(body), "").to_numpy(zero_copy_only=False))
        if len(full) != sizes[n]:
            said = f"{len(full):,} n-grams where {sizes[n]:,} are announced; write it again"
            raise InputError(f"{name}:{start + 1}: {said}")
        yield Section(n, start + 1, body.take(pa.array(full)) if len(full) != len(body) else body)
    if len(named) - 2 != len(sizes) or not sizes:
        raise InputError(f"{name}: announces {len(sizes)} orders but has {len(named) - 2}; write all of them")


def _sizes(name: str, first: int, head: list[str]) -> dict[int, int]:
    """How many n-grams of which order are announced."""
    found = {}
    for number, line in enumerate(head, first + 1):
        said = _ORDER.match(line.strip())
        if said and max(len(said[1]), len(said[2])) > DIGITS:
            raise InputError(
                f"{name}:{number}: {quoted(line)} announces more than a file can hold; write the file again"
            )
        if said:
            found[int(said[1])] = int(said[2])
    if found.get(1) == 0:
        raise InputError(f"{name}: announces no 1-grams; write them, because they are the vocabulary")
    return found


def _fields(name: str, section: Section, may_back_off: bool) -> tuple[Array, Any, Array]:
    """(log P, words [n-grams · order] as strings, log backoff), natural logarithms."""
    n, lines = section.order, section.lines
    parts = pc.utf8_split_whitespace(pc.utf8_trim_whitespace(lines))
    lengths = pc.list_value_length(parts).to_numpy(zero_copy_only=False)
    wrong = (lengths != n + 1) & (lengths != n + 2)
    if wrong.any():
        _refuse(name, section, int(wrong.argmax()), f"should be a number, {n} words and perhaps a backoff")
    flat = parts.values if hasattr(parts, "values") else pc.list_flatten(parts)
    starts = offsets_of(lengths)[:-1]
    log_p = _numbers(name, section, flat, starts)
    backoff = np.zeros(len(lines))
    more = lengths == n + 2
    backoff[more] = _numbers(name, section, flat, starts[more] + n + 1, np.flatnonzero(more))
    high = backoff * TEN > MOST_BACKOFF
    if high.any():
        _refuse(name, section, int(high.argmax()), f"has a back-off weight above 10^{MOST_BACKOFF / TEN:.0f}")
    if not may_back_off:
        backoff = np.empty(0)
    places = (starts[:, None] + np.arange(1, n + 1)).ravel()
    return log_p * TEN, flat.take(pa.array(places)), backoff * TEN


def _numbers(name: str, section: Section, flat: Any, places: Array, rows: Array | None = None) -> Array:
    texts = flat.take(pa.array(places))
    try:
        found = pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        found = np.array([_number(text) for text in texts.to_pylist()])
    bad = np.isnan(found) | (found == np.inf)
    if bad.any():
        row = int(bad.argmax())
        _refuse(name, section, row if rows is None else int(rows[row]), "has no number where one should be")
    return np.asarray(found, dtype=np.float64)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def _refuse(name: str, section: Section, row: int, said: str) -> None:
    text = section.lines[row].as_py()
    raise InputError(f"{name}: {quoted(text)}, {section.order}-gram {row + 1:,}: {said}")


def _single(name: str, section: Section, highest: int) -> tuple[Vocabulary, Ngrams]:
    """The words, the special ones first, whatever the file's order."""
    log_p, words, backoff = _fields(name, section, highest > 1)
    texts = _one_unknown(words).to_pylist()
    known = {text: i for i, text in enumerate(texts)}
    if len(known) != len(texts):
        twice = next(i for i, text in enumerate(texts) if known[text] != i)
        _refuse(name, section, twice, "occurs twice")
    rest = [text for text in texts if text not in SPECIAL]
    vocabulary = Vocabulary([*SPECIAL, *rest], unknown=SPECIAL[UNKNOWN])
    rows = np.array([known.get(word, -1) for word in vocabulary.words])
    missing = np.array([NO_UNKNOWN, NEVER, NEVER]) * TEN
    p = np.where(rows >= 0, log_p[rows], np.resize(missing, len(rows)))
    p[START] = -np.inf  # it is no word that anything could be followed by
    left = np.where(rows >= 0, backoff[rows], 0.0) if highest > 1 else np.empty(0)
    return vocabulary, Ngrams(np.arange(len(rows)), p, left)


def _longer(
    name: str, section: Section, vocabulary: Vocabulary, orders: list[Ngrams], log_p: Array, words: Any, backoff: Array
) -> Ngrams:
    ids = vocabulary.find(_one_unknown(words)).astype(np.int64).reshape(-1, section.order)
    if (ids < 0).any():
        _refuse(name, section, int((ids < 0).any(axis=1).argmax()), "has a word that is not among the 1-grams")
    number = ids[:, 0]
    for ngrams, word in zip(orders[1:], ids.T[1:-1], strict=True):
        number = np.where(number >= 0, find(ngrams.keys, number * len(vocabulary) + word), -1)
    if (number < 0).any():
        _refuse(
            name,
            section,
            int((number < 0).argmax()),
            f"begins with an n-gram that is not among the {section.order - 1}-grams",
        )
    keys = number * len(vocabulary) + ids[:, -1]
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(again):
        _refuse(name, section, int(order[again[0] + 1]), "occurs twice")
    return Ngrams(keys[order], log_p[order], backoff[order] if len(backoff) else backoff)


def _one_unknown(words: Any) -> Any:
    """SRILM and others write the unknown word in capitals."""
    return pc.if_else(pc.equal(words, "<UNK>"), SPECIAL[UNKNOWN], words)
