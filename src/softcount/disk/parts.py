"""A model of several files: the first, which has all that is small, and parts of about the same size beside it.

    M    M.part-1-of-3.TOKEN    M.part-2-of-3.TOKEN    M.part-3-of-3.TOKEN      array = the parts' rows, in turn

Every file is one of softcount.disk.store, with checksums of its own. The token is of what the parts hold, and the
first file, which is written last, has it: so a model that is saved where another was replaces it whole or not at all,
and parts of two models are never taken together. Parts of the model before are removed when the new one is there.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from softcount.disk.store import CODES, Room, Spec, Stored, crc32, spec_of, write_arrays
from softcount.errors import InputError
from softcount.machine.atomic import is_special
from softcount.numbers.ragged import Array

KIND = "part"
SMALL = 100_000  # bytes: arrays that stay in the first file
MOST = 999


def check_parts(n: int) -> None:
    if not 1 <= n <= MOST:
        raise InputError(f"a model of {n} files: give a number from 1 to {MOST}")


def save_parts(path: Path, kind: str, described: Any, flat: Mapping[str, Array], n: int) -> None:
    """As softcount.disk.store writes them: arrays along their first axis, in n files and the first."""
    check_parts(n)
    if is_special(path):
        raise InputError(f"{path}: is no ordinary file, beside which parts could be; name another, or write one file")
    large = {name: array for name, array in flat.items() if array.ndim and array.nbytes > SMALL}
    token = f"{zlib.crc32(repr([(name, crc32(array)) for name, array in large.items()]).encode()):08x}"
    for k in range(n):
        pieces = {name: array[slice(*_rows(len(array), n, k))] for name, array in large.items()}
        write_arrays(part_path(path, k, n, token), KIND, {"token": token, "part": k, "of": n}, pieces)
    specs = {
        name: {"dtype": CODES[array.dtype], "shape": list(array.shape), "data_offsets": [0, array.nbytes]}
        for name, array in large.items()
    }
    size = sum(part_path(path, k, n, token).stat().st_size for k in range(n))
    rest = {name: array for name, array in flat.items() if name not in large}
    write_arrays(path, kind, described, rest, {"n": n, "token": token, "size": size, "arrays": specs})
    sweep_parts(path, token)


def part_path(path: Path, k: int, n: int, token: str) -> Path:
    return path.with_name(f"{path.name}.part-{k + 1}-of-{n}.{token}")


def _rows(length: int, n: int, k: int) -> tuple[int, int]:
    return length * k // n, length * (k + 1) // n


def sweep_parts(path: Path, token: str = "") -> None:
    """Removes the parts of a model that was there before."""
    ours = re.compile(re.escape(path.name) + r"\.part-\d{1,3}-of-\d{1,3}\.([0-9a-f]{8})")
    for other in path.parent.iterdir():
        found = ours.fullmatch(other.name)
        if found and found[1] != token:
            with suppress(OSError):
                other.unlink()


class Parts:
    """The parts of an opened model; each is opened when something of it is wanted."""

    def __init__(self, path: Path, about: Any) -> None:
        self.path, self.n, self.token, self.size = path, about["n"], about["token"], about["size"]
        if type(self.n) is not int or not 1 <= self.n <= MOST or type(self.size) is not int or self.size < 0:
            raise ValueError("no such parts")
        if type(self.token) is not str or not re.fullmatch("[0-9a-f]{8}", self.token):
            raise ValueError("no such token")
        self.specs: dict[str, Spec] = {str(name): spec_of(spec) for name, spec in about["arrays"].items()}
        self._opened: dict[int, Stored] = {}

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
        if k not in self._opened:
            path = part_path(self.path, k, self.n, self.token)
            if not path.exists():
                raise InputError(f"{path}: is not there, and {self.path} needs it; copy all its parts, or train again")
            part = Stored(path)
            if part.kind != KIND or part.body != {"token": self.token, "part": k, "of": self.n}:
                raise InputError(f"{path}: is no part of {self.path}; copy all parts of one model")
            self._opened[k] = part
        return self._opened[k]
