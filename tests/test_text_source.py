"""Bytes → lines → tokens: against the obvious Python, and every bad file read for its message."""

from __future__ import annotations

import gzip
import io
import lzma
import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from command import ordinary_user
from hypothesis import given
from hypothesis import strategies as st

from softcount.cli.main import _too_large
from softcount.disk import store
from softcount.errors import InputError
from softcount.machine import stage
from softcount.text import source
from softcount.text.source import bytes_of, lines, name_of, quoted, read_text, split_lines, split_tokens

# Everything that some splitter somewhere takes for a blank or a line end, and text of 1 to 4 bytes a letter.
ODD = list(" \t\r\n\v\f\x1c\x1e\x85\u00a0\u2028\u2029\u3000\ufeffab/é…𝔸")
texts = st.text(st.sampled_from(ODD), max_size=60)


def naive_lines(text: str) -> list[str]:
    rows = text.split("\n")
    last = rows.pop()
    return [row.removesuffix("\r") for row in rows] + ([last] if last else [])


def naive_tokens(text: str) -> list[list[str]]:
    return [[token for token in re.split("[ \t\r\v\f\u00a0\u202f\u3000]", line) if token] for line in naive_lines(text)]


def message(path: str | Path, **options: int) -> str:
    with pytest.raises(InputError) as error:
        read_text(path, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


@given(texts)
def test_lines_end_at_newlines_only(text: str) -> None:
    assert split_lines(text.encode()).to_pylist() == naive_lines(text)


@given(texts)
def test_tokens_end_at_blanks_only(text: str) -> None:
    offsets, tokens = split_tokens(text.encode())
    flat = tokens.to_pylist()
    rows = [flat[a:b] for a, b in pairwise(offsets)]
    assert rows == naive_tokens(text)
    tokens.validate(full=True)


@given(st.lists(st.text(max_size=5)), st.integers(0, 3))
def test_bytes_of_undoes_strings(words: list[str], start: int) -> None:
    array = split_lines("".join(word.replace("\n", "") + "\n" for word in words).encode())[start:]
    offsets, data = bytes_of(array)
    assert source.strings(data, offsets[1:] - offsets[:-1]).equals(array)


@pytest.mark.parametrize("text", [b"", b"\n", b"a", b"a\n", b"a\n\n", b"a\r\nb"])
def test_last_line(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "f").write_bytes(text)
    assert lines(tmp_path / "f").to_pylist() == naive_lines(text.decode())


def test_byte_order_mark_is_removed_at_the_start_only(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes("\ufeffa\n\ufeffb".encode())
    assert lines(tmp_path / "f").to_pylist() == ["a", "\ufeffb"]


def test_gz_and_stdin_read_like_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f.gz").write_bytes(gzip.compress(b"a b\n") + gzip.compress(b"c\n"))
    assert read_text(tmp_path / "f.gz") == b"a b\nc\n"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"a\n")))
    assert read_text("-") == b"a\n"


def test_letters_across_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "CHUNK", 5)
    (tmp_path / "f").write_text("𝔸é𝔸𝔸é\n" * 7, "utf-8")
    assert read_text(tmp_path / "f").decode() == "𝔸é𝔸𝔸é\n" * 7
    (tmp_path / "f").write_bytes("é𝔸\n".encode() * 7 + b"ab\xff")
    assert ":8: byte 3 of the line (0xff) is not UTF-8" in message(tmp_path / "f")
    (tmp_path / "f").write_bytes(b"abc\nab\nabc\n\0")
    assert ":4: NUL byte" in message(tmp_path / "f")


def test_a_million_tokens_and_a_token_of_a_megabyte() -> None:
    offsets, tokens = split_tokens(b"a " * 1_000_000 + b"\n" + b"x" * (1 << 20))
    assert offsets.tolist() == [0, 1_000_000, 1_000_001]
    assert len(tokens[1_000_000].as_py()) == 1 << 20


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a\nb\0c\n", ":2: NUL byte, which is not text; convert the file with iconv"),
        ("a\nb".encode("utf-16-le"), ":1: NUL byte"),
        (b"caf\xe9\n", ":1: byte 4 of the line (0xe9) is not UTF-8; convert the file"),
        (b"ok\nok \xff\n", ":2: byte 4 of the line (0xff) is not UTF-8"),
        (b"\xef\xbb\xbf\xff", ":1: byte 4 of the line (0xff)"),
        (b"a\n\xc3", ":2: byte 1 of the line (0xc3)"),
        (b"\xed\xa0\x80", ":1: byte 1 of the line (0xed)"),  # a surrogate
    ],
)
def test_bad_bytes(tmp_path: Path, content: bytes, expected: str) -> None:
    (tmp_path / "f").write_bytes(content)
    assert message(tmp_path / "f").startswith(f"{tmp_path / 'f'}{expected}")


