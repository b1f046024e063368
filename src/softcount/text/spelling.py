"""What spelling alone says: stems of words, and which words of two languages look alike.

    π(e, f) = same                                      where e = f
            = same · max(0, (r − .4) / .6)²             where both are words of four letters and more

r is the length of the longest common subsequence over that of the longer word (I. D. Melamed, Computational Linguistics
25(1), 1999). Names, numbers, punctuation and loan words are spelt the same, or almost, on both sides; forms of one word
begin the same within a language. Both are beliefs from before any sentence is seen, and enter as pseudo-counts and
classes. A number is like no other number.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged, from_rows, offsets_of

LETTERS = 4  # fewer than that say nothing by being alike
LONGEST = 63  # letters, as many as there are bits; longer words are compared as wholes only
UNLIKE = 0.4  # the ratio from which on it counts


def nested(words: Sequence[str], lengths: Sequence[int]) -> list[Array]:
    """By the first letters: classes of words, classes of those classes, and so on; lengths fall.

    A word that is shorter than a prefix is a class by itself.
    """
    result, names = [], list(words)
    for length in lengths:
        found: dict[str, int] = {}
        result.append(_numbered([name[:length] for name in names], found))
        names = list(found)
    return result


def _numbered(names: Sequence[str], found: dict[str, int]) -> Array:
    return np.array([found.setdefault(name, len(found)) for name in names], dtype=np.int32)


def alike(
    rows: Ragged, source: Sequence[str], target: Sequence[str], same: float = 0.3,
    corresponding: Sequence[tuple[str, str]] = (),
) -> Array:  # fmt: skip
    """float32 pseudo-counts, one per entry: how much the words of its row and column look alike.

    A letter is like itself and, of another script, like those that it corresponds to.
    """
    known: dict[str, int] = {}
    whole = _numbered(source, known), _numbered(target, known)
    letters, spelt = _spelt(source, target)
    result = np.zeros(len(rows.values), np.float32)
    like = _likeness(letters, corresponding)
    with np.errstate(over="ignore"):  # sums of bit rows carry over the top, as they must; uncompiled, NumPy warns
        _compare(rows.offsets, rows.values, *whole, *spelt[0], *spelt[1], *like, same, result)
    return result


def _spelt(*sides: Sequence[str]) -> tuple[dict[str, int], list[Ragged]]:
    """The letters by number, and each word's; none of what is not compared letter by letter."""
    kept = [
        [word if LETTERS <= len(word) <= LONGEST and not word[0].isdigit() else "" for word in words] for words in sides
    ]
    codes = [np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32) for words in kept]
    there = np.flatnonzero(np.bincount(np.concatenate([*codes, np.zeros(1, np.uint32)])))
    letters = {chr(code): number for number, code in enumerate(there.tolist())}
    place = np.zeros(int(there[-1]) + 1, np.int32)
    place[there] = np.arange(len(there))
    rows = [Ragged(offsets_of([len(word) for word in words]), place[c]) for words, c in zip(kept, codes, strict=True)]
    return letters, rows


def _likeness(letters: dict[str, int], corresponding: Sequence[tuple[str, str]]) -> Ragged:
    """Of each letter which letters of the other side are like it."""
    rows = [[number] for number in letters.values()]
    for one, two in corresponding:
        if one in letters and two in letters and one != two:
            rows[letters[one]].append(letters[two])
    return from_rows(rows, np.int32)


@kernel
def _compare(
    offsets: Array, columns: Array, source: Array, target: Array, source_bounds: Array, source_letters: Array,
    target_bounds: Array, target_letters: Array, likes: Array, like: Array, same: float, result: Array,
) -> None:  # fmt: skip
    """π of every entry; common subsequences by bits, one column of the dynamic programme at a time (Hyyrö 2004)."""
    where = np.zeros(len(likes), np.uint64)
    for row in range(len(offsets) - 1):
        begin, l = source_bounds[row], source_bounds[row + 1] - source_bounds[row]
        for i in range(l):
            letter = source_letters[begin + i]
            for k in range(likes[letter], likes[letter + 1]):
                where[like[k]] |= np.uint64(1) << np.uint64(i)
        for k in range(offsets[row], offsets[row + 1]):
            column = columns[k]
            m = target_bounds[column + 1] - target_bounds[column]
            if source[row] == target[column]:
                result[k] = same
            elif min(l, m) > UNLIKE * max(l, m):
                open_ = ~np.uint64(0)
                for j in range(target_bounds[column], target_bounds[column + 1]):
                    met = open_ & where[target_letters[j]]
                    open_ = (open_ + met) | (open_ - met)
                common = 0
                for i in range(l):
                    common += 1 - int((open_ >> np.uint64(i)) & np.uint64(1))
                ratio = (common / max(l, m) - UNLIKE) / (1.0 - UNLIKE)
                if ratio > 0.0:
                    result[k] = same * ratio * ratio
        where[:] = np.uint64(0)
