"""Files of models and checkpoints: named arrays and a description in one safetensors file, never pickled.

    8 bytes: n | n bytes of JSON: what each array is and where, and the description | the arrays, without holes

So any safetensors reader opens a model, and nothing in a file is ever executed. The description holds a checksum of
the header and one of every array: no bit of the file is without one. The header is checked on opening, the arrays as
a whole before the first of them is used (`Stored.verify`), so that a model of a gigabyte opens at once: its arrays are
mapped into memory, not read. Files are written whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import zlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softcount.disk.state import flatten, restore
from softcount.errors import InputError
from softcount.machine.atomic import write_whole
from softcount.machine.magic import MARK
from softcount.numbers.ragged import Array
from softcount.version import VERSION

FORMAT = 1
DTYPES = {
    "F64": "<f8", "I64": "<i8", "U64": "<u8", "F32": "<f4", "I32": "<i4", "U32": "<u4", "F16": "<f2", "I16": "<i2",
    "U16": "<u2", "I8": "|i1", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip
CODES = {np.dtype(dtype): code for code, dtype in DTYPES.items()}
LONGEST_HEADER = 100_000_000  # bytes, as the safetensors library has it
AT_ONCE = 64_000_000  # bytes of arrays that are checked on opening: a few hundredths of a second
NO_CHECKSUM = b"0" * 64
PIECE = 1 << 24  # bytes per call of the checksum

# What reading a file that somebody made up can raise; all of it means that the file is not what it should be.
MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError, OverflowError)


class Spec(NamedTuple):
    """Where an array lies, counted from the first byte behind the header."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


# --- writing ----------------------------------------------------------------------------------------------------------


def save(path: str | Path, kind: str, body: Mapping[str, Any]) -> None:
    """`body`: nested mappings, lists and NamedTuples of arrays, strings and numbers (see softcount.disk.state)."""
    arrays: dict[str, Array] = {}
    described = flatten(dict(body), arrays)
    # Widest first, so that all are aligned without holes.
    flat = {name: _plain(a) for name, a in sorted(arrays.items(), key=lambda item: -item[1].dtype.itemsize)}
    header = _header(kind, described, flat)

    def write(temporary: Path) -> None:
        with temporary.open("wb") as stream:
            stream.write(len(header).to_bytes(8, "little") + header)
            for array in flat.values():
                stream.write(array.data)

    write_whole(Path(path), write)


def _plain(array: Array) -> Array:
    """In the order of its memory, little-endian: a table that is column by column stays so (its shape is turned)."""
    if array.dtype.newbyteorder("<") not in CODES:
        raise TypeError(f"no arrays of {array.dtype} in a model file")
    turned = array.T if array.flags.f_contiguous and not array.flags.c_contiguous else array
    return np.asarray(turned, dtype=array.dtype.newbyteorder("<"), order="C")


def _header(kind: str, described: Any, flat: Mapping[str, Array]) -> bytes:
    about = {"kind": kind, "crc32": {name: crc32(array) for name, array in flat.items()}, "body": described}
    metadata = {
        "checksum": NO_CHECKSUM.decode(),
        "format": str(FORMAT),
        "softcount": VERSION,
        "about": json.dumps(about, ensure_ascii=False, separators=(",", ":")),
    }
    header: dict[str, Any] = {"__metadata__": metadata}
    place = 0
    for name, array in flat.items():
        code = CODES[array.dtype]
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": [place, place + array.nbytes]}
        place += array.nbytes
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    text += b" " * (-len(text) % 8)
    assert text.startswith(MARK + NO_CHECKSUM)
    return text.replace(NO_CHECKSUM, _checksum(text), 1)


def _checksum(header: bytes) -> bytes:
    """Of the header's length and of the header with a blank where the checksum goes."""
    start, stop = len(MARK), len(MARK) + len(NO_CHECKSUM)
    whole = len(header).to_bytes(8, "little") + header[:start] + NO_CHECKSUM + header[stop:]
    return hashlib.sha256(whole).hexdigest().encode()


def crc32(array: Array) -> int:
    """2.5 GB/s where sha256 has 1.5, and it catches every single flipped bit all the same."""
    data = array.reshape(-1).view(np.uint8)
    code = 0
    for start in range(0, len(data), PIECE):
        code = zlib.crc32(data[start : start + PIECE].data, code)
    return code


# --- reading ----------------------------------------------------------------------------------------------------------


class Stored:
    """An opened file: its header has been checked, its arrays are checked before the first is used."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            with self.path.open("rb") as stream:
                self.size = os.fstat(stream.fileno()).st_size
                header = self._read_header(stream)
                self._memory = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_COPY)
        except (OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            reason = (error.strerror if isinstance(error, OSError) else None) or "it cannot be mapped into memory"
            raise InputError(f"{path}: cannot be read ({reason}); give a file that softcount --save wrote") from None
        self._base = 8 + len(header)
        try:
            self._describe(json.loads(header))
        except MALFORMED as error:
            raise error if isinstance(error, InputError) else self.damaged() from None
        if self.size - self._base <= AT_ONCE:
            self.verify()

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
            number, version = int(metadata["format"]), str(metadata["softcount"])
        except MALFORMED:
            raise self.damaged() from None
        if number > FORMAT:
            raise InputError(
                f"{self.path}: written by softcount {version} in format {number}, and this softcount {VERSION} reads "
                f"formats up to {FORMAT}; install softcount {version} or newer"
            )

    def _describe(self, header: Any) -> None:
        metadata = header.pop("__metadata__")
        about = json.loads(metadata["about"])
        self.kind, self.version, self.body = str(about["kind"]), str(metadata["softcount"]), about["body"]
        self.specs = {str(name): _spec(spec) for name, spec in header.items()}
        self._crc32: dict[str, int] = about["crc32"]
        place = 0
        for spec in self.specs.values():
            if spec.start != place:
                raise ValueError("a hole")
            place = spec.stop
        if self._base + place != self.size or self._crc32.keys() != self.specs.keys():
            raise ValueError("another length")

    @cached_property
    def _checked(self) -> bool:
        for name in self.specs:
            if crc32(self._array(name)) != self._crc32[name]:
                raise self.damaged(f"the table {name!r}")
        return True

    def verify(self) -> None:
        """Reads all of the file, once; raises where a bit of it has changed."""
        assert self._checked

    def _array(self, name: str) -> Array:
        spec = self.specs[name]
        count = (spec.stop - spec.start) // np.dtype(spec.dtype).itemsize
        flat = np.frombuffer(self._memory, spec.dtype, count, self._base + spec.start)
        return flat.reshape(spec.shape)

    def restore(self, part: Any, types: Mapping[str, Any], copy: bool = False) -> Any:
        """The body, or a part of it, as it was saved; `types` are the NamedTuples that may be in it."""

        def array(name: str) -> Array:
            self.verify()
            return self._array(name).copy() if copy else self._array(name)

        try:
            return restore(part, array, types)
        except MALFORMED as error:
            raise error if isinstance(error, InputError) else self.inconsistent(error) from None

    def inconsistent(self, error: Exception) -> InputError:
        return InputError(f"{self.path}: the tables do not fit together ({error}); train again")


def _spec(spec: Any) -> Spec:
    dtype, shape, (start, stop) = DTYPES[spec["dtype"]], tuple(spec["shape"]), spec["data_offsets"]
    if not all(type(n) is int and n >= 0 for n in (*shape, start, stop)) or len(shape) > 8:
        raise ValueError("not a shape")
    if int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize != stop - start:
        raise ValueError("another size")
    return Spec(dtype, shape, start, stop)
