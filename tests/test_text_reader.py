"""Readers of every format, against the obvious Python; every bad file read for its message."""

from __future__ import annotations

import gzip
import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_text_source import naive_tokens, texts

from softcount.errors import InputError
from softcount.text import Corpus, Vocabulary, read, read_labels

Write = Callable[[str, str], Path]

CONLLU = """\
# text = don't stop
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\tdo\tAUX\tVBP\t_\t_\t_\t_\t_
2\tn't\tnot\tPART\t_\t_\t_\t_\t_\t_
2.1\tghost\t_\tVERB\tVB\t_\t_\t_\t_\t_
3\tstop\tstop\tVERB\tVB\t_\t_\t_\t_\t_

# only a comment


1\tNew York\t_\t_\tNNP\t_\t_\t_\t_\t_
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(name: str, text: str) -> Path:
        (tmp_path / name).write_bytes(text.encode())
        return tmp_path / name

    return write_file


def words_of(c: Corpus) -> list[list[str]]:
    return [c.tokens(i) for i in range(len(c))]


def tags_of(c: Corpus) -> list[list[str | None]]:
    return [c.tags(i) for i in range(len(c))]


def naive_tagged(token: str) -> tuple[str, str | None]:
    word, slash, tag = token.rpartition("/")
    return (word, tag if tag not in ("", "_") else None) if slash and word else (token, None)


def in_file(text: str, reader: Callable[[Path], Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(text.encode())
        return reader(path)


@given(texts.map(lambda text: text.removeprefix("\ufeff")).filter(bool), st.sampled_from(["", "\ufeff"]))
def test_plain(text: str, mark: str) -> None:
    # Only the first mark is removed, so a text that begins with one of its own would lose it without another.
    assert words_of(in_file(mark + text, read)) == naive_tokens(text)


@given(st.lists(st.lists(st.from_regex(r"[a/é]{1,4}(/[NV_]?)?|/", fullmatch=True), max_size=4), min_size=1))
def test_tagged(rows: list[list[str]]) -> None:
    rows = [[token for token in row if token.rpartition("/")[0] or "/" not in token or token == "/"] for row in rows]
    c = in_file("".join(" ".join(row) + "\n" for row in rows), lambda path: read(path, "tagged"))
    pairs = [[naive_tagged(token) for token in row] for row in rows]
    assert words_of(c) == [[word for word, _ in row] for row in pairs]
    assert tags_of(c) == [[tag for _, tag in row] for row in pairs]


def test_tagged_literally(write: Write) -> None:
    c = read(write("f", "the/DT 1/2/CD //SYM / it it/ it/_\n\n"), "tagged")
    assert words_of(c) == [["the", "1/2", "/", "/", "it", "it", "it"], []]
    assert tags_of(c) == [["DT", "CD", "SYM", None, None, None, None], []]
    assert c.tagset == ("CD", "DT", "SYM")


def test_conllu(write: Write) -> None:
    path = write("f.conllu", CONLLU)
    c = read(path)
    assert words_of(c) == [["do", "n't", "stop"], ["New York"]]
    assert tags_of(c) == [["AUX", "PART", "VERB"], [None]]
    assert tags_of(read(path, column="xpos")) == [["VBP", None, "VB"], ["NNP"]]
    assert read(write("g.conllu", CONLLU.replace("\n", "\r\n"))).digest() == c.digest()
    assert read(write("h", CONLLU), "conllu").digest() == c.digest()
    assert len(read(write("h", "# nothing\n"), "conllu")) == 0


def test_parallel_files(write: Write) -> None:
    c = read(write("w", "the  dog\n\nbarks\n"), tags=write("t", "D N\n\n_"))
    assert tags_of(c) == [["D", "N"], [], [None]]
    assert c.tagset == ("D", "N")


def test_gz_stdin_and_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Write) -> None:
    (tmp_path / "f.conllu.gz").write_bytes(gzip.compress(CONLLU.encode()))
    assert words_of(read(str(tmp_path / "f.conllu.gz"))) == [["do", "n't", "stop"], ["New York"]]
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"a b\r\n\r\n")))
    c = read("-")
    assert words_of(c) == [["a", "b"], []] and c.source == "<stdin>"
    assert read(write("f", "a")).source == str(tmp_path / "f")


def test_options(write: Write) -> None:
    path = write("f", "A a É É b\n")
    assert read(path, lowercase=True).tokens(0) == ["a", "a", "é", "é", "b"]
    assert read(path, min_count=2).tokens(0) == ["<unk>", "<unk>", "É", "É", "<unk>"]
    assert read(path, vocabulary=Vocabulary(["a"])).sentences.values.tolist() == [-1, 0, -1, -1, -1]
    c = read(write("g", "a/X B/Y"), "tagged", tagset=["Y", "X", "Z"], lowercase=True)
    assert c.labels is not None and c.labels.values.tolist() == [1, 0] and c.tagset == ("Y", "X", "Z")


def test_blank_lines_only_are_empty_sentences(write: Write) -> None:
    assert words_of(read(write("f", "\n \n\t"))) == [[], [], []]
    assert words_of(read(write("f", "\n\n"), "tagged")) == [[], []]


def test_read_labels(write: Write) -> None:
    labels, names = read_labels(write("f", "V N\n\n_ N\n"))
    assert names == ("N", "V")
    assert [row.tolist() for row in labels.rows()] == [[1, 0], [], [-1, 0]]


def test_a_long_line_and_a_long_token(write: Write) -> None:
    long = "x" * (1 << 20)
    c = read(write("f", "a/N " * 1_000_000 + "\n" + long + "/V"), "tagged")
    assert c.sizes.tolist() == [1_000_000, 1] and c.tokens(1) == [long] and c.tags(1) == ["V"]


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("", {}, "F: empty file; give at least one line"),
        ("\ufeff", {}, "F: empty file; give at least one line"),
        ("", {"format": "tagged"}, "F: empty file; give"),
        ("", {"format": "conllu"}, "F: empty file; give"),
        ("a", {"format": "xml"}, "format 'xml': unknown; use auto, plain, tagged, conllu"),
        ("a", {"format": "conllu", "column": "lemma"}, "column 'lemma': unknown; use upos, xpos"),
        ("a/N", {"format": "tagged", "tags": "x"}, "F: tagged text has its own tags; omit the tag file"),
        ("a/N\nb/V", {"format": "tagged", "tagset": ["N"]}, "F:2: tag 'V' is not in the tagset; correct it"),
        (
            "a/N\n\nb/N /V",
            {"format": "tagged"},
            "F:3: no word before the slash of '/V'; write word/TAG, // for the word /",
        ),
        ("# c\n1\ta\n", {"format": "conllu"}, "F:2: 2 columns; CoNLL-U has 10, separated by tabs"),
        ("a b c\n", {"format": "conllu"}, "F:1: 1 columns; CoNLL-U has 10"),
        ("\n" + "\t".join("abcdefghij"), {"format": "conllu"}, "F:2: invalid word number 'a'; write 1, 2,"),
        (
            "1\t\t" + "\t".join("cdefghij"),
            {"format": "conllu"},
            "F:1: the word is empty; write it in the second column",
        ),
        (CONLLU, {"format": "conllu", "tagset": ["AUX", "PART"]}, "F:6: tag 'VERB' is not in the tagset"),
        ("a\n\0", {}, "F:2: NUL byte"),
    ],
)
def test_bad_files(write: Write, text: str, options: dict[str, Any], expected: str) -> None:
    path = write("f", text)
    with pytest.raises(InputError) as error:
        read(path, **options)
    assert str(error.value).replace(str(path), "F").startswith(expected)


@pytest.mark.parametrize(
    ("text", "tags", "expected"),
    [
        (
            "a b\nc d\n",
            "X Y\nX\n",
            "W:2: 2 tokens, but 1 tags in T:2; give every token one tag (_ if unknown)",
        ),
        ("a\nb\nc\n", "X\n", "T: 1 lines, 2 fewer than W; give the same number of lines"),
        ("a\nb c\n", "X\nX\nX X\n", "W: 2 lines, 1 fewer than T, and line 2 is the first with other counts"),
        ("a\n", "", "T: empty file"),
    ],
)
def test_files_out_of_step(write: Write, text: str, tags: str, expected: str) -> None:
    words_path, tags_path = write("w", text), write("t", tags)
    with pytest.raises(InputError) as error:
        read(words_path, tags=tags_path)
    assert str(error.value).replace(str(words_path), "W").replace(str(tags_path), "T").startswith(expected)


def test_tags_outside_the_tagset_name_the_tag_file(write: Write) -> None:
    with pytest.raises(InputError, match=r"/t:2: tag 'Q' is not in the tagset"):
        read(write("w", "a\nb"), tags=write("t", "X\nQ"), tagset=("X",))


def test_stdin_twice() -> None:
    with pytest.raises(InputError, match="<stdin>: both the text and the tags; give a file for one of them"):
        read("-", tags="-")
