"""Packed files as streams: gzip, xz, bzip2, Zstandard; known by their names, on standard input by their first bytes."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO, Any, NamedTuple, cast


class Packing(NamedTuple):
    name: str  # with its article
    suffix: str
    magic: tuple[bytes, ...]  # with one of which every such file begins
    unpack: str  # the command that unpacks it
    opened: Callable[[Any], IO[bytes]]


def _gzip(raw: Any) -> IO[bytes]:
    import gzip

    return cast(IO[bytes], gzip.GzipFile(fileobj=raw))


def _xz(raw: Any) -> IO[bytes]:
    import lzma

    return cast(IO[bytes], lzma.LZMAFile(raw))


def _bzip2(raw: Any) -> IO[bytes]:
    import bz2

    return cast(IO[bytes], bz2.BZ2File(raw))


def _zstandard(raw: Any) -> IO[bytes]:
    import pyarrow as pa

    return cast(IO[bytes], pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd"))


PACKINGS = (
    Packing("a gzip file", ".gz", (b"\x1f\x8b",), "gzip -dc", _gzip),
    Packing("an xz file", ".xz", (b"\xfd7zXZ\x00",), "xz -dc", _xz),
    Packing("a bzip2 file", ".bz2", tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)), "bzip2 -dc", _bzip2),
    Packing("a Zstandard file", ".zst", (b"\x28\xb5\x2f\xfd",), "zstd -dc", _zstandard),
)
SUFFIXES = tuple(packing.suffix for packing in PACKINGS)


def by_name(name: str) -> Packing | None:
    return next((packing for packing in PACKINGS if name.lower().endswith(packing.suffix)), None)


def by_content(first: bytes) -> Packing | None:
    return next((packing for packing in PACKINGS if first.startswith(packing.magic)), None)


def unpacked_name(name: str) -> str:
    """In lower case, without the suffix of its packing: by what is left a file's form is known."""
    packing = by_name(name)
    return name.lower().removesuffix(packing.suffix if packing else "")


class Counted(io.RawIOBase):
    """A stream that knows how many bytes were read, and whose first bytes may be looked at before."""

    def __init__(self, raw: IO[bytes]) -> None:
        self.raw, self.head, self.count = raw, b"", 0

    def readable(self) -> bool:
        return True

    def peek(self, n: int) -> bytes:
        while len(self.head) < n and (more := self.raw.read(n - len(self.head))):
            self.head += more
        return self.head[:n]

    def readinto(self, buffer: Any) -> int:
        data = self.head[: len(buffer)] if self.head else self.raw.read(len(buffer)) or b""
        self.head = self.head[len(data) :]
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)
