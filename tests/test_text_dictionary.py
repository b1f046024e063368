"""Tag dictionaries: what they allow, and every bad file read for its message."""

from __future__ import annotations

from pathlib import Path

import pytest

from softcount.errors import InputError
from softcount.text import Vocabulary, read_dictionary

TEXT = "can\tV N\r\n\n \nthe\tD\nx\u00a0y\tN D N\t\n"


def test_read(tmp_path: Path) -> None:
    (tmp_path / "d").write_bytes(TEXT.encode())
    dictionary = read_dictionary(tmp_path / "d")
    assert dictionary.tagset == ("V", "N", "D")
    assert dictionary.words == ["can", "the", "x\u00a0y"]
    assert dictionary.allowed == {"can": (0, 1), "the": (2,), "x\u00a0y": (1, 2)}


def test_mask(tmp_path: Path) -> None:
    (tmp_path / "d").write_bytes(TEXT.encode())
    dictionary = read_dictionary(tmp_path / "d")
    mask = dictionary.mask(Vocabulary(["the", "<unk>", "can"], "<unk>"))
    assert mask.astype(int).tolist() == [[0, 1, 1], [0, 1, 1], [1, 1, 0]]
    mask = dictionary.mask(Vocabulary(["the", "can"]), ["X", "N", "D", "V"])
    assert mask.astype(int).tolist() == [[0, 0], [0, 1], [1, 0], [0, 1]]
    with pytest.raises(InputError, match=r"/d: tag 'D' is not in the tagset; correct it, or add it there"):
        dictionary.mask(Vocabulary(["the"]), ["V", "N"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("can\tV\nthe D\n", ":2: no tab; write word<TAB>TAG TAG …"),
        (
            "can\tV N\nthe\tD\tan article\n",
            ":2: a second tab; write word<TAB>TAG TAG …, without other columns (cut -f 1,2)",
        ),
        ("can\tV\n\tD\n", ":2: no word before the tab; write word<TAB>TAG TAG …"),
        ("\ncan\t \n", ":2: no tags for 'can'; add its tags, or remove the word to allow all"),
        ("can\tV\n\nthe\tD\ncan\tN\n", ":4: the word 'can' is already on line 1; write all its tags on one line"),
        ("can\t_\n", ":1: _ means an unknown tag; remove the word to allow all tags"),
        ("", ": empty file; give at least one line word<TAB>TAG TAG …"),
        ("\n \n", ": empty file; give at least one line"),
        ("can\t\0", ":1: NUL byte"),
    ],
)
def test_bad_dictionaries(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "d").write_bytes(text.encode())
    with pytest.raises(InputError) as error:
        read_dictionary(tmp_path / "d")
    assert str(error.value).startswith(f"{tmp_path / 'd'}{expected}")
