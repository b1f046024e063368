"""A folder of shards that somebody made up, with digests that are right: refused in a line, and never trained on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import refused, run
from shard_forgery import as_type, emptied, fewer_rows, forge, offsets, row_of, values, without

import softcount as sc
from softcount.text import shard_columns, shard_file

AGAIN = "write the folder again with softcount shard"
TRAIN = {
    "sentences": "tag {} --start random --criterion em:1 -q",
    "documents": "topics {} --topics 2 --start random --criterion em:1 -q",
    "pairs": "align {} --model ibm1 --criterion em:1 -q",
}
FIRST, LAST = 0, -1


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("folders")
    rng = np.random.default_rng(5)
    rows = [[f"w{k}" for k in rng.integers(0, 20, rng.integers(1, 7))] for _ in range(40)]
    (place / "tagged").write_text("".join(" ".join(f"{w}/{w[-1]}" for w in row) + "\n" for row in rows))
    (place / "other").write_text("".join(" ".join(w.upper() for w in row) + "\n" for row in rows))
    (place / "text").write_text("".join(" ".join(row) + "\n" for row in rows))
    for n, row in enumerate(rows):
        path = place / "docs" / f"{'ab'[n % 2]}" / str(n)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(" ".join(row))
    for line in (
        f"{place}/tagged --format tagged --out {place}/sentences",
        f"{place}/docs --kind documents --out {place}/documents",
        f"{place}/text --target {place}/other --out {place}/pairs",
    ):  # fmt: skip
        assert run(f"shard {line} -q").code == 0
    return place


def words_of(kind: str) -> list[str]:
    return ["source", "target"] if kind == "pairs" else ["words"]


BLOCKS: list[tuple[str, str, Any, str]] = [
    (kind, f"{column} {value} at {place}", values(column, place, value), "has the word number")
    for kind in TRAIN
    for column in words_of(kind)
    for value in (2**31 - 1, 100_000, 20, -1, -(2**31))
    for place in (FIRST, LAST)
]
BLOCKS += [
    ("documents", f"counts {value}", values("counts", FIRST, value), "has a count that is not a positive number")
    for value in (-1.0, 0.0, np.nan, np.inf, -np.inf, 1e300, 2.0**53)
]
BLOCKS += [
    ("sentences", f"tag {value}", values("tags", LAST, value), "has the tag number") for value in (-2, 10, 2**31 - 1)
]
BLOCKS += [
    ("documents", f"class {value}", values("label", LAST, value), "has the class number")
    for value in (-2, 2, 2**31 - 1)
]
BLOCKS += [
    (kind, f"offsets of {column}: {what}", offsets(column, place, value), "has ")
    for kind in TRAIN
    for column in [*words_of(kind), *{"sentences": ["tags"], "documents": ["counts"]}.get(kind, [])]
    for what, place, value in (
        ("back", 3, 0),
        ("beyond", LAST, 10**6),
        ("far beyond", LAST, 2**31 - 1),
        ("negative", 3, -5),
        ("a leap", 3, 10**6),
        ("late", FIRST, 1),
        ("short", LAST, 5),
    )
]
BLOCKS += [
    (kind, f"{what} {column}", change(column), "has ")
    for kind in TRAIN
    for column in words_of(kind)
    for what, change in (("empty", emptied), ("floats in", lambda name: as_type(name, np.float32)),
                         ("unsigned", lambda name: as_type(name, np.uint32)))
]  # fmt: skip
BLOCKS += [(kind, f"without {words_of(kind)[-1]}", without(words_of(kind)[-1]), "lacks a column") for kind in TRAIN]
BLOCKS += [(kind, "a row less", fewer_rows, "has 39 rows, not 40 as the manifest says") for kind in TRAIN]
BLOCKS += [
    ("sentences", "without tags", without("tags"), "lacks a column"),
    ("documents", "without counts", without("counts"), "lacks a column"),
    ("documents", "a word twice", lambda batch: _twice(batch), "has a document whose words are not in the order"),
    ("pairs", "a length of its own", lambda batch: _regrouped(batch), "has a pair of sentences whose lengths"),
]


def _twice(batch: Any) -> Any:
    columns = shard_file.columns_of(batch)
    words = columns["words"]
    row = int(np.flatnonzero(words.lengths > 1)[0])
    words.values[words.offsets[row] + 1] = words.values[words.offsets[row]]
    return shard_file.batch_of(columns)


def _regrouped(batch: Any) -> Any:
    """All words of a side in one sentence."""
    columns = shard_file.columns_of(batch)
    columns["source"].offsets[1:] = columns["source"].offsets[-1]
    return shard_file.batch_of(columns)


@pytest.mark.parametrize(("kind", "what", "block", "says"), BLOCKS, ids=[f"{b[0]}: {b[1]}" for b in BLOCKS])
def test_a_forged_block_is_refused(kind: str, what: str, block: Any, says: str, folders: Path, tmp_path: Path) -> None:
    out = forge(folders / kind, tmp_path / "forged", **{"patch" if what.startswith("offsets") else "block": block})
    for command in (TRAIN[kind].format(out), f"info {out}"):
        ran = run(command)
        assert ran.code == 2 and ran.out == "" and len(ran.said) == 1, ran
        line = ran.said[0].removeprefix("softcount: ")
        assert line.startswith(f"{out}/shard-00000.arrow: block 1 {says}") and line.endswith(f"; {AGAIN}"), line


TABLES: list[tuple[str, str, Callable[[Path, Path], Path], str]] = [
    (kind, f"{table}: {column} {value}",
     lambda a, b, t=table, c=column, v=value: forge(a, b, tables={t: row_of(c, 0, v)}), table)
    for kind in TRAIN
    for table in [f"{name}.arrow" for name in words_of(kind)]
    for column, value in (("count", -1), ("count", 0), ("count", 2**62), ("count", 3), ("rows", -1), ("rows", 10**6),
                          ("came", -1), ("came", 10**6))
]  # fmt: skip
TABLES += [
    (kind, f"lengths: {column} {value}",
     lambda a, b, c=column, v=value: forge(a, b, tables={"lengths.arrow": row_of(c, -1, v)}), "lengths.arrow")
    for kind in TRAIN
    for column, value in ((words_of(kind)[0], 2**40), (words_of(kind)[0], -1), ("count", -1), ("count", 2**62))
]  # fmt: skip
TABLES += [
    (kind, f"manifest: {what}", lambda a, b, change=change: forge(a, b, about=change), "manifest.json")
    for kind in TRAIN
    for what, change in (
        ("rows", lambda m: m.update(rows=10**9)),
        ("rows of a block", lambda m: m["shards"][0]["blocks"][0].__setitem__(0, 10**9)),
        ("negative rows", lambda m: m["shards"][0]["blocks"].append([-1, m["shards"][0]["blocks"][0][1]])),
    )
]  # fmt: skip
TABLES += [
    (kind, "manifest: words", lambda a, b: forge(a, b, about=lambda m: m["sides"][0].update(words=10**6)),
     f"{words_of(kind)[0]}.arrow") for kind in TRAIN
]  # fmt: skip


@pytest.mark.parametrize(("kind", "what", "make", "names"), TABLES, ids=[f"{t[0]}: {t[1]}" for t in TABLES])
def test_a_forged_table_is_refused(kind: str, what: str, make: Any, names: str, folders: Path, tmp_path: Path) -> None:
    out = make(folders / kind, tmp_path / "forged")
    ran = run(f"info {out}")
    assert ran.code == 2 and ran.out == "" and len(ran.said) == 1, ran
    assert ran.said[0].startswith(f"softcount: {out}/{names}: ") and ran.said[0].endswith(f"; {AGAIN}"), ran.err


def test_info_counts_the_text(folders: Path, tmp_path: Path) -> None:
    """Numbers that can be meant, but not of this text."""
    out = forge(folders / "sentences", tmp_path / "words", values("words", FIRST, 19))
    refused(run(f"info {out}"), f"{out}/words.arrow: its frequencies do not match the text; {AGAIN}")

    def other_lengths(batch: Any) -> Any:
        columns = shard_file.columns_of(batch)
        for name in ("words", "tags"):
            columns[name].offsets[1:-1] = columns[name].offsets[-1]
        return shard_file.batch_of(columns)

    out = forge(folders / "sentences", tmp_path / "lengths", other_lengths)
    refused(run(f"info {out}"), f"{out}/lengths.arrow: its lengths do not match the text; {AGAIN}")
    for kind in TRAIN:
        assert "intact" in run(f"info {forge(folders / kind, tmp_path / kind)}").out


def test_numbers_are_checked_once_per_process(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    plain = shard_columns.check_numbers
    monkeypatch.setattr(shard_file, "_checked", set())
    monkeypatch.setattr(shard_file, "check_numbers", lambda *a: (looked.append(a[1].kind), plain(*a)))
    for _ in range(3):
        sc.Shards(folders / "pairs").loaded()
    assert looked == ["pairs"]


@pytest.mark.parametrize("line", [
    "tag {} --start random --criterion em:1 -q", "topics {} --topics 2 --start random --criterion em:1 -q",
])  # fmt: skip
def test_the_process_lives(line: str, folders: Path, tmp_path: Path) -> None:
    """A process of its own, because this ended it: a word's number far beyond the table."""
    kind = "sentences" if line.startswith("tag") else "documents"
    out = forge(folders / kind, tmp_path / "forged", values("words", LAST, 2**31 - 1))
    ran = subprocess.run(
        [sys.executable, "-m", "softcount", *line.format(out).split()], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2 and "has the word number 2147483647, which is not from 0 to 19" in ran.stderr, ran
