"""Every example of the textbooks that ships: its commands run, and say what the books say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import refused, run

from softcount.examples import EXAMPLES
from softcount.text.source import lines

# What must be seen in the output of a command, by example and number of the command.
SEEN = {
    ("can-i-can", 0): "P(sentence) = 0.125", ("thai", 0): "0.259259", ("thai-fixed", 0): "0.306620",
    ("late", 0): "yes\t0.54", ("late", 1): "terrible\t0.347826", ("diary", 0): "0.746096", ("telescope", 0): "2",
    ("pseudo-counts", 0): "0.23913", ("pseudo-counts", 1): "0.285714", ("pseudo-counts", 2): "0.318182",
    ("six-documents", 2): "1\n1\n1\n0\n0\n0\n",
}  # fmt: skip
HEARD = {
    ("six-documents", 2): "-51.5277", ("six-documents", 3): "-51.5277", ("six-documents", 4): "identical",
    ("six-topics", 2): "-36.7426",
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_command_of_an_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run(f"examples {name} --out here")
    assert ran.code == 0 and ran.said == [f"wrote {(n := len(EXAMPLES[name].files))} file{'s' * (n != 1)} to here"]
    assert ran.out.splitlines() == list(EXAMPLES[name].commands)
    monkeypatch.chdir(tmp_path / "here")
    for number, command in enumerate(EXAMPLES[name].commands):
        ran = run(command.removeprefix("softcount "))
        assert ran.code == 0, ran.err
        assert SEEN.get((name, number), "") in ran.out, command
        assert HEARD.get((name, number), "") in ran.err.replace("−", "-"), ran.err
    if name == "can-i-can":
        after = json.loads(Path("after.json").read_text())
        assert after["emission"]["V"]["can"] == pytest.approx(1.284 / 2.004)
        assert json.loads(Path("learned.json").read_text()) != after
    if name.startswith("thai"):
        assert any("Bangkok" in line for line in lines("t.tsv").to_pylist())


def test_listed_shown_written_and_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [line.split("\t")[0] for line in run("examples").out.splitlines()] == list(EXAMPLES)
    shown = run("examples thai").out
    assert all(text in shown for text in (*EXAMPLES["thai"].files.values(), *EXAMPLES["thai"].commands))
    assert run("examples --out all -q").code == 0
    for name, example in EXAMPLES.items():
        for file, text in example.files.items():
            assert (tmp_path / "all" / name / file).read_text(encoding="utf-8") == text
    refused(run("examples nothing"), f"example 'nothing' not found; choose from {', '.join(EXAMPLES)}")
    again = run("examples thai --out all/thai")
    refused(again, "all/thai/three.en: already exists; give another folder, or remove it")
    Path("file").write_text("x")
    refused(run("examples thai --out file"), "file: is a file, not a folder; give another name")
