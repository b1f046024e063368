"""Beam search for the translation y of a sentence x by a word aligner's P(x | y) and a language model's P(y).

    argmax over y, a of   log P(x, a | y) + w · log P(y) + b · |y|

y is written from left to right. A hypothesis has covered some words of x: a step writes a word of y that covers one
more (from the word's options, within a window behind the first that is not covered), or lets the word that was written
last cover one more, or lets the empty word cover the first that is not covered. Between two such words may stand one of
the `inserts`, which covers nothing. Hypotheses that have covered equally many words compete, `beam` of them at a time,
by their score and an estimate of what the rest will cost; of those with the same future only the best is kept. So the
search is exact where beam and window are wide enough (C. Tillmann, H. Ney, Computational Linguistics 29(1), 2003).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.language.ngram import END
from softcount.language.query import Lookup, advance, log_next, open_context
from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array

OPEN, EMPTY = -1, -2  # a word of x that is not covered, or by the empty word; else the place of its word in y
NEW, MORE, NOTHING, INSERTED = range(4)  # steps
UNIFORM, TABLE, JUMPS = range(3)  # kinds of positions
WIDEST = 60  # bits of coverage
MASK = (1 << 40) - 1


class Task(NamedTuple):
    """A sentence x of m words, and the words of y that may be written."""

    offsets: Array  # int64 [m + 1]: the options of each word of x
    options: Array  # int64, into `words`, as those of hypotheses are: what is asked of one is compiled once
    words: Array  # int64 [n]: as the language model numbers them
    kinds: Array  # int32 [n]: of their jumps
    rates: Array  # [n, m]: log t(x_j | word), −inf where not
    null: Array  # [m]
    inserts: Array  # int64, into `words`
    ahead: Array  # [m]: what each word of x will cost, more or less


class Places(NamedTuple):
    """log P of where links go; of a y of `length` words, which the kinds but UNIFORM have to suppose."""

    kind: int
    length: int
    table: Array  # [length, m]
    null: Array  # [m]: of the empty word, in the kind TABLE
    begin: Array  # [length]
    end: Array  # [length]: words behind the last place
    never: float  # of no link at all
    jump: Array  # [kinds, 2 r + 1]
    leave: Array  # [kinds, length]


class How(NamedTuple):
    beam: int
    window: int
    lm_weight: float
    word_bonus: float
    exact: bool  # y has the length that is supposed, and no other
    distinct: bool  # hypotheses are kept apart by all their words, so that there are many translations in the end


class Hypotheses(NamedTuple):
    score: Array
    rest: Array  # Σ ahead of what is not covered
    parent: Array
    word: Array  # the word that was written, −1 none
    length: Array  # of y so far
    gap: Array  # the first word of x that is not covered
    mask: Array  # bit k: word gap + k is covered
    current: Array  # the last word of y, −1 none
    last: Array  # the last word of x that it covers
    waiting: Array  # 1 where the last word of y covers nothing
    written: Array  # all words of y, hashed
    state: Array  # what the future depends on, hashed
    context: Array  # [, width]
    places: Array  # int32 [, m]
    covers: Array  # int32 [, m]: the word of y that each word of x comes from


class Steps(NamedTuple):
    priority: Array
    score: Array
    parent: Array
    kind: Array
    place: Array  # j
    word: Array


def room(n: int, m: int, width: int) -> Hypotheses:
    fields: dict[str, Array] = {name: np.zeros(n, np.int64) for name in Hypotheses._fields}
    fields |= {"score": np.zeros(n), "rest": np.zeros(n), "context": np.zeros((n, width), np.int64)}
    fields |= {"places": np.full((n, m), OPEN, np.int32), "covers": np.full((n, m), -1, np.int32)}
    return Hypotheses(**fields)


def steps(n: int) -> Steps:
    return Steps(np.empty(n), np.empty(n), *(np.empty(n, np.int64) for _ in range(4)))


def found(
    task: Task, places: Places, lm: Lookup, start: Array, how: How, n_best: int
) -> list[tuple[Array, Array, float]]:
    """The best: words of y (into task.words), the place in y of each word of x (EMPTY: none), score."""
    m = len(task.null)
    kept = room(2 * how.beam * (m + 1) + 1, m, lm.width)
    most = int(np.diff(task.offsets).max(initial=0)) + 2
    buffer = steps(2 * how.beam * max((how.window + 1) * most, len(task.inserts)) + 1)
    kept.context[0] = start
    first, last = search(task, places, lm, how, kept, buffer)
    order = np.argsort(-kept.score[first:last], kind="stable") + first
    results: list[tuple[Array, Array, float]] = []
    seen = set()
    for h in order.tolist():
        if len(results) == n_best or kept.score[h] == -np.inf:
            break
        words, at = [], h
        while at:
            if kept.word[at] >= 0:
                words.append(int(kept.word[at]))
            at = int(kept.parent[at])
        if tuple(words) not in seen:
            seen.add(tuple(words))
            results.append((np.array(words[::-1], np.int64), kept.places[h].copy(), float(kept.score[h])))
    return results


@kernel
def search(task: Task, places: Places, lm: Lookup, how: How, kept: Hypotheses, buffer: Steps) -> tuple[int, int]:
    """Fills `kept`; the finished ones are first … last − 1, their scores those of whole sentences."""
    m, orders = len(task.null), len(lm.starts) - 1
    lows, highs = np.zeros(orders, np.int64), np.zeros(orders, np.int64)
    kept.current[0], kept.last[0], kept.word[0] = -1, -1, -1
    for j in range(m):
        kept.rest[0] += task.ahead[j]
    first, last = 0, 1
    for covered in range(m + 1):
        n = _insertions(task, places, lm, how, kept, first, last, lows, highs, buffer)
        last = _keep(task, places, lm, how, kept, last, n, lows, highs, buffer)
        if covered < m:
            n = _extensions(task, places, lm, how, kept, first, last, lows, highs, buffer)
            first, last = last, _keep(task, places, lm, how, kept, last, n, lows, highs, buffer)
    for h in range(first, last):
        open_context(lm, kept.context[h], lows, highs)
        ended = how.lm_weight * log_next(lm, kept.context[h], lows, highs, END)
        right = kept.length[h] == places.length if how.exact else kept.length[h] > 0
        kept.score[h] = kept.score[h] + ended + _ended(places, kept, h, m) if right else -np.inf
    return first, last


@kernel
def _insertions(
    task: Task, places: Places, lm: Lookup, how: How, kept: Hypotheses, first: int, last: int, lows: Array,
    highs: Array, out: Steps,
) -> int:  # fmt: skip
    n = 0
    for h in range(first, last):
        if kept.waiting[h] == 1 or len(task.inserts) == 0:
            continue
        open_context(lm, kept.context[h], lows, highs)
        for u in task.inserts:
            score = kept.score[h] + _written(task, places, lm, how, kept, h, u, lows, highs)
            n = _add(out, n, score + kept.rest[h], score, h, INSERTED, -1, u)
    return n


@kernel
def _extensions(
    task: Task, places: Places, lm: Lookup, how: How, kept: Hypotheses, first: int, last: int, lows: Array,
    highs: Array, out: Steps,
) -> int:  # fmt: skip
    n, m = 0, len(task.null)
    for h in range(first, last):
        open_context(lm, kept.context[h], lows, highs)
        gap, current = kept.gap[h], kept.current[h]
        for j in range(gap, min(m, gap + how.window + 1)):
            if (kept.mask[h] >> (j - gap)) & 1:
                continue
            rest = kept.rest[h] - task.ahead[j]
            for o in range(task.offsets[j], task.offsets[j + 1]):
                u = task.options[o]
                score = kept.score[h] + task.rates[u, j] + _written(task, places, lm, how, kept, h, u, lows, highs)
                score += _placed(task, places, kept, h, j, kept.length[h], u)
                n = _add(out, n, score + rest, score, h, NEW, j, u)
            if current >= 0 and kept.waiting[h] == 0 and j > kept.last[h]:
                score = kept.score[h] + task.rates[current, j]
                score += _placed(task, places, kept, h, j, kept.length[h] - 1, current)
                n = _add(out, n, score + rest, score, h, MORE, j, current)
            if j == gap:
                score = kept.score[h] + task.null[j] + _placed(task, places, kept, h, j, EMPTY, -1)
                n = _add(out, n, score + rest, score, h, NOTHING, j, -1)
    return n


@kernel
def _add(out: Steps, n: int, priority: float, score: float, parent: int, kind: int, place: int, word: int) -> int:
    if score == -np.inf:
        return n
    out.priority[n], out.score[n], out.parent[n] = priority, score, parent
    out.kind[n], out.place[n], out.word[n] = kind, place, word
    return n + 1


@kernel
def _written(
    task: Task, places: Places, lm: Lookup, how: How, kept: Hypotheses, h: int, u: int, lows: Array, highs: Array
) -> Any:
    """What a further word of y is worth by itself. Model 1 has (l + 1)^−m: a word more, ((l + 1) / (l + 2))^m."""
    score = how.lm_weight * log_next(lm, kept.context[h], lows, highs, task.words[u]) + how.word_bonus
    if places.kind == UNIFORM:
        score += len(task.null) * np.log((kept.length[h] + 1.0) / (kept.length[h] + 2.0))
    return score


@kernel
def _placed(task: Task, places: Places, kept: Hypotheses, h: int, j: int, i: int, u: int) -> Any:
    """What it is worth that word j of x comes from place i of y, or EMPTY: by jumps from and to its neighbours."""
    if places.kind == TABLE:
        return places.table[min(i, places.length - 1), j] if i >= 0 else places.null[j]
    if places.kind == UNIFORM:
        return 0.0
    row, k, r = kept.places[h], j - 1, j + 1
    while k >= 0 and row[k] == EMPTY:
        k -= 1
    while r < len(row) and row[r] == EMPTY:
        r += 1
    if i >= 0:
        score = _from(task, places, kept, h, k, i)
        if r < len(row) and row[r] != OPEN:
            score += _jump(places, task.kinds[u], i, row[r])
        return score
    if r < len(row) and row[r] != OPEN:  # the empty word closes a gap
        return _from(task, places, kept, h, k, row[r])
    return 0.0


@kernel
def _from(task: Task, places: Places, kept: Hypotheses, h: int, k: int, i: int) -> Any:
    """The jump to place i from that of word k of x, if it is known; the first of all begins."""
    if k < 0:
        return places.begin[min(i, len(places.begin) - 1)]
    if kept.places[h, k] == OPEN:
        return 0.0
    return _jump(places, task.kinds[kept.covers[h, k]], kept.places[h, k], i)


@kernel
def _jump(places: Places, kind: int, i: int, k: int) -> Any:
    reach = places.jump.shape[1] // 2
    return places.jump[kind, reach + min(max(k - i, -reach), reach)] + places.leave[kind, min(i, places.length - 1)]


@kernel
def _ended(places: Places, kept: Hypotheses, h: int, m: int) -> Any:
    if places.kind != JUMPS:
        return 0.0
    k = m - 1
    while k >= 0 and kept.places[h, k] == EMPTY:
        k -= 1
    if k < 0:
        return places.never
    return places.end[min(max(kept.length[h] - 1 - kept.places[h, k], 0), len(places.end) - 1)]


@kernel
def _keep(
    task: Task, places: Places, lm: Lookup, how: How, kept: Hypotheses, count: int, n: int, lows: Array, highs: Array,
    found: Steps,
) -> int:  # fmt: skip
    """Makes hypotheses of the best steps, behind those that there are; returns how many there are then."""
    begin = count
    order = np.argsort(-found.priority[:n], kind="mergesort")
    for s in order:
        _make(task, places, lm, how, kept, count, found, s, lows, highs)
        same = False
        for other in range(begin, count):
            if kept.state[other] == kept.state[count]:
                same = True
                break
        if not same:
            count += 1
            if count - begin == how.beam:
                break
    return count


@kernel
def _make(
    task: Task, places: Places, lm: Lookup, how: How, kept: Hypotheses, new: int, found: Steps, s: int, lows: Array,
    highs: Array,
) -> None:  # fmt: skip
    h, kind, j, u = found.parent[s], found.kind[s], found.place[s], found.word[s]
    kept.score[new], kept.rest[new], kept.parent[new] = found.score[s], found.priority[s] - found.score[s], h
    kept.word[new], kept.length[new], kept.written[new] = -1, kept.length[h], kept.written[h]
    kept.gap[new], kept.mask[new] = kept.gap[h], kept.mask[h]
    kept.current[new], kept.last[new], kept.waiting[new] = kept.current[h], kept.last[h], kept.waiting[h]
    for k in range(kept.context.shape[1]):
        kept.context[new, k] = kept.context[h, k]
    for k in range(kept.places.shape[1]):
        kept.places[new, k], kept.covers[new, k] = kept.places[h, k], kept.covers[h, k]
    if u >= 0 and kind != MORE:
        open_context(lm, kept.context[h], lows, highs)
        advance(lm, kept.context[h], lows, highs, task.words[u], kept.context[new])
        kept.word[new], kept.current[new], kept.waiting[new] = u, u, int(kind == INSERTED)
        kept.length[new] += 1
        kept.written[new] = ((kept.written[h] * 1000003) ^ (u + 1)) & MASK
    if j >= 0:
        kept.places[new, j] = EMPTY if kind == NOTHING else kept.length[new] - 1
        kept.covers[new, j] = u
        if kind != NOTHING:
            kept.last[new] = j
        _cover(kept, new, j)
    kept.state[new] = _state(places, how, kept, new)


@kernel
def _cover(kept: Hypotheses, h: int, j: int) -> None:
    kept.mask[h] |= 1 << (j - kept.gap[h])
    while kept.mask[h] & 1:
        kept.mask[h] >>= 1
        kept.gap[h] += 1


@kernel
def _state(places: Places, how: How, kept: Hypotheses, h: int) -> int:
    """All that further steps ask for, as one number."""
    state = kept.written[h] if how.distinct else 1
    for part in (kept.gap[h], kept.mask[h], kept.current[h], kept.last[h], kept.waiting[h], kept.length[h]):
        state = ((state * 1000003) ^ (part + 2)) & MASK
    for number in kept.context[h]:
        state = ((state * 1000003) ^ (number + 2)) & MASK
    if places.kind == JUMPS:
        k = kept.gap[h] - 1
        while k >= 0 and kept.places[h, k] == EMPTY:
            k -= 1
        for j in range(max(k, 0), min(kept.gap[h] + WIDEST, kept.places.shape[1])):
            state = ((state * 1000003) ^ (kept.places[h, j] + 3)) & MASK
            state = ((state * 1000003) ^ (kept.covers[h, j] + 3)) & MASK
    return state
