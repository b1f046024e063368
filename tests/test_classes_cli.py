"""softcount classes: words or tags out, a saved model, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import refused, run

TEXT = "the dog sees the cat .\n\nThe cat hears a dog .\na bird sings .\nthe bird sees 3 cats .\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text(TEXT)
    (tmp_path / "words.tsv").write_text("dog\tN\ncat\tN\nthe\tD\n")
    return tmp_path


def test_words_and_tags(place: Path) -> None:
    rows = [line.split("\t") for line in run("classes text --classes 4").out.splitlines()]
    assert {row[0]: int(row[2]) for row in rows} == {w: TEXT.split().count(w) for w in set(TEXT.split())}
    of = {word: int(label) for word, label, _, _ in rows}
    assert all(0 <= k < 4 for k in of.values()) and all(0.0 < float(row[3]) <= 1.0 for row in rows)
    tags = run("classes text --classes 4 --output tags").out.split("\n")
    assert tags == [" ".join(str(of[w]) for w in line.split()) for line in TEXT.split("\n")]


def test_a_saved_model_classes_alike_and_takes_any_text(place: Path) -> None:
    first = run("classes text --classes 4 --seed 2 --save m --trace t.tsv")
    assert first.code == 0 and (place / "t.tsv").read_text().startswith("restart\tstage\tstep\tobjective")
    assert run("classes text --apply m").out == first.out
    (place / "new").write_text("Zebras 99 !\n")
    ran = run("classes new --apply m --output tags --seed 3")
    assert ran.code == 0 and len(ran.out.split()) == 3
    assert "note: --seed has no effect with --apply" in ran.said
    assert (
        "note: 3 of 3 words (100.0%) are not in the model's vocabulary; they are classified by their form" in ran.said
    )
    assert run("info m").out.startswith("m: word classes, ")


def test_a_dictionary_names_classes(place: Path) -> None:
    tags = run("classes text --dictionary words.tsv --output tags -q")
    assert tags.err == "" and tags.out.splitlines()[0].split()[:2] == ["D", "N"]
    assert set(tags.out.split()) <= {"N", "D"}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("classes text --output both", "--output 'both': unknown; use words or tags"),
        (
            "classes text --classes 1 --dictionary words.tsv",
            "1 classes, but 2 are named; omit the number",
        ),
        (
            "classes text --save text",
            "text: is an input of this command and would be overwritten; give another output file",
        ),
        ("classes nothing", "nothing: "),
        ("classes text --apply text", "text: not a softcount model; give a file that softcount --save wrote"),
    ],
)
def test_refused(place: Path, line: str, says: str) -> None:
    before = (place / "text").read_bytes()
    refused(run(line), says)
    assert (place / "text").read_bytes() == before
