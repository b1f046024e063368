"""Whether a reader takes time in proportion: the same thing over and over, once and four times as long.

What looks through all that follows, or all that came before, at every step takes sixteen times as long for four times
as much. Flagged is what takes more than eight times as long, three times in a row, and long enough to be measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

SHORT = 6_000  # bytes
LONGER = 4
MOST = 8  # times as long, for LONGER times as much
FLOOR = 0.2  # CPU seconds, below which nothing is flagged
TRIES = 3

# What opens and never ends, ends and never began, or might go on.
OPENING = [
    b"/* ", b"// ", b"[", b"[ ", b"(", b"((a ", b"(A a) ", b"{", b'{"a":', b'"', b"'", b"<mrk>x", b"<a>", b"<!--",
    b"&amp;", b"ab.", b"a@", b"a.b@c", b"www.", b"1.", b"a-", b"a_", b"a/b ", b"a -> ", b"a, ", b"a|||",
    b"a ||| b\n", b"0-0 ", b"1 1 1\n", b"1 0:1\n", b"0:1 ", b"\\\n", b"S -> 'a' \\\n", b"A -> B\n",
    b"\\1-grams:\n", b"ngram 1=0\n", b"-1\ta\n", b"a\ta\n", b"a\tb\tmust\n", b"em,", b"hard(", b"\n", b"\r\n", b" ",
    b"\t", b",", b"a,", b"#", b"1", b"9", "é".encode(), "\u0301".encode(),
    "\u0301\u0327".encode(),
]  # fmt: skip
END = b" x\n"  # after which a pattern that can match in many ways tries all of them, and so does END without its space


def contents(seed: bytes, pieces: list[bytes]) -> Iterator[tuple[str, Callable[[int], bytes]]]:
    """(what it is, the bytes of about that size): a piece alone, with an end, or in the seed; or a line of the seed."""
    lines = seed.splitlines(keepends=True)
    middle = sum(map(len, lines[: len(lines) // 2 + 1]))
    for piece in pieces:
        for end in (b"", END, END.lstrip()):
            what = f"{piece!r} repeated, then {end!r}" if end else f"{piece!r} repeated"
            yield what, lambda size, piece=piece, end=end: _repeated(piece, size) + end
        yield (
            f"{piece!r} repeated within the seed",
            lambda size, piece=piece: seed[:middle] + _repeated(piece, size) + seed[middle:],
        )
    for k, line in enumerate(lines[:20]):
        before, after = b"".join(lines[:k]), b"".join(lines[k + 1 :])
        yield (
            f"line {k + 1} of the seed repeated",
            lambda size, b=before, one=line, a=after: b + _repeated(one, size) + a,
        )


def _repeated(piece: bytes, size: int) -> bytes:
    return piece * (size // len(piece) + 1)


def too_much(
    run: Callable[[bytes], Any], make: Callable[[int], bytes], clock: Callable[[], float] = time.process_time
) -> str:
    """How it grows, if it grows too fast."""
    ratio = 0.0
    for _ in range(TRIES):
        short, longer = (_seconds(run, make(size), clock) for size in (SHORT, LONGER * SHORT))
        ratio = longer / max(short, 1e-9)
        if longer < FLOOR or ratio <= MOST:
            return ""
    return f"{ratio:.0f} times as long for {LONGER} times as much"


def _seconds(run: Callable[[bytes], Any], content: bytes, clock: Callable[[], float]) -> float:
    began = clock()
    run(content)
    return clock() - began


def grown(run: Callable[[bytes], Any], seeds: list[bytes], pieces: list[bytes]) -> Iterator[tuple[str, int, str]]:
    """(what it is, how many were tried up to here, how it grows) of what grows too fast; at the end ("", n, "")."""
    tried = 0
    for seed in seeds:
        run(seed)  # compiles and imports what there is to
        for what, make in contents(seed, pieces):
            tried += 1
            wrong = too_much(run, make)
            if wrong:
                yield what, tried, wrong
    yield "", tried, ""
