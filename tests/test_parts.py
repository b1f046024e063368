"""A model of several files: the same model, whole or not at all, and damage is told by the part that has it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from cases import CRITERIA, MODELS, SENTENCES, bits
from command import refused, run

import softcount
from softcount import InputError
from softcount.disk import parts
from softcount.disk.store import Stored


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "SMALL", 100)


@pytest.fixture(scope="module")
def trained() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: make(CRITERIA[0])[0].fit(*make(CRITERIA[0])[1]) for name, make in MODELS.items() if name in KINDS}


KINDS = ("hmm", "plsa", "jumps", "network")


def beside(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.part-*"))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("n", [2, 5])
def test_a_model_of_several_files_is_the_same_model(trained: Any, name: str, n: int, tmp_path: Path) -> None:
    model, path = trained[name], tmp_path / "model"
    model.save(path, parts=n)
    assert len(beside(path)) == n and sum(part.stat().st_size for part in (path, *beside(path))) == Stored(path).n_bytes
    assert bits(softcount.load(path)) == bits(model)


def test_saved_again_it_replaces_all_that_was_there(trained: Any, tmp_path: Path) -> None:
    path, other = tmp_path / "model", tmp_path / "model.part-1-of-2.mine"
    other.write_text("not ours")
    trained["hmm"].save(path, parts=4)
    before = beside(path)
    trained["plsa"].save(path, parts=2)
    assert len(beside(path)) == 3 and other.exists() and not set(before) & set(beside(path)) - {other}
    assert bits(softcount.load(path)) == bits(trained["plsa"])


@pytest.mark.parametrize("damage", ["flipped", "short", "gone", "another"])
def test_a_part_that_is_not_as_it_was_is_named(trained: Any, damage: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    trained["jumps"].save(path, parts=3)
    part = beside(path)[1]
    data = bytearray(part.read_bytes())
    if damage == "flipped":
        data[-3] ^= 4
        part.write_bytes(data)
    elif damage == "short":
        part.write_bytes(data[:-10])
    elif damage == "gone":
        part.unlink()
    else:
        part.write_bytes(beside(path)[0].read_bytes())
    says = {"gone": "copy all parts of the model, or train again", "another": "copy all parts of one model"}.get(
        damage, "is damaged"
    )
    with pytest.raises(InputError, match=rf"model.part-2-of-3.\w+: .*{says}"):
        bits(softcount.load(path))


def test_commands_write_and_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("\n".join(SENTENCES) + "\n")
    line = "tag text --states 2 --criterion em:2 --start random -q"
    written = run(f"{line} --save m --parts 3")
    assert written.code == 0 and len(beside(tmp_path / "m")) == 3
    assert run("tag text --apply m -q").out == written.out
    about = run("info m")
    assert about.code == 0 and "intact" in about.out
    part = beside(tmp_path / "m")[2]
    part.write_bytes(part.read_bytes()[:-1] + b"!")
    for command in ("info m", "tag text --apply m -q"):
        ran = run(command)
        assert ran.code == 2 and len(ran.said) == 1 and ran.said[0].startswith(f"softcount: {part.name}: "), ran.err
    refused(run(f"{line} --parts 3"), "--parts is the number of files of --save; give --save as well")
    refused(run(f"{line} --save m --parts 1000"), "parts=1000: must be a number from 1 to 999")
    refused(run(f"tag text --apply {part.name} -q"), f"{part.name}: ")
