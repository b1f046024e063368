"""Files of models and checkpoints: named arrays and a description in one safetensors file, never pickled.

    8 bytes: n | n bytes of JSON: what each array is and where, and the description | the arrays, without holes

So any safetensors reader opens a model, and nothing in a file is ever executed. The description holds a checksum of
the header and one of every array: no bit of the file is without one. The header is checked on opening, so that a model
of a gigabyte opens at once; an array goes through its checksum while it is read into memory, which nobody else changes.
(Mapped instead of read, a model would change when its file does, and the process would die when it is cut short.)
Files are written whole or not at all. A model may be several files (disk/parts.py): the first, and parts beside it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from softcount.disk.state import flatten, restore
from softcount.errors import InputError
from softcount.machine.atomic import is_special, write_whole
from softcount.machine.magic import MARK
from softcount.machine.mapped import give_back
from softcount.numbers.ragged import Array
from softcount.text.claim import check_path
from softcount.version import VERSION

FORMAT = 2  # 1, of softcount 0.2, differs in some names (softcount.disk.wire: OLD)
DTYPES = {
    "F64": "<f8", "I64": "<i8", "U64": "<u8", "F32": "<f4", "I32": "<i4", "U32": "<u4", "F16": "<f2", "I16": "<i2",
    "U16": "<u2", "I8": "|i1", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip
CODES = {np.dtype(dtype): code for code, dtype in DTYPES.items()}
LONGEST_HEADER = 100_000_000  # bytes, as the safetensors library has it
LARGEST = 1 << 48  # bytes of an array, were none of its sides empty
LONGEST_REASON = 120  # characters of what a made-up file may put into a message
AT_ONCE = 64_000_000  # bytes of arrays that are checked on opening: a few hundredths of a second
NO_CHECKSUM = b"0" * 64
PIECE = 1 << 24  # bytes per call of the checksum

# What reading a file that somebody made up can raise; all of it means that the file is not what it should be.
MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError, OverflowError)


Room = Callable[[Any, Any], Array]  # where an array of this shape and kind goes that is read


class Spec(NamedTuple):
    """Where an array lies, counted from the first byte behind the header."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


# --- writing ----------------------------------------------------------------------------------------------------------


def save(path: str | Path, kind: str, body: Mapping[str, Any], n_parts: int = 1) -> None:
    """`body`: nested mappings, lists and NamedTuples of arrays, strings and numbers (see softcount.disk.state)."""
    arrays: dict[str, Array] = {}
    described = flatten(dict(body), arrays)
    flat = {name: _plain(array) for name, array in arrays.items()}
    from softcount.disk.parts import save_parts, write_one

    path = Path(os.path.realpath(path) if os.path.islink(path) and not is_special(Path(path)) else path)
    if n_parts == 1:
        write_one(path, kind, described, flat)
    else:
        save_parts(path, kind, described, flat, n_parts)


def write_arrays(
    path: Path, kind: str, described: Any, flat: Mapping[str, Array], cut: Any = None, of: Path | None = None
) -> None:
    """One file; `cut` says which arrays are in parts beside it, `of` what it is a part of."""
    # Widest first, so that all are aligned without holes.
    flat = dict(sorted(flat.items(), key=lambda item: -item[1].dtype.itemsize))
    header = _header(kind, described, flat, cut)

    def write(temporary: Path) -> None:
        with temporary.open("wb") as stream:
            stream.write(len(header).to_bytes(8, "little") + header)
            for array in flat.values():
                for piece in _pieces(array):
                    stream.write(piece.data)
                    give_back(array)

    write_whole(path, write, of)


def _plain(array: Array) -> Array:
    """In the order of its memory, little-endian: a table that is column by column stays so (its shape is turned)."""
    if array.dtype.newbyteorder("<") not in CODES:
        raise TypeError(f"arrays of type {array.dtype} cannot be saved in a model file")
    turned = array.T if array.flags.f_contiguous and not array.flags.c_contiguous else array
    return np.asarray(turned, dtype=array.dtype.newbyteorder("<"), order="C")


def _header(kind: str, described: Any, flat: Mapping[str, Array], cut: Any) -> bytes:
    about = {"kind": kind, "crc32": {name: crc32(array) for name, array in flat.items()}, "body": described}
    if cut is not None:
        about["parts"] = cut
    metadata = {
        "checksum": NO_CHECKSUM.decode(),
        "format": str(FORMAT),
        "softcount": VERSION,
        "about": _json(about).decode(),
    }
    header: dict[str, Any] = {"__metadata__": metadata}
    place = 0
    for name, array in flat.items():
        code = CODES[array.dtype]
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": [place, place + array.nbytes]}
        place += array.nbytes
    text = _json(header)
    text += b" " * (-len(text) % 8)
    assert text.startswith(MARK + NO_CHECKSUM)
    return text.replace(NO_CHECKSUM, _checksum(text), 1)


