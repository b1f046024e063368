"""A model of several files: the first, which has all that is small, and parts of about the same size beside it.

    M    M.part-1-of-3.TOKEN    M.part-2-of-3.TOKEN    M.part-3-of-3.TOKEN      array = the parts' rows, in turn

Every file is one of softcount.disk.store, with checksums of its own. The token is the digest of what the parts hold,
and the first file, which is written last, has it: so a model that is saved where another was replaces it whole or not
at all, and parts of two models are never taken together.

Writers of one path take turns (softcount.machine.lock). Whoever has the turn removes what the first file does not name
when it is done, or has failed: parts of the model before, and what a killed writer left. Where there are no locks, it
removes the parts of the first file that it replaced, and no others. A reader opens all parts at once, so that it has
them however long it reads; where one is gone by then, because the model was replaced, it begins again.
"""

from __future__ import annotations

import hashlib
import os
import re
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from softcount.disk.store import (
    CODES,
    LostPart,
    Room,
    Spec,
    Stored,
    hash_array,
    open_file,
    short,
    spec_of,
    write_arrays,
)
from softcount.errors import InputError
from softcount.machine.atomic import is_special
from softcount.machine.lock import alone_at, lock_path
from softcount.numbers.ragged import Array

KIND = "part"
SMALL = 100_000  # bytes: arrays that stay in the first file
MOST = 999
TOKEN = 16  # hexadecimal digits; softcount 0.2 wrote eight


def check_parts(n: int) -> None:
    if not 1 <= n <= MOST:
        raise InputError(f"parts={n}: must be a number from 1 to {MOST}")


def save_parts(path: Path, kind: str, described: Any, flat: Mapping[str, Array], n: int) -> None:
    """As softcount.disk.store writes them: arrays along their first axis, in n files and the first."""
    check_parts(n)
    if is_special(path):
        raise InputError(
            f"{path}: not a regular file, which several parts need; give another file name, or write one file"
        )
    large = {name: array for name, array in flat.items() if array.ndim and array.nbytes > SMALL}
    token = _token(large)
    places = [part_path(path, k, n, token) for k in range(n)]
    with replacing(path, {place.name for place in places}):
        for k, place in enumerate(places):
            pieces = {name: array[slice(*_rows(len(array), n, k))] for name, array in large.items()}
            write_arrays(place, KIND, {"token": token, "part": k, "of": n}, pieces, of=path)
        specs = {
            name: {"dtype": CODES[array.dtype], "shape": list(array.shape), "data_offsets": [0, array.nbytes]}
            for name, array in large.items()
        }
        size = sum(place.stat().st_size for place in places)
        rest = {name: array for name, array in flat.items() if name not in large}
        write_arrays(path, kind, described, rest, {"n": n, "token": token, "size": size, "arrays": specs})


def _token(arrays: Mapping[str, Array]) -> str:
    sha = hashlib.sha256()
    for name, array in arrays.items():
        sha.update(repr((name, CODES[array.dtype], array.shape)).encode())
        hash_array(sha, array)
    return sha.hexdigest()[:TOKEN]


def part_path(path: Path, k: int, n: int, token: str) -> Path:
    return path.with_name(f"{path.name}.part-{k + 1}-of-{n}.{token}")


def _rows(length: int, n: int, k: int) -> tuple[int, int]:
    return length * k // n, length * (k + 1) // n


# --- what goes when another model comes -------------------------------------------------------------------------------


@contextmanager
def replacing(path: Path, new: set[str]) -> Iterator[None]:
    """Around the writing of a model, whose parts have these names: what no first file names afterwards is removed."""
    with alone_at(path) as alone:
        before = _named(path) or set()
        try:
            yield
        finally:
            _remove(path, before | new, alone)


def write_one(path: Path, kind: str, described: Any, flat: Mapping[str, Array]) -> None:
    """A model of one file, where parts of another may be; of those who write parts nobody is waited for before."""
    before = (_named(path) or set()) if _beside(path) else set()
    write_arrays(path, kind, described, flat)
    if before or _beside(path) or lock_path(path).exists():
        with alone_at(path) as alone:
            _remove(path, before, alone)


