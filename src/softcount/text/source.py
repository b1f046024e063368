"""Bytes of a text file → checked text → lines → tokens, without a Python loop over either.

Every reader takes its text from here, so every reader gives the same answers: UTF-8 with or without a byte-order
mark; lines end at ``\\n`` or ``\\r\\n`` and nowhere else (U+2028, U+0085 or a form feed inside a line are text); tokens
are separated by ASCII blanks, no-break spaces and the ideographic space (U+00A0, U+202F, U+3000). A packed file is read
as a stream, and refused as soon as it unpacks to more than 64 MiB and 100 times its size: text packs 3 to 20 times, a
bomb 1,000 times.
"""

from __future__ import annotations

import lzma
import os
import stat
import sys
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE, utf_8_decode
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.magic import is_marked
from softcount.machine.memory import installed
from softcount.numbers.ragged import Array, offsets_of
from softcount.text.claim import check_path
from softcount.text.packing import Counted, by_content, by_name

MAX_BYTES = int(min(8 << 30, installed() / 2))  # of text: what is larger ends in an error message, not in swap
SMALL, RATIO = 64 << 20, 100  # a packed file may unpack to this much whatever its size, to more only in proportion
CHUNK = 1 << 24
PIECE = 1 << 21  # of a text that is never whole in memory
BLANKS = b" \t\n\v\f\r"
WIDE_BLANKS = tuple(blank.encode() for blank in "\u00a0\u202f\u3000")  # which no part of another character is
NEWLINE, RETURN = 10, 13
WIDE = 256  # bytes by which UTF-32 is known
DIGITS = 18  # of a number that surely fits into 64 bits; Python itself refuses to read thousands
IF_MODEL = "give text, or use the model with --apply"
_SOLID = bytes(byte not in BLANKS for byte in range(256))


def read_text(path: str | Path, max_bytes: int = MAX_BYTES, if_model: str = IF_MODEL) -> bytes:
    """The whole text, known to be UTF-8 without NUL, byte-order mark removed; unpacked as ``text.packing`` says.

    if_model : what to do instead, where the file is a model
    """
    return checked_text(read_chunks(path, max_bytes), name_of(path), if_model)


def checked_text(chunks: Iterable[bytes], name: str, if_model: str = IF_MODEL) -> bytes:
    """The pieces of a file as one text."""
    text = b"".join(_checked(chunks, name, if_model))
    stage.begin(f"indexing {name}")
    _check_utf8(text, name)
    return text.removeprefix(BOM_UTF8)


def line_pieces(path: str | Path, if_model: str = IF_MODEL) -> Iterator[tuple[int, bytes]]:
    """(how many lines came before, whole lines) of a file of any size, a few megabytes at a time; checked as ever."""
    name, before, rest = name_of(path), 0, list[bytes]()
    for chunk in _checked(read_chunks(path, sys.maxsize, PIECE), name, if_model):
        ended, newline, begun = chunk.rpartition(b"\n")
        if newline:
            yield before, _piece(b"".join([*rest, ended, newline]), name, before)
            before, rest = before + ended.count(b"\n") + 1, []
        rest.append(begun)
    if last := b"".join(rest):
        yield before, _piece(last, name, before)


def _piece(text: bytes, name: str, before: int) -> bytes:
    _check_utf8(text, name, before)
    return text if before else text.removeprefix(BOM_UTF8)


def lines(path: str | Path, max_bytes: int = MAX_BYTES) -> Any:
    """The lines without their ends, as a pyarrow LargeStringArray."""
    return split_lines(read_text(path, max_bytes))


def split_lines(text: bytes) -> Any:
    raw = np.frombuffer(text, dtype=np.uint8)
    keep = raw != NEWLINE
    keep[:-1] &= (raw[:-1] != RETURN) | keep[1:]
    kept_before = np.searchsorted(np.flatnonzero(keep), _line_ends(raw))
    return strings(raw[keep], np.diff(kept_before, prepend=0))


def split_tokens(text: bytes) -> tuple[Array, Any]:
    """(offsets, tokens): line r holds ``tokens[offsets[r]:offsets[r + 1]]``, like ``[line.split() for line in …]``."""
    for wide in WIDE_BLANKS:
        if wide in text:
            text = text.replace(wide, b" ")
    # bytes.translate: 4 ms for the 6 MB of Brown, where a NumPy lookup takes 13.
    solid = np.frombuffer(text.translate(_SOLID), dtype=bool)
    edges = np.flatnonzero(np.diff(solid, prepend=False, append=False))
    starts, ends = edges[0::2], edges[1::2]
    offsets = np.concatenate([[0], np.searchsorted(starts, _line_ends(np.frombuffer(text, np.uint8)))])
    return offsets.astype(np.int64), strings(text.translate(None, BLANKS), ends - starts)