def _json(value: Any) -> bytes:
    """In UTF-8 whatever it holds: file names that are not have lone surrogates, for which JSON has escapes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def _checksum(header: bytes) -> bytes:
    """Of the header's length and of the header with a blank where the checksum goes."""
    start, stop = len(MARK), len(MARK) + len(NO_CHECKSUM)
    whole = len(header).to_bytes(8, "little") + header[:start] + NO_CHECKSUM + header[stop:]
    return hashlib.sha256(whole).hexdigest().encode()


def crc32(array: Array) -> int:
    """2.5 GB/s where sha256 has 1.5, and it catches every single flipped bit all the same."""
    code = 0
    for piece in _pieces(array):
        code = zlib.crc32(piece.data, code)
        give_back(array)
    return code


def hash_array(sha: Any, array: Array) -> None:
    for piece in _pieces(array):
        sha.update(piece.data)
        give_back(array)


def _pieces(array: Array) -> Iterator[Array]:
    """Its bytes; what is in a file (softcount.machine.mapped) need not be in memory all at once."""
    data = array.reshape(-1).view(np.uint8)
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))


# --- reading ----------------------------------------------------------------------------------------------------------


class LostPart(InputError):
    """A part is not there: perhaps because another model is there by now."""


class Stored:
    """An opened file: its header has been checked, and every array is checked when it is read."""

    def __init__(self, path: str | Path, stream: BinaryIO | None = None, alone: bool = False) -> None:
        """`stream` is the file, where it is open; `alone` leaves its parts where they are."""
        check_path(path)
        self.path = Path(path)
        self._open(stream)
        while self.parts and not alone:
            try:
                self.parts.open()
                break
            except LostPart:
                if self._is_there():
                    raise
                self._open()  # another model is there by now
        if not alone and self.n_bytes - self._base <= AT_ONCE:
            self.verify()

    def _open(self, stream: BinaryIO | None = None) -> None:
        """The first file, which is all of it but for its parts."""
        try:
            self._stream = stream or open_file(self.path)
            weakref.finalize(self, self._stream.close)
            self._opened = os.fstat(self._stream.fileno())
            self.size = self._opened.st_size
            if not stat.S_ISREG(self._opened.st_mode):
                raise self._unreadable("not a regular file")
            header = self._read_header(self._stream)
        except (OSError, ValueError) as error:
            raise error if isinstance(error, InputError) else self._unreadable(_reason(error)) from None
        self._base = 8 + len(header)
        try:
            self._describe(json.loads(header))
        except MALFORMED as error:
            raise error if isinstance(error, InputError) else self.damaged() from None

    def _is_there(self) -> bool:
        """Whether the file that we have opened has its name still."""
        try:
            return os.path.samestat(self._opened, os.stat(self.path))
        except OSError:
            return False

    @property
    def n_bytes(self) -> int:
        """Of the file, and of its parts."""
        return self.size + (self.parts.size if self.parts else 0)

    def _unreadable(self, reason: str) -> InputError:
        return InputError(f"{self.path}: cannot be read ({reason}); give a file that softcount --save wrote")

    def damaged(self, what: str = "the file") -> InputError:
        return InputError(f"{self.path}: {what} is damaged; copy it again, or train again")

    def _read_header(self, stream: Any) -> bytes:
        first = stream.read(8)
        length = int.from_bytes(first, "little")
        start = stream.read(len(MARK) + len(NO_CHECKSUM)) if len(first) == 8 else b""
        if not start.startswith(MARK):
            raise InputError(f"{self.path}: not a softcount model; give a file that softcount --save wrote")
        if not len(start) <= length <= min(LONGEST_HEADER, self.size - 8):
            raise self.damaged()
        header = bytes(start + stream.read(length - len(start)))
        self._refuse_newer(header)
        if header[len(MARK) : len(start)] != _checksum(header):
            raise self.damaged()
        return header

    def _refuse_newer(self, header: bytes) -> None:
        """Before the checksum, which a newer format may compute in another way."""
        try:
            metadata = json.loads(header)["__metadata__"]
            number, version = int(metadata["format"]), short(str(metadata["softcount"]))
        except MALFORMED:
            raise self.damaged() from None
        if number < 1:
            raise self.damaged()
        if number > FORMAT:
            raise InputError(
                f"{self.path}: written by softcount {version} in format {number}, but softcount "
                f"{VERSION} reads formats up to {FORMAT}; install softcount {version} or newer"
            )

    def _describe(self, header: Any) -> None:
        metadata = header.pop("__metadata__")
        about = json.loads(metadata["about"])
        self.kind, self.version, self.body = about["kind"], metadata["softcount"], about["body"]
        if type(self.kind) is not str or type(self.version) is not str or type(self.body) is not dict:
            raise ValueError("no description")
        self.specs = {str(name): spec_of(spec) for name, spec in header.items()}
        self._crc32: dict[str, int] = about["crc32"]
        place = 0
        for spec in self.specs.values():
            if spec.start != place:
                raise ValueError("a hole")
            place = spec.stop
        if self._base + place != self.size or self._crc32.keys() != self.specs.keys():
            raise ValueError("another length")
        self.parts: Any = None
        if "parts" in about:
            from softcount.disk.parts import Parts

            self.parts = Parts(self.path, about["parts"])

    def verify(self) -> None:
        """Reads all of the file; raises where a bit of it has changed."""
        scratch = np.empty(min(PIECE, self.size), np.uint8)
        for name in self.specs:
            self._read(name, scratch, keep=False)
        if self.parts:
            self.parts.verify()

    def _array(self, name: str, room: Room = np.empty) -> Array:
        if self.parts and name in self.parts.specs:
            found: Array = self.parts.array(name, room)
            return found
        array = room(self.specs[name].shape, self.specs[name].dtype)
        self.read_into(name, array)
        return array

    def read_into(self, name: str, array: Array) -> None:
        """An array, checked, into memory that has its shape and kind."""
        self._read(name, array.reshape(-1).view(np.uint8), keep=True)

    def _read(self, name: str, into: Array, keep: bool) -> None:
        """All bytes of an array through its checksum, into this memory, or each piece over the one before it."""
        spec, code = self.specs[name], 0
        self._stream.seek(self._base + spec.start)
        for start in range(0, spec.stop - spec.start, PIECE):
            place = start if keep else 0
            piece = into[place : place + min(PIECE, spec.stop - spec.start - start)]
            if self._stream.readinto(piece.data) < len(piece):  # type: ignore[attr-defined]
                code = -1  # which no checksum is
                break
            code = zlib.crc32(piece.data, code)
            give_back(into)
        if code != self._crc32[name]:
            now = os.fstat(self._stream.fileno())
            if (now.st_size, now.st_mtime_ns) != (self.size, self._opened.st_mtime_ns):
                raise InputError(f"{self.path}: changed after it was opened; load it again")
            raise self.damaged(f"the table {short(repr(name))}")

    def restore(self, part: Any, types: Mapping[str, Any], room: Room = np.empty) -> Any:
        """The body, or a part of it, as it was saved; `types` are the NamedTuples that may be in it."""
        try:
            return restore(part, cache(lambda name: self._array(name, room)), types)  # what is one array stays one
        except MALFORMED as error:
            raise self.refusal(error) from None

    def refusal(self, error: Exception) -> InputError:
        """One line that names the file, whatever was wrong with what is in it."""
        if isinstance(error, InputError) and str(error).startswith(f"{self.path}: "):
            return error
        return InputError(f"{self.path}: the tables do not fit together ({_reason(error)}); train again")


def open_file(path: Path) -> BinaryIO:
    """For whoever keeps it."""
    return open(path, "rb", opener=_without_waiting)


def _without_waiting(path: str, flags: int) -> int:
    """A pipe that nobody writes to must not hold us up."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _reason(error: Exception) -> str:
    """In one short line: what a made-up file holds is in many an error's text."""
    return short((error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__)


def short(value: Any) -> str:
    """For a message of one line, whatever it is."""
    text = str(value)
    text = text if text.isprintable() else repr(text)
    return text if len(text) <= LONGEST_REASON else text[:LONGEST_REASON] + "…"


def spec_of(spec: Any) -> Spec:
    dtype, shape, (start, stop) = DTYPES[spec["dtype"]], tuple(spec["shape"]), spec["data_offsets"]
    if not all(type(n) is int and n >= 0 for n in (*shape, start, stop)) or len(shape) > 8:
        raise ValueError("not a shape")
    if math.prod(shape) * np.dtype(dtype).itemsize != stop - start or math.prod(n or 1 for n in shape) > LARGEST:
        raise ValueError("another size")
    return Spec(dtype, shape, start, stop)