def _named(path: Path) -> set[str] | None:
    """The parts that the first file names; None where it says nothing that we understand."""
    if not path.exists():
        return set()
    try:
        parts = Stored(path, alone=True).parts
    except InputError:
        return None
    return {part_path(path, k, parts.n, parts.token).name for k in range(parts.n)} if parts else set()


def _remove(path: Path, known: set[str], alone: bool) -> None:
    """The parts that the first file does not name: those we know of, or all, where nobody else writes meanwhile."""
    named = _named(path)
    gone = _beside(path) if alone and named is not None else known
    for name in gone - (named or set()):
        with suppress(OSError):  # Windows removes nothing that somebody reads: the next writer does
            path.with_name(name).unlink()


def _beside(path: Path) -> set[str]:
    """The files there that are called as parts of this model."""
    ours = re.compile(re.escape(path.name) + r"\.part-\d{1,3}-of-\d{1,3}\.([0-9a-f]{8}|[0-9a-f]{16})")
    with suppress(OSError):  # a folder that may be written to but not listed
        return {name for name in os.listdir(path.parent) if ours.fullmatch(name)}
    return set()


# --- reading ----------------------------------------------------------------------------------------------------------


class Parts:
    """The parts of an opened model: where they are, and, once they are opened, the files themselves."""

    def __init__(self, path: Path, about: Any) -> None:
        self.path, self.n, self.token, self.size = path, about["n"], about["token"], about["size"]
        if type(self.n) is not int or not 1 <= self.n <= MOST or type(self.size) is not int or self.size < 0:
            raise ValueError("no such parts")
        if type(self.token) is not str or not re.fullmatch("[0-9a-f]{8}|[0-9a-f]{16}", self.token):
            raise ValueError("no such token")
        self.specs: dict[str, Spec] = {str(name): spec_of(spec) for name, spec in about["arrays"].items()}
        self._streams: list[BinaryIO] = []
        self._parts: dict[int, Stored] = {}

    def open(self) -> None:
        """All of them, so that nobody can take one away; what is in them is looked at when it is wanted."""
        self._streams = []
        weakref.finalize(self, _close, self._streams)
        for k in range(self.n):
            self._streams.append(self._stream(k))
        self.size = sum(os.fstat(stream.fileno()).st_size for stream in self._streams)

    def _stream(self, k: int) -> BinaryIO:
        """Beside the file itself, where a link leads to it; softcount 0.2 wrote them beside the link."""
        places = [part_path(path, k, self.n, self.token) for path in (Path(os.path.realpath(self.path)), self.path)]
        for place in places:
            try:
                return open_file(place)
            except FileNotFoundError:
                continue
            except OSError as error:
                reason = short(error.strerror or error)
                raise InputError(f"{place}: cannot be read ({reason}), but {self.path} needs it") from None
        place = part_path(self.path, k, self.n, self.token)
        raise LostPart(f"{place}: not found, but {self.path} needs it; copy all parts of the model, or train again")

    def array(self, name: str, room: Room = np.empty) -> Array:
        spec = self.specs[name]
        found = room(spec.shape, spec.dtype)
        for k in range(self.n):
            piece, part = found[slice(*_rows(len(found), self.n, k))], self._part(k)
            if part.specs.get(name, spec)[:2] != (spec.dtype, piece.shape):
                raise part.damaged()
            part.read_into(name, piece)
        return found

    def verify(self) -> None:
        for k in range(self.n):
            self._part(k).verify()

    def _part(self, k: int) -> Stored:
        if k not in self._parts:
            path = part_path(self.path, k, self.n, self.token)
            part = Stored(path, stream=self._streams[k])
            if part.kind != KIND or part.body != {"token": self.token, "part": k, "of": self.n}:
                raise InputError(f"{path}: not a part of {self.path}; copy all parts of one model")
            self._parts[k] = part
        return self._parts[k]


def _close(streams: list[BinaryIO]) -> None:
    for stream in streams:
        stream.close()