def strings(data: Array | bytes, lengths: Array) -> Any:
    """Consecutive pieces of the given lengths as a LargeStringArray over the same memory."""
    # 64-bit offsets throughout: a corpus may hold more than 2 GiB, and one code path is tested, not two.
    offsets = offsets_of(lengths)
    return pa.LargeStringArray.from_buffers(len(lengths), pa.py_buffer(offsets), pa.py_buffer(data))


def bytes_of(array: Any) -> tuple[Array, Array]:
    """(offsets, data) of a LargeStringArray, the inverse of ``strings``."""
    _, ends, data = array.buffers()
    if len(array) == 0 or data is None:
        return np.zeros(len(array) + 1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    offsets = np.frombuffer(ends, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return offsets - offsets[0], np.frombuffer(data, dtype=np.uint8)[offsets[0] : offsets[-1]]


def name_of(path: str | Path) -> str:
    """How messages call this file. A name with a line break in it must not break the message."""
    name = os.fspath(path)
    return "<stdin>" if name == "-" else name if name.isprintable() else repr(name)


def check_word_or_file(given: str | Path, kind: str, words: str) -> None:
    """Where one of some words can stand as well as a file: what is neither is most often a misspelt word."""
    check_path(given)
    if os.fspath(given) != "-" and not os.path.exists(given):
        raise InputError(f"{name_of(given)}: no such file, and not {kind}; use {words}")


def check_stdin(**files: str | Path | None) -> None:
    """Standard input can be read once; the names say what each file is (``stop_words``: the stop words)."""
    named = [what.replace("_", " ") for what, path in files.items() if path is not None and os.fspath(path) == "-"]
    if len(named) > 1:
        raise InputError(f"<stdin>: both the {named[0]} and the {named[1]}; give a file for one of them")


def quoted(text: str, limit: int = 40) -> str:
    """A token for a message: a token may be a megabyte long, or hold a line break."""
    return repr(text if len(text) <= limit else text[:limit] + "…")


def whole(text: str) -> int | None:
    """A whole number that is not negative, in decimal digits; None if it is none, or beyond 64 bits."""
    return int(text) if text.isdecimal() and len(text) <= DIGITS else None


def printable(text: str) -> str:
    """A line that a file contains, for a terminal: what would steer it is written as Python escapes it."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def line_of(offsets: Array, token: int) -> int:
    """The line, counted from 1, of the token with this number."""
    return int(np.searchsorted(offsets, token, side="right"))


def _line_ends(raw: Array) -> Array:
    """Where each line ends; a last line without its newline is a line too."""
    ends = np.flatnonzero(raw == NEWLINE)
    unfinished = len(raw) > 0 and raw[-1] != NEWLINE
    return np.append(ends, len(raw)) if unfinished else ends


def _open(path: str | Path) -> AbstractContextManager[IO[bytes]]:
    name = os.fspath(path)
    if name == "-" and sys.stdin is None:
        raise InputError("<stdin>: is closed; give a file, or pipe the text with | or <")
    return nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb")


def read_chunks(path: str | Path, max_bytes: int = MAX_BYTES, size: int | None = None) -> Iterator[bytes]:
    """The file piece by piece, unpacked; whatever the system has against it becomes an InputError."""
    check_path(path)
    total, packing = 0, by_name(os.fspath(path))
    stage.begin(f"reading {name_of(path)}", _size(path), "bytes")
    try:
        with _open(path) as opened:
            piped = os.fspath(path) == "-"
            raw = Counted(opened) if piped or packing else None
            if piped and raw:
                packing = by_content(raw.peek(10))
            stream = packing.opened(raw) if packing else raw or opened
            while chunk := stream.read(size or CHUNK):
                total += len(chunk)
                if total > max_bytes:
                    raise _error(path, f"more than {max_bytes:,} bytes of text", "split the file")
                if packing and raw and total > max(SMALL, RATIO * raw.count):
                    raise _error(
                        path, f"decompresses to more than {RATIO} times its size", "decompress it first, if it is text"
                    )
                stage.reach(raw.count if packing and raw else total)
                yield chunk
    except MemoryError:  # xz may ask for a dictionary of gigabytes, whatever there is to unpack
        remedy = f"decompress it first: {packing.unpack}" if packing else "split the file"
        raise _error(path, "needs more memory than available", remedy) from None
    except (OSError, ValueError, EOFError, zlib.error, lzma.LZMAError) as error:
        if packing and "too much memory" in str(error):
            raise _error(
                path, "compressed with a window of more than 128 MiB", "decompress it first: zstd -dc --long=31"
            ) from None
        if packing and not isinstance(error, InputError) and not getattr(error, "errno", None):
            wrong = f"not a complete {packing.name.split(' ', 1)[1]}"
            raise _error(path, wrong, "compress it again, or rename it if it is not compressed") from None
        raise _system_error(path, error) from None


def _size(path: str | Path) -> int | None:
    """Bytes on the disk, where that can be known."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # a name that no file can have
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _system_error(path: str | Path, error: Exception) -> InputError:
    if isinstance(error, InputError):
        return error
    if isinstance(error, FileNotFoundError):
        return _error(path, "no such file", "check the path")
    if isinstance(error, PermissionError):
        return _error(path, "no permission to read it", "change the permissions, or read another file")
    if isinstance(error, IsADirectoryError):
        return _error(path, "a folder, not a file", "give a file inside it")
    return _error(path, f"cannot be read ({getattr(error, 'strerror', None) or error})", "check the path")


def _error(path: str | Path, wrong: str, remedy: str) -> InputError:
    return InputError(f"{name_of(path)}: {wrong}; {remedy}")


def _checked(chunks: Iterable[bytes], name: str, if_model: str) -> Iterator[bytes]:
    """Stops at a NUL byte as soon as it is seen: a binary file need not be read to its end."""
    line = 0
    for chunk in chunks:
        if line == 0:
            _check_beginning(chunk, name, if_model)
            line = 1
        nul = chunk.find(b"\0")
        if nul >= 0:
            line += chunk.count(b"\n", 0, nul)
            raise InputError(f"{name}:{line}: NUL byte, which is not text; convert the file with iconv if it is UTF-16")
        line += chunk.count(b"\n")
        yield chunk


def _check_beginning(chunk: bytes, name: str, if_model: str) -> None:
    """Files whose first bytes say what they are deserve a better remedy than their first wrong byte has."""
    packing = by_content(chunk)
    if packing:
        raise InputError(
            f"{name}: is {packing.name}; name it …{packing.suffix}, or decompress it first: {packing.unpack}"
        )
    wide = _utf32(chunk[:WIDE])
    if wide:
        raise InputError(f"{name}: {wide}, not UTF-8; convert the file: iconv -f {wide} -t UTF-8")
    if chunk.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise InputError(f"{name}: UTF-16, not UTF-8; convert the file: iconv -f UTF-16 -t UTF-8")
    if is_marked(chunk):
        raise InputError(f"{name}: is a softcount model or checkpoint, not text; {if_model}")


def _utf32(head: bytes) -> str:
    """UTF-32, if that is what this is: by its byte-order mark, or because all of it is text when it is read so."""
    if head.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        return "UTF-32"
    for form in ("UTF-32LE", "UTF-32BE"):
        text = head[: len(head) // 4 * 4].decode(form, "replace")
        if text and all(character.isprintable() or character in "\t\r\n" for character in text.replace("\ufffd", "\0")):
            return form
    return ""


def _check_utf8(text: bytes, name: str, before: int = 0) -> None:
    """`before`: how many lines of the file came before."""
    start = 0
    view = memoryview(text)
    while start < len(text):  # in pieces, so that the decoded text never stands in memory as a whole
        stop = start + CHUNK
        try:
            start += utf_8_decode(view[start:stop], "strict", stop >= len(text))[1]
        except UnicodeDecodeError as error:
            raise _encoding_error(text, start + error.start, name, before) from None


def _encoding_error(text: bytes, position: int, name: str, before: int) -> InputError:
    line = before + text.count(b"\n", 0, position) + 1
    column = position - text.rfind(b"\n", 0, position)
    wrong = f"byte {column} of the line (0x{text[position]:02x}) is not UTF-8"
    return InputError(f"{name}:{line}: {wrong}; convert the file, for example with iconv -f LATIN1 -t UTF-8")