@pytest.mark.parametrize("name", ["f", "f.gz"])
def test_own_files_are_called_by_their_name(tmp_path: Path, name: str) -> None:
    """Whatever is saved: were the beginning of such files to change, this would say so."""
    store.save(tmp_path / "m", "checkpoint", {"table": np.ones(3)})
    content = (tmp_path / "m").read_bytes()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert message(tmp_path / name).endswith(
        f"{name}: is a softcount model or checkpoint, not text; give text, or use the model with --apply"
    )


def test_bad_bytes_of_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"a\n\xff")))
    assert message("-").startswith("<stdin>:2: byte 1")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert message(tmp_path / "none") == f"{tmp_path / 'none'}: no such file; check the path"
    assert message(tmp_path) == f"{tmp_path}: a folder, not a file; give a file inside it"
    assert "a\\x00b" in message("a\0b")
    assert message("") == ": no such file; check the path"


def test_no_permission(tmp_path: Path) -> None:
    (tmp_path / "f").touch(0o000)
    with ordinary_user():
        assert "no permission to read it; change the permissions" in message(tmp_path / "f")


def test_permission_error_is_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(source, "_open", refuse)
    assert message("f") == "f: no permission to read it; change the permissions, or read another file"


def test_broken_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(b"some text\n" * 1000)
    damaged = packed[:20] + b"\xff\xff\xff" + packed[23:]
    for content in (b"plain text\n", packed[:-10], packed[:30], damaged):
        (tmp_path / "f.gz").write_bytes(content)
        assert "f.gz: not a complete gzip file; compress it again" in message(tmp_path / "f.gz")


def test_gzip_bomb(tmp_path: Path) -> None:
    (tmp_path / "f.gz").write_bytes(gzip.compress(b"a" * 2_000_000))
    expected = ": more than 1,000,000 bytes of text; split the file"
    assert message(tmp_path / "f.gz", max_bytes=1_000_000).endswith(expected)


def test_names_and_tokens_stay_on_one_line() -> None:
    assert name_of("a\nb") == "'a\\nb'"
    assert name_of(Path("x/y")) == "x/y"
    assert quoted("a\nb") == "'a\\nb'"
    assert len(quoted("x" * 1_000_000)) < 50


@pytest.mark.parametrize("text", ["", "ab", "a\0", "\x01\0\0\0\x02\0\0\0", "\0\0\0\x01\0\0\0\x02"])
def test_what_is_not_utf_32_is_not_called_so(tmp_path, text):
    (tmp_path / "f").write_bytes(text.encode("latin-1"))
    try:
        read_text(tmp_path / "f")
    except InputError as error:
        assert "UTF-32" not in str(error)


def test_memory_that_a_file_asks_for(tmp_path, monkeypatch):
    """An xz file may name a dictionary of 4 GB."""

    def without_room(*_):
        raise MemoryError

    (tmp_path / "f.xz").write_bytes(lzma.compress(b"a b\n"))
    monkeypatch.setattr(lzma.LZMAFile, "read", without_room)
    with pytest.raises(InputError, match=r"f.xz: needs more memory than available; decompress it first: xz -dc$"):
        read_text(tmp_path / "f.xz")


@pytest.mark.parametrize(
    "doing,says",
    [
        ("reading a: b.csv", r"^a: b.csv: needs more memory than available; split the file, or use shards"),
        ("training", "^not enough memory for this input; use fewer states"),
    ],
)
def test_who_lacks_memory_is_named(doing, says):
    with stage.towards("start"):
        stage.begin(doing)
        assert re.search(says, _too_large(stage.now))
