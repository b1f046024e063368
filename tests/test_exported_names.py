"""export: tables are called by names of the data, and a model never decides where they are written."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from command import run

import softcount as sc
from softcount.report.tables import LONGEST_NAME, file_names

NAMES = [
    "../../out",
    "/tmp/softcount-is-not-there/out",
    "..",
    ".",
    "a/b",
    "a\\b",
    "c:x",
    "con",
    "x" * 300,
    "trace",
    "é%",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("format", ["tsv", "excel"])
def test_tables_stay_in_the_folder(name: str, format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    rows = {name: ["x", "z", "x"], "other": ["y", "w", "w"]}
    network = sc.Network("auto", criterion="em:1", random_state=0).fit(rows)
    network.save("m")
    before = {path for path in tmp_path.rglob("*")}
    ran = run(f"export m --to tables -q --format {format}")
    assert ran.code == 0, ran.err
    made = {path for path in tmp_path.rglob("*")} - before - {inner / "tables"}
    assert {path.parent for path in made} == {inner / "tables"}
    assert len(made) == 3  # both variables, and the trace
    if format == "tsv":
        first = [next(csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t")) for path in made]
        assert sum(name in header for header in first) == 1


def test_ordinary_names_stay_as_they_are() -> None:
    names = ["initial", "weather@first", "rain fall", "température", "a.b", "console", "x" * LONGEST_NAME]
    assert file_names(names) == names


def test_every_table_has_a_file_of_its_own() -> None:
    assert file_names(["a", "A", "a", "a~2", ""]) == ["a", "A~2", "a~3", "a~2~2", "%"]
    assert file_names(["a/b", "a%2Fb", "..", ".x", "NUL", "com1.x", "a\n\ud800"]) == [
        "a%2Fb", "a%252Fb", "%2E.", "%2Ex", "%4EUL", "%63om1.x", "a%0A%ED%A0%80"
    ]  # fmt: skip
    long = file_names(["é" * 100 + "a", "é" * 100 + "b"])
    assert len(set(long)) == 2 and all(len(name.encode()) <= LONGEST_NAME for name in long)
